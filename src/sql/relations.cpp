// What stands behind FROM: tables, streams, functions, subqueries, joins, LATERAL VIEW.
#include "base/names.h"
#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"

namespace lakebed::sql {

namespace {

using plan::ExpressionPtr;
using plan::JoinKind;
using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

// The text of an option's value: a literal, or a bare word such as true.
std::string parse_option_value(Cursor& cursor) {
  if (cursor.at_string()) return parse_string(cursor, "a value");
  const std::string sign = cursor.accept("-") ? "-" : "";
  const TokenKind kind = cursor.peek().kind;
  if (kind != TokenKind::kNumber && (kind != TokenKind::kWord || !sign.empty())) {
    cursor.fail_expected("a value: a string, a number, true or false");
  }
  return sign + cursor.next().text;
}

// WITH (readChangeFeed = true, SKIPCHANGECOMMITS)
void parse_options(Cursor& cursor, std::map<std::string, std::string>& options) {
  cursor.expect("WITH");
  const size_t opened = cursor.position();
  cursor.expect("(");
  parse_commas(cursor, [&] {
    std::string key;
    if (cursor.at_string()) {
      key = parse_string(cursor, "an option");
    } else {
      for (const std::string& part : parse_parts(cursor, "an option")) {
        key += (key.empty() ? "" : ".") + part;
      }
    }
    const bool valued = cursor.accept("=") || cursor.accept("=>");
    options[fold_case(key)] = valued ? parse_option_value(cursor) : "true";
  });
  cursor.expect_close(opened);
}

// [FOR] VERSION | TIMESTAMP AS OF value
void parse_time_travel(Cursor& cursor, Relation& node) {
  const size_t ahead = cursor.at("FOR") ? 1 : 0;
  const bool version = cursor.at_any({"VERSION", "SYSTEM_VERSION"}, ahead);
  const bool time = cursor.at_any({"TIMESTAMP", "SYSTEM_TIME"}, ahead);
  if ((!version && !time) || !cursor.at_all({"AS", "OF"}, ahead + 1)) return;
  for (size_t i = 0; i < ahead + 3; ++i) cursor.next();
  if (time) cursor.accept("TIMESTAMP");
  node.options[version ? "versionasof" : "timestampasof"] = parse_option_value(cursor);
}

RelationPtr parse_function(Cursor& cursor, size_t first, const plan::ObjectName& name) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  auto node = make_relation(RelationKind::kTableFunction, nullptr);
  for (const std::string& part : name.parts) node->name += (node->name.empty() ? "" : ".") + part;
  node->name = fold_case(node->name);
  parse_arguments(cursor, node->arguments, node->argument_names);
  cursor.expect_close(opened);
  node->span = cursor.span_from(first);
  return node;
}

std::shared_ptr<Relation> parse_name_or_function(Cursor& cursor) {
  const size_t first = cursor.position();
  const plan::ObjectName name = parse_object_name(cursor, "a table, view or function");
  if (cursor.at("(")) return plan::edit(*parse_function(cursor, first, name));
  auto node = make_relation(RelationKind::kRead, nullptr);
  node->name_parts = name.parts;
  parse_time_travel(cursor, *node);
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr parse_stream(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.expect("STREAM");
  const size_t opened = cursor.position();
  const bool brackets = cursor.accept("(");
  if (at_query(cursor)) {
    cursor.fail("STREAM takes a table, view or function, no query",
                "read the stream inside the query: SELECT ... FROM STREAM t");
  }
  auto node = parse_name_or_function(cursor);
  node->streaming = true;
  if (brackets && cursor.at("WITH")) parse_options(cursor, node->options);
  if (brackets) cursor.expect_close(opened);
  if (cursor.at_all({"WITH", "("})) parse_options(cursor, node->options);
  node->span = cursor.span_from(first);
  return node;
}

void refuse_known(Cursor& cursor) {
  for (const std::string_view word : {"TABLESAMPLE", "PIVOT", "UNPIVOT", "MATCH_RECOGNIZE"}) {
    if (cursor.at(word) && cursor.at_any({"(", "INCLUDE", "EXCLUDE"}, 1)) {
      cursor.refuse(word, cursor.span_here());
    }
  }
  if (cursor.at("WATERMARK") && !cursor.at_any({",", ")"}, 1)) {
    cursor.refuse("WATERMARK", cursor.span_here());
  }
}

// The kind of the join that begins here and the words that it takes; none: tokens == 0.
struct JoinWords {
  JoinKind kind = JoinKind::kInner;
  size_t tokens = 0;
};

JoinWords join_at(const Cursor& cursor, size_t from) {
  size_t ahead = from;
  JoinWords out;
  if (cursor.at("CROSS", ahead)) {
    out.kind = JoinKind::kCross;
    ++ahead;
  } else if (cursor.at("INNER", ahead)) {
    ++ahead;
  } else if (cursor.at_any({"LEFT", "RIGHT", "FULL"}, ahead)) {
    out.kind = cursor.at("LEFT", ahead)    ? JoinKind::kLeft
               : cursor.at("RIGHT", ahead) ? JoinKind::kRight
                                           : JoinKind::kFull;
    ++ahead;
    if (cursor.at("OUTER", ahead)) ++ahead;
  }
  if (cursor.at_any({"SEMI", "ANTI"}, ahead) &&
      (out.kind == JoinKind::kInner || out.kind == JoinKind::kLeft)) {
    out.kind = cursor.at("SEMI", ahead) ? JoinKind::kLeftSemi : JoinKind::kLeftAnti;
    ++ahead;
  }
  if (cursor.at("JOIN", ahead)) out.tokens = ahead + 1 - from;
  return out;
}

void parse_join_condition(Cursor& cursor, Relation& node) {
  if (cursor.accept("ON")) {
    node.condition = parse_expression(cursor);
  } else if (cursor.accept("USING")) {
    node.using_names = parse_name_list(cursor, "a column");
  }
}

bool is_true(const ExpressionPtr& node) {
  return node == nullptr || (node->kind == plan::ExpressionKind::kLiteral && node->text == "true");
}

// LATERAL f(...) AS t(names): the left side's rows, each with what the function makes of it.
RelationPtr parse_lateral_function(Cursor& cursor, size_t first, const RelationPtr& left,
                                   JoinKind kind) {
  const size_t start = cursor.position();
  const std::string name = parse_identifier(cursor, "a function");
  auto node = make_relation(RelationKind::kGenerate, left);
  node->expressions = {parse_call(cursor, start, name)};
  if (cursor.accept("AS") || at_bare_table_alias(cursor)) {
    node->name = parse_identifier(cursor, "an alias");
    if (cursor.at("(")) node->names = parse_name_list(cursor, "a column");
  }
  node->outer = kind == JoinKind::kLeft;
  node->span = cursor.span_from(first);
  ExpressionPtr condition;
  if (cursor.accept("ON")) condition = parse_expression(cursor);
  const bool allowed = kind == JoinKind::kInner || kind == JoinKind::kCross ||
                       (kind == JoinKind::kLeft && is_true(condition));
  if (!allowed) cursor.refuse("THIS JOIN WITH LATERAL", node->span);
  if (is_true(condition)) return node;
  auto filter = make_relation(RelationKind::kFilter, node);
  filter->condition = std::move(condition);
  filter->span = cursor.span_from(first);
  return filter;
}

RelationPtr finish_join(Cursor& cursor, size_t first, const RelationPtr& left, JoinKind kind,
                        bool natural) {
  const bool lateral = cursor.at("LATERAL") && (cursor.at("(", 1) || cursor.at_name(1));
  if (lateral) cursor.next();
  if (lateral && cursor.at_name() && cursor.at("(", 1)) {
    return parse_lateral_function(cursor, first, left, kind);
  }
  auto node = make_relation(RelationKind::kJoin, left);
  node->join = kind;
  node->natural = natural;
  node->lateral = lateral;
  node->inputs.push_back(parse_relation(cursor));
  if (!natural && kind != JoinKind::kCross) parse_join_condition(cursor, *node);
  if (!natural && kind == JoinKind::kCross && cursor.at_any({"ON", "USING"})) {
    cursor.fail("CROSS JOIN takes no condition", "write JOIN ... ON ...");
  }
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr parse_joins(Cursor& cursor, size_t first, RelationPtr left) {
  for (size_t length = 0;; ++length) {
    cursor.limit_chain(length);
    left = parse_lateral_views(cursor, std::move(left));
    RelationPtr joined = parse_join(cursor, first, left);
    if (joined == nullptr) return left;
    left = std::move(joined);
  }
}

}  // namespace

bool at_stream(const Cursor& cursor) {
  if (!cursor.at("STREAM")) return false;
  if (cursor.at("(", 1) || cursor.peek(1).kind == TokenKind::kQuoted) return true;
  if (!cursor.at_name(1)) return false;
  // A table called stream, with what follows a table behind it.
  return !cursor.at_any({"AS", "WHERE", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "GROUP",
                         "ORDER", "LIMIT", "UNION", "ON", "USING", "KEYS", "SELECT", "HAVING"},
                        1) ||
         cursor.at(".", 2);
}

RelationPtr parse_named_relation(Cursor& cursor) {
  return at_stream(cursor) ? parse_stream(cursor) : parse_name_or_function(cursor);
}

RelationPtr parse_values(Cursor& cursor, size_t first) {
  auto node = make_relation(RelationKind::kValues, nullptr);
  parse_commas(cursor, [&] {
    std::vector<ExpressionPtr> row;
    if (cursor.at("(") && !at_query(cursor, 1)) {
      const size_t opened = cursor.position();
      cursor.next();
      row = parse_expressions(cursor);
      cursor.expect_close(opened);
    } else {
      row.push_back(parse_expression(cursor));
    }
    if (!node->rows.empty() && row.size() != node->rows[0].size()) {
      cursor.fail_at(row[0]->span, "this row has " + std::to_string(row.size()) +
                                       " values, the first one has " +
                                       std::to_string(node->rows[0].size()));
    }
    node->rows.push_back(std::move(row));
  });
  node->span = cursor.span_from(first);
  return parse_table_alias(cursor, node);
}

RelationPtr parse_table_alias(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  const bool as = cursor.accept("AS");
  if (!as && !at_bare_table_alias(cursor)) return input;
  auto node = make_relation(RelationKind::kAlias, std::move(input));
  node->name = parse_identifier(cursor, "an alias");
  if (cursor.at("(")) node->names = parse_name_list(cursor, "a column");
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr parse_relation(Cursor& cursor) {
  const Nesting nesting(cursor);
  const size_t first = cursor.position();
  RelationPtr out;
  if (cursor.at("(")) {
    const bool query = at_query(cursor, 1);
    cursor.next();
    out = query ? parse_query(cursor) : parse_from(cursor);
    cursor.expect_close(first);
  } else if (cursor.at("VALUES") && !cursor.at_any({",", ")", "AS"}, 1) &&
             cursor.peek(1).kind != TokenKind::kEnd) {
    cursor.next();
    return parse_values(cursor, first);
  } else if (cursor.at_any({"SELECT", "WHERE", "GROUP", "ON"}) || !cursor.at_name()) {
    cursor.fail_expected("a table, view, function or ( query )");
  } else {
    out = parse_named_relation(cursor);
  }
  refuse_known(cursor);
  out = parse_table_alias(cursor, std::move(out));
  refuse_known(cursor);
  return out;
}

RelationPtr parse_join(Cursor& cursor, size_t first, const RelationPtr& left) {
  if (cursor.at("NATURAL")) {
    const JoinWords words = join_at(cursor, 1);
    if (words.tokens == 0) cursor.fail("expected JOIN after NATURAL");
    for (size_t i = 0; i <= words.tokens; ++i) cursor.next();
    return finish_join(cursor, first, left, words.kind, true);
  }
  const JoinWords words = join_at(cursor, 0);
  if (words.tokens == 0) return nullptr;
  for (size_t i = 0; i < words.tokens; ++i) cursor.next();
  return finish_join(cursor, first, left, words.kind, false);
}

RelationPtr parse_joined(Cursor& cursor) {
  const size_t first = cursor.position();
  return parse_joins(cursor, first, parse_relation(cursor));
}

RelationPtr parse_from(Cursor& cursor) {
  const size_t first = cursor.position();
  RelationPtr left = parse_joined(cursor);
  for (size_t length = 0; cursor.accept(","); ++length) {
    cursor.limit_chain(length);
    if (cursor.at("LATERAL") && !cursor.at_any({"(", "VIEW"}, 1) && cursor.at("(", 2)) {
      cursor.next();
      left = parse_lateral_function(cursor, first, left, JoinKind::kCross);
      left = parse_joins(cursor, first, std::move(left));
      continue;
    }
    auto node = make_relation(RelationKind::kJoin, left);
    node->join = JoinKind::kCross;
    node->lateral = cursor.at_all({"LATERAL", "("}) && cursor.accept("LATERAL");
    node->inputs.push_back(parse_joined(cursor));
    node->span = cursor.span_from(first);
    left = std::move(node);
  }
  return parse_lateral_views(cursor, std::move(left));
}

RelationPtr parse_lateral_views(Cursor& cursor, RelationPtr input) {
  for (size_t length = 0; cursor.at_all({"LATERAL", "VIEW"}); ++length) {
    cursor.limit_chain(length);
    const size_t first = cursor.position();
    cursor.next();
    cursor.next();
    auto node = make_relation(RelationKind::kGenerate, std::move(input));
    node->outer = cursor.at("OUTER") && !cursor.at("(", 1) && cursor.accept("OUTER");
    const size_t start = cursor.position();
    const std::string name = parse_identifier(cursor, "a generator such as explode");
    node->expressions = {parse_call(cursor, start, name)};
    if (!cursor.at("AS") && at_bare_table_alias(cursor)) {
      node->name = parse_identifier(cursor, "an alias");
    }
    if (cursor.accept("AS") || (cursor.at_name() && cursor.at(",", 1))) {
      parse_commas(cursor, [&] { node->names.push_back(parse_identifier(cursor, "a column")); });
    }
    node->span = cursor.span_from(first);
    input = std::move(node);
  }
  return input;
}

}  // namespace lakebed::sql
