// Trees as short texts, for the other tests.
#include "sql/show.h"

namespace lakebed::sql::testing {

namespace {

using plan::ExpressionKind;
using plan::RelationKind;

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
  return out;
}

std::string show_all(const std::vector<plan::ExpressionPtr>& nodes, const std::string& head) {
  std::string out = "(" + head;
  for (const plan::ExpressionPtr& node : nodes) out += " " + show(node);
  return out + ")";
}

std::string show_bound(plan::WindowFrame::Bound bound, const plan::ExpressionPtr& offset) {
  using Bound = plan::WindowFrame::Bound;
  switch (bound) {
    case Bound::kUnboundedPreceding: return "-inf";
    case Bound::kPreceding: return "-" + show(offset);
    case Bound::kCurrentRow: return "0";
    case Bound::kFollowing: return "+" + show(offset);
    case Bound::kUnboundedFollowing: return "+inf";
  }
  return "?";
}

std::string show_window(const plan::WindowSpec& window) {
  std::string out = "[" + window.name;
  for (const auto& one : window.partition) out += " by " + show(one);
  for (const auto& one : window.order) out += " " + show(one);
  if (window.frame.has_value()) {
    const bool rows = window.frame->unit == plan::WindowFrame::Unit::kRows;
    out += rows ? " rows " : " range ";
    out += show_bound(window.frame->start, window.frame->start_offset) + ".." +
           show_bound(window.frame->end, window.frame->end_offset);
  }
  return out + "]";
}

std::string show_call(const plan::Expression& node) {
  std::string out = "(" + node.name + (node.distinct ? " distinct" : "");
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool named = i < node.argument_names.size() && !node.argument_names[i].empty();
    out += " " + (named ? node.argument_names[i] + "=>" : "") + show(node.children[i]);
  }
  if (node.ignore_nulls) out += " ignore_nulls";
  if (node.filter != nullptr) out += " filter " + show(node.filter);
  return out + ")";
}

std::string show_literal(const plan::Expression& node) {
  if (node.is_null) return "null";
  const std::string type = node.type.text();
  if (type == "INT") return node.text;
  return node.text + ":" + type;
}

std::string show_relation(const plan::Relation& node) {
  switch (node.kind) {
    case RelationKind::kRead: {
      std::string out = (node.streaming ? "stream " : "") + join(node.name_parts, ".");
      for (const auto& [key, value] : node.options) out += " " + key + "=" + value;
      return out;
    }
    case RelationKind::kTableFunction: {
      std::string out = (node.streaming ? "stream " : "") + node.name;
      for (size_t i = 0; i < node.arguments.size(); ++i) {
        const std::string name = i < node.argument_names.size() ? node.argument_names[i] : "";
        out += " " + (name.empty() ? "" : name + "=>") + show(node.arguments[i]);
      }
      return out;
    }
    case RelationKind::kValues: {
      std::string out = "values";
      for (const auto& row : node.rows) out += " " + show_all(row, "row");
      return out;
    }
    case RelationKind::kOneRow: return "one_row";
    case RelationKind::kProject: return "project " + show_all(node.expressions, "");
    case RelationKind::kFilter: return "where " + show(node.condition);
    case RelationKind::kHaving: return "having " + show(node.condition);
    case RelationKind::kQualify: return "qualify " + show(node.condition);
    case RelationKind::kJoin: {
      static const char* kinds[] = {"inner", "left", "right", "full", "cross", "semi", "anti"};
      std::string out = kinds[static_cast<size_t>(node.join)];
      if (node.natural) out += " natural";
      if (node.lateral) out += " lateral";
      if (!node.using_names.empty()) out += " using " + join(node.using_names, ",");
      if (node.condition != nullptr) out += " on " + show(node.condition);
      return out;
    }
    case RelationKind::kAggregate: {
      static const char* kinds[] = {"", " all", " sets", " rollup", " cube"};
      std::string out =
          "aggregate " + show_all(node.expressions, "") + " by " + show_all(node.grouping, "");
      out += kinds[static_cast<size_t>(node.grouping_kind)];
      for (const auto& set : node.grouping_sets) out += " " + show_all(set, "");
      return out;
    }
    case RelationKind::kSort: return "sort " + show_all(node.order, "");
    case RelationKind::kLimit:
      return std::string("limit") + (node.limit ? " " + show(node.limit) : "") +
             (node.offset ? " offset " + show(node.offset) : "");
    case RelationKind::kDistinct: return "distinct";
    case RelationKind::kSetOperation: {
      static const char* kinds[] = {"union", "intersect", "except"};
      return std::string(kinds[static_cast<size_t>(node.set_operation)]) +
             (node.all ? " all" : "") + (node.by_name ? " by_name" : "");
    }
    case RelationKind::kAlias:
      return "as " + node.name + (node.names.empty() ? "" : "(" + join(node.names, ",") + ")");
    case RelationKind::kWith: return "with " + join(node.names, ",");
    case RelationKind::kGenerate:
      return std::string("generate") + (node.outer ? " outer " : " ") + show(node.expressions[0]) +
             " " + node.name + "(" + join(node.names, ",") + ")";
    case RelationKind::kLeaf: return "leaf";
  }
  return "?";
}

}  // namespace

std::string show(const plan::ExpressionPtr& node) {
  if (node == nullptr) return "nothing";
  switch (node->kind) {
    case ExpressionKind::kLiteral: return show_literal(*node);
    case ExpressionKind::kColumn: return join(node->name_parts, ".");
    case ExpressionKind::kStar: {
      std::string out = (node->name_parts.empty() ? "" : join(node->name_parts, ".") + ".") + "*";
      if (!node->names.empty()) out += "-(" + join(node->names, ",") + ")";
      return node->children.empty() ? out : show_all(node->children, out);
    }
    case ExpressionKind::kCall: return show_call(*node);
    case ExpressionKind::kCast:
      return std::string(node->try_cast ? "(try_cast " : "(cast ") + show(node->children[0]) + " " +
             node->type.text() + ")";
    case ExpressionKind::kAlias: return show(node->children[0]) + "@" + join(node->names, ",");
    case ExpressionKind::kCase:
      return show_all(node->children, node->has_operand ? "case_of" : "case");
    case ExpressionKind::kLambda:
      return "(\\" + join(node->names, ",") + " " + show(node->children[0]) + ")";
    case ExpressionKind::kWindow:
      return "(over " + show(node->children[0]) + " " + show_window(*node->window) + ")";
    case ExpressionKind::kSort:
      return show(node->children[0]) + (node->ascending ? "/asc" : "/desc") +
             (node->nulls_first ? "" : "/last");
    case ExpressionKind::kSubquery: return show(node->relation);
    case ExpressionKind::kExists: return "(exists " + show(node->relation) + ")";
    case ExpressionKind::kInSubquery:
      return show_all(node->children, "in_query") + show(node->relation);
    case ExpressionKind::kIndex: return show_all(node->children, "index");
    case ExpressionKind::kField:
      return "(field " + show(node->children[0]) + " " + node->name + ")";
    case ExpressionKind::kJsonPath:
      return "(json " + show(node->children[0]) + " " + node->text + ")";
    case ExpressionKind::kInterval: return "interval " + node->text + " " + node->type.text();
    default: return "?";
  }
}

std::string show(const plan::RelationPtr& node) {
  if (node == nullptr) return "nothing";
  std::string out = "{" + show_relation(*node);
  for (const plan::RelationPtr& input : node->inputs) out += " " + show(input);
  return out + "}";
}

}  // namespace lakebed::sql::testing
