#include <gtest/gtest.h>

#include <map>

#include "base/names.h"
#include "source/infer.h"
#include "source/source.h"
#include "source/test_files.h"

namespace lakebed::source {
namespace {

using testing::field;
using testing::rows_of;
using testing::TempFolder;
using value::Kind;
using Rows = std::vector<std::string>;

// The seen set of a flow, in memory.
class Seen : public SeenFiles {
 public:
  Result<std::optional<SeenFile>> lookup(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return std::optional<SeenFile>();
    return std::optional(found->second);
  }
  void add(const Slice& slice) {
    for (const SeenFile& file : slice.files) files_[file.path] = file;
  }

 private:
  std::map<std::string, SeenFile> files_;
};

class FileSourceTest : public ::testing::Test {
 protected:
  FileSourceTest() {
    around_.folder = folder_.path();
    around_.warehouse = folder_.path() + "/warehouse";
    // "name KIND, ..." as far as these tests write it.
    around_.parse_schema = [](const std::string& text) -> Result<value::Schema> {
      value::Schema out;
      std::string rest = text + ",";
      while (!rest.empty()) {
        const std::string one = rest.substr(0, rest.find(','));
        rest.erase(0, one.size() + 1);
        const size_t from = one.find_first_not_of(' ');
        const size_t blank = one.find(' ', from);
        const std::string kind = one.substr(blank + 1);
        out.push_back(field(one.substr(from, blank - from), kind == "INT"      ? Kind::kInt
                                                            : kind == "BIGINT" ? Kind::kLong
                                                                               : Kind::kString));
      }
      return out;
    };
  }

  FilesRequest request(const std::string& path,
                       const std::map<std::string, std::string>& options = {}) {
    FilesRequest out;
    out.path = path;
    for (const auto& [name, text] : options) out.options.push_back({name, text, {}});
    return out;
  }

  Rows read(const Slice& slice) {
    auto input = slice.input(slice.schema);
    if (!input.ok()) return {input.error().text()};
    auto reader = input->reader();
    if (!reader.ok()) return {reader.error().text()};
    return rows_of(**reader);
  }

  Rows read_all(const FilesRequest& wanted) {
    auto source = open_files(wanted, around_);
    if (!source.ok()) return {source.error().text()};
    return read(*(*source)->read_all());
  }

  std::string types(const Source& source) { return value::Type::structure(source.schema()).text(); }

