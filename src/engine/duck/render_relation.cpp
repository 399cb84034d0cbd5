#include "engine/duck/render_relation.h"

#include <fmt/format.h>

namespace lakebed::engine::duck {

using plan::Relation;
using plan::RelationKind;

Result<RenderedRelation> QueryRenderer::relation(const Relation& node) {
  switch (node.kind) {
    case RelationKind::kLeaf: return leaf(node);
    case RelationKind::kValues: return values(node);
    case RelationKind::kOneRow: return RenderedRelation{"SELECT 1 AS none", {}};
    case RelationKind::kProject: return project(node);
    case RelationKind::kFilter: return filter(node);
    case RelationKind::kJoin: return join(node);
    case RelationKind::kAggregate: return aggregate(node);
    case RelationKind::kSort: return sort(node);
    case RelationKind::kLimit: return limit(node);
    case RelationKind::kDistinct: return distinct(node);
    case RelationKind::kSetOperation: return set_operation(node);
    case RelationKind::kGenerate: return generate(node);
    default: break;
  }
  return update_error("ENGINE_ERROR",
                      fmt::format("relation of kind {} in a resolved plan",
                                  static_cast<int>(node.kind)))
      .with_span(node.span);
}

std::string QueryRenderer::from(const std::string& sql) {
  return fmt::format("({}) AS {}", sql, context_.fresh_name("t"));
}

std::string QueryRenderer::passed_on(const std::vector<std::string>& ordinals) {
  std::string out;
  for (const auto& name : ordinals) out += ", " + name;
  return out;
}

std::string QueryRenderer::used_columns(const std::vector<plan::Attribute>& output) const {
  std::string out;
  for (const auto& attribute : output) {
    if (used_.count(attribute.id) == 0) continue;
    out += (out.empty() ? "" : ", ") + column_name(attribute.id);
  }
  return out.empty() ? "1 AS none" : out;
}

Result<RenderedRelation> QueryRenderer::leaf(const Relation& node) {
  LeafRequest request;
  request.leaf = &node;
  for (size_t i = 0; i < node.output.size(); ++i) {
    if (used_.count(node.output[i].id) == 0) continue;
    request.columns.push_back(i);
    request.aliases.push_back(column_name(node.output[i].id));
  }
  if (want_ordinals_) {
    request.ordinals = {context_.fresh_name("o"), context_.fresh_name("o")};
  }
  LAKEBED_ASSIGN(auto sql, leaves_(request, context_));
  return RenderedRelation{std::move(sql), std::move(request.ordinals)};
}

Result<RenderedRelation> QueryRenderer::values(const Relation& node) {
  std::string rows;
  for (const auto& row : node.rows) {
    std::string cells;
    for (const auto& cell : row) {
      LAKEBED_ASSIGN(auto text, expression(*cell));
      cells += (cells.empty() ? "" : ", ") + text;
    }
    rows += (rows.empty() ? "(" : ", (") + cells + ")";
  }
  std::string names;
  for (const auto& attribute : node.output) {
    names += (names.empty() ? "" : ", ") + column_name(attribute.id);
  }
  return RenderedRelation{fmt::format("SELECT * FROM (VALUES {}) AS {}({})", rows,
                                      context_.fresh_name("t"), names),
                          {}};
}

Result<RenderedRelation> QueryRenderer::project(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  std::string columns;
  for (size_t i = 0; i < node.expressions.size(); ++i) {
    const auto id = node.output[i].id;
    if (used_.count(id) == 0) continue;
    LAKEBED_ASSIGN(auto item, expression(*node.expressions[i]));
    const auto name = column_name(id);
    columns += columns.empty() ? "" : ", ";
    columns += item == name ? item : item + " AS " + name;
  }
  if (columns.empty()) columns = "1 AS none";
  return RenderedRelation{fmt::format("SELECT {}{} FROM {}", columns, passed_on(input.ordinals),
                                      from(input.sql)),
                          std::move(input.ordinals)};
}

Result<RenderedRelation> QueryRenderer::filter(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  LAKEBED_ASSIGN(auto kept, condition(*node.condition));
  input.sql = fmt::format("SELECT * FROM {} WHERE {}", from(input.sql), kept);
  return input;
}

Result<std::string> QueryRenderer::order_list(const std::vector<plan::ExpressionPtr>& order) {
  std::string out;
  for (const auto& item : order) {
    LAKEBED_ASSIGN(const auto value, expression(*item->children[0]));
    LAKEBED_ASSIGN(const auto key, render_sort_key(value, item->children[0]->type, context_));
    out += fmt::format("{}{} {} NULLS {}", out.empty() ? "" : ", ", key,
                       item->ascending ? "ASC" : "DESC", item->nulls_first ? "FIRST" : "LAST");
  }
  return out;
}

Result<RenderedRelation> QueryRenderer::sort(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  LAKEBED_ASSIGN(auto order, order_list(node.order));
  const bool constant = order.empty();
  return RenderedRelation{fmt::format("SELECT * FROM {}{}{}", from(input.sql),
                                      constant ? "" : " ORDER BY ", order),
                          {}};
}

Result<RenderedRelation> QueryRenderer::limit(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  // Rows beyond the limit are those late in the source's order, if there is one.
  std::string sql = "SELECT * FROM " + from(input.sql);
  if (!input.ordinals.empty()) sql += fmt::format(" ORDER BY {}", fmt::join(input.ordinals, ", "));
  if (node.limit) sql += " LIMIT " + node.limit->text;
  if (node.offset) sql += " OFFSET " + node.offset->text;
  input.sql = std::move(sql);
  return input;
}

Result<RenderedRelation> QueryRenderer::distinct(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  return RenderedRelation{
      fmt::format("SELECT DISTINCT {} FROM {}", used_columns(node.output), from(input.sql)), {}};
}

}  // namespace lakebed::engine::duck
