#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;
using plan::WindowFrame;
using plan::WindowSpec;
using value::Kind;

namespace {

// What DuckDB adds to a key of dates or timestamps is an INTERVAL.
std::string range_offset(const std::string& operand, Kind offset, Kind key) {
  if (offset == Kind::kIntervalYearMonth) return "to_months(" + operand + ")";
  if (offset == Kind::kIntervalDayTime) return "to_microseconds(" + operand + ")";
  if (key == Kind::kDate) return "to_days(CAST(" + operand + " AS INTEGER))";
  return operand;
}

}  // namespace

Result<std::string> QueryRenderer::bound(const WindowSpec& spec, WindowFrame::Bound which,
                                         const plan::ExpressionPtr& offset) {
  switch (which) {
    case WindowFrame::Bound::kUnboundedPreceding: return std::string("UNBOUNDED PRECEDING");
    case WindowFrame::Bound::kUnboundedFollowing: return std::string("UNBOUNDED FOLLOWING");
    case WindowFrame::Bound::kCurrentRow: return std::string("CURRENT ROW");
    default: break;
  }
  LAKEBED_ASSIGN(auto operand, expression(*offset));
  if (spec.frame->unit == WindowFrame::Unit::kRange && !spec.order.empty()) {
    operand = range_offset(operand, offset->type.kind, spec.order[0]->children[0]->type.kind);
  }
  return operand + (which == WindowFrame::Bound::kPreceding ? " PRECEDING" : " FOLLOWING");
}

Result<std::string> QueryRenderer::frame(const WindowSpec& spec) {
  if (!spec.frame) return std::string();
  const auto& given = *spec.frame;
  LAKEBED_ASSIGN(auto start, bound(spec, given.start, given.start_offset));
  LAKEBED_ASSIGN(auto end, bound(spec, given.end, given.end_offset));
  const char* unit = given.unit == WindowFrame::Unit::kRows ? "ROWS" : "RANGE";
  return fmt::format(" {} BETWEEN {} AND {}", unit, start, end);
}

Result<std::string> QueryRenderer::window(const Expression& node) {
  const WindowSpec& spec = *node.window;
  std::string inside;
  for (const auto& item : spec.partition) {
    LAKEBED_ASSIGN(auto key, expression(*item));
    inside += (inside.empty() ? "PARTITION BY " : ", ") + key;
  }
  LAKEBED_ASSIGN(auto order, order_list(spec.order));
  if (!order.empty()) inside += (inside.empty() ? "ORDER BY " : " ORDER BY ") + order;
  LAKEBED_ASSIGN(auto range, frame(spec));
  return call(*node.children[0], " OVER (" + inside + range + ")");
}

}  // namespace lakebed::engine::duck
