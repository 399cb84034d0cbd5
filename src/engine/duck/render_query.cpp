#include "engine/duck/render_query.h"

#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

namespace {

using plan::Expression;
using plan::Relation;
using plan::RelationKind;

bool has_subquery(const Expression& expression) {
  if (expression.relation) return true;
  for (const auto& child : expression.children) {
    if (has_subquery(*child)) return true;
  }
  return false;
}

bool has_subquery(const Relation& relation) {
  if (relation.condition && has_subquery(*relation.condition)) return true;
  for (const auto& item : relation.expressions) {
    if (has_subquery(*item)) return true;
  }
  return false;
}

// True where the order of rows of the source has a meaning in the result and a join may lose it;
// DuckDB turns subqueries into joins.
bool joins_in_order(const Relation& relation) {
  switch (relation.kind) {
    case RelationKind::kJoin: return true;
    case RelationKind::kProject:
    case RelationKind::kFilter:
    case RelationKind::kLimit:
    case RelationKind::kGenerate:
      return has_subquery(relation) || joins_in_order(*relation.inputs[0]);
    default: return false;
  }
}

}  // namespace

std::string column_name(plan::AttributeId id) { return "c" + std::to_string(id); }

void QueryRenderer::mark_used(const Relation& relation) {
  for (const auto& attribute : relation.output) used_.insert(attribute.id);
}

void QueryRenderer::find_used(const Expression& expression) {
  if (expression.kind == plan::ExpressionKind::kColumn ||
      expression.kind == plan::ExpressionKind::kOuterColumn) {
    used_.insert(expression.attribute);
  }
  for (const auto& child : expression.children) find_used(*child);
  if (expression.filter) find_used(*expression.filter);
  if (expression.relation) {
    mark_used(*expression.relation);
    find_used(*expression.relation);
  }
  if (!expression.window) return;
  for (const auto& part : expression.window->partition) find_used(*part);
  for (const auto& part : expression.window->order) find_used(*part);
}

void QueryRenderer::find_used(const Relation& relation) {
  for (const auto& item : relation.expressions) find_used(*item);
  for (const auto& item : relation.grouping) find_used(*item);
  for (const auto& item : relation.order) find_used(*item);
  if (relation.condition) find_used(*relation.condition);
  const bool whole = relation.kind == RelationKind::kSetOperation ||
                     relation.kind == RelationKind::kDistinct;
  if (whole) mark_used(relation);
  for (const auto& input : relation.inputs) {
    if (whole) mark_used(*input);
    find_used(*input);
  }
}

Result<std::string> render_query(const plan::ResolvedQuery& query, const LeafRenderer& leaves,
                                 RenderContext& context) {
  QueryRenderer renderer(leaves, context);
  renderer.mark_used(*query.root);
  renderer.find_used(*query.root);
  renderer.want_ordinals(joins_in_order(*query.root));
  LAKEBED_ASSIGN(auto rendered, renderer.relation(*query.root));
  std::string columns;
  for (const auto& attribute : query.root->output) {
    if (attribute.hidden) continue;
    columns += (columns.empty() ? "" : ", ") + column_name(attribute.id);
  }
  std::string sql = fmt::format("SELECT {} FROM ({}) AS q", columns, rendered.sql);
  if (!rendered.ordinals.empty()) {
    sql += fmt::format(" ORDER BY {}", fmt::join(rendered.ordinals, ", "));
  }
  return sql;
}

}  // namespace lakebed::engine::duck
