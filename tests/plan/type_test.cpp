// Implicit casts and result types, as Spark with ANSI on.
#include <gtest/gtest.h>

#include "fake_catalog.h"

namespace lakebed::plan {
namespace {

std::string type_of(const std::string& expression) {
  const auto resolved = resolve_text("SELECT " + expression + " AS x FROM t");
  if (!resolved.ok()) return resolved.error().code;
  return resolved.value().schema()[0].type.text();
}

TEST(Types, Literals) {
  EXPECT_EQ(type_of("2147483647"), "INT");
  EXPECT_EQ(type_of("2147483648"), "BIGINT");
  EXPECT_EQ(type_of("9223372036854775808"), "DECIMAL(19,0)");
  EXPECT_EQ(type_of("1.50"), "DECIMAL(3,2)");
  EXPECT_EQ(type_of("1e3"), "DOUBLE");
  EXPECT_EQ(type_of("DATE '2020-02-30'"), "INVALID_TYPED_LITERAL");
}

TEST(Types, Arithmetic) {
  EXPECT_EQ(type_of("a / 2"), "DOUBLE");
  EXPECT_EQ(type_of("a div 2"), "BIGINT");
  EXPECT_EQ(type_of("d * d"), "DECIMAL(21,4)");
  EXPECT_EQ(type_of("d / d"), "DECIMAL(23,13)");
  EXPECT_EQ(type_of("d + 1"), "DECIMAL(11,2)");
  EXPECT_EQ(type_of("a + d"), "DECIMAL(13,2)");
  EXPECT_EQ(type_of("f + d"), "DOUBLE");
  EXPECT_EQ(type_of("a + '1'"), "BIGINT");
  EXPECT_EQ(type_of("a + m"), "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES");
}

TEST(Types, Dates) {
  EXPECT_EQ(type_of("dt + 1"), "DATE");
  EXPECT_EQ(type_of("dt + INTERVAL 1 MONTH"), "DATE");
  EXPECT_EQ(type_of("ts - INTERVAL 1 HOUR"), "TIMESTAMP");
  EXPECT_EQ(type_of("ts - ts"), "INTERVAL DAY TO SECOND");
  EXPECT_EQ(type_of("dt > '2020-01-01'"), "BOOLEAN");
}

TEST(Types, Choices) {
  EXPECT_EQ(type_of("CASE WHEN ok THEN a ELSE b END"), "BIGINT");
  EXPECT_EQ(type_of("CASE a WHEN 1 THEN 'x' END"), "STRING");
  EXPECT_EQ(type_of("CASE WHEN a THEN 1 END"), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
  EXPECT_EQ(type_of("coalesce(a, 1.5)"), "DECIMAL(11,1)");
  EXPECT_EQ(type_of("if(ok, NULL, dt)"), "DATE");
  EXPECT_EQ(type_of("a IN (1, 2L)"), "BOOLEAN");
  EXPECT_EQ(type_of("a BETWEEN 1 AND 2.5"), "BOOLEAN");
}

TEST(Types, Nested) {
  EXPECT_EQ(type_of("struct(a, s AS t, 1)"), "STRUCT<a: INT, t: STRING, col3: INT>");
  EXPECT_EQ(type_of("named_struct('p', a)"), "STRUCT<p: INT>");
  EXPECT_EQ(type_of("array(1, 2L)"), "ARRAY<BIGINT>");
  EXPECT_EQ(type_of("map('a', 1)"), "MAP<STRING, INT>");
  EXPECT_EQ(type_of("transform(arr, x -> x + 1L)"), "ARRAY<BIGINT>");
  EXPECT_EQ(type_of("filter(items, i -> i.qty > 1)"), "ARRAY<STRUCT<sku: STRING, qty: INT>>");
  EXPECT_EQ(type_of("aggregate(arr, 0, (acc, x) -> acc + x)"), "INT");
  EXPECT_EQ(type_of("js:a.b"), "STRING");
  EXPECT_EQ(type_of("js:a::int"), "INT");
}

TEST(Types, Casts) {
  EXPECT_EQ(type_of("date('2020-01-01')"), "DATE");
  EXPECT_EQ(type_of("int(s)"), "INT");
  EXPECT_EQ(type_of("TRY_CAST(s AS INT)"), "INT");
  EXPECT_EQ(type_of("CAST(a AS DATE)"), "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION");
  EXPECT_EQ(type_of("CAST(NULL AS ARRAY<INT>)"), "ARRAY<INT>");
}

}  // namespace
}  // namespace lakebed::plan
