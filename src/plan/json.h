// The JSON form of unresolved plan trees: golden files of the parser, and what the Python recorder
// sends. One node is one object: {"expr": kind, ...}, {"rel": kind, ...} or {"statement": kind,
// ...}, with "at": "file:line:column" where its place is known. Members that have their default
// value are left out, so a reader must fill in defaults. What resolution adds (ids, outputs, types
// of columns) is not part of it. Simple types are Spark's names in a string; nested types are
// {"array": T}, {"map": [K, V]}, {"struct": [{"name", "type", ...}]}.
#pragma once

#include "base/json.h"
#include "plan/statement.h"

namespace lakebed::plan {

Json to_json(const Expression& node);
Json to_json(const Relation& node);
Json to_json(const Statement& statement);
Json to_json(const value::Type& type);

// Read back what to_json wrote. Unknown kinds, unknown members and members of a wrong type are
// errors: PLAN_JSON.DAMAGED, with the node's place where it is known.
Result<ExpressionPtr> expression_from_json(const Json& json);
Result<RelationPtr> relation_from_json(const Json& json);
Result<Statement> statement_from_json(const Json& json);
Result<value::Type> type_from_json(const Json& json);

}  // namespace lakebed::plan
