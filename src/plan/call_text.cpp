#include "plan/call_text.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/names.h"
#include "plan/expression_text.h"

namespace lakebed::plan {
namespace {

// `(a + b)`: the operators that Spark prints between their operands, with their spelling.
std::string_view infix_spelling(std::string_view name) {
  constexpr std::array<std::string_view, 18> kInfix = {"+", "-", "*",  "/", "%", "=",
                                                       "<=>", "<", "<=", ">", ">=", "&",
                                                       "|", "^", "div", "and", "or", "=="};
  if (std::find(kInfix.begin(), kInfix.end(), name) == kInfix.end()) return {};
  if (name == "and") return "AND";
  if (name == "or") return "OR";
  if (name == "==") return "=";
  return name;
}

std::string in_text(const Expression& node) {
  const std::vector<ExpressionPtr> list(node.children.begin() + 1, node.children.end());
  return "(" + expression_text(*node.children[0]) + " IN (" + list_text(list, ", ") + "))";
}

std::string binary_text(const Expression& node) {
  const std::string left = expression_text(*node.children[0]);
  const std::string right = expression_text(*node.children[1]);
  if (node.name == "<>" || node.name == "!=") return "(NOT (" + left + " = " + right + "))";
  if (node.name == "||") return "concat(" + left + ", " + right + ")";
  if (node.name == "rlike") return "RLIKE(" + left + ", " + right + ")";
  if (node.name == "is_distinct_from") return "(NOT (" + left + " <=> " + right + "))";
  const std::string infix(infix_spelling(node.name));
  if (infix.empty()) return {};
  const std::string text = left + " " + infix + " " + right;
  const bool moved = (infix == "+" || infix == "-") &&  // a moment and an interval
                     (node.children[1]->kind == ExpressionKind::kInterval) !=
                         (node.children[0]->kind == ExpressionKind::kInterval);
  return moved ? text : "(" + text + ")";
}

std::string unary_text(const Expression& node) {
  const std::string child = expression_text(*node.children[0]);
  if (node.name == "not") return "(NOT " + child + ")";
  if (node.name == "negative" || node.name == "-") return "(- " + child + ")";
  if (node.name == "positive" || node.name == "+") return "(+ " + child + ")";
  if (node.name == "~") return "~" + child;
  if (node.name == "isnull" || node.name == "is_unknown") return "(" + child + " IS NULL)";
  if (node.name == "isnotnull") return "(" + child + " IS NOT NULL)";
  if (node.name == "is_true") return "(" + child + " <=> true)";
  if (node.name == "is_false") return "(" + child + " <=> false)";
  // Casts written as functions do not show.
  constexpr std::array<std::string_view, 12> kCasts = {
      "boolean", "tinyint", "smallint", "int",    "bigint", "float",
      "double",  "decimal", "string",   "binary", "date",   "timestamp"};
  const bool cast = std::find(kCasts.begin(), kCasts.end(), fold_case(node.name)) != kCasts.end();
  return cast ? child : std::string();
}

// Operators with a spelling of their own; empty when `node` is an ordinary call.
std::string operator_text(const Expression& node) {
  const size_t count = node.children.size();
  if (count == 3 && node.name == "if") return "(IF(" + list_text(node.children, ", ") + "))";
  if (count >= 2 && node.name == "like") {
    return expression_text(*node.children[0]) + " LIKE " + expression_text(*node.children[1]);
  }
  if (count >= 1 && node.name == "in") return in_text(node);
  if (count == 2) return binary_text(node);
  return count == 1 ? unary_text(node) : std::string();
}

// Arguments that Spark adds when a call has this many.
std::string default_arguments(const std::string& name, size_t count) {
  static const std::map<std::pair<std::string, size_t>, std::string> kDefaults = {
      {{"sort_array", 1}, "true"},
      {{"substr", 2}, "2147483647"},
      {{"substring", 2}, "2147483647"},
      {{"split", 2}, "-1"},
      {{"regexp_replace", 3}, "1"},
      {{"regexp_extract", 2}, "1"},
      {{"locate", 2}, "1"},
      {{"round", 1}, "0"},
      {{"bround", 1}, "0"},
      {{"months_between", 2}, "true"},
      {{"from_unixtime", 1}, "yyyy-MM-dd HH:mm:ss"},
      {{"unix_timestamp", 1}, "yyyy-MM-dd HH:mm:ss"},
      {{"unix_timestamp", 0}, "current_timestamp(), yyyy-MM-dd HH:mm:ss"},
      {{"to_unix_timestamp", 1}, "yyyy-MM-dd HH:mm:ss"},
      {{"percentile", 2}, "1"},
      {{"percentile_approx", 2}, "10000"},
      {{"approx_percentile", 2}, "10000"},
      {{"listagg", 1}, "NULL"},
      {{"string_agg", 1}, "NULL"},
      {{"lag", 1}, "1, NULL"},
      {{"lead", 1}, "1, NULL"},
      {{"lag", 2}, "NULL"},
      {{"lead", 2}, "NULL"},
      {{"aggregate", 3}, "lambdafunction(namedlambdavariable(), namedlambdavariable())"},
      {{"reduce", 3}, "lambdafunction(namedlambdavariable(), namedlambdavariable())"},
  };
  const auto found = kDefaults.find({name, count});
  return found == kDefaults.end() ? std::string() : found->second;
}

// Functions of mathematics and ranking are printed in capitals.
std::string printed_name(const std::string& name) {
  constexpr std::array<std::string_view, 36> kCapitals = {
      "acos",  "acosh", "asin", "asinh",   "atan",    "atanh", "cbrt",  "ceil", "cos",
      "sec",   "cosh",  "exp",  "expm1",   "floor",   "log",   "log2",  "log10", "log1p",
      "rint",  "signum", "sin", "csc",     "sinh",    "sqrt",  "tan",   "cot",  "tanh",
      "degrees", "radians", "atan2", "power", "hypot", "pi",   "e",     "rank", "dense_rank"};
  if (name == "percent_rank") return "PERCENT_RANK";
  if (name == "position") return "locate";
  if (name == "array_agg") return "collect_list";
  if (std::find(kCapitals.begin(), kCapitals.end(), name) == kCapitals.end()) return name;
  std::string out = name;
  for (char& letter : out) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return out;
}

std::string arguments_text(const Expression& node, const std::string& name) {
  std::vector<ExpressionPtr> shown = node.children;
  const bool hides_rest = name == "from_json" || ((name == "first" || name == "last") &&
                                                  shown.size() == 2);
  if (hides_rest && !shown.empty()) shown.resize(1);
  std::string out = list_text(shown, ", ");
  const std::string more = default_arguments(name == "position" ? "locate" : name, shown.size());
  if (more.empty()) return out;
  return out.empty() ? more : out + ", " + more;
}

}  // namespace

std::string list_text(const std::vector<ExpressionPtr>& items, std::string_view between) {
  std::string out;
  bool first = true;
  for (const ExpressionPtr& item : items) {
    if (!first) out += between;
    first = false;
    out += expression_text(*item);
  }
  return out;
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
    out = printed_name(name) + "(" + (node.distinct ? "DISTINCT " : "") +
          arguments_text(node, name) + ")";
  }
  if (node.filter != nullptr) out += " FILTER (WHERE " + expression_text(*node.filter) + ")";
  return out;
}

std::string fixed_frame_text(const std::string& function) {
  constexpr std::array<std::string_view, 5> kRows = {"row_number", "rank", "dense_rank",
                                                     "percent_rank", "ntile"};
  if (function == "cume_dist") return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
  if (std::find(kRows.begin(), kRows.end(), function) == kRows.end()) return {};
  return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
}

}  // namespace lakebed::plan
