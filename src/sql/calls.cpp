// Calls: arguments, FILTER, OVER; and the forms that have a grammar of their own.
#include <algorithm>

#include "base/names.h"
#include "sql/expressions.h"
#include "sql/literals.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/types.h"

namespace lakebed::sql {

namespace {

using plan::ExpressionKind;
using plan::ExpressionPtr;

// IGNORE NULLS or RESPECT NULLS.
void parse_null_treatment(Cursor& cursor, plan::Expression& node) {
  if (cursor.accept_all({"IGNORE", "NULLS"})) node.ignore_nulls = true;
  cursor.accept_all({"RESPECT", "NULLS"});
}

// TABLE(name) or TABLE name as an argument.
ExpressionPtr parse_table_argument(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.expect("TABLE");
  const size_t opened = cursor.position();
  const bool brackets = cursor.accept("(");
  auto read = std::make_shared<plan::Relation>();
  read->kind = plan::RelationKind::kRead;
  const plan::ObjectName name = parse_object_name(cursor, "the name of a table");
  read->name_parts = name.parts;
  read->span = name.span;
  if (brackets) cursor.expect_close(opened);
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kSubquery;
  node->relation = std::move(read);
  node->span = cursor.span_from(first);
  return node;
}

bool at_unit(const Cursor& cursor) {
  return (cursor.at_name() || cursor.at_string()) && cursor.at(",", 1);
}

// timestampadd(DAY, n, t): the unit is a word, passed on as a string.
ExpressionPtr parse_unit_call(Cursor& cursor) {
  static const std::map<std::string_view, std::string_view> names = {
      {"TIMESTAMPADD", "timestampadd"}, {"DATEADD", "timestampadd"},
      {"DATE_ADD", "timestampadd"},     {"TIMESTAMPDIFF", "timestampdiff"},
      {"DATEDIFF", "timestampdiff"},    {"DATE_DIFF", "timestampdiff"},
      {"TIMEDIFF", "timestampdiff"}};
  const auto name = names.find(cursor.peek().upper);
  if (name == names.end() || !cursor.at("(", 1)) return nullptr;
  // Two arguments: dates, no unit.
  size_t commas = 0;
  const size_t close = cursor.matching(1);
  size_t depth = 0;
  for (size_t i = 1; i < close; ++i) {
    if (cursor.at_any({"(", "["}, i)) ++depth;
    if (cursor.at_any({")", "]"}, i)) --depth;
    commas += depth == 1 && cursor.at(",", i) ? 1 : 0;
  }
  if (commas != 2) return nullptr;
  const size_t first = cursor.position();
  cursor.next();
  const size_t opened = cursor.position();
  cursor.next();
  if (!at_unit(cursor)) cursor.fail_expected("a unit such as DAY");
  const size_t unit_first = cursor.position();
  std::string unit = cursor.next().text;
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::vector<ExpressionPtr> children = {
      literal(value::Kind::kString, std::move(unit), cursor.span_from(unit_first))};
  cursor.expect(",");
  for (ExpressionPtr& argument : parse_expressions(cursor)) children.push_back(std::move(argument));
  cursor.expect_close(opened);
  return call(std::string(name->second), std::move(children), cursor.span_from(first));
}

ExpressionPtr parse_cast(Cursor& cursor) {
  const size_t first = cursor.position();
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kCast;
  node->try_cast = cursor.next().upper == "TRY_CAST";
  const size_t opened = cursor.position();
  cursor.expect("(");
  node->children = {parse_expression(cursor)};
  cursor.expect("AS");
  node->type = parse_type(cursor);
  cursor.expect_close(opened);
  node->span = cursor.span_from(first);
  return node;
}

// EXTRACT(field FROM source), as date_part('FIELD', source).
ExpressionPtr parse_extract(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  const size_t opened = cursor.position();
  cursor.expect("(");
  const size_t field_first = cursor.position();
  std::string field =
      cursor.at_string() ? cursor.next().text : parse_identifier(cursor, "a field such as YEAR");
  ExpressionPtr name =
      literal(value::Kind::kString, std::move(field), cursor.span_from(field_first));
  cursor.expect("FROM");
  ExpressionPtr source = parse_expression(cursor);
  cursor.expect_close(opened);
  return call("date_part", {std::move(name), std::move(source)}, cursor.span_from(first));
}

// TRIM([BOTH | LEADING | TRAILING] [what] FROM text). Spark's two-argument ltrim and rtrim take
// what to trim first, its btrim takes it second.
ExpressionPtr parse_trim(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  const size_t opened = cursor.position();
  cursor.expect("(");
  std::string side = "BOTH";
  if (cursor.at_any({"BOTH", "LEADING", "TRAILING"}) && !cursor.at_any({")", ",", "."}, 1)) {
    side = cursor.next().upper;
  }
  std::vector<ExpressionPtr> parts;
  if (!cursor.at("FROM")) parts.push_back(parse_expression(cursor));
  const bool from = cursor.accept("FROM");
  if (from) parts.push_back(parse_expression(cursor));
  while (!from && cursor.accept(",")) parts.push_back(parse_expression(cursor));
  cursor.expect_close(opened);
  std::string name = side == "BOTH" ? "trim" : side == "LEADING" ? "ltrim" : "rtrim";
  if (from && parts.size() == 2 && side == "BOTH") {
    std::swap(parts[0], parts[1]);
    name = "btrim";
  }
  return call(std::move(name), std::move(parts), cursor.span_from(first));
}

// name(a FROM b FOR c), POSITION(a IN b), OVERLAY(a PLACING b FROM c FOR d): words for commas.
ExpressionPtr parse_worded(Cursor& cursor, const std::string& name,
                           std::initializer_list<std::string_view> words) {
  const size_t first = cursor.position();
  cursor.next();
  const size_t opened = cursor.position();
  cursor.expect("(");
  std::vector<ExpressionPtr> parts;
  const auto next_word = [&] {
    if (cursor.accept(",")) return true;
    for (const std::string_view word : words) {
      if (cursor.accept(word)) return true;
    }
    return false;
  };
  do {
    parts.push_back(parse_expression(cursor));
  } while (next_word());
  cursor.expect_close(opened);
  return call(name, std::move(parts), cursor.span_from(first));
}

// POSITION(a IN b): IN would be an operator to the expression parser, so `a` ends before it.
bool at_position_in(const Cursor& cursor) {
  if (!cursor.at_all({"POSITION", "("})) return false;
  const size_t close = cursor.matching(1);
  size_t depth = 0;
  for (size_t i = 1; i < close; ++i) {
    if (cursor.at_any({"(", "["}, i)) ++depth;
    if (cursor.at_any({")", "]"}, i)) --depth;
    if (depth == 1 && cursor.at("IN", i)) return !cursor.at("(", i + 1);
  }
  return false;
}

void parse_call_body(Cursor& cursor, plan::Expression& node) {
  if (cursor.accept("DISTINCT")) {
    node.distinct = true;
  } else if (cursor.at("ALL") && !cursor.at_any({",", ")", "."}, 1)) {
    cursor.next();
  }
  if (node.name == "struct") {
    if (!cursor.at(")")) node.children = parse_named_expressions(cursor);
  } else {
    parse_arguments(cursor, node.children, node.argument_names);
  }
  if (cursor.at_all({"ORDER", "BY"})) {
    cursor.refuse("ORDER BY INSIDE A CALL", cursor.span_here(), "sort in a subquery before");
  }
  parse_null_treatment(cursor, node);
}

}  // namespace

void parse_arguments(Cursor& cursor, std::vector<ExpressionPtr>& arguments,
                     std::vector<std::string>& names) {
  if (cursor.at(")")) return;
  bool any_named = false;
  std::vector<std::string> all_names;
  parse_commas(cursor, [&] {
    std::string name;
    if (cursor.at_name() && cursor.at("=>", 1)) {
      name = cursor.next().text;
      cursor.next();
      any_named = true;
    } else if (any_named) {
      cursor.fail_expected("name => value: named arguments come last");
    }
    const bool table = cursor.at("TABLE") && (cursor.at_name(1) || cursor.at("(", 1));
    arguments.push_back(table ? parse_table_argument(cursor) : parse_expression(cursor));
    all_names.push_back(std::move(name));
  });
  if (any_named) names = std::move(all_names);
}

ExpressionPtr parse_call(Cursor& cursor, size_t first, const std::string& name) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kCall;
  node->name = fold_case(name);
  parse_call_body(cursor, *node);
  cursor.expect_close(opened);
  if (cursor.at_all({"WITHIN", "GROUP"})) cursor.refuse("WITHIN GROUP", cursor.span_here());
  if (cursor.at_all({"FILTER", "("})) {
    cursor.next();
    const size_t filter = cursor.position();
    cursor.next();
    cursor.expect("WHERE");
    node->filter = parse_expression(cursor);
    cursor.expect_close(filter);
  }
  parse_null_treatment(cursor, *node);
  node->span = cursor.span_from(first);
  if (!cursor.at("OVER") || !(cursor.at("(", 1) || cursor.at_name(1))) return node;
  cursor.next();
  auto window = std::make_shared<plan::Expression>();
  window->kind = ExpressionKind::kWindow;
  window->children = {std::move(node)};
  window->window = parse_over(cursor);
  window->span = cursor.span_from(first);
  return window;
}

ExpressionPtr parse_special_form(Cursor& cursor) {
  if (!cursor.at("(", 1)) return nullptr;
  if (cursor.at_any({"CAST", "TRY_CAST"})) return parse_cast(cursor);
  if (cursor.at("EXTRACT")) return parse_extract(cursor);
  if (cursor.at("TRIM")) return parse_trim(cursor);
  if (cursor.at("SUBSTRING")) return parse_worded(cursor, "substring", {"FROM", "FOR"});
  if (cursor.at("SUBSTR")) return parse_worded(cursor, "substr", {"FROM", "FOR"});
  if (cursor.at("OVERLAY")) return parse_worded(cursor, "overlay", {"PLACING", "FROM", "FOR"});
  if (at_position_in(cursor)) return parse_worded(cursor, "position", {"IN"});
  return parse_unit_call(cursor);
}

}  // namespace lakebed::sql
