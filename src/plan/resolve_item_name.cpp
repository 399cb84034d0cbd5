// Output names that depend on what names stand for.
#include "base/names.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

// The expression as Spark prints it: `t.a` as `a`, struct(*) with its columns.
ExpressionPtr spelled_out(Session& session, Scope& scope, const ExpressionPtr& node) {
  if (node->kind == ExpressionKind::kColumn) {
    const size_t skip = node->name_parts.size() > 1 ? qualifier_length(scope, *node) : 0;
    if (skip == 0) return node;
    auto copy = edit(*node);
    copy->name_parts.erase(copy->name_parts.begin(),
                           copy->name_parts.begin() + static_cast<std::ptrdiff_t>(skip));
    return copy;
  }
  auto copy = edit(*node);
  if (node->window) {
    auto window = named_window(scope, *node->window, node->span);
    if (window.ok()) copy->window = std::move(window).value();
  }
  const bool count_all = fold_case(node->name) == "count" && !node->distinct;
  if (node->kind == ExpressionKind::kCall && !count_all) {
    copy->children.clear();
    for (const ExpressionPtr& child : node->children) {
      auto columns = child->kind == ExpressionKind::kStar
                         ? expand_star(session, scope, *child)
                         : Result<std::vector<NamedExpression>>(std::vector<NamedExpression>());
      if (!columns.ok() || columns.value().empty()) {
        copy->children.push_back(child);
        continue;
      }
      for (const NamedExpression& column : columns.value()) {
        copy->children.push_back(column.expression);
      }
    }
  }
  return *map_parts(copy, [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    return spelled_out(session, scope, part);
  });
}

}  // namespace

std::string item_name(Session& session, Scope& scope, const ExpressionPtr& written) {
  if (written->kind == ExpressionKind::kAlias || written->kind == ExpressionKind::kColumn) {
    return output_name(*written);
  }
  return output_name(*spelled_out(session, scope, written));
}

}  // namespace lakebed::plan
