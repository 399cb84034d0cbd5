// Atoms of expressions: columns, stars, brackets, CASE, lambdas; and what may stand behind them.
#include "sql/expressions.h"
#include "sql/literals.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/types.h"

namespace lakebed::sql {

namespace {

using plan::ExpressionKind;
using plan::ExpressionPtr;

// Words that no expression begins with, so that a forgotten operand is told where it is missing.
bool at_clause_word(const Cursor& cursor) {
  if (cursor.at_any({"FROM", "SELECT", "WHERE", "HAVING", "UNION", "THEN", "WHEN", "ELSE", "AND",
                     "OR", "AS", "ON", "INTO", "JOIN", "USING", "IN", "IS", "LIKE", "BETWEEN"})) {
    return !cursor.at_any({".", "->"}, 1);
  }
  return cursor.at_any({"GROUP", "ORDER", "SEQUENCE", "PARTITION"}) && cursor.at("BY", 1);
}

std::shared_ptr<plan::Expression> lambda(std::vector<std::string> names, ExpressionPtr body) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kLambda;
  node->names = std::move(names);
  node->children = {std::move(body)};
  return node;
}

bool at_lambda_list(const Cursor& cursor) {
  size_t ahead = 1;
  for (;; ahead += 2) {
    if (!cursor.at_name(ahead)) return false;
    if (cursor.at(")", ahead + 1)) return cursor.at("->", ahead + 2);
    if (!cursor.at(",", ahead + 1)) return false;
  }
}

ExpressionPtr parse_lambda(Cursor& cursor) {
  const size_t first = cursor.position();
  std::vector<std::string> names;
  if (cursor.at("(")) {
    names = parse_name_list(cursor, "a parameter");
  } else {
    names.push_back(parse_identifier(cursor, "a parameter"));
  }
  cursor.expect("->");
  auto node = lambda(std::move(names), parse_expression(cursor));
  node->span = cursor.span_from(first);
  return node;
}

ExpressionPtr subquery(Cursor& cursor, size_t first, ExpressionKind kind) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  auto node = std::make_shared<plan::Expression>();
  node->kind = kind;
  node->relation = parse_query(cursor);
  cursor.expect_close(opened);
  node->span = cursor.span_from(first);
  return node;
}

// ( query ) · ( a ) · ( a, b ) as a row.
ExpressionPtr parse_brackets(Cursor& cursor) {
  const size_t first = cursor.position();
  if (at_lambda_list(cursor)) return parse_lambda(cursor);
  if (at_query(cursor, 1)) return subquery(cursor, first, ExpressionKind::kSubquery);
  cursor.expect("(");
  if (cursor.at(")")) cursor.fail_expected("an expression");
  std::vector<ExpressionPtr> parts = parse_named_expressions(cursor);
  cursor.expect_close(first);
  if (parts.size() > 1) return call("struct", std::move(parts), cursor.span_from(first));
  if (parts[0]->kind == ExpressionKind::kAlias) {
    cursor.fail_at(parts[0]->span, "an alias has no place in brackets");
  }
  return parts[0];
}

ExpressionPtr parse_case(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.expect("CASE");
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kCase;
  node->has_operand = !cursor.at("WHEN");
  if (node->has_operand) node->children.push_back(parse_expression(cursor));
  if (!cursor.at("WHEN")) cursor.fail_expected("WHEN");
  while (cursor.accept("WHEN")) {
    node->children.push_back(parse_expression(cursor));
    cursor.expect("THEN");
    node->children.push_back(parse_expression(cursor));
  }
  if (cursor.accept("ELSE")) node->children.push_back(parse_expression(cursor));
  if (!cursor.accept("END")) cursor.fail_expected("WHEN, ELSE or END to close CASE");
  node->span = cursor.span_from(first);
  return node;
}

// The words of clocks and users stand for calls where no brackets follow.
bool at_bare_call(const Cursor& cursor) {
  return cursor.at_any({"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "LOCALTIMESTAMP",
                        "CURRENT_CATALOG", "CURRENT_DATABASE", "CURRENT_SCHEMA",
                        "CURRENT_TIMEZONE"}) &&
         !cursor.at_any({"(", "."}, 1);
}

// name.name... as a column, a qualified star or the name of a call.
ExpressionPtr parse_named(Cursor& cursor) {
  const size_t first = cursor.position();
  std::vector<std::string> parts;
  if (cursor.at_all({"IDENTIFIER", "("})) {
    parts = parse_identifier_clause(cursor).parts;
  } else {
    parts.push_back(parse_identifier(cursor, "an expression"));
  }
  while (cursor.at(".")) {
    if (cursor.at("*", 1)) {
      cursor.next();
      return parse_star(cursor, first, std::move(parts));
    }
    cursor.next();
    parts.push_back(parse_identifier(cursor, "a name after the point"));
  }
  if (!cursor.at("(")) return column(std::move(parts), cursor.span_from(first));
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : ".") + part;
  return parse_call(cursor, first, name);
}

