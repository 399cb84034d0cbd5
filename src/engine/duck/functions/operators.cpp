// Operators and conditionals. What DuckDB does exactly as Spark is left to it.
#include <fmt/format.h>

#include "engine/duck/functions/arithmetic.h"
#include "engine/duck/functions/kernel.h"
#include "plan/functions.h"
#include "value/order.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

namespace {

// + - * of INT, BIGINT, FLOAT and DOUBLE is DuckDB's own.
bool native_arithmetic(const RenderedCall& call) {
  const Kind kind = call.node->type.kind;
  const bool wide =
      kind == Kind::kInt || kind == Kind::kLong || kind == Kind::kFloat || kind == Kind::kDouble;
  for (const auto& child : call.node->children) {
    if (child->type.kind != kind) return false;
  }
  return wide;
}

Result<std::string> render_arithmetic(const RenderedCall& call, RenderContext& context) {
  const std::string& name = call.node->name;
  if (native_arithmetic(call) && (name == "+" || name == "-" || name == "*")) {
    return fmt::format("({} {} {})", call.arguments[0], name, call.arguments[1]);
  }
  return render_kernel(call, arithmetic_row(name), kStrict, context);
}

Result<std::string> render_tried(const RenderedCall& call, RenderContext& context) {
  const std::string& name = call.node->name;
  const char* plain = name == "try_add"        ? "+"
                      : name == "try_subtract" ? "-"
                      : name == "try_multiply" ? "*"
                      : name == "try_divide"   ? "/"
                                               : "%";
  return render_kernel(call, arithmetic_row(plain), kTried, context);
}

Result<std::string> render_concat(const RenderedCall& call, RenderContext& context) {
  if (call.arguments.empty()) return std::string("''");
  if (call.node->type.kind == Kind::kArray) {
    return render_kernel(call, concat_arrays_row, kStrict, context);
  }
  std::string out;
  for (const std::string& operand : call.arguments) out += (out.empty() ? "" : " || ") + operand;
  return fmt::format("CAST(({}) AS {})", out, duck_type(call.node->type));
}

// Inside of arrays and structs DuckDB has NULL greatest, Spark has it least.
int order_of(const Row& row) {
  std::string left, right;
  value::append_order_code(row.column(0), row.row(), left);
  value::append_order_code(row.column(1), row.row(), right);
  return left.compare(right);
}

Status order_code_row(const Row& row, Column& out, const KernelContext&) {
  std::string code;
  value::append_order_code(row.column(0), row.row(), code);
  out.append_bytes(code);
  return {};
}

Status less_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, order_of(row) < 0);
  return {};
}
Status less_or_equal_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, order_of(row) <= 0);
  return {};
}
Status greater_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, order_of(row) > 0);
  return {};
}
Status greater_or_equal_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, order_of(row) >= 0);
  return {};
}

Result<std::string> render_order(const RenderedCall& call, RenderContext& context) {
  const std::string& name = call.node->name;
  if (!call.node->children[0]->type.is_nested()) {
    return fmt::format("({} {} {})", call.arguments[0], name, call.arguments[1]);
  }
  const RowFunction function = name == "<"    ? less_row
                               : name == "<=" ? less_or_equal_row
                               : name == ">"  ? greater_row
                                              : greater_or_equal_row;
  return render_kernel(call, function, kStrict, context);
}

Result<std::string> render_between(const RenderedCall& call, RenderContext& context) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    LAKEBED_ASSIGN(keys.emplace_back(),
                   render_sort_key(call.arguments[i], call.node->children[i]->type, context));
  }
  return fmt::format("({} BETWEEN {} AND {})", keys[0], keys[1], keys[2]);
}

Result<std::string> render_in(const RenderedCall& call, RenderContext&) {
  const std::vector<std::string> items(call.arguments.begin() + 1, call.arguments.end());
  return fmt::format("({} IN ({}))", call.arguments[0], join_operands(items));
}

// The comparison is in the common type, the result keeps the first argument's.
Result<std::string> render_nullif(const RenderedCall& call, RenderContext& context) {
  const Type& own = call.node->children[0]->type;
  const Type& other = call.node->children[1]->type;
  const Type common = plan::common_type(own, other).value_or(own);
  LAKEBED_ASSIGN(std::string left, render_cast(call.arguments[0], own, common, false, context));
  LAKEBED_ASSIGN(std::string right, render_cast(call.arguments[1], other, common, false, context));
  return fmt::format("(CASE WHEN {} = {} THEN NULL ELSE {} END)", left, right, call.arguments[0]);
}

}  // namespace

std::vector<Rendering> operator_renderings() {
  return {
      {"+ - * / div % mod pmod negative abs", render_arithmetic},
      {"try_add try_subtract try_multiply try_divide try_mod", render_tried},
      {"positive", "{0}"},
      {"= ==", "({0} = {1})"},
      {"<> !=", "({0} <> {1})"},
      {"< <= > >=", render_order},
      {"<=> equal_null", "({0} IS NOT DISTINCT FROM {1})"},
      {"is_distinct_from", "({0} IS DISTINCT FROM {1})"},
      {"and", "({0} AND {1})"},
      {"or", "({0} OR {1})"},
      {"not !", "(NOT {0})"},
      {"is_true", "({0} IS NOT DISTINCT FROM true)"},
      {"is_false", "({0} IS NOT DISTINCT FROM false)"},
      {"is_unknown isnull", "({0} IS NULL)"},
      {"isnotnull", "({0} IS NOT NULL)"},
      {"in", render_in},
      {"between", render_between},
      {"|| concat", render_concat},
      {"&", "({0} & {1})"},
      {"|", "({0} | {1})"},
      {"^", "xor({0}, {1})"},
      {"~", "(~{0})"},
      {"coalesce nvl ifnull", "coalesce({*})"},
      {"nvl2", "(CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END)"},
      {"nullif", render_nullif},
      {"nullifzero", "(CASE WHEN {0} = 0 THEN NULL ELSE {0} END)"},
      {"zeroifnull", "coalesce({0}, 0)"},
      {"if iff", "(CASE WHEN {0} THEN {1} ELSE {2} END)"},
      {"least", "least({*})"},
      {"greatest", "greatest({*})"},
  };
}

Result<std::string> render_sort_key(const std::string& operand, const value::Type& type,
                                    RenderContext& context) {
  if (!type.is_nested()) return operand;
  return call_kernel("order_code", order_code_row, kStrict, {operand}, {type},
                     value::Type(value::Kind::kBinary), context);
}

}  // namespace lakebed::engine::duck
