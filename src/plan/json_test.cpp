#include "plan/json.h"

#include <gtest/gtest.h>

namespace lakebed::plan {
namespace {

std::string problem(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json.ok()) << text;
  const auto read = expression_from_json(*json);
  return read.ok()
             ? ""
             : read.error().code + " " + read.error().message + " " + read.error().span.text();
}

TEST(Json, OmitsDefaultsAndReadsThemBack) {
  auto column = std::make_shared<Expression>();
  column->kind = ExpressionKind::kColumn;
  column->name_parts = {"t", "a"};
  column->span = {"f.sql", 3, 7, 3};
  EXPECT_EQ(to_json(*column).dump(), R"({"expr":"column","at":"f.sql:3:7","parts":["t","a"]})");
  const auto back = expression_from_json(to_json(*column));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ((*back)->span.line, 3U);
  EXPECT_EQ((*back)->name_parts, column->name_parts);
}

TEST(Json, TypesAndBytes) {
  using value::Type;
  const Type type = Type::structure(
      {{"a", Type::array(Type::decimal(38, 2), false), false, "why", {{"k", "v"}}},
       {"b", Type::map(value::Kind::kString, value::Kind::kTimestampNtz), true, "", {}}});
  const auto back = type_from_json(to_json(type));
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(to_json(*back).dump(), to_json(type).dump());
  Expression bytes;
  bytes.type = value::Kind::kBinary;
  bytes.text = std::string("\x00\xFF", 2);
  const auto read = expression_from_json(to_json(bytes));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)->text, bytes.text);
}

TEST(Json, DamageIsNamed) {
  EXPECT_EQ(problem(R"({"expr":"colum"})"), "PLAN_JSON.DAMAGED unknown word \"colum\" ");
  EXPECT_EQ(problem(R"({"expr":"column","at":"f:1:2","parts":["a"],"colour":1})"),
            "PLAN_JSON.DAMAGED unknown member 'colour' f:1:2");
  EXPECT_EQ(problem(R"({"expr":"cast","at":"f:1:2","type":"INT"})"),
            "PLAN_JSON.DAMAGED a part is missing from \"cast\" f:1:2");
  EXPECT_EQ(problem(R"x({"expr":"literal","type":"DECIMAL(99,1)"})x"),
            "PLAN_JSON.DAMAGED a damaged type DECIMAL(99,1) ");
  EXPECT_EQ(problem(R"([1])"), "PLAN_JSON.DAMAGED an object is expected ");
  EXPECT_EQ(problem(R"({"parts":["a"]})"), "PLAN_JSON.DAMAGED an expression has no 'expr' ");
}

}  // namespace
}  // namespace lakebed::plan
