// Pipe syntax: `FROM t |> WHERE ... |> SELECT ...`, one operator on top of the other.
#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"

namespace lakebed::sql {

namespace {

using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

std::shared_ptr<plan::Expression> all_columns(const Cursor& cursor) {
  auto star = std::make_shared<plan::Expression>();
  star->kind = plan::ExpressionKind::kStar;
  star->span = cursor.span_here();
  return star;
}

RelationPtr pipe_select(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  const bool distinct = cursor.accept("DISTINCT");
  auto node = make_relation(RelationKind::kProject, std::move(input));
  node->expressions = parse_named_expressions(cursor);
  node->span = cursor.span_from(first);
  if (!distinct) return node;
  auto unique = make_relation(RelationKind::kDistinct, node);
  unique->span = node->span;
  return unique;
}

RelationPtr pipe_extend(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  auto node = make_relation(RelationKind::kProject, std::move(input));
  node->expressions = {all_columns(cursor)};
  for (auto& one : parse_named_expressions(cursor)) node->expressions.push_back(std::move(one));
  node->span = cursor.span_from(first);
  return node;
}

// SET a = x: the column keeps its place, so the star replaces it.
RelationPtr pipe_set(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  auto star = all_columns(cursor);
  parse_commas(cursor, [&] {
    const size_t start = cursor.position();
    std::string name = parse_identifier(cursor, "a column to set");
    cursor.expect("=");
    plan::ExpressionPtr value = parse_expression(cursor);
    star->children.push_back(alias(std::move(value), {std::move(name)}, cursor.span_from(start)));
  });
  auto node = make_relation(RelationKind::kProject, std::move(input));
  star->span = cursor.span_from(first);
  node->span = star->span;
  node->expressions = {std::move(star)};
  return node;
}

RelationPtr pipe_drop(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  auto star = all_columns(cursor);
  parse_commas(cursor,
               [&] { star->names.push_back(parse_identifier(cursor, "a column to drop")); });
  auto node = make_relation(RelationKind::kProject, std::move(input));
  star->span = cursor.span_from(first);
  node->span = star->span;
  node->expressions = {std::move(star)};
  return node;
}

// The output is the grouping expressions and then the aggregates.
RelationPtr pipe_aggregate(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  auto node = make_relation(RelationKind::kAggregate, std::move(input));
  std::vector<plan::ExpressionPtr> aggregates;
  if (!cursor.at("GROUP")) aggregates = parse_named_expressions(cursor);
  if (cursor.accept_all({"GROUP", "BY"})) {
    for (const plan::ExpressionPtr& one : parse_named_expressions(cursor)) {
      node->expressions.push_back(one);
      const bool named = one->kind == plan::ExpressionKind::kAlias;
      node->grouping.push_back(named ? one->children[0] : one);
    }
  }
  for (plan::ExpressionPtr& one : aggregates) node->expressions.push_back(std::move(one));
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr pipe_where(Cursor& cursor, RelationPtr input) {
  auto node = make_relation(RelationKind::kFilter, std::move(input));
  node->condition = parse_expression(cursor);
  node->span = node->condition->span;
  return node;
}

RelationPtr pipe_as(Cursor& cursor, RelationPtr input) {
  const size_t first = cursor.position();
  auto node = make_relation(RelationKind::kAlias, std::move(input));
  node->name = parse_identifier(cursor, "an alias");
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr pipe_set_operation(Cursor& cursor, size_t first, RelationPtr input) {
  auto node = parse_set_operator(cursor);
  if (node == nullptr) return nullptr;
  node->inputs = {std::move(input), parse_query_primary(cursor)};
  node->span = cursor.span_from(first);
  return node;
}

RelationPtr parse_pipe(Cursor& cursor, size_t first, RelationPtr input) {
  if (cursor.accept("SELECT")) return pipe_select(cursor, std::move(input));
  if (cursor.accept("EXTEND")) return pipe_extend(cursor, std::move(input));
  if (cursor.accept("SET")) return pipe_set(cursor, std::move(input));
  if (cursor.accept("DROP")) return pipe_drop(cursor, std::move(input));
  if (cursor.accept("AS")) return pipe_as(cursor, std::move(input));
  if (cursor.accept("WHERE")) return pipe_where(cursor, std::move(input));
  if (cursor.accept("AGGREGATE")) return pipe_aggregate(cursor, std::move(input));
  if (cursor.at_all({"LATERAL", "VIEW"})) return parse_lateral_views(cursor, std::move(input));
  if (cursor.at_any({"LIMIT", "OFFSET", "ORDER", "SORT", "DISTRIBUTE", "CLUSTER"})) {
    return parse_query_tail(cursor, first, std::move(input));
  }
  for (const std::string_view word : {"PIVOT", "UNPIVOT", "TABLESAMPLE", "WINDOW"}) {
    if (cursor.at(word)) cursor.refuse("|> " + std::string(word), cursor.span_here());
  }
  if (RelationPtr joined = parse_join(cursor, first, input)) return joined;
  if (RelationPtr united = pipe_set_operation(cursor, first, input)) return united;
  cursor.fail_expected(
      "SELECT, EXTEND, SET, DROP, AS, WHERE, AGGREGATE, ORDER BY, LIMIT, JOIN or UNION after |>");
}

}  // namespace

RelationPtr parse_pipes(Cursor& cursor, size_t first, RelationPtr input) {
  for (size_t length = 0; cursor.accept("|>"); ++length) {
    cursor.limit_chain(length);
    input = parse_pipe(cursor, first, std::move(input));
  }
  return input;
}

}  // namespace lakebed::sql
