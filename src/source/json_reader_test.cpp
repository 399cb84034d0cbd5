#include "source/json_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "source/source.h"
#include "source/test_files.h"

namespace lakebed::source {
namespace {

using testing::field;
using testing::listed;
using testing::rows_of;
using testing::TempFolder;
using value::Kind;
using value::Type;
using Rows = std::vector<std::string>;

// Reads `text` as one file. Errors are the last "row".
Rows read(const std::string& text, const value::Schema& schema, const JsonOptions& options = {}) {
  const TempFolder folder;
  folder.write("a.json", text);
  auto reader = read_json(listed(folder.path()), schema, options);
  if (!reader.ok()) return {reader.error().text()};
  Rows rows = rows_of(**reader);
  for (std::string& row : rows) {
    const size_t at = row.find(folder.path());
    if (at != std::string::npos) row.replace(at, folder.path().size(), "DIR");
  }
  return rows;
}

Rows read_one(const std::string& json, const Type& type, const JsonOptions& options = {}) {
  return read("{\"v\":" + json + "}\n", {field("v", type)}, options);
}

// True where the row is refused by name.
bool refused(const Rows& rows) {
  return rows.size() == 1 && rows[0].rfind("MALFORMED_RECORD_IN_PARSING", 0) == 0;
}

TEST(JsonReader, ReadsLinesInOrderWithMissingAndNullAsNull) {
  const value::Schema schema = {field("id", Kind::kInt), field("name", Kind::kString)};
  EXPECT_EQ(
      read("{\"id\":1,\"name\":\"a\"}\r\n\n  \n{\"name\":null,\"id\":2,\"x\":[1,{}]}\n{}", schema),
      (Rows{R"({"id":1,"name":"a"})", R"({"id":2,"name":null})", R"({"id":null,"name":null})"}));
  EXPECT_EQ(read("\xEF\xBB\xBF{\"id\":7}\r{\"ID\":8}", schema),
            (Rows{R"({"id":7,"name":null})", R"({"id":null,"name":null})"}));
  EXPECT_TRUE(read("\n \n", schema).empty());
  EXPECT_TRUE(read("", schema).empty());
}

TEST(JsonReader, KeepsNumbersExact) {
  EXPECT_EQ(read_one("9223372036854775807", Kind::kLong)[0], R"({"v":9223372036854775807})");
  EXPECT_EQ(read_one("-9223372036854775808", Kind::kLong)[0], R"({"v":-9223372036854775808})");
  EXPECT_TRUE(refused(read_one("9223372036854775808", Kind::kLong)));
  const Type wide = Type::decimal(38, 18);
  EXPECT_EQ(read_one("12345678901234567890.123456789012345678", wide)[0],
            R"({"v":12345678901234567890.123456789012345678})");
  EXPECT_EQ(read_one("0.1", Type::decimal(10, 2))[0], R"({"v":0.10})");
  EXPECT_EQ(read_one("2.675", Type::decimal(10, 2))[0], R"({"v":2.68})");
  EXPECT_EQ(read_one("-2.675", Type::decimal(10, 2))[0], R"({"v":-2.68})");
  EXPECT_EQ(read_one("1.5e3", Type::decimal(10, 2))[0], R"({"v":1500.00})");
  EXPECT_EQ(read_one("4e-3", Type::decimal(10, 2))[0], R"({"v":0.00})");
  EXPECT_EQ(read_one("5E-3", Type::decimal(10, 2))[0], R"({"v":0.01})");
  EXPECT_EQ(read_one("\"1,234.5\"", Type::decimal(10, 2))[0], R"({"v":1234.50})");
  EXPECT_TRUE(refused(read_one("123456789.00", Type::decimal(10, 2))));
  EXPECT_TRUE(refused(read_one("99999999.999", Type::decimal(10, 2))));
  EXPECT_TRUE(refused(read_one("1e999999999999", Type::decimal(38, 0))));
  EXPECT_EQ(read_one("1e-999999999999", Type::decimal(38, 0))[0], R"({"v":0})");
}

TEST(JsonReader, TakesOnlyWhatTheTypeIs) {
  for (const char* json :
       {"1.5", "1.0", "1e2", "true", "\"1\"", "\"\"", "[1]", "{}", "2147483648"}) {
    EXPECT_TRUE(refused(read_one(json, Kind::kInt))) << json;
  }
  EXPECT_TRUE(refused(read_one("128", Kind::kByte)));
  EXPECT_EQ(read_one("-128", Kind::kByte)[0], R"({"v":-128})");
  for (const char* json : {"1", "\"true\"", "0"}) {
    EXPECT_TRUE(refused(read_one(json, Kind::kBoolean))) << json;
  }
  EXPECT_EQ(read_one("true", Kind::kBoolean)[0], R"({"v":true})");
  EXPECT_TRUE(refused(read_one("\"1.5\"", Kind::kDouble)));
  EXPECT_EQ(read_one("1", Kind::kDouble)[0], R"({"v":1.0})");
  EXPECT_EQ(read_one("\"NaN\"", Kind::kDouble)[0], R"({"v":"NaN"})");
  EXPECT_EQ(read_one("NaN", Kind::kDouble)[0], R"({"v":"NaN"})");
  EXPECT_EQ(read_one("-Infinity", Kind::kFloat)[0], R"({"v":"-Infinity"})");
  EXPECT_EQ(read_one("1e400", Kind::kDouble)[0], R"({"v":"Infinity"})");
  EXPECT_TRUE(refused(read_one("NaN", Kind::kInt)));
}

TEST(JsonReader, GivesTheRawTextOfWhatIsNoString) {
  EXPECT_EQ(read_one("1.50", Kind::kString)[0], R"({"v":"1.50"})");
  EXPECT_EQ(read_one("true", Kind::kString)[0], R"({"v":"true"})");
  EXPECT_EQ(read_one("{\"a\": [1, 2]}", Kind::kString)[0], R"({"v":"{\"a\": [1, 2]}"})");
  EXPECT_EQ(read_one("\"\"", Kind::kString)[0], R"({"v":""})");
  EXPECT_EQ(read_one(R"("tab\t \u00e9 \ud83d\ude00 \/")", Kind::kString)[0],
            "{\"v\":\"tab\\t \xC3\xA9 \xF0\x9F\x98\x80 /\"}");
}

TEST(JsonReader, ReadsTimes) {
  EXPECT_EQ(read_one("\"2024-02-29\"", Kind::kDate)[0], R"({"v":"2024-02-29"})");
  EXPECT_EQ(read_one("\"2024-2-9\"", Kind::kDate)[0], R"({"v":"2024-02-09"})");
  EXPECT_TRUE(refused(read_one("\"2023-02-29\"", Kind::kDate)));
  EXPECT_TRUE(refused(read_one("\"09/02/2024\"", Kind::kDate)));
  JsonOptions options;
  options.time_zone = "Europe/Paris";
  const value::Schema schema = {field("v", Kind::kTimestamp)};
  EXPECT_EQ(read("{\"v\":\"2024-07-01 12:00:00.123456\"}\n{\"v\":\"2024-01-01T12:00:00Z\"}\n"
                 "{\"v\":\"2024-01-01\"}\n{\"v\":\"2024-01-01 00:00:00-03:30\"}\n{\"v\":60}",
                 schema, options),
            (Rows{R"({"v":"2024-07-01T10:00:00.123456Z"})", R"({"v":"2024-01-01T12:00:00.000Z"})",
                  R"({"v":"2023-12-31T23:00:00.000Z"})", R"({"v":"2024-01-01T03:30:00.000Z"})",
                  R"({"v":"1970-01-01T00:01:00.000Z"})"}));
  EXPECT_TRUE(refused(read_one("\"2024-01-01 00:00:00Z\"", Kind::kTimestampNtz)));
  JsonOptions patterns;
  patterns.date_format = "dd/MM/yyyy";
  patterns.timestamp_format = "MM-dd-yyyy HH:mm:ss[.SSS]";
  EXPECT_EQ(read_one("\"09/02/2024\"", Kind::kDate, patterns)[0], R"({"v":"2024-02-09"})");
  EXPECT_TRUE(refused(read_one("\"2024-02-09\"", Kind::kDate, patterns)));
  EXPECT_EQ(read_one("\"12-31-2024 23:59:58.5\"", Kind::kTimestamp, patterns)[0],
            R"({"v":"2024-12-31T23:59:58.500Z"})");
}

TEST(JsonReader, ReadsNestedValues) {
  const Type inner = Type::structure({field("a", Kind::kInt), field("b", Kind::kString)});
  EXPECT_EQ(read_one(R"([{"a":1},null,{"b":"x","a":2,"c":3}])", Type::array(inner))[0],
            R"({"v":[{"a":1,"b":null},null,{"a":2,"b":"x"}]})");
  EXPECT_EQ(read_one(R"({"x":1,"y":null,"x":3})", Type::map(Kind::kString, Kind::kInt))[0],
            R"({"v":{"y":null,"x":3}})");
  EXPECT_TRUE(refused(read_one("[1]", inner)));
  EXPECT_TRUE(refused(read_one("{}", Type::array(inner))));
  const Rows nested = read_one(R"({"a":"x"})", inner);
  EXPECT_NE(nested[0].find("`v.a`"), std::string::npos) << nested[0];
}

TEST(JsonReader, LastOfEqualNamesWins) {
  EXPECT_EQ(read("{\"v\":1,\"v\":2}\n{\"v\":3}", {field("v", Kind::kInt)}),
            (Rows{R"({"v":2})", R"({"v":3})"}));
}

TEST(JsonReader, NamesFileLineColumnAndValueOfADamagedRow) {
  const value::Schema schema = {field("id", Kind::kInt)};
  const Rows rows = read("{\"id\":1}\n\n{\"id\":  \"two\"}\n", schema);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NE(rows[0].find("DIR/a.json, line 3, column 9: \"two\" cannot be read as INT"),
            std::string::npos)
      << rows[0];
  EXPECT_TRUE(refused(read("null\n", schema)));
  EXPECT_TRUE(refused(read("[1]\n", schema)));
  EXPECT_TRUE(refused(read("[{\"id\":1}]\n", schema)));
  EXPECT_TRUE(refused(read("hello\n", schema)));
  EXPECT_TRUE(refused(read("{\"id\":1}{\"id\":2}\n", schema)));
  EXPECT_TRUE(refused(read("{\"id\":1,}\n", schema)));
  EXPECT_TRUE(refused(read("{\"id\":01}\n", schema)));
  EXPECT_TRUE(refused(read("{\"x\":[1,2}\n", schema)));
  EXPECT_TRUE(refused(read("{\"x\":\"a\xFF\"}\n", schema)));
  EXPECT_TRUE(refused(read("{\"x\":\"a\tb\"}\n", schema)));
  const Rows cut = read("{\"id\":1}\n{\"id\":", schema);
  EXPECT_NE(cut[0].find("cut short"), std::string::npos) << cut[0];
}

TEST(JsonReader, KeepsDamagedRowsWhereTheModeSaysSo) {
  JsonOptions options;
  options.mode = ParseMode::kPermissive;
  options.corrupt_column = "_corrupt_record";
  const value::Schema schema = {field("id", Kind::kInt), field("n", Kind::kInt),
                                field("_corrupt_record", Kind::kString)};
  EXPECT_EQ(read("{\"id\":1,\"n\":\"x\"}\nnope\n{\"id\":2}\n", schema, options),
            (Rows{R"({"id":1,"n":null,"_corrupt_record":"{\"id\":1,\"n\":\"x\"}"})",
                  R"({"id":null,"n":null,"_corrupt_record":"nope"})",
                  R"({"id":2,"n":null,"_corrupt_record":null})"}));
  options.mode = ParseMode::kDropMalformed;
  EXPECT_EQ(read("{\"id\":1,\"n\":\"x\"}\nnope\n{\"id\":2}\n", schema, options),
            (Rows{R"({"id":2,"n":null,"_corrupt_record":null})"}));
}

TEST(JsonReader, RescuesWhatDoesNotFit) {
  JsonOptions options;
  options.mode = ParseMode::kPermissive;
  options.rescued_column = "_rescued_data";
  const value::Schema schema = {field("id", Kind::kInt), field("_rescued_data", Kind::kString)};
  EXPECT_EQ(read("{\"id\":\"x\",\"more\":[1]}\n{\"id\":2}\n", schema, options),
            (Rows{R"({"id":null,"_rescued_data":"{\"id\":\"x\",\"more\":[1],)"
                  R"(\"_file_path\":\"file://DIR/a.json\"}"})",
                  R"({"id":2,"_rescued_data":null})"}));
}

