// Queries: SELECT, set operations, WITH, ORDER BY and LIMIT, FROM-first and pipe syntax.
#pragma once

#include "sql/cursor.h"

namespace lakebed::sql {

// Whether a query begins at the token `ahead`, brackets in front of it included.
bool at_query(const Cursor& cursor, size_t ahead = 0);

plan::RelationPtr parse_query(Cursor& cursor);

// FROM was taken: relations apart by commas, with joins and LATERAL VIEW.
plan::RelationPtr parse_from(Cursor& cursor);
// One relation with its joins; `left` may be null.
plan::RelationPtr parse_joined(Cursor& cursor);
// A table, function, subquery or inline table, with its alias.
plan::RelationPtr parse_relation(Cursor& cursor);
// STREAM ..., or a name or function, without an alias. Requires: at a name.
plan::RelationPtr parse_named_relation(Cursor& cursor);
// Whether STREAM is the keyword here and not the name of a table.
bool at_stream(const Cursor& cursor);
// VALUES was taken.
plan::RelationPtr parse_values(Cursor& cursor, size_t first);
// LATERAL VIEW ..., as often as it stands.
plan::RelationPtr parse_lateral_views(Cursor& cursor, plan::RelationPtr input);
// A join and its right side on top of `left`, or null where none follows.
plan::RelationPtr parse_join(Cursor& cursor, size_t first, const plan::RelationPtr& left);
// Wraps `input` into AS name (names), where an alias follows; else returns it.
plan::RelationPtr parse_table_alias(Cursor& cursor, plan::RelationPtr input);

// Everything of a SELECT behind its list, FROM excepted.
struct GroupBy {
  std::vector<plan::ExpressionPtr> grouping;
  plan::GroupingKind kind = plan::GroupingKind::kPlain;
  std::vector<std::vector<plan::ExpressionPtr>> sets;
};
// GROUP BY was taken.
GroupBy parse_group_by(Cursor& cursor);

// `|> operator` as often as it stands.
plan::RelationPtr parse_pipes(Cursor& cursor, size_t first, plan::RelationPtr input);
// UNION, EXCEPT, INTERSECT with ALL and BY NAME: takes the words and fills the node in.
// Returns null where none follows.
std::shared_ptr<plan::Relation> parse_set_operator(Cursor& cursor);
// A SELECT, VALUES, TABLE or ( query ), without set operations. May be called by pipes.
plan::RelationPtr parse_query_primary(Cursor& cursor);
// [ORDER BY] [LIMIT] [OFFSET] on top of `input`.
plan::RelationPtr parse_query_tail(Cursor& cursor, size_t first, plan::RelationPtr input);

std::shared_ptr<plan::Relation> make_relation(plan::RelationKind kind, plan::RelationPtr input);

}  // namespace lakebed::sql
