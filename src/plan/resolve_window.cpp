// f(..) OVER (..): named windows, default frames, and what windows may hold.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

// Functions whose frame is fixed, so none is given to them.
bool has_fixed_frame(const std::string& name) {
  constexpr std::array<std::string_view, 8> kFixed = {
      "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lead", "lag"};
  return std::find(kFixed.begin(), kFixed.end(), name) != kFixed.end();
}

Status resolve_list(Session& session, Scope& scope, std::vector<ExpressionPtr>& list) {
  for (ExpressionPtr& item : list) {
    LAKEBED_ASSIGN(item, resolve_expression(session, scope, item));
  }
  return {};
}

bool uses_offset(WindowFrame::Bound bound) {
  return bound == WindowFrame::Bound::kPreceding || bound == WindowFrame::Bound::kFollowing;
}

// The offset of a RANGE frame has the type that is added to the ordering key.
Result<ExpressionPtr> frame_offset(Session& session, Scope& scope, const ExpressionPtr& node,
                                   const WindowSpec& window) {
  LAKEBED_ASSIGN(ExpressionPtr offset, resolve_expression(session, scope, node));
  if (window.frame->unit == WindowFrame::Unit::kRows) {
    if (!offset->type.is_integer()) {
      return type_mismatch("SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
                           "The bounds of a ROWS frame are integers.", node->span);
    }
    return cast_to(offset, value::Kind::kInt);
  }
  if (window.order.size() != 1) {
    return type_mismatch("RANGE_FRAME_MULTI_ORDER",
                         "A RANGE frame with offsets needs exactly one ORDER BY expression.",
                         node->span);
  }
  const value::Type& key = window.order[0]->type;
  if (key.is_numeric() && offset->type.is_numeric()) return cast_to(offset, key);
  const bool days = key.kind == value::Kind::kDate && offset->type.is_integer();
  const bool interval = offset->type.kind == value::Kind::kIntervalDayTime ||
                        offset->type.kind == value::Kind::kIntervalYearMonth;
  if (days) return cast_to(offset, value::Kind::kInt);
  if (interval && !key.is_numeric()) return offset;
  const bool steps = key.is_numeric() || key.kind == value::Kind::kDate ||
                     key.kind == value::Kind::kTimestamp || key.kind == value::Kind::kTimestampNtz;
  return type_mismatch(steps ? "SPECIFIED_WINDOW_FRAME_DIFF_TYPES"
                             : "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
                       fmt::format("The bounds of the RANGE frame have the type {}, the ordering "
                                   "has {}.",
                                   offset->type.text(), key.text()),
                       node->span);
}

Status resolve_frame(Session& session, Scope& scope, const std::string& function,
                     WindowSpec& window) {
  if (has_fixed_frame(function)) {
    window.frame.reset();
    return {};
  }
  if (!window.frame) {
    WindowFrame frame;  // RANGE up to the current row, or everything where nothing is ordered
    if (window.order.empty()) {
      frame.unit = WindowFrame::Unit::kRows;
      frame.end = WindowFrame::Bound::kUnboundedFollowing;
    }
    window.frame = frame;
    return {};
  }
  WindowFrame& frame = *window.frame;
  if (uses_offset(frame.start)) {
    LAKEBED_ASSIGN(frame.start_offset, frame_offset(session, scope, frame.start_offset, window));
  }
  if (uses_offset(frame.end)) {
    LAKEBED_ASSIGN(frame.end_offset, frame_offset(session, scope, frame.end_offset, window));
  }
  return {};
}

Status check_function(const Expression& call, const WindowSpec& window, const SourceSpan& span) {
  const bool plain = call.kind == ExpressionKind::kCall &&
                     (is_call_of(call, FunctionKind::kAggregate) ||
                      is_call_of(call, FunctionKind::kWindow));
  if (!plain) {
    return project_error("UNSUPPORTED_EXPR_FOR_WINDOW",
                         "OVER belongs to an aggregate or a window function.", span);
  }
  if (call.distinct) {
    return project_error("DISTINCT_WINDOW_FUNCTION_UNSUPPORTED",
                         "DISTINCT cannot be used in a window function.", span);
  }
  if (has_fixed_frame(call.name) && window.order.empty()) {
    return project_error("WINDOW_FUNCTION_FRAME_NOT_ORDERED",
                         fmt::format("`{}` needs an ORDER BY in its window.", call.name), span);
  }
  return {};
}

}  // namespace

Result<WindowSpec> named_window(const Scope& scope, const WindowSpec& window,
                                const SourceSpan& span) {
  if (window.name.empty()) return window;
  if (scope.windows != nullptr) {
    for (const auto& [name, spec] : *scope.windows) {
      if (!same_name(name, window.name)) continue;
      WindowSpec out = spec;
      if (out.name == window.name) out.name.clear();
      if (!out.name.empty()) return named_window(scope, out, span);
      if (!window.order.empty()) out.order = window.order;
      if (window.frame) out.frame = window.frame;
      return out;
    }
  }
  return project_error("MISSING_WINDOW_SPECIFICATION",
                       fmt::format("There is no WINDOW {} in this SELECT.", window.name), span);
}

Result<ExpressionPtr> resolve_window(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(WindowSpec window, named_window(scope, *node.window, node.span));
  window.name.clear();
  ++scope.inside_aggregate;  // item references are inlined: windows are computed below the list
  auto call = resolve_expression(session, scope, node.children[0]);
  Status parts = resolve_list(session, scope, window.partition);
  if (parts.ok()) parts = resolve_list(session, scope, window.order);
  if (parts.ok() && call.ok()) parts = resolve_frame(session, scope, call.value()->name, window);
  --scope.inside_aggregate;
  if (!call.ok()) return std::move(call).error();
  LAKEBED_TRY(std::move(parts));
  LAKEBED_TRY(check_function(*call.value(), window, node.span));
  auto out = edit(node);
  out->type = call.value()->type;
  out->nullable = call.value()->nullable;
  out->children = {std::move(call).value()};
  out->window = std::move(window);
  out->resolved = true;
  const bool nested = any_part(*out, [](const ExpressionPtr& part) { return has_window(part); });
  if (nested) {
    return project_error("NESTED_WINDOW_FUNCTION",
                         "A window function cannot stand inside another one.", node.span);
  }
  return ExpressionPtr(out);
}

bool is_call_of(const Expression& node, FunctionKind kind) {
  if (node.kind != ExpressionKind::kCall) return false;
  const Function* function = find_function(node.name);
  return function != nullptr && function->kind == kind;
}

bool has_aggregate(const ExpressionPtr& node) {
  if (node->kind == ExpressionKind::kWindow) {
    const auto below = [](const ExpressionPtr& part) { return has_aggregate(part); };
    if (any_part(*node->children[0], below)) return true;
    const WindowSpec& window = *node->window;
    return std::any_of(window.partition.begin(), window.partition.end(), below) ||
           std::any_of(window.order.begin(), window.order.end(), below);
  }
  if (is_call_of(*node, FunctionKind::kAggregate)) return true;
  return any_part(*node, [](const ExpressionPtr& part) { return has_aggregate(part); });
}

bool has_window(const ExpressionPtr& node) {
  return any_expression(node, [](const Expression& part) {
    return part.kind == ExpressionKind::kWindow;
  });
}

bool is_deterministic(const ExpressionPtr& node) {
  return !any_expression(node, [](const Expression& part) {
    if (part.kind != ExpressionKind::kCall) return false;
    const Function* function = find_function(part.name);
    return function != nullptr && !function->deterministic;
  });
}

}  // namespace lakebed::plan
