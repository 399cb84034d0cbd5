#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;

Result<std::string> QueryRenderer::scalar_subquery(const Expression& node) {
  LAKEBED_ASSIGN(auto rendered, relation(*node.relation));
  return fmt::format("(SELECT {} FROM {})", column_name(node.relation->output[0].id),
                     from(rendered.sql));
}

Result<std::string> QueryRenderer::exists(const Expression& node) {
  LAKEBED_ASSIGN(auto rendered, relation(*node.relation));
  return "EXISTS (" + rendered.sql + ")";
}

Result<std::string> QueryRenderer::in_subquery(const Expression& node) {
  if (node.children.size() > 1) return row_in_subquery(node);
  LAKEBED_ASSIGN(auto operand, expression(*node.children[0]));
  LAKEBED_ASSIGN(auto rendered, relation(*node.relation));
  return fmt::format("({} IN (SELECT {} FROM {}))", operand,
                     column_name(node.relation->output[0].id), from(rendered.sql));
}

// (a, b) IN (...): TRUE where all parts are equal, else NULL where a NULL hides whether they are.
// DuckDB's comparison of rows takes NULL as equal to NULL, so the parts are compared one by one.
Result<std::string> QueryRenderer::row_in_subquery(const Expression& node) {
  std::string equal;
  std::string open;
  for (size_t i = 0; i < node.children.size(); ++i) {
    LAKEBED_ASSIGN(auto operand, expression(*node.children[i]));
    const auto column = column_name(node.relation->output[i].id);
    equal += fmt::format("{}{} = {}", i == 0 ? "" : " AND ", operand, column);
    open += fmt::format("{}coalesce({} = {}, true)", i == 0 ? "" : " AND ", operand, column);
  }
  // Each use of a source is read once, so the relation is rendered for each of the two.
  LAKEBED_ASSIGN(auto first, relation(*node.relation));
  LAKEBED_ASSIGN(auto second, relation(*node.relation));
  return fmt::format(
      "(CASE WHEN EXISTS (SELECT 1 FROM {} WHERE {}) THEN true "
      "WHEN EXISTS (SELECT 1 FROM {} WHERE {}) THEN NULL ELSE false END)",
      from(first.sql), equal, from(second.sql), open);
}

}  // namespace lakebed::engine::duck
