// Scalar subqueries, EXISTS and IN (query).
#include <fmt/core.h>

#include "plan/coercion.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

Result<ExpressionPtr> scalar(const Expression& node, RelationPtr relation) {
  if (relation->output.size() != 1) {
    return project_error("INVALID_SUBQUERY_EXPRESSION."
                         "SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
                         fmt::format("A scalar subquery returns one column, this one {}.",
                                     relation->output.size()),
                         node.span);
  }
  auto out = edit(node);
  out->type = relation->output[0].type;
  out->nullable = true;
  out->relation = std::move(relation);
  out->resolved = true;
  return ExpressionPtr(out);
}

// (a, b) IN (query): a struct on the left stands for several values.
std::vector<ExpressionPtr> left_values(const Expression& node, size_t columns) {
  if (node.children.size() == 1 && columns > 1) {
    const Expression& child = *node.children[0];
    if (child.kind == ExpressionKind::kCall && (child.name == "struct" || child.name == "row")) {
      return child.children;
    }
  }
  return node.children;
}

Result<ExpressionPtr> in_query(Session& session, Scope& scope, const Expression& node,
                               RelationPtr relation) {
  const std::vector<ExpressionPtr> values = left_values(node, relation->output.size());
  if (values.size() != relation->output.size()) {
    return type_mismatch("IN_SUBQUERY_LENGTH_MISMATCH",
                         fmt::format("IN compares {} values with {} columns.", values.size(),
                                     relation->output.size()),
                         node.span);
  }
  auto out = edit(node);
  out->children.clear();
  std::vector<ExpressionPtr> columns;
  bool cast = false;
  for (size_t i = 0; i < values.size(); ++i) {
    LAKEBED_ASSIGN(ExpressionPtr left, resolve_expression(session, scope, values[i]));
    const Attribute& column = relation->output[i];
    const auto common = common_type(left->type, column.type);
    if (!common) {
      return type_mismatch("IN_SUBQUERY_DATA_TYPE_MISMATCH",
                           fmt::format("IN compares {} with {}.", left->type.text(),
                                       column.type.text()),
                           node.span);
    }
    out->children.push_back(cast_to(left, *common));
    ExpressionPtr right = column_of(column, node.span);
    if (column.type != *common) {
      right = alias_of(cast_to(right, *common), column.name, session.next_id());
      cast = true;
    }
    columns.push_back(std::move(right));
  }
  out->relation = cast ? project_of(relation, std::move(columns), node.span) : relation;
  out->type = value::Kind::kBoolean;
  out->resolved = true;
  return ExpressionPtr(out);
}

}  // namespace

Result<ExpressionPtr> resolve_subquery(Session& session, Scope& scope, const Expression& node) {
  Environment inner;
  if (scope.environment != nullptr) inner.ctes = scope.environment->ctes;
  inner.outer = &scope;
  LAKEBED_ASSIGN(RelationPtr relation, resolve_relation(session, inner, node.relation));
  relation = visible_only(std::move(relation));
  LAKEBED_TRY(check_stream(session, *relation, "SUBQUERY", node.span));
  if (node.kind == ExpressionKind::kSubquery) return scalar(node, std::move(relation));
  if (node.kind == ExpressionKind::kInSubquery) {
    return in_query(session, scope, node, std::move(relation));
  }
  auto out = edit(node);
  out->relation = std::move(relation);
  out->type = value::Kind::kBoolean;
  out->nullable = false;
  out->resolved = true;
  return ExpressionPtr(out);
}

}  // namespace lakebed::plan
