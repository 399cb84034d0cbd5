#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;
using plan::ExpressionKind;
using plan::Relation;

Result<std::string> QueryRenderer::aggregate_output(const Expression& alias) {
  const Expression& item = *alias.children[0];
  const bool grouping = item.kind == ExpressionKind::kCall &&
                        (item.name == "grouping" || item.name == "grouping_id");
  if (!grouping) return expression(item);
  std::string columns;
  for (const auto& column : item.children) {
    columns += (columns.empty() ? "" : ", ") + column_name(column->attribute);
  }
  return fmt::format("CAST(GROUPING({}) AS {})", columns, duck_type(item.type));
}

Result<std::string> QueryRenderer::grouping_clause(const Relation& node) {
  const auto list = [](const std::vector<plan::ExpressionPtr>& columns) {
    std::string out;
    for (const auto& column : columns) {
      out += (out.empty() ? "" : ", ") + column_name(column->attribute);
    }
    return out;
  };
  if (node.grouping_kind != plan::GroupingKind::kSets) {
    return node.grouping.empty() ? std::string() : " GROUP BY " + list(node.grouping);
  }
  std::string sets;
  for (const auto& set : node.grouping_sets) {
    sets += fmt::format("{}({})", sets.empty() ? "" : ", ", list(set));
  }
  return " GROUP BY GROUPING SETS (" + sets + ")";
}

Result<RenderedRelation> QueryRenderer::aggregate(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  std::string columns;
  for (size_t i = 0; i < node.expressions.size(); ++i) {
    const auto id = node.output[i].id;
    if (used_.count(id) == 0) continue;
    LAKEBED_ASSIGN(auto item, aggregate_output(*node.expressions[i]));
    columns += fmt::format("{}{} AS {}", columns.empty() ? "" : ", ", item, column_name(id));
  }
  // An aggregate of nothing still has one row: count keeps the SELECT an aggregate.
  if (columns.empty()) columns = "count(*) AS none";
  LAKEBED_ASSIGN(auto grouping, grouping_clause(node));
  return RenderedRelation{fmt::format("SELECT {} FROM {}{}", columns, from(input.sql), grouping),
                          {}};
}

}  // namespace lakebed::engine::duck
