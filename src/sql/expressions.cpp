#include "sql/expressions.h"

#include <algorithm>
#include <optional>

#include "sql/literals.h"
#include "sql/names.h"
#include "sql/queries.h"

namespace lakebed::sql {

namespace {

using plan::ExpressionKind;
using plan::ExpressionPtr;

// Binding powers; an operator's right side is parsed one higher, so that equals lean left.
enum Power : int {
  kNothing = 0,
  kOr = 1,
  kAnd,
  kNot,
  kPredicate,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kAdditive,
  kMultiplicative,
  kSign,
};

struct Infix {
  Power power = kNothing;
  std::string_view name;  // of the call; empty for a predicate
  size_t tokens = 1;
};

ExpressionPtr parse_binary(Cursor& cursor, int least);

bool at_predicate(const Cursor& cursor) {
  const size_t ahead = cursor.at("NOT") ? 1 : 0;
  if (ahead == 0 && cursor.at("IS")) return true;
  if (cursor.at("IN", ahead)) return cursor.at("(", ahead + 1);
  if (cursor.at("REGEXP", ahead)) return cursor.at_string(ahead + 1) || cursor.at_name(ahead + 1);
  return cursor.at_any({"LIKE", "ILIKE", "RLIKE", "BETWEEN"}, ahead);
}

Infix shift_at(const Cursor& cursor) {
  if (cursor.at("<<")) return {kShift, "shiftleft", 1};
  if (!cursor.at_all({">", ">"}) || !cursor.adjacent(1)) return {};
  if (cursor.at(">", 2) && cursor.adjacent(2)) return {kShift, "shiftrightunsigned", 3};
  return {kShift, "shiftright", 2};
}

Infix word_infix_at(const Cursor& cursor) {
  if (cursor.at("OR")) return {kOr, "or"};
  if (cursor.at("AND")) return {kAnd, "and"};
  if (cursor.at("DIV") && !cursor.at_any({",", ")", "FROM"}, 1) &&
      cursor.peek(1).kind != TokenKind::kEnd) {
    return {kMultiplicative, "div"};
  }
  return at_predicate(cursor) ? Infix{kPredicate, ""} : Infix{};
}

Infix infix_at(const Cursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kWord) return word_infix_at(cursor);
  if (token.kind != TokenKind::kSymbol) return {};
  if (const Infix shift = shift_at(cursor); shift.power != kNothing) return shift;
  static const std::map<std::string_view, Infix> symbols = {
      {"=", {kComparison, "="}},     {"==", {kComparison, "="}},    {"<>", {kComparison, "<>"}},
      {"!=", {kComparison, "<>"}},   {"<", {kComparison, "<"}},     {"<=", {kComparison, "<="}},
      {">", {kComparison, ">"}},     {">=", {kComparison, ">="}},   {"<=>", {kComparison, "<=>"}},
      {"|", {kBitOr, "|"}},          {"^", {kBitXor, "^"}},         {"&", {kBitAnd, "&"}},
      {"+", {kAdditive, "+"}},       {"-", {kAdditive, "-"}},       {"||", {kAdditive, "concat"}},
      {"*", {kMultiplicative, "*"}}, {"/", {kMultiplicative, "/"}}, {"%", {kMultiplicative, "%"}},
  };
  const auto found = symbols.find(token.text);
  return found == symbols.end() ? Infix{} : found->second;
}

// A row `(a, b)` before IN stands for its parts.
std::vector<ExpressionPtr> row_parts(const ExpressionPtr& left) {
  const bool row = left->kind == ExpressionKind::kCall && left->name == "struct";
  return row ? left->children : std::vector<ExpressionPtr>{left};
}

ExpressionPtr parse_in(Cursor& cursor, size_t first, const ExpressionPtr& left) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  if (at_query(cursor)) {
    auto node = std::make_shared<plan::Expression>();
    node->kind = ExpressionKind::kInSubquery;
    node->children = row_parts(left);
    node->relation = parse_query(cursor);
    cursor.expect_close(opened);
    node->span = cursor.span_from(first);
    return node;
  }
  std::vector<ExpressionPtr> children = {left};
  if (cursor.at(")")) cursor.fail("IN () has no value to compare with");
  parse_commas(cursor, [&] { children.push_back(parse_expression(cursor)); });
  cursor.expect_close(opened);
  return call("in", std::move(children), cursor.span_from(first));
}

