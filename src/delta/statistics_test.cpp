#include "delta/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "delta/partition.h"

namespace lakebed::delta {
namespace {

using value::Column;
using value::ColumnBatch;
using value::Kind;
using value::Schema;
using value::Type;

value::Field field(const char* name, Type type) { return {name, std::move(type), true, "", {}}; }

// Statistics of one column, without the frame around it.
std::string of(const Column& column) {
  ColumnBatch batch;
  batch.schema = {field("c", column.type())};
  batch.columns = {column};
  batch.rows = column.size();
  return statistics_json(batch.schema, {&batch});
}

std::string bounds(const std::string& least, const std::string& greatest, int rows = 1) {
  return "{\"numRecords\":" + std::to_string(rows) + ",\"minValues\":{\"c\":" + least +
         "},\"maxValues\":{\"c\":" + greatest + "},\"nullCount\":{\"c\":0},\"tightBounds\":true}";
}

Column text(const std::vector<std::string>& items) {
  Column column{Type(Kind::kString)};
  for (const auto& item : items) column.append_bytes(item);
  return column;
}

template <typename T>
Column fixed(Type type, const std::vector<T>& items) {
  Column column(std::move(type));
  for (const T item : items) column.append_fixed(item);
  return column;
}

TEST(Statistics, NumbersAndNulls) {
  Column column = fixed<int32_t>(Kind::kInt, {5, -7, 3});
  EXPECT_EQ(of(column), bounds("-7", "5", 3));
  column.append_null();
  EXPECT_NE(of(column).find("\"nullCount\":{\"c\":1}"), std::string::npos);
  Column none{Type(Kind::kLong)};
  none.append_null();
  EXPECT_EQ(of(none), R"({"numRecords":1,"nullCount":{"c":1},"tightBounds":true})");
  EXPECT_EQ(of(Column(Type(Kind::kLong))),
            R"({"numRecords":0,"nullCount":{"c":0},"tightBounds":true})");
}

TEST(Statistics, DecimalsKeepAllDigits) {
  Column column(Type::decimal(38, 10));
  value::Int128 big = 1;
  for (int i = 0; i < 37; ++i) big *= 10;
  column.append_decimal(-big - 1);
  column.append_decimal(5);
  EXPECT_EQ(of(column), bounds("-1000000000000000000000000000.0000000001", "0.0000000005", 2));
}

TEST(Statistics, FloatingPoint) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of(fixed<double>(Kind::kDouble, {1.5, 0.1})), bounds("0.1", "1.5", 2));
  EXPECT_EQ(of(fixed<double>(Kind::kDouble, {0.0})), bounds("-0.0", "0.0"));
  EXPECT_EQ(of(fixed<double>(Kind::kDouble, {1e300, 2})), bounds("2.0", "1e+300", 2));
  EXPECT_EQ(of(fixed<float>(Kind::kFloat, {0.1F})), bounds("0.1", "0.1"));
  for (const auto& items : {std::vector<double>{nan, 1}, std::vector<double>{1, nan}}) {
    EXPECT_EQ(of(fixed<double>(Kind::kDouble, items)),
              R"({"numRecords":2,"nullCount":{"c":0},"tightBounds":true})");
  }
  EXPECT_EQ(of(fixed<double>(Kind::kDouble, {infinity, 1})).find("maxValues"), std::string::npos);
}