TEST(JsonReader, ReadsWholeDocuments) {
  JsonOptions options;
  options.multi_line = true;
  const value::Schema schema = {field("id", Kind::kInt)};
  EXPECT_EQ(read("[\n {\"id\":\n 1},\n {\"id\":2}\n]\n", schema, options),
            (Rows{R"({"id":1})", R"({"id":2})"}));
  EXPECT_EQ(read("{\n\"id\": 1\n}\n{\"id\":\n2}", schema, options),
            (Rows{R"({"id":1})", R"({"id":2})"}));
  EXPECT_TRUE(read("[]", schema, options).empty());
  const Rows rows = read("[\n {\"id\":1},\n {\"id\":true}\n]", schema, options);
  EXPECT_NE(rows.back().find("line 3, column 8"), std::string::npos) << rows.back();
  EXPECT_NE(read("[{\"id\":1}", schema, options).back().find("MALFORMED"), std::string::npos);
}

TEST(JsonReader, TakesSparksLiberties) {
  EXPECT_EQ(read("{'v':'it\\'s'}", {field("v", Kind::kString)})[0], R"({"v":"it's"})");
  JsonOptions options;
  options.allow_comments = true;
  options.allow_unquoted_names = true;
  options.fold_names = true;
  EXPECT_EQ(read("{V:/*x*/1} // end", {field("v", Kind::kInt)}, options)[0], R"({"v":1})");
  EXPECT_TRUE(refused(read("{v:1}", {field("v", Kind::kInt)})));
}

TEST(JsonReader, RefusesTooDeepNesting) {
  const std::string deep(5000, '[');
  EXPECT_TRUE(refused(read("{\"x\":" + deep, {field("v", Kind::kInt)})));
}

TEST(JsonReader, CutsBatchesAndReadsLongLines) {
  JsonOptions options;
  options.batch_rows = 10;
  std::string text;
  for (int i = 0; i < 25; ++i) text += "{\"v\":" + std::to_string(i) + "}\n";
  text += "{\"x\":\"" + std::string(3'000'000, 'y') + "\",\"v\":25}\n";
  const TempFolder folder;
  folder.write("a.json", text);
  auto reader = *read_json(listed(folder.path()), {field("v", Kind::kInt)}, options);
  std::vector<size_t> sizes;
  while (true) {
    auto batch = reader->next();
    ASSERT_TRUE(batch.ok());
    if (!batch->has_value()) break;
    sizes.push_back((*batch)->rows);
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{10, 10, 6}));
}