// LIKE ANY (a, b) is LIKE a OR LIKE b; ALL is AND; NOT goes to each.
ExpressionPtr parse_like_many(Cursor& cursor, size_t first, const ExpressionPtr& left,
                              const std::string& name, bool negated) {
  const bool all = cursor.next().upper == "ALL";
  const size_t opened = cursor.position();
  cursor.expect("(");
  std::vector<ExpressionPtr> patterns;
  parse_commas(cursor, [&] { patterns.push_back(parse_expression(cursor)); });
  cursor.expect_close(opened);
  cursor.limit_chain(patterns.size());
  const SourceSpan span = cursor.span_from(first);
  ExpressionPtr out;
  for (const ExpressionPtr& pattern : patterns) {
    ExpressionPtr one = call(name, {left, pattern}, span);
    if (negated) one = call("not", {one}, span);
    out = out == nullptr ? one : call(all ? "and" : "or", {out, one}, span);
  }
  return out;
}

ExpressionPtr parse_like(Cursor& cursor, size_t first, const ExpressionPtr& left, bool& negated) {
  const std::string word = cursor.next().upper;
  const std::string name = word == "LIKE" ? "like" : word == "ILIKE" ? "ilike" : "rlike";
  if (name != "rlike" && cursor.at_any({"ANY", "SOME", "ALL"}) && cursor.at("(", 1)) {
    const bool each_negated = negated;
    negated = false;
    return parse_like_many(cursor, first, left, name, each_negated);
  }
  std::vector<ExpressionPtr> children = {left, parse_binary(cursor, kComparison)};
  if (name != "rlike" && cursor.accept("ESCAPE")) {
    const ExpressionPtr escape = parse_string_literal(cursor);
    if (escape->text.size() != 1) {
      throw Failure{
          project_error("INVALID_ESC", "ESCAPE takes a string of one character", escape->span)};
    }
    children.push_back(escape);
  }
  return call(name, std::move(children), cursor.span_from(first));
}

ExpressionPtr parse_is(Cursor& cursor, size_t first, const ExpressionPtr& left) {
  cursor.expect("IS");
  const bool negated = cursor.accept("NOT");
  if (cursor.accept_all({"DISTINCT", "FROM"})) {
    const ExpressionPtr right = parse_binary(cursor, kComparison);
    return call(negated ? "<=>" : "is_distinct_from", {left, right}, cursor.span_from(first));
  }
  if (cursor.accept("NULL")) {
    return call(negated ? "isnotnull" : "isnull", {left}, cursor.span_from(first));
  }
  for (const auto& [word, name] : {std::pair("TRUE", "is_true"), std::pair("FALSE", "is_false"),
                                   std::pair("UNKNOWN", "is_unknown")}) {
    if (!cursor.accept(word)) continue;
    const SourceSpan span = cursor.span_from(first);
    const ExpressionPtr test = call(name, {left}, span);
    return negated ? call("not", {test}, span) : test;
  }
  cursor.fail_expected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS");
}

ExpressionPtr parse_between(Cursor& cursor, size_t first, const ExpressionPtr& left) {
  cursor.expect("BETWEEN");
  const ExpressionPtr low = parse_binary(cursor, kComparison);
  cursor.expect("AND");
  const ExpressionPtr high = parse_binary(cursor, kComparison);
  return call("between", {left, low, high}, cursor.span_from(first));
}

ExpressionPtr parse_predicate(Cursor& cursor, size_t first, const ExpressionPtr& left) {
  if (cursor.at("IS")) return parse_is(cursor, first, left);
  bool negated = cursor.accept("NOT");
  ExpressionPtr out;
  if (cursor.accept("IN")) {
    out = parse_in(cursor, first, left);
  } else if (cursor.at("BETWEEN")) {
    out = parse_between(cursor, first, left);
  } else {
    out = parse_like(cursor, first, left, negated);
  }
  return negated ? call("not", {out}, cursor.span_from(first)) : out;
}