  TempFolder folder_;
  Surroundings around_;
};

TEST_F(FileSourceTest, InfersJsonAndAddsTheRescuedColumnLast) {
  folder_.write("in/a.json", "{\"z\":1,\"a\":{\"x\":[1.5,null]},\"e\":\"\",\"m\":true}\n");
  folder_.write("in/b.json", "{\"z\":12345678901234567890,\"m\":\"s\",\"b\":null,\"o\":{}}\n");
  auto source = open_files(request("in"), around_);
  ASSERT_TRUE(source.ok()) << source.error().text();
  EXPECT_EQ(types(**source),
            "STRUCT<a: STRUCT<x: ARRAY<DOUBLE>>, b: STRING, e: STRING, m: STRING, "
            "z: DECIMAL(20,0), _rescued_data: STRING>");
  EXPECT_EQ(read(*(*source)->read_all())[0],
            R"({"a":{"x":[1.5,null]},"b":null,"e":"","m":"true","z":1,"_rescued_data":null})");
}

TEST_F(FileSourceTest, ReadsADeclaredSchemaWithoutTheRescuedColumn) {
  folder_.write("in/a.json", "{\"id\":1,\"v\":2}\n");
  auto source = open_files(request("in", {{"schema", "id INT, v STRING"}}), around_);
  ASSERT_TRUE(source.ok()) << source.error().text();
  EXPECT_EQ(types(**source), "STRUCT<id: INT, v: STRING>");
  EXPECT_EQ((*source)->hidden()[0].name, "_metadata");
  EXPECT_EQ(read(*(*source)->read_all()), (Rows{R"({"id":1,"v":"2"})"}));
}

TEST_F(FileSourceTest, StreamsEachFileOnceInTheOrderOfNames) {
  folder_.write("in/b.json", "{\"id\":2}\n");
  folder_.write("in/a.json", "{\"id\":1}\n");
  folder_.write("in/c.json", "{\"id\":3}\n");
  FilesRequest wanted = request("in", {{"schema", "id INT"}, {"maxFilesPerTrigger", "2"}});
  wanted.streaming = true;
  auto source = *open_files(wanted, around_);
  Seen seen;
  auto slice = *source->next_slice("", seen);
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(read(*slice), (Rows{R"({"id":1})", R"({"id":2})"}));
  EXPECT_TRUE(slice->more);
  EXPECT_EQ(slice->covers, "2 files, a.json to b.json");
  // Asked again before the commit, the same slice comes.
  EXPECT_EQ(read(**source->next_slice("", seen)).size(), 2u);
  seen.add(*slice);
  const std::string position = slice->position;
  slice = *source->next_slice(position, seen);
  EXPECT_EQ(read(*slice), (Rows{R"({"id":3})"}));
  EXPECT_FALSE(slice->more);
  seen.add(*slice);
  EXPECT_FALSE((*source->next_slice(position, seen)).has_value());
}

TEST_F(FileSourceTest, SkipsASeenFileWithOtherContentUnlessAllowed) {
  folder_.write("in/a.json", "{\"id\":1}\n");
  FilesRequest wanted = request("in", {{"schema", "id INT"}});
  wanted.streaming = true;
  Seen seen;
  auto source = *open_files(wanted, around_);
  seen.add(**source->next_slice("", seen));
  folder_.write("in/a.json", "{\"id\":1}\n{\"id\":2}\n");
  folder_.write("in/b.json", "{\"id\":3}\n");
  ASSERT_TRUE(source->refresh().ok());
  auto slice = *source->next_slice("{}", seen);
  EXPECT_EQ(read(*slice), (Rows{R"({"id":3})"}));
  ASSERT_EQ(slice->notices.size(), 1u);
  EXPECT_NE(slice->notices[0].find("a.json"), std::string::npos);
  wanted.options.push_back({"allowOverwrites", "true", {}});
  source = *open_files(wanted, around_);
  EXPECT_EQ(read(**source->next_slice("{}", seen)).size(), 3u);
}

TEST_F(FileSourceTest, PassesOverExistingFilesWhereTold) {
  folder_.write("in/a.json", "{\"id\":1}\n");
  FilesRequest wanted = request("in", {{"schema", "id INT"}, {"includeExistingFiles", "false"}});
  wanted.streaming = true;
  Seen seen;
  auto source = *open_files(wanted, around_);
  auto slice = *source->next_slice("", seen);
  EXPECT_TRUE(read(*slice).empty());
  seen.add(*slice);
  folder_.write("in/b.json", "{\"id\":2}\n");
  ASSERT_TRUE(source->refresh().ok());
  EXPECT_EQ(read(**source->next_slice(slice->position, seen)), (Rows{R"({"id":2})"}));
}

TEST_F(FileSourceTest, KeepsTheInferredSchemaAndWidensItByNewFilesOnly) {
  folder_.write("in/a.json", "{\"b\":1,\"x\":\"s\"}\n");
  FilesRequest wanted = request("in");
  wanted.streaming = true;
  Seen seen;
  auto source = *open_files(wanted, around_);
  auto slice = *source->next_slice("", seen);
  seen.add(*slice);
  wanted.position = slice->position;
  wanted.seen = &seen;
  // The seen file is not looked at again, whatever it holds now.
  source = *open_files(wanted, around_);
  EXPECT_EQ(types(*source), "STRUCT<b: BIGINT, x: STRING, _rescued_data: STRING>");
  folder_.write("in/b.json", "{\"a\":true}\n");
  source = *open_files(wanted, around_);
  EXPECT_EQ(types(*source), "STRUCT<b: BIGINT, x: STRING, a: BOOLEAN, _rescued_data: STRING>");
  slice = *source->next_slice(wanted.position, seen);
  EXPECT_EQ(read(*slice), (Rows{R"({"b":null,"x":null,"a":true,"_rescued_data":null})"}));
  wanted.options.push_back({"schemaEvolutionMode", "failOnNewColumns", {}});
  EXPECT_EQ(open_files(wanted, around_).error().code, "UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_FILE");
  wanted.options.back().value = "rescue";
  source = *open_files(wanted, around_);
  const Rows rescued = read(**source->next_slice(wanted.position, seen));
  EXPECT_NE(rescued[0].find(R"("_rescued_data":"{\"a\":true,)"), std::string::npos) << rescued[0];
}

TEST_F(FileSourceTest, ReadsPartitionFoldersAsColumns) {
  folder_.write("in/year=2024/day=2024-05-01/a.json", "{\"id\":1}\n");
  folder_.write("in/year=2025/day=2025-05-01/a.json", "{\"id\":2}\n");
  auto source = open_files(request("in"), around_);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(types(**source), "STRUCT<id: BIGINT, year: INT, day: DATE, _rescued_data: STRING>");
  EXPECT_EQ(read(*(*source)->read_all())[1],
            R"({"id":2,"year":2025,"day":"2025-05-01","_rescued_data":null})");
}

TEST_F(FileSourceTest, NamesWhatIsWrong) {
  const auto code = [this](const FilesRequest& wanted) {
    auto source = open_files(wanted, around_);
    return source.ok() ? std::string("ok") : source.error().code;
  };
  EXPECT_EQ(code(request("absent", {{"schema", "id INT"}})), "PATH_NOT_FOUND");
  EXPECT_EQ(code(request("absent*", {{"schema", "id INT"}})), "PATH_NOT_FOUND");
  FilesRequest stream = request("absent", {{"schema", "id INT"}});
  stream.streaming = true;
  EXPECT_EQ(code(stream), "PATH_NOT_FOUND");
  stream.path = "absent*";
  EXPECT_EQ(code(stream), "ok");
  std::filesystem::create_directories(folder_.path() + "/empty");
  EXPECT_EQ(code(request("empty")), "UNABLE_TO_INFER_SCHEMA");
  EXPECT_EQ(code(request("empty", {{"schema", "id INT"}})), "ok");
  stream = request("empty");
  stream.streaming = true;
  EXPECT_EQ(code(stream), "CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE");
  folder_.write("odd/x.bin", "x");
  EXPECT_EQ(code(request("odd", {{"schema", "id INT"}})), "UNSUPPORTED_FILE_FORMAT");
  EXPECT_EQ(code(request("odd", {{"colour", "red"}})), "UNKNOWN_READ_OPTION");
  folder_.write("cut/a.json", "{\"id\":1}\n{\"id\":");
  EXPECT_EQ(code(request("cut")), "MALFORMED_RECORD_IN_PARSING");
}

TEST_F(FileSourceTest, ReadsCsv) {
  folder_.write("in/a.csv", "id,name,amount\r\n1,\"a, \"\"b\"\"\",1.5\r\n\r\n2,,x\r\n");
  EXPECT_EQ(read_all(request("in/a.csv", {{"header", "true"},
                                          {"schema",
                                           "id INT, name STRING, "
                                           "amount STRING"}})),
            (Rows{R"({"id":1,"name":"a, \"b\"","amount":"1.5"})",
                  R"({"id":2,"name":null,"amount":"x"})"}));
  auto source = open_files(request("in/a.csv", {{"header", "true"}}), around_);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(types(**source),
            "STRUCT<id: INT, name: STRING, amount: STRING, _rescued_data: STRING>");
  EXPECT_EQ(read(*(*source)->read_all())[1],
            R"({"id":2,"name":null,"amount":"x","_rescued_data":null})");
  const Rows damaged = read_all(
      request("in/a.csv", {{"header", "true"}, {"schema", "id INT, name STRING, amount INT"}}));
  EXPECT_NE(damaged.back().find("a.csv, line 2: \"1.5\" cannot be read as INT in field amount"),
            std::string::npos)
      << damaged.back();
}

TEST_F(FileSourceTest, ReadsCsvInItsDialects) {
  folder_.write("in/a.csv", "1|'x|y'|NULL\n#no\n2|it\\'s|''\n");
  EXPECT_EQ(read_all(request("in", {{"format", "csv"},
                                    {"sep", "|"},
                                    {"quote", "'"},
                                    {"nullValue", "NULL"},
                                    {"comment", "#"},
                                    {"schema", "a INT, b STRING, c STRING"}})),
            (Rows{R"({"a":1,"b":"x|y","c":null})", R"({"a":2,"b":"it\\'s","c":""})"}));
  folder_.write("m/a.csv", "1,\"two\nlines\",3\n");
  EXPECT_EQ(read_all(request("m", {{"multiLine", "true"}, {"schema", "a INT, b STRING, c INT"}})),
            (Rows{R"({"a":1,"b":"two\nlines","c":3})"}));
  folder_.write("few/a.csv", "1,2\n3\n");
  EXPECT_NE(read_all(request("few", {{"schema", "a INT, b INT"}})).back().find("line 2"),
            std::string::npos);
  EXPECT_EQ(read_all(request("few", {{"schema", "a INT, b INT"}, {"mode", "DROPMALFORMED"}})),
            (Rows{R"({"a":1,"b":2})"}));
  folder_.write("quote/a.csv", "1,\"x\n");
  EXPECT_NE(
      read_all(request("quote", {{"schema", "a INT, b STRING"}})).back().find("without an end"),
      std::string::npos);
}

TEST_F(FileSourceTest, MatchesCsvHeadersByName) {
  folder_.write("in/a.csv", "b,a\n2,1\n");
  folder_.write("in/b.csv", "a,c,b\n3,x,4\n");
  EXPECT_EQ(read_all(request("in", {{"header", "true"}, {"schema", "a INT, b INT"}})),
            (Rows{R"({"a":1,"b":2})", R"({"a":3,"b":4})"}));
  folder_.write("other/a.csv", "x,y\n5,6\n");
  EXPECT_EQ(read_all(request("other", {{"header", "true"}, {"schema", "a INT, b INT"}})),
            (Rows{R"({"a":5,"b":6})"}));
}

TEST(SchemaJson, ComesBack) {
  const value::Schema schema = {
      field("a", value::Type::decimal(38, 10)),
      field("b", value::Type::map(Kind::kString, value::Type::array(Kind::kTimestampNtz))),
      field("c", value::Type::structure({field("d", Kind::kDate)}))};
  const auto back = parse_schema_json(schema_json(schema));
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(value::Type::structure(*back) == value::Type::structure(schema));
  EXPECT_FALSE(parse_schema_json("{\"fields\":[{}]}").ok());
  EXPECT_FALSE(parse_schema_json("nonsense").ok());
}

}  // namespace
}  // namespace lakebed::source
