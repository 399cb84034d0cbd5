#include "source/options.h"

#include <gtest/gtest.h>

namespace lakebed::source {
namespace {

Result<ReadOptions> parse(const std::vector<std::pair<std::string, std::string>>& written) {
  std::vector<Option> options;
  for (const auto& [name, text] : written) options.push_back({name, text, {}});
  return parse_options(options, "", "UTC");
}

TEST(Options, MatchInAnySpelling) {
  auto options = parse({{"FORMAT", "'JSON'"},
                        {"MULTILINE", "True"},
                        {"cloudFiles.maxFilesPerTrigger", "5"},
                        {"`cloudFiles.inferColumnTypes`", "\"false\""},
                        {"delimiter", "|"},
                        {"header", "1"},
                        {"pathGlobfilter", "*.json"},
                        {"maxBytesPerTrigger", "10m"}});
  ASSERT_TRUE(options.ok()) << options.error().text();
  EXPECT_EQ(options->format, "json");
  EXPECT_TRUE(options->multi_line);
  EXPECT_EQ(options->max_files, 5u);
  EXPECT_FALSE(options->infer_types);
  EXPECT_EQ(options->csv.at("sep"), "|");
  EXPECT_TRUE(options->header);
  EXPECT_EQ(options->file_glob, "*.json");
  EXPECT_EQ(options->max_bytes, uint64_t{10} << 20);
}

TEST(Options, RefuseUnknownNamesWithTheNearest) {
  auto options = parse({{"ignorMissingFiles", "true"}});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, "UNKNOWN_READ_OPTION");
  EXPECT_EQ(options.error().blame, Blame::kProject);
  EXPECT_NE(options.error().message.find("ignorMissingFiles"), std::string::npos);
  EXPECT_NE(options.error().hint.find("ignoreMissingFiles"), std::string::npos);
}

TEST(Options, RefuseWrongAndUnsupportedValues) {
  EXPECT_EQ(parse({{"multiLine", "maybe"}}).error().code, "INVALID_READ_OPTION");
  EXPECT_EQ(parse({{"maxFilesPerTrigger", "0"}}).error().code, "INVALID_READ_OPTION");
  EXPECT_EQ(parse({{"mode", "careful"}}).error().code, "INVALID_READ_OPTION");
  EXPECT_EQ(parse({{"encoding", "UTF-16"}}).error().code, "UNSUPPORTED_READ_OPTION");
  EXPECT_EQ(parse({{"ignoreCorruptFiles", "true"}}).error().code, "UNSUPPORTED_READ_OPTION");
  EXPECT_EQ(parse({{"format", "avro"}}).error().code, "UNSUPPORTED_FILE_FORMAT");
  EXPECT_TRUE(parse({{"useNotifications", "true"}, {"schemaLocation", "/x"}}).ok());
}

}  // namespace
}  // namespace lakebed::source