// Arrival is the order of names, then of rows (rule E4).
TEST(JsonReader, FillsTheFactsOfEachFile) {
  const TempFolder folder;
  folder.write("day=2024-01-02/b.json", "{\"v\":2}\n");
  folder.write("day=2024-01-01/c.json", "{\"v\":1}\n{\"v\":3}\n");
  const value::Schema schema = {field("v", Kind::kInt), field("day", Kind::kDate),
                                metadata_field()};
  auto reader = *read_json(listed(folder.path()), schema, {});
  const Rows rows = rows_of(*reader);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NE(rows[0].find(R"("v":1,"day":"2024-01-01")"), std::string::npos) << rows[0];
  EXPECT_NE(rows[1].find(R"("file_name":"c.json","file_size":16)"), std::string::npos) << rows[1];
  EXPECT_NE(rows[2].find("\"file_path\":\"file://" + folder.path() + "/day=2024-01-02/b.json\""),
            std::string::npos)
      << rows[2];
}

std::string gzip(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  z_stream state = {};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string input = text;
  state.next_in = reinterpret_cast<Bytef*>(input.data());
  state.avail_in = static_cast<uInt>(input.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

TEST(JsonReader, UnpacksGzipAndNoticesWhereItIsCutShort) {
  const TempFolder folder;
  const std::string packed = gzip("{\"v\":1}\n") + gzip("{\"v\":2}\n");
  folder.write("a.json.gz", packed);
  auto reader = *read_json(listed(folder.path()), {field("v", Kind::kInt)}, {});
  EXPECT_EQ(rows_of(*reader), (Rows{R"({"v":1})", R"({"v":2})"}));
  folder.write("a.json.gz", packed.substr(0, packed.size() - 6));
  reader = *read_json(listed(folder.path()), {field("v", Kind::kInt)}, {});
  EXPECT_NE(rows_of(*reader).back().find("SOURCE_FILE_DAMAGED"), std::string::npos);
  folder.write("a.json.gz", "no gzip");
  reader = *read_json(listed(folder.path()), {field("v", Kind::kInt)}, {});
  EXPECT_NE(rows_of(*reader).back().find("a.json.gz"), std::string::npos);
}

TEST(JsonReader, FailsWhereAFileVanishedOrChanged) {
  const TempFolder folder;
  const std::string path = folder.write("a.json", "{\"v\":1}\n");
  const std::vector<ListedFile> files = listed(folder.path());
  folder.write("a.json", "{\"v\":1}\n{\"v\":2}\n");
  auto reader = *read_json(files, {field("v", Kind::kInt)}, {});
  EXPECT_NE(rows_of(*reader)[0].find("SOURCE_FILE_CHANGED"), std::string::npos);
  std::filesystem::remove(path);
  reader = *read_json(files, {field("v", Kind::kInt)}, {});
  const Rows rows = rows_of(*reader);
  EXPECT_NE(rows[0].find("SOURCE_FILE_VANISHED"), std::string::npos);
  EXPECT_NE(rows[0].find(path), std::string::npos);
}

}  // namespace
}  // namespace lakebed::source
