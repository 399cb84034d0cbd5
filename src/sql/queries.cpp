#include "sql/queries.h"

#include "base/names.h"
#include "sql/expressions.h"
#include "sql/names.h"

namespace lakebed::sql {

namespace {

using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

bool at_values(const Cursor& cursor, size_t ahead) {
  const TokenKind kind = cursor.peek(ahead + 1).kind;
  return cursor.at("VALUES", ahead) &&
         (cursor.at("(", ahead + 1) || kind == TokenKind::kNumber || kind == TokenKind::kString);
}

bool at_query_word(const Cursor& cursor, size_t ahead) {
  if (cursor.at("SELECT", ahead)) return !cursor.at_any({",", ")", "."}, ahead + 1);
  if (cursor.at("WITH", ahead)) return cursor.at_name(ahead + 1);
  if (cursor.at("FROM", ahead)) return cursor.at_name(ahead + 1) || cursor.at("(", ahead + 1);
  if (cursor.at("TABLE", ahead)) return cursor.at_name(ahead + 1);
  return at_values(cursor, ahead);
}

RelationPtr parse_with(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.expect("WITH");
  if (cursor.at("RECURSIVE") && cursor.at_name(1)) {
    cursor.refuse("WITH RECURSIVE", cursor.span_here());
  }
  auto node = make_relation(RelationKind::kWith, nullptr);
  node->inputs.resize(1);
  parse_commas(cursor, [&] {
    const size_t start = cursor.position();
    const std::string name = parse_identifier(cursor, "the name of a query");
    for (const std::string& other : node->names) {
      if (same_name(other, name)) cursor.fail_at(cursor.span_from(start), name + " stands twice");
    }
    std::vector<std::string> columns;
    if (cursor.at("(")) columns = parse_name_list(cursor, "a column");
    cursor.accept("AS");
    const size_t opened = cursor.position();
    cursor.expect("(");
    RelationPtr query = parse_query(cursor);
    cursor.expect_close(opened);
    if (!columns.empty()) {
      auto renamed = make_relation(RelationKind::kAlias, query);
      renamed->name = name;
      renamed->names = std::move(columns);
      renamed->span = cursor.span_from(start);
      query = std::move(renamed);
    }
    node->names.push_back(name);
    node->inputs.push_back(std::move(query));
  });
  node->inputs[0] = parse_query(cursor);
  node->span = cursor.span_from(first);
  return node;
}

// INTERSECT binds tighter than UNION, EXCEPT and MINUS; equals lean left.
RelationPtr parse_set_operations(Cursor& cursor, bool intersect_only) {
  const Nesting nesting(cursor);
  const size_t first = cursor.position();
  RelationPtr left =
      intersect_only ? parse_query_primary(cursor) : parse_set_operations(cursor, true);
  for (size_t length = 0;; ++length) {
    if (cursor.at("INTERSECT") != intersect_only) return left;
    auto node = parse_set_operator(cursor);
    if (node == nullptr) return left;
    cursor.limit_chain(length);
    RelationPtr right =
        intersect_only ? parse_query_primary(cursor) : parse_set_operations(cursor, true);
    node->inputs = {std::move(left), std::move(right)};
    node->span = cursor.span_from(first);
    left = std::move(node);
  }
}

RelationPtr sort(Cursor& cursor, size_t first, RelationPtr input) {
  auto node = make_relation(RelationKind::kSort, std::move(input));
  node->order = parse_sort_items(cursor);
  node->span = cursor.span_from(first);
  return node;
}

}  // namespace

std::shared_ptr<Relation> make_relation(RelationKind kind, RelationPtr input) {
  auto node = std::make_shared<Relation>();
  node->kind = kind;
  if (input != nullptr) node->inputs.push_back(std::move(input));
  return node;
}

bool at_query(const Cursor& cursor, size_t ahead) {
  if (!cursor.at("(", ahead)) return at_query_word(cursor, ahead);
  size_t inner = ahead;
  while (cursor.at("(", inner)) ++inner;
  if (!at_query_word(cursor, inner)) return false;
  // `((SELECT 1) + 1)` is an expression: behind the first bracket a query must go on or end.
  const size_t after = cursor.matching(ahead) + 1;
  return cursor.at_any(
             {"UNION", "EXCEPT", "MINUS", "INTERSECT", "ORDER", "LIMIT", "OFFSET", "|>", ")", ";"},
             after) ||
         cursor.peek(after).kind == TokenKind::kEnd;
}

std::shared_ptr<Relation> parse_set_operator(Cursor& cursor) {
  auto node = make_relation(RelationKind::kSetOperation, nullptr);
  if (cursor.accept("UNION")) {
    node->set_operation = plan::SetOperationKind::kUnion;
  } else if (cursor.accept("INTERSECT")) {
    node->set_operation = plan::SetOperationKind::kIntersect;
  } else if (cursor.accept("EXCEPT") || cursor.accept("MINUS")) {
    node->set_operation = plan::SetOperationKind::kExcept;
  } else {
    return nullptr;
  }
  node->all = cursor.accept("ALL");
  if (!node->all) cursor.accept("DISTINCT");
  node->by_name = cursor.accept_all({"BY", "NAME"});
  return node;
}

RelationPtr parse_query_tail(Cursor& cursor, size_t first, RelationPtr input) {
  if (cursor.accept_all({"ORDER", "BY"}) || cursor.accept_all({"SORT", "BY"}) ||
      cursor.accept_all({"CLUSTER", "BY"})) {
    input = sort(cursor, first, std::move(input));
  } else if (cursor.accept_all({"DISTRIBUTE", "BY"})) {
    parse_expressions(cursor);  // says where rows lie, not which rows there are
    if (cursor.accept_all({"SORT", "BY"})) input = sort(cursor, first, std::move(input));
  }
  auto node = make_relation(RelationKind::kLimit, input);
  // LIMIT ALL is no limit.
  if (cursor.accept("LIMIT") && !cursor.accept("ALL")) node->limit = parse_expression(cursor);
  if (cursor.accept("OFFSET")) {
    node->offset = parse_expression(cursor);
    cursor.accept("ROWS");
  }
  if (node->limit == nullptr && node->offset == nullptr) return input;
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr parse_query(Cursor& cursor) {
  const Nesting nesting(cursor);
  if (cursor.at("WITH")) return parse_with(cursor);
  const size_t first = cursor.position();
  RelationPtr query = parse_set_operations(cursor, false);
  query = parse_query_tail(cursor, first, std::move(query));
  return parse_pipes(cursor, first, std::move(query));
}

}  // namespace lakebed::sql
