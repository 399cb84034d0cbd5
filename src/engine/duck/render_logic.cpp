// AND and OR decide from the left: in Spark `x <> 0 AND 1 / x > 2` never divides by zero. DuckDB
// stops early in filters, but computes every part of a condition that is selected as a value.
#include <fmt/format.h>

#include <array>
#include <algorithm>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;
using plan::ExpressionKind;

namespace {

bool is_logic(const Expression& node) {
  return node.kind == ExpressionKind::kCall && (node.name == "and" || node.name == "or") &&
         node.children.size() == 2;
}

// Calls that cannot fail, whatever their arguments.
constexpr std::array<std::string_view, 12> kSafeCalls = {
    "and", "or", "not", "=", "<=>", "<>", "<", "<=", ">", ">=", "isnull", "isnotnull"};

bool may_fail(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral:
    case ExpressionKind::kColumn:
    case ExpressionKind::kOuterColumn:
    case ExpressionKind::kLambdaVariable: return false;
    case ExpressionKind::kField: break;
    case ExpressionKind::kCall: {
      const auto* found = std::find(kSafeCalls.begin(), kSafeCalls.end(), node.name);
      if (found == kSafeCalls.end()) return true;
      break;
    }
    default: return true;
  }
  return std::any_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return may_fail(*child); });
}

// a AND (b AND c) -> a, b, c
void flatten(const Expression& node, const std::string& name,
             std::vector<const Expression*>& parts) {
  if (!is_logic(node) || node.name != name) {
    parts.push_back(&node);
    return;
  }
  for (const auto& child : node.children) flatten(*child, name, parts);
}

}  // namespace

Result<std::string> QueryRenderer::condition(const Expression& node) {
  if (!is_logic(node)) return expression(node);
  LAKEBED_ASSIGN(auto left, condition(*node.children[0]));
  LAKEBED_ASSIGN(auto right, condition(*node.children[1]));
  return fmt::format("({} {} {})", left, node.name == "and" ? "AND" : "OR", right);
}

// CASE WHEN NOT a THEN false WHEN NOT b THEN false ELSE (a AND b AND c) END
Result<std::string> QueryRenderer::logic(const Expression& node) {
  std::vector<const Expression*> parts;
  flatten(node, node.name, parts);
  const bool both = node.name == "and";
  std::string whole;
  std::string choice = "(CASE";
  bool guarded = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    LAKEBED_ASSIGN(auto part, expression(*parts[i]));
    whole += fmt::format("{}{}", i == 0 ? "" : (both ? " AND " : " OR "), part);
    guarded = guarded || (i > 0 && may_fail(*parts[i]));
    if (i + 1 == parts.size()) break;
    choice += fmt::format(" WHEN {}{} THEN {}", both ? "NOT " : "", part, both ? "false" : "true");
  }
  if (!guarded) return "(" + whole + ")";
  return choice + " ELSE (" + whole + ") END)";
}

}  // namespace lakebed::engine::duck