// A sign, NOT, ~, EXISTS, or an atom.
ExpressionPtr parse_prefix(Cursor& cursor) {
  const size_t first = cursor.position();
  if (cursor.at("NOT") || cursor.at("!")) {
    cursor.next();
    const ExpressionPtr child = parse_binary(cursor, kNot);
    return call("not", {child}, cursor.span_from(first));
  }
  if (cursor.at("-") && cursor.peek(1).kind == TokenKind::kNumber) {
    cursor.next();  // a negative number is one literal: -9223372036854775808 has no positive twin
    return parse_postfix(cursor, first, parse_number(cursor, first, true));
  }
  if (!cursor.at_any({"-", "+", "~"})) return parse_primary(cursor);
  const std::string sign = cursor.next().text;
  const ExpressionPtr child = parse_binary(cursor, kSign);
  const std::string name = sign == "-" ? "negative" : sign == "+" ? "positive" : "~";
  return call(name, {child}, cursor.span_from(first));
}

ExpressionPtr parse_binary(Cursor& cursor, int least) {
  const Nesting nesting(cursor);
  const size_t first = cursor.position();
  ExpressionPtr left = parse_prefix(cursor);
  for (size_t length = 0;; ++length) {
    const Infix infix = infix_at(cursor);
    if (infix.power == kNothing || infix.power < least) return left;
    cursor.limit_chain(length);
    if (infix.power == kPredicate) {
      left = parse_predicate(cursor, first, left);
      continue;
    }
    for (size_t i = 0; i < infix.tokens; ++i) cursor.next();
    const ExpressionPtr right = parse_binary(cursor, infix.power + 1);
    left = call(std::string(infix.name), {left, right}, cursor.span_from(first));
  }
}

}  // namespace

ExpressionPtr call(std::string name, std::vector<ExpressionPtr> children, SourceSpan span) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kCall;
  node->name = std::move(name);
  node->children = std::move(children);
  node->span = std::move(span);
  return node;
}

ExpressionPtr column(std::vector<std::string> parts, SourceSpan span) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kColumn;
  node->name_parts = std::move(parts);
  node->span = std::move(span);
  return node;
}

ExpressionPtr alias(ExpressionPtr child, std::vector<std::string> names, SourceSpan span) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kAlias;
  node->children = {std::move(child)};
  node->names = std::move(names);
  node->span = std::move(span);
  return node;
}

ExpressionPtr parse_expression(Cursor& cursor) { return parse_binary(cursor, kOr); }

std::vector<ExpressionPtr> parse_expressions(Cursor& cursor) {
  std::vector<ExpressionPtr> out;
  parse_commas(cursor, [&] { out.push_back(parse_expression(cursor)); });
  return out;
}

ExpressionPtr parse_named_expression(Cursor& cursor) {
  const size_t first = cursor.position();
  ExpressionPtr child = parse_expression(cursor);
  const bool as = cursor.accept("AS");
  if (as && cursor.at("(")) {
    std::vector<std::string> names = parse_name_list(cursor, "an alias");
    return alias(std::move(child), std::move(names), cursor.span_from(first));
  }
  if (!as && !at_bare_alias(cursor)) return child;
  std::string name = parse_identifier(cursor, "an alias");
  return alias(std::move(child), {std::move(name)}, cursor.span_from(first));
}

std::vector<ExpressionPtr> parse_named_expressions(Cursor& cursor) {
  std::vector<ExpressionPtr> out;
  parse_commas(cursor, [&] { out.push_back(parse_named_expression(cursor)); });
  return out;
}

std::vector<ExpressionPtr> parse_sort_items(Cursor& cursor) {
  std::vector<ExpressionPtr> out;
  parse_commas(cursor, [&] {
    const size_t first = cursor.position();
    auto node = std::make_shared<plan::Expression>();
    node->kind = ExpressionKind::kSort;
    node->children = {parse_expression(cursor)};
    if (cursor.accept("DESC")) {
      node->ascending = false;
    } else {
      cursor.accept("ASC");
    }
    node->nulls_first = node->ascending;
    if (cursor.accept("NULLS")) {
      node->nulls_first = cursor.accept("FIRST");
      if (!node->nulls_first) cursor.expect("LAST");
    }
    node->span = cursor.span_from(first);
    out.push_back(std::move(node));
  });
  return out;
}

}  // namespace lakebed::sql
