// Literals: canonical texts, and TIMESTAMP from the session's zone to UTC.
#include <fmt/core.h>

#include "plan/clock_calls.h"
#include "plan/resolver.h"

namespace lakebed::plan {

Result<ExpressionPtr> resolve_literal(Session& session, const ExpressionPtr& node) {
  auto copy = edit(*node);
  copy->resolved = true;
  copy->nullable = node->is_null;
  if (node->is_null) return ExpressionPtr(copy);
  const value::Kind kind = node->type.kind;
  std::optional<std::string> text = node->text;
  if (kind == value::Kind::kDate) text = canonical_date(node->text);
  if (kind == value::Kind::kTimestamp) {
    text = canonical_timestamp(node->text, session.options.time_zone, true);
  }
  if (kind == value::Kind::kTimestampNtz) text = canonical_timestamp(node->text, "UTC", false);
  if (!text) {
    return project_error("INVALID_TYPED_LITERAL",
                         fmt::format("The value '{}' is no {}.", node->text, node->type.text()),
                         node->span);
  }
  copy->text = std::move(*text);
  return ExpressionPtr(copy);
}

}  // namespace lakebed::plan