TEST(Statistics, TextsAreCutToTrueBounds) {
  EXPECT_EQ(of(text({"b\"", "a\n"})), bounds(R"("a\u000a")", R"("b\"")", 2));
  const std::string a32(32, 'a');
  EXPECT_EQ(of(text({a32})), bounds("\"" + a32 + "\"", "\"" + a32 + "\""));
  EXPECT_EQ(of(text({a32 + "b"})), bounds("\"" + a32 + "\"", "\"" + a32 + "\x7F\""));
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "ü";
  EXPECT_EQ(of(text({umlauts})), bounds("\"" + umlauts.substr(0, 64) + "\"",
                                        "\"" + umlauts.substr(0, 64) + "\xF4\x8F\xBF\xBF\""));
  const std::string top = a32 + "\xF4\x8F\xBF\xBF" + "x";  // nothing stands above U+10FFFF
  EXPECT_EQ(of(text({top})).find("maxValues"), std::string::npos);
  EXPECT_EQ(of(text({"\xFF"})).find("minValues"), std::string::npos);
}

TEST(Statistics, TimesAreFloored) {
  EXPECT_EQ(of(fixed<int64_t>(Kind::kTimestamp, {-1, 1'999})),
            bounds("\"1969-12-31T23:59:59.999Z\"", "\"1970-01-01T00:00:00.001Z\"", 2));
  EXPECT_EQ(of(fixed<int64_t>(Kind::kTimestampNtz, {1'700'000'000'123'456})),
            bounds("\"2023-11-14T22:13:20.123\"", "\"2023-11-14T22:13:20.123\""));
  EXPECT_EQ(of(fixed<int32_t>(Kind::kDate, {-719162, 19000})),
            bounds("\"0001-01-01\"", "\"2022-01-08\"", 2));
  EXPECT_EQ(of(fixed<int32_t>(Kind::kDate, {2'932'897})).find("maxValues"), std::string::npos);
}

TEST(Statistics, NestedLeavesAndLimits) {
  const Type inner = Type::structure({field("x", Kind::kInt), field("y", Kind::kBinary)});
  Column column(inner);
  column.raw_children()[0].append_fixed<int32_t>(4);
  column.raw_children()[1].append_bytes("z");
  column.append_struct();
  column.append_null();
  EXPECT_EQ(of(column),
            R"({"numRecords":2,"minValues":{"c":{"x":4}},"maxValues":{"c":{"x":4}},)"
            R"("nullCount":{"c":{"x":1,"y":1}},"tightBounds":true})");
  ColumnBatch batch;
  for (const char* name : {"a", "b", "p"}) {
    batch.schema.push_back(field(name, Kind::kByte));
    batch.columns.push_back(fixed<int8_t>(Kind::kByte, {1}));
  }
  batch.rows = 1;
  EXPECT_EQ(statistics_json(batch.schema, {&batch}, {1, {"a"}}),
            R"({"numRecords":1,"minValues":{"b":1},"maxValues":{"b":1},)"
            R"("nullCount":{"b":0},"tightBounds":true})");
}

TEST(Statistics, PhysicalNamesAndSeveralBatches) {
  ColumnBatch one;
  one.schema = {field("a b", Kind::kInt)};
  one.schema[0].metadata["delta.columnMapping.physicalName"] = "\"col-1\"";
  one.columns = {fixed<int32_t>(Kind::kInt, {3})};
  one.rows = 1;
  ColumnBatch two = one;
  two.columns = {fixed<int32_t>(Kind::kInt, {9})};
  EXPECT_EQ(statistics_json(one.schema, {&one, &two}),
            R"({"numRecords":2,"minValues":{"col-1":3},"maxValues":{"col-1":9},)"
            R"("nullCount":{"col-1":0},"tightBounds":true})");
}

TEST(Statistics, AfterAVector) {
  EXPECT_EQ(loosen_statistics(R"({"numRecords":3,"tightBounds":true})"),
            R"({"numRecords":3,"tightBounds":false})");
  EXPECT_EQ(loosen_statistics(R"({"minValues":{"tightBounds":"}"},"numRecords":3})"),
            R"({"minValues":{"tightBounds":"}"},"numRecords":3,"tightBounds":false})");
  EXPECT_EQ(statistics_rows(R"({"nullCount":{"numRecords":1},"x":"\"{", "numRecords" : 12 })"), 12);
  EXPECT_EQ(statistics_rows(""), std::nullopt);
  EXPECT_EQ(statistics_rows("{}"), std::nullopt);
}

TEST(Statistics, AreFast) {
  ColumnBatch batch;
  for (int i = 0; i < 9; ++i) {
    batch.schema.push_back(field("c", i < 4 ? Kind::kString : Kind::kLong));
    batch.columns.emplace_back(batch.schema.back().type);
    for (int64_t row = 0; row < 100'000; ++row) {
      if (i < 4) {
        batch.columns.back().append_bytes("customer " + std::to_string(row * 7919 % 100'003));
      } else {
        batch.columns.back().append_fixed(row * 7919 % 100'003);
      }
    }
  }
  batch.rows = 100'000;
  const auto start = std::chrono::steady_clock::now();
  const std::string json = statistics_json(batch.schema, {&batch});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_EQ(statistics_rows(json), 100'000);
}

TEST(PartitionValues, BothWays) {
  const auto round = [](Type type, const std::string& written) {
    Column column(std::move(type));
    const Status status = append_partition_value(column, written);
    if (!status.ok()) return status.error().code;
    return partition_text(column, 0).value_or("NULL");
  };
  EXPECT_EQ(round(Kind::kInt, "-12"), "-12");
  EXPECT_EQ(round(Kind::kInt, "1.5"), "DELTA_LOG.PARTITION_VALUE");
  EXPECT_EQ(round(Kind::kByte, "300"), "DELTA_LOG.PARTITION_VALUE");
  EXPECT_EQ(round(Kind::kString, ""), "NULL");
  EXPECT_EQ(round(Kind::kBoolean, "true"), "true");
  EXPECT_EQ(round(Type::decimal(10, 2), "-3.5"), "-3.50");
  EXPECT_EQ(round(Type::decimal(4, 2), "123.5"), "DELTA_LOG.PARTITION_VALUE");
  EXPECT_EQ(round(Kind::kDate, "2024-02-29"), "2024-02-29");
  EXPECT_EQ(round(Kind::kTimestamp, "2024-02-29 01:02:03.5"), "2024-02-29T01:02:03.500000Z");
  EXPECT_EQ(round(Kind::kTimestamp, "2024-02-29T01:02:03+02:00"), "2024-02-28T23:02:03.000000Z");
  EXPECT_EQ(round(Kind::kTimestampNtz, "1969-12-31 23:59:59.999999"),
            "1969-12-31 23:59:59.999999");
  EXPECT_EQ(round(Kind::kDouble, "0.1"), "0.1");
  EXPECT_EQ(round(Kind::kFloat, "NaN"), "NaN");
}

TEST(Paths, Escapes) {
  EXPECT_EQ(*decode_path("a%20b/c%25.parquet"), "a b/c%.parquet");
  EXPECT_EQ(*decode_path("file:///tmp/x%20y"), "/tmp/x y");
  EXPECT_EQ(*decode_path("file:/tmp/x"), "/tmp/x");
  EXPECT_EQ(decode_path("s3://bucket/x").error().code, "DELTA_UNSUPPORTED_PATH");
  EXPECT_EQ(decode_path("a%2").error().code, "DELTA_LOG.DAMAGED");
  EXPECT_EQ(decode_path("a%zz").error().code, "DELTA_LOG.DAMAGED");
  EXPECT_EQ(encode_path("a b/ü%"), "a%20b/%C3%BC%25");
  EXPECT_EQ(*decode_path(encode_path("p=1:2/a b?#%.parquet")), "p=1:2/a b?#%.parquet");
}

}  // namespace
}  // namespace lakebed::delta
