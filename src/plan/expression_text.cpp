#include "plan/expression_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/names.h"
#include "plan/call_text.h"
#include "plan/tree_tools.h"
#include "value/text.h"

namespace lakebed::plan {
namespace {

std::string dotted(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += '.';
    out += part;
  }
  return out;
}

std::string hex_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    out += kDigits[number >> 4];
    out += kDigits[number & 15];
  }
  return out;
}

std::string floating_text(const Expression& node) {
  const double number = std::strtod(node.text.c_str(), nullptr);
  return node.type.kind == value::Kind::kFloat ? value::float_text(static_cast<float>(number))
                                               : value::double_text(number);
}

// The largest unit that the interval is a whole number of, as Spark writes its literals.
std::string interval_text(const Expression& node) {
  const int64_t amount = std::strtoll(node.text.c_str(), nullptr, 10);
  if (node.type.kind == value::Kind::kIntervalYearMonth) {
    const bool years = amount % 12 == 0;
    return "INTERVAL '" + std::to_string(years ? amount / 12 : amount) +
           (years ? "' YEAR" : "' MONTH");
  }
  constexpr int64_t kSecond = 1'000'000;
  if (amount % (86'400 * kSecond) == 0) {
    return "INTERVAL '" + std::to_string(amount / (86'400 * kSecond)) + "' DAY";
  }
  const auto padded = [](int64_t number) {
    const std::string text = std::to_string(number);
    return text.size() < 2 ? "0" + text : text;
  };
  if (amount % (3'600 * kSecond) == 0) {
    return "INTERVAL '" + padded(amount / (3'600 * kSecond)) + "' HOUR";
  }
  if (amount % (60 * kSecond) == 0) {
    return "INTERVAL '" + padded(amount / (60 * kSecond)) + "' MINUTE";
  }
  if (amount % kSecond == 0) return "INTERVAL '" + padded(amount / kSecond) + "' SECOND";
  return "INTERVAL '" + node.text + "' MICROSECOND";
}

std::string literal_text(const Expression& node) {
  if (node.is_null) return "NULL";
  switch (node.type.kind) {
    case value::Kind::kDate: return "DATE '" + node.text + "'";
    case value::Kind::kTimestamp: return "TIMESTAMP '" + node.text + "'";
    case value::Kind::kTimestampNtz: return "TIMESTAMP_NTZ '" + node.text + "'";
    case value::Kind::kBinary: return "X'" + hex_text(node.text) + "'";
    case value::Kind::kFloat:
    case value::Kind::kDouble: return floating_text(node);
    default: return node.text;
  }
}

std::string case_text(const Expression& node) {
  std::string out = "CASE";
  size_t at = 0;
  if (node.has_operand) out += " WHEN ";
  const std::string operand = node.has_operand ? expression_text(*node.children[at++]) : "";
  bool first = true;
  for (; at + 1 < node.children.size(); at += 2) {
    const std::string when = expression_text(*node.children[at]);
    if (!first || !node.has_operand) out += " WHEN ";
    first = false;
    out += node.has_operand ? "(" + operand + " = " + when + ")" : when;
    out += " THEN " + expression_text(*node.children[at + 1]);
  }
  if (at < node.children.size()) out += " ELSE " + expression_text(*node.children[at]);
  return out + " END";
}

std::string bound_text(WindowFrame::Bound bound, const ExpressionPtr& offset) {
  switch (bound) {
    case WindowFrame::Bound::kUnboundedPreceding: return "UNBOUNDED PRECEDING";
    case WindowFrame::Bound::kPreceding: return expression_text(*offset) + " PRECEDING";
    case WindowFrame::Bound::kCurrentRow: return "CURRENT ROW";
    case WindowFrame::Bound::kFollowing: return expression_text(*offset) + " FOLLOWING";
    case WindowFrame::Bound::kUnboundedFollowing: return "UNBOUNDED FOLLOWING";
  }
  return {};
}

// Spark prints the default frame too, and the one that a ranking function has of its own.
std::string frame_text(const WindowSpec& window, const std::string& function) {
  const std::string fixed = fixed_frame_text(function);
  if (!fixed.empty() && function != "lead" && function != "lag") return fixed;
  WindowFrame frame;
  if (window.frame) {
    frame = *window.frame;
  } else if (window.order.empty()) {
    frame.unit = WindowFrame::Unit::kRows;
    frame.end = WindowFrame::Bound::kUnboundedFollowing;
  }
  const std::string unit = frame.unit == WindowFrame::Unit::kRows ? "ROWS" : "RANGE";
  return unit + " BETWEEN " + bound_text(frame.start, frame.start_offset) + " AND " +
         bound_text(frame.end, frame.end_offset);
}

// lead and lag: the frame is the row at the offset.
std::string offset_frame_text(const Expression& call, bool lag) {
  std::string offset = call.children.size() > 1 ? expression_text(*call.children[1]) : "1";
  if (lag) offset = offset.starts_with('-') ? offset.substr(1) : "-" + offset;
  return "ROWS BETWEEN " + offset + " FOLLOWING AND " + offset + " FOLLOWING";
}

std::string window_text(const Expression& node) {
  std::string inside;
  const WindowSpec& window = *node.window;
  const Expression& call = *node.children[0];
  const std::string name = fold_case(call.name);
  if (!window.partition.empty()) {
    inside += "PARTITION BY " + list_text(window.partition, ", ") + " ";
  }
  if (!window.order.empty()) inside += "ORDER BY " + list_text(window.order, ", ") + " ";
  const bool offset = name == "lead" || name == "lag";
  inside += offset ? offset_frame_text(call, name == "lag") : frame_text(window, name);
  return expression_text(call) + " OVER (" + inside + ")";
}

// Spark prints every parameter as namedlambdavariable().
std::string lambda_text(const Expression& node) {
  const std::string variable = "namedlambdavariable()";
  const std::function<Result<ExpressionPtr>(const ExpressionPtr&)> rename =
      [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    if (part->kind != ExpressionKind::kColumn) return map_parts(part, rename);
    const bool parameter = std::any_of(
        node.names.begin(), node.names.end(),
        [&](const std::string& name) { return same_name(name, part->name_parts.front()); });
    if (!parameter) return part;
    auto copy = edit(*part);
    copy->name_parts.front() = variable;
    return ExpressionPtr(copy);
  };
  std::string out = "lambdafunction(" + expression_text(**rename(node.children[0]));
  for (size_t i = 0; i < node.names.size(); ++i) out += ", " + variable;
  return out + ")";
}

std::string cast_text(const Expression& node) {
  return std::string(node.try_cast ? "TRY_CAST(" : "CAST(") + expression_text(*node.children[0]) +
         " AS " + node.type.text() + ")";
}

}  // namespace

std::string expression_text(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kLiteral: return literal_text(node);
    case ExpressionKind::kInterval: return interval_text(node);
    case ExpressionKind::kColumn:
    case ExpressionKind::kOuterColumn: return dotted(node.name_parts);
    case ExpressionKind::kStar:
      return node.name_parts.empty() ? "*" : dotted(node.name_parts) + ".*";
    case ExpressionKind::kCall: return call_text(node);
    case ExpressionKind::kCast: return cast_text(node);
    case ExpressionKind::kAlias:
      return expression_text(*node.children[0]) + " AS " +
             (node.names.empty() ? "" : node.names.front());
    case ExpressionKind::kCase: return case_text(node);
    case ExpressionKind::kLambda: return lambda_text(node);
    case ExpressionKind::kLambdaVariable: return node.name;
    case ExpressionKind::kWindow: return window_text(node);
    case ExpressionKind::kSort:
      return expression_text(*node.children[0]) + (node.ascending ? " ASC" : " DESC") +
             (node.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    case ExpressionKind::kSubquery: return "scalarsubquery()";
    case ExpressionKind::kExists: return "exists()";
    case ExpressionKind::kInSubquery:
      return "(" + list_text(node.children, ", ") + " IN (listquery()))";
    case ExpressionKind::kIndex:
      return expression_text(*node.children[0]) + "[" + expression_text(*node.children[1]) + "]";
    case ExpressionKind::kField: return expression_text(*node.children[0]) + "." + node.name;
    case ExpressionKind::kJsonPath: return expression_text(*node.children[0]) + ":" + node.text;
  }
  return {};
}

std::string output_name(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::kAlias: return node.names.empty() ? "" : node.names.front();
    case ExpressionKind::kColumn: return node.name_parts.back();
    case ExpressionKind::kField:
      // A dotted path of plain names is a column reference to Spark: it is called by its last part.
      if (node.children[0]->kind == ExpressionKind::kColumn) return node.name;
      return expression_text(node);
    case ExpressionKind::kJsonPath: {
      const size_t dot = node.text.find_last_of('.');
      return dot == std::string::npos ? node.text : node.text.substr(dot + 1);
    }
    case ExpressionKind::kCast: {
      const Expression& child = *node.children[0];
      const bool named = child.kind == ExpressionKind::kJsonPath ||
                         (child.kind == ExpressionKind::kColumn && child.name_parts.size() == 1);
      return named ? output_name(child) : expression_text(node);
    }
    default: return expression_text(node);
  }
}

}  // namespace lakebed::plan
