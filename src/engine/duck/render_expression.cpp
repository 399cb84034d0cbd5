#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;
using plan::ExpressionKind;

Result<std::string> QueryRenderer::expression(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
    case ExpressionKind::kInterval: return render_literal(node);
    case ExpressionKind::kColumn:
    case ExpressionKind::kOuterColumn: return column_name(node.attribute);
    case ExpressionKind::kAlias: return expression(*node.children[0]);
    case ExpressionKind::kCall:
      return node.name == "and" || node.name == "or" ? logic(node) : call(node, "");
    case ExpressionKind::kCase: return case_when(node);
    case ExpressionKind::kIndex: return index(node);
    case ExpressionKind::kField: return field(node);
    case ExpressionKind::kLambda: return lambda(node);
    case ExpressionKind::kLambdaVariable: return lambda_names_.at(node.name);
    case ExpressionKind::kWindow: return window(node);
    case ExpressionKind::kSubquery: return scalar_subquery(node);
    case ExpressionKind::kExists: return exists(node);
    case ExpressionKind::kInSubquery: return in_subquery(node);
    case ExpressionKind::kCast: {
      LAKEBED_ASSIGN(auto operand, expression(*node.children[0]));
      auto cast = render_cast(operand, node.children[0]->type, node.type, node.try_cast, context_);
      if (!cast.ok()) return std::move(cast).error().with_span(node.span);
      return cast;
    }
    default: break;
  }
  return update_error("ENGINE_ERROR", fmt::format("expression of kind {} in a resolved plan",
                                                  static_cast<int>(node.kind)))
      .with_span(node.span);
}

Result<std::string> QueryRenderer::call(const Expression& node, const std::string& over) {
  RenderedCall rendered;
  rendered.node = &node;
  for (const auto& child : node.children) {
    LAKEBED_ASSIGN(auto argument, expression(*child));
    rendered.arguments.push_back(std::move(argument));
  }
  if (node.filter) {
    LAKEBED_ASSIGN(auto condition, expression(*node.filter));
    rendered.suffix = " FILTER (WHERE " + condition + ")";
  }
  rendered.suffix += over;
  rendered.windowed = !over.empty();
  auto sql = render_call(rendered, context_);
  if (!sql.ok()) return std::move(sql).error().with_span(node.span);
  return sql;
}

Result<std::string> QueryRenderer::case_when(const Expression& node) {
  std::string out = "(CASE";
  size_t i = 0;
  for (; i + 1 < node.children.size(); i += 2) {
    LAKEBED_ASSIGN(auto condition, expression(*node.children[i]));
    LAKEBED_ASSIGN(auto outcome, expression(*node.children[i + 1]));
    out += " WHEN " + condition + " THEN " + outcome;
  }
  if (i < node.children.size()) {
    LAKEBED_ASSIGN(auto otherwise, expression(*node.children[i]));
    out += " ELSE " + otherwise;
  }
  return out + " END)";
}

Result<std::string> QueryRenderer::index(const Expression& node) {
  LAKEBED_ASSIGN(auto container, expression(*node.children[0]));
  LAKEBED_ASSIGN(auto key, expression(*node.children[1]));
  if (node.children[0]->type.kind == value::Kind::kMap) {
    return fmt::format("map_extract_value({}, {})", container, key);
  }
  return fmt::format("list_extract({0}, lb_array_position(CAST({1} AS BIGINT), len({0})))",
                     container, key);
}

Result<std::string> QueryRenderer::field(const Expression& node) {
  LAKEBED_ASSIGN(auto container, expression(*node.children[0]));
  if (node.children[0]->type.kind == value::Kind::kStruct) {
    return fmt::format("struct_extract({}, {})", container, quote_text(node.name));
  }
  const auto item = context_.fresh_name("v");
  return fmt::format("list_transform({}, lambda {}: struct_extract({}, {}))", container, item,
                     item, quote_text(node.name));
}

Result<std::string> QueryRenderer::lambda(const Expression& node) {
  std::string parameters;
  for (const auto& name : node.names) {
    const auto fresh = context_.fresh_name("v");
    lambda_names_[name] = fresh;
    parameters += (parameters.empty() ? "" : ", ") + fresh;
  }
  LAKEBED_ASSIGN(auto body, expression(*node.children[0]));
  return "lambda " + parameters + ": " + body;
}

}  // namespace lakebed::engine::duck
