#include "plan/expression_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/names.h"
#include "plan/tree_tools.h"

namespace lakebed::plan {
namespace {

std::string joined(const std::vector<ExpressionPtr>& items, std::string_view between) {
  std::string out;
  for (const ExpressionPtr& item : items) {
    if (!out.empty()) out += between;
    out += expression_text(*item);
  }
  return out;
}

std::string dotted(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += '.';
    out += part;
  }
  return out;
}

std::string literal_text(const Expression& node) {
  if (node.is_null) return "NULL";
  switch (node.type.kind) {
    case value::Kind::kDate: return "DATE '" + node.text + "'";
    case value::Kind::kTimestamp: return "TIMESTAMP '" + node.text + "'";
    case value::Kind::kTimestampNtz: return "TIMESTAMP_NTZ '" + node.text + "'";
    case value::Kind::kBinary: return "X'" + node.text + "'";
    default: return node.text;
  }
}

// `(a + b)`: the operators that Spark prints between their operands, with their spelling.
std::string_view infix_spelling(std::string_view name) {
  constexpr std::array<std::string_view, 19> kInfix = {
      "+", "-", "*", "/", "%", "=", "<=>", "<", "<=", ">", ">=", "&", "|", "^", "div", "and",
      "or", "==", "<>"};
  for (const std::string_view known : kInfix) {
    if (known != name) continue;
    if (name == "and") return "AND";
    if (name == "or") return "OR";
    if (name == "==") return "=";
    return known;
  }
  return {};
}

std::string in_text(const Expression& node) {
  const std::vector<ExpressionPtr> list(node.children.begin() + 1, node.children.end());
  return "(" + expression_text(*node.children[0]) + " IN (" + joined(list, ", ") + "))";
}

// Operators with a spelling of their own; empty when `node` is an ordinary call.
std::string operator_text(const Expression& node) {
  const auto child = [&](size_t index) { return expression_text(*node.children[index]); };
  const size_t count = node.children.size();
  if (count == 2) {
    if (node.name == "<>") return "(NOT (" + child(0) + " = " + child(1) + "))";
    const std::string_view infix = infix_spelling(node.name);
    if (!infix.empty()) return "(" + child(0) + " " + std::string(infix) + " " + child(1) + ")";
    if (node.name == "||") return "concat(" + child(0) + ", " + child(1) + ")";
    if (node.name == "rlike") return "RLIKE(" + child(0) + ", " + child(1) + ")";
    if (node.name == "is_distinct_from") return "(NOT (" + child(0) + " <=> " + child(1) + "))";
  }
  if (node.name == "if" && count == 3) {
    return "(IF(" + child(0) + ", " + child(1) + ", " + child(2) + "))";
  }
  if (node.name == "like" && count >= 2) return child(0) + " LIKE " + child(1);
  if (node.name == "in" && count >= 1) return in_text(node);
  if (count != 1) return {};
  if (node.name == "not") return "(NOT " + child(0) + ")";
  if (node.name == "negative" || node.name == "-") return "(- " + child(0) + ")";
  if (node.name == "~") return "~" + child(0);
  if (node.name == "isnull") return "(" + child(0) + " IS NULL)";
  if (node.name == "isnotnull") return "(" + child(0) + " IS NOT NULL)";
  return {};
}

std::string call_text(const Expression& node) {
  std::string out = operator_text(node);
  if (!out.empty()) return out;
  const std::string name = fold_case(node.name);
  const bool star = node.children.size() == 1 &&
                    node.children[0]->kind == ExpressionKind::kStar &&
                    node.children[0]->name_parts.empty();
  if (name == "count" && star && !node.distinct) {
    out = "count(1)";
  } else {
    out = name + "(" + (node.distinct ? "DISTINCT " : "") + joined(node.children, ", ") + ")";
  }
  if (node.filter != nullptr) out += " FILTER (WHERE " + expression_text(*node.filter) + ")";
  return out;
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

// Functions that look at the rows before the current one, whatever frame is written.
bool counts_rows(const Expression& function) {
  constexpr std::array<std::string_view, 6> kNames = {"row_number",   "rank",      "dense_rank",
                                                      "percent_rank", "cume_dist", "ntile"};
  return std::find(kNames.begin(), kNames.end(), fold_case(function.name)) != kNames.end();
}

// Spark prints the default frame too.
std::string frame_text(const WindowSpec& window, const Expression& function) {
  WindowFrame frame;
  if (window.frame) {
    frame = *window.frame;
  } else if (window.order.empty()) {
    frame.unit = WindowFrame::Unit::kRows;
    frame.end = WindowFrame::Bound::kUnboundedFollowing;
  }
  if (counts_rows(function)) {
    frame = WindowFrame();
    frame.unit = WindowFrame::Unit::kRows;
  }
  const std::string unit = frame.unit == WindowFrame::Unit::kRows ? "ROWS" : "RANGE";
  return unit + " BETWEEN " + bound_text(frame.start, frame.start_offset) + " AND " +
         bound_text(frame.end, frame.end_offset);
}

std::string window_text(const Expression& node) {
  std::string inside;
  const WindowSpec& window = *node.window;
  if (!window.partition.empty()) inside += "PARTITION BY " + joined(window.partition, ", ") + " ";
  if (!window.order.empty()) inside += "ORDER BY " + joined(window.order, ", ") + " ";
  return expression_text(*node.children[0]) + " OVER (" + inside +
         frame_text(window, *node.children[0]) + ")";
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
    case ExpressionKind::kInterval: return "INTERVAL '" + node.text + "'";
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
      return "(" + joined(node.children, ", ") + " IN (listquery()))";
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
      const ExpressionKind inner = node.children[0]->kind;
      const bool named = inner == ExpressionKind::kColumn || inner == ExpressionKind::kAlias ||
                         inner == ExpressionKind::kJsonPath || inner == ExpressionKind::kCast;
      return named ? output_name(*node.children[0]) : expression_text(node);
    }
    default: return expression_text(node);
  }
}

}  // namespace lakebed::plan
