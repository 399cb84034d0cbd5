// Damaged input never crashes the reader, and never loses or invents a row in silence: each line of
// a mutated file is a row, or it is named in an error. Against a second, independent JSON parser.
// (Half of a surrogate pair is left out: Java reads it as a question mark, the other parser not.)
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/json.h"
#include "base/world.h"
#include "source/infer.h"
#include "source/json_reader.h"
#include "source/test_files.h"

namespace lakebed::source {
namespace {

using testing::field;
using testing::listed;
using testing::rows_of;
using testing::TempFolder;
using value::Kind;
using value::Type;

const char* kSeeds[] = {
    R"({"id":12,"s":"a\u00e9\n\"b","d":-1.25e1,"n":{"a":[1,null,3],"m":{"k":true}},)"
    R"("t":"2024-01-02"})",
    R"({"id":-7,"s":null,"d":1e5,"n":{},"t":null,"more":[{"x":[[]]},"]}",false]})",
    R"({ "s" : "\u20ac" , "n" : { "a" : [ ] , "m" : { } } , "id" : 0 })",
};

value::Schema schema() {
  return {field("id", Kind::kInt), field("s", Kind::kString), field("d", Type::decimal(20, 4)),
          field("n", Type::structure({field("a", Type::array(Kind::kLong)),
                                      field("m", Type::map(Kind::kString, Kind::kBoolean))})),
          field("t", Kind::kDate)};
}

std::string mutate(std::string text, Random& random) {
  constexpr std::string_view kBytes = "{}[]\",:\\0189.-+eEtfnu \t\x01\xC3\xA9\xFF'/";
  const uint64_t times = 1 + random.next() % 3;
  for (uint64_t i = 0; i < times && !text.empty(); ++i) {
    const size_t at = random.next() % text.size();
    const char byte = kBytes[random.next() % kBytes.size()];
    switch (random.next() % 4) {
      case 0: text[at] = byte; break;
      case 1: text.insert(at, 1, byte); break;
      case 2: text.erase(at, 1 + random.next() % 3); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(JsonMutation, AgreesWithAnotherParserOnWhatIsJson) {
  const char* given = std::getenv("LAKEBED_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20240607;
  auto random = seeded_random(seed);
  JsonOptions options;
  options.mode = ParseMode::kPermissive;
  options.corrupt_column = "_corrupt";
  options.allow_single_quotes = false;
  options.allow_non_numeric = false;
  value::Schema wanted = schema();
  wanted.push_back(field("_corrupt", Kind::kString));
  const TempFolder folder;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> lines;
    std::string text;
    for (int i = 0; i < 100; ++i) {
      std::string line = mutate(kSeeds[random->next() % 3], *random);
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      text += line + "\n";
      lines.push_back(std::move(line));
    }
    folder.write("a.json", text);
    auto reader = *read_json(listed(folder.path()), wanted, options);
    size_t row = 0;
    while (true) {
      auto batch = reader->next();
      ASSERT_TRUE(batch.ok()) << batch.error().text() << " seed " << seed;
      if (!batch->has_value()) break;
      for (size_t i = 0; i < (*batch)->rows; ++i, ++row) {
        ASSERT_LT(row, lines.size()) << "seed " << seed;
        const bool accepted = (*batch)->columns[5].is_null(i);
        const auto other = nlohmann::ordered_json::parse(lines[row], nullptr, false);
        // What we take as a row is an object for the other parser, too.
        if (accepted) {
          EXPECT_TRUE(other.is_object()) << lines[row] << " seed " << seed;
        }
      }
    }
    EXPECT_EQ(row, lines.size()) << "seed " << seed;
  }
}

TEST(JsonMutation, InferenceAndReadingAgreeOnDamage) {
  auto random = seeded_random(7);
  const TempFolder folder;
  for (int i = 0; i < 1500; ++i) {
    folder.write("a.json", mutate(kSeeds[random->next() % 3], *random) + "\n");
    const auto files = listed(folder.path());
    const auto inferred = infer_json(files, ReadOptions{});
    auto reader = *read_json(files, {field("id", Kind::kString)}, {});
    const auto batch = reader->next();
    EXPECT_EQ(inferred.ok(), batch.ok()) << i;
  }
}

}  // namespace
}  // namespace lakebed::source
