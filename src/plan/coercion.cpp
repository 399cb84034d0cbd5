#include "plan/coercion.h"

namespace lakebed::plan {

ExpressionPtr cast_to(const ExpressionPtr& node, const value::Type& type) {
  if (node->type == type) return node;
  if (node->kind == ExpressionKind::kLiteral && node->is_null) {
    auto copy = edit(*node);
    copy->type = type;
    return copy;
  }
  auto cast = std::make_shared<Expression>();
  cast->kind = ExpressionKind::kCast;
  cast->span = node->span;
  cast->type = type;
  cast->resolved = true;
  cast->nullable = node->nullable;
  cast->children = {node};
  return cast;
}

std::optional<value::Type> common_type_of(const std::vector<ExpressionPtr>& nodes) {
  std::optional<value::Type> common;
  for (const ExpressionPtr& node : nodes) {
    if (!common) {
      common = node->type;
      continue;
    }
    common = common_type(*common, node->type);
    if (!common) return std::nullopt;
  }
  return common;
}

Error type_mismatch(const std::string& reason, std::string message, const SourceSpan& span) {
  return project_error("DATATYPE_MISMATCH." + reason, std::move(message), span);
}

}  // namespace lakebed::plan