ExpressionPtr parse_word(Cursor& cursor) {
  const size_t first = cursor.position();
  if (at_word_literal(cursor)) return parse_word_literal(cursor);
  if (cursor.at("->", 1)) return parse_lambda(cursor);
  if (cursor.at("CASE") && !cursor.at_any({".", ",", ")"}, 1)) return parse_case(cursor);
  if (cursor.at("EXISTS") && cursor.at("(", 1) && at_query(cursor, 2)) {
    cursor.next();
    return subquery(cursor, first, ExpressionKind::kExists);
  }
  if (at_clause_word(cursor)) {
    const bool comma = first > 0 && cursor.at("FROM");
    cursor.fail_expected("an expression", comma ? "is there a comma too many before FROM?" : "");
  }
  if (at_bare_call(cursor)) {
    std::string name = cursor.next().text;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return call(std::move(name), {}, cursor.span_from(first));
  }
  if (ExpressionPtr form = parse_special_form(cursor)) return form;
  return parse_named(cursor);
}

// The text of a JSON path after the colon: `b.c[0]['x']`.
std::string parse_json_path(Cursor& cursor) {
  const size_t first = cursor.position();
  if (!cursor.at("[")) parse_identifier(cursor, "a field of the JSON text");
  for (;;) {
    if (cursor.at("[")) {
      const size_t close = cursor.matching(0);
      if (cursor.peek(close).kind == TokenKind::kEnd) cursor.fail_expected("] to close [");
      for (size_t i = 0; i <= close; ++i) cursor.next();
    } else if (cursor.at(".") && (cursor.at_name(1) || cursor.at("*", 1))) {
      cursor.next();
      cursor.next();
    } else {
      return cursor.written_from(first);
    }
  }
}

std::shared_ptr<plan::Expression> parent(ExpressionKind kind, ExpressionPtr child) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = kind;
  node->children = {std::move(child)};
  return node;
}

// One postfix form on top of `base`, or null.
std::shared_ptr<plan::Expression> parse_one_postfix(Cursor& cursor, const ExpressionPtr& base) {
  if (cursor.at("::") || cursor.at("?::")) {
    auto node = parent(ExpressionKind::kCast, base);
    node->try_cast = cursor.next().text == "?::";
    node->type = parse_type(cursor);
    return node;
  }
  if (cursor.at("[")) {
    cursor.next();
    auto node = parent(ExpressionKind::kIndex, base);
    node->children.push_back(parse_expression(cursor));
    if (!cursor.accept("]")) cursor.fail_expected("] to close [");
    return node;
  }
  if (cursor.at(".") && cursor.at_name(1)) {
    cursor.next();
    auto node = parent(ExpressionKind::kField, base);
    node->name = parse_identifier(cursor, "a field");
    return node;
  }
  if (cursor.at(":") && (cursor.at_name(1) || cursor.at("[", 1))) {
    cursor.next();
    auto node = parent(ExpressionKind::kJsonPath, base);
    node->text = parse_json_path(cursor);
    return node;
  }
  return nullptr;
}

}  // namespace

ExpressionPtr parse_star(Cursor& cursor, size_t first, std::vector<std::string> qualifier) {
  cursor.expect("*");
  auto node = std::make_shared<plan::Expression>();
  node->kind = ExpressionKind::kStar;
  node->name_parts = std::move(qualifier);
  if (cursor.at_all({"EXCEPT", "("}) && !at_query(cursor, 2)) {
    cursor.next();
    const size_t opened = cursor.position();
    cursor.next();
    parse_commas(cursor, [&] {
      std::string dotted;
      for (const std::string& part : parse_parts(cursor, "a column to leave out")) {
        dotted += (dotted.empty() ? "" : ".") + part;
      }
      node->names.push_back(std::move(dotted));
    });
    cursor.expect_close(opened);
  }
  node->span = cursor.span_from(first);
  return node;
}

ExpressionPtr parse_postfix(Cursor& cursor, size_t first, ExpressionPtr base) {
  for (size_t length = 0; auto node = parse_one_postfix(cursor, base); ++length) {
    cursor.limit_chain(length);
    node->span = cursor.span_from(first);
    base = std::move(node);
  }
  return base;
}

ExpressionPtr parse_primary(Cursor& cursor) {
  const Nesting nesting(cursor);
  const size_t first = cursor.position();
  const Token& token = cursor.peek();
  ExpressionPtr base;
  if (token.kind == TokenKind::kNumber) {
    base = parse_number(cursor, first, false);
  } else if (token.kind == TokenKind::kString) {
    base = parse_string_literal(cursor);
  } else if (cursor.at("(")) {
    base = parse_brackets(cursor);
  } else if (cursor.at("*")) {
    return parse_star(cursor, first, {});
  } else if (token.kind == TokenKind::kWord) {
    base = parse_word(cursor);
  } else if (token.kind == TokenKind::kQuoted) {
    base = parse_named(cursor);
  } else if (cursor.at("?") || (cursor.at(":") && cursor.at_name(1))) {
    cursor.refuse("A PARAMETER MARKER", cursor.span_here(), "write ${name}");
  } else {
    cursor.fail_expected("an expression");
  }
  return parse_postfix(cursor, first, std::move(base));
}

}  // namespace lakebed::sql
