#include "plan_text.h"

namespace lakebed::plan {
namespace {

std::string list_text(const std::vector<ExpressionPtr>& items) {
  std::string out;
  for (const ExpressionPtr& item : items) {
    if (!out.empty()) out += ", ";
    out += plan_text(*item);
  }
  return out;
}

std::string id_text(AttributeId id) { return "#" + std::to_string(id); }

std::string window_text(const Expression& node) {
  const WindowSpec& window = *node.window;
  std::string out = plan_text(*node.children[0]) + " over(" + list_text(window.partition) + "; " +
                    list_text(window.order);
  if (window.frame) {
    out += window.frame->unit == WindowFrame::Unit::kRows ? "; rows " : "; range ";
    out += std::to_string(static_cast<int>(window.frame->start)) + ".." +
           std::to_string(static_cast<int>(window.frame->end));
  }
  return out + ")";
}

std::string literal_text(const Expression& node) {
  if (node.is_null) return "null:" + node.type.text();
  if (node.type.kind == value::Kind::kString) return "'" + node.text + "'";
  return node.text + ":" + node.type.text();
}

std::string relation_head(const Relation& node) {
  switch (node.kind) {
    case RelationKind::kLeaf: return "leaf " + std::to_string(node.leaf);
    case RelationKind::kOneRow: return "one row";
    case RelationKind::kValues: {
      std::string out = "values";
      for (const auto& row : node.rows) out += " (" + list_text(row) + ")";
      return out;
    }
    case RelationKind::kProject: return "project " + list_text(node.expressions);
    case RelationKind::kFilter: return "filter " + plan_text(*node.condition);
    case RelationKind::kJoin:
      return "join " + std::to_string(static_cast<int>(node.join)) + " " +
             (node.lateral ? "lateral " : "") +
             (node.condition == nullptr ? "" : plan_text(*node.condition));
    case RelationKind::kAggregate: {
      std::string out = "aggregate [" + list_text(node.grouping) + "]";
      for (const auto& set : node.grouping_sets) out += " (" + list_text(set) + ")";
      return out + " " + list_text(node.expressions);
    }
    case RelationKind::kSort: return "sort " + list_text(node.order);
    case RelationKind::kLimit:
      return "limit " + (node.limit == nullptr ? "" : plan_text(*node.limit)) +
             (node.offset == nullptr ? "" : " offset " + plan_text(*node.offset));
    case RelationKind::kDistinct: return "distinct";
    case RelationKind::kSetOperation:
      return "set " + std::to_string(static_cast<int>(node.set_operation)) +
             (node.all ? " all" : "");
    case RelationKind::kGenerate:
      return std::string("generate ") + (node.outer ? "outer " : "") +
             list_text(node.expressions);
    default: return "UNRESOLVED";
  }
}

}  // namespace

std::string plan_text(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral: return literal_text(node);
    case ExpressionKind::kInterval: return "interval " + node.text + ":" + node.type.text();
    case ExpressionKind::kColumn:
      return (node.name_parts.empty() ? "" : node.name_parts.back()) + id_text(node.attribute);
    case ExpressionKind::kOuterColumn: return "outer(" + id_text(node.attribute) + ")";
    case ExpressionKind::kCall:
      return node.name + "(" + (node.distinct ? "distinct " : "") + list_text(node.children) + ")" +
             (node.filter == nullptr ? "" : " filter " + plan_text(*node.filter));
    case ExpressionKind::kCast:
      return std::string(node.try_cast ? "try_cast(" : "cast(") + list_text(node.children) +
             " as " + node.type.text() + ")";
    case ExpressionKind::kAlias:
      return plan_text(*node.children[0]) + " as " + node.names.front() + id_text(node.attribute);
    case ExpressionKind::kCase: return "case(" + list_text(node.children) + ")";
    case ExpressionKind::kLambda: {
      std::string names;
      for (const std::string& name : node.names) names += (names.empty() ? "" : ", ") + name;
      return "(" + names + ") -> " + plan_text(*node.children[0]);
    }
    case ExpressionKind::kLambdaVariable: return node.name;
    case ExpressionKind::kWindow: return window_text(node);
    case ExpressionKind::kSort:
      return plan_text(*node.children[0]) + (node.ascending ? " asc" : " desc") +
             (node.nulls_first ? " nulls first" : " nulls last");
    case ExpressionKind::kSubquery: return "scalar{" + plan_text(*node.relation) + "}";
    case ExpressionKind::kExists: return "exists{" + plan_text(*node.relation) + "}";
    case ExpressionKind::kInSubquery:
      return list_text(node.children) + " in {" + plan_text(*node.relation) + "}";
    case ExpressionKind::kIndex:
      return plan_text(*node.children[0]) + "[" + plan_text(*node.children[1]) + "]";
    case ExpressionKind::kField: return plan_text(*node.children[0]) + "." + node.name;
    default: return "UNRESOLVED";
  }
}

std::string plan_text(const Relation& relation, int indent) {
  std::string out(static_cast<size_t>(indent) * 2, ' ');
  out += relation_head(relation);
  for (const RelationPtr& input : relation.inputs) {
    out += "\n" + plan_text(*input, indent + 1);
  }
  return out;
}

}  // namespace lakebed::plan
