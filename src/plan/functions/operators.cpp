// Operators: arithmetic, comparison, logic, bits, pattern matching; and conditionals.
#include <fmt/core.h>

#include <algorithm>

#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Signature binary(const Type& operand, const Type& result) {
  return Signature{{operand, operand}, result, true};
}

Error different_types(const CallShape& call) {
  return mismatch(call, "BINARY_OP_DIFF_TYPES",
                  fmt::format("The sides of `{}` have types that do not meet: {} and {}.",
                              call.name, type_of(call, 0).text(), type_of(call, 1).text()));
}

Error wrong_type(const CallShape& call, const Type& type) {
  return mismatch(call, "BINARY_OP_WRONG_TYPE",
                  fmt::format("`{}` does not take {}.", call.name, type.text()));
}

// The numeric type both sides meet in; a STRING follows the other side.
Result<Type> arithmetic_type(const CallShape& call) {
  const Type& left = type_of(call, 0);
  const Type& right = type_of(call, 1);
  if (left.kind == Kind::kVoid && right.kind == Kind::kVoid) return Type(Kind::kDouble);
  auto common = common_type(left, right);
  if (!common) return different_types(call);
  if (!common->is_numeric()) return wrong_type(call, *common);
  return *common;
}

// The operator behind a name: "try_add" and "+" type alike.
std::string_view operator_of(std::string_view name) {
  if (name == "try_add") return "+";
  if (name == "try_subtract") return "-";
  if (name == "try_multiply") return "*";
  if (name == "try_divide") return "/";
  return name;
}

// DECIMAL results by Spark's rules (precision and scale of both sides).
Type decimal_result(std::string_view op, const Type& a, const Type& b) {
  const int p1 = a.precision, s1 = a.scale, p2 = b.precision, s2 = b.scale;
  if (op == "+" || op == "-") {
    const int scale = std::max(s1, s2);
    return adjusted_decimal(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
  }
  if (op == "*") return adjusted_decimal(p1 + p2 + 1, s1 + s2);
  if (op == "/") {
    const int scale = std::max(6, s1 + p2 + 1);
    return adjusted_decimal(p1 - s1 + s2 + scale, scale);
  }
  const int scale = std::max(s1, s2);
  return adjusted_decimal(std::min(p1 - s1, p2 - s2) + scale, scale);
}

Type decimal_side(const CallShape& call, size_t index) {
  const Type& own = type_of(call, index);
  if (own.kind == Kind::kVoid) return decimal_of(type_of(call, 1 - index));
  return decimal_of(*call.arguments[index]);
}

Result<Signature> numeric_operator(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, arithmetic_type(call));
  if (common.kind != Kind::kDecimal) return binary(common, common);
  const Type left = decimal_side(call, 0);
  const Type right = decimal_side(call, 1);
  return Signature{{left, right}, decimal_result(operator_of(call.name), left, right), true};
}

bool is_interval(const Type& type) {
  return type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
}
bool is_datetime(const Type& type) {
  return type.kind == Kind::kDate || type.kind == Kind::kTimestamp ||
         type.kind == Kind::kTimestampNtz;
}

// True where a DAY TO SECOND interval is whole days, as its literal says.
bool whole_days(const Expression& interval) {
  if (interval.kind == ExpressionKind::kInterval && !interval.text.empty()) {
    return std::stoll(interval.text) % 86'400'000'000LL == 0 && interval.name != "TIME";
  }
  return false;
}

std::optional<Signature> datetime_plus_interval(const CallShape& call, size_t date_at) {
  const Type& moment = type_of(call, date_at);
  const Type& step = type_of(call, 1 - date_at);
  if (!is_datetime(moment) || !is_interval(step)) return std::nullopt;
  Signature out{{type_of(call, 0), type_of(call, 1)}, moment, true};
  const bool days =
      step.kind == Kind::kIntervalYearMonth || whole_days(*call.arguments[1 - date_at]);
  if (moment.kind == Kind::kDate && !days) {
    out.result = Type(Kind::kTimestamp);
    out.arguments[date_at] = out.result;
  }
  return out;
}

std::optional<Signature> date_plus_days(const CallShape& call, size_t date_at) {
  const Type& days = type_of(call, 1 - date_at);
  if (type_of(call, date_at).kind != Kind::kDate) return std::nullopt;
  if (!days.is_integer() || days.kind == Kind::kLong) return std::nullopt;
  Signature out{{Type(Kind::kInt), Type(Kind::kInt)}, Type(Kind::kDate), true};
  out.arguments[date_at] = Type(Kind::kDate);
  return out;
}

std::optional<Signature> same_intervals(const CallShape& call) {
  const Type& left = type_of(call, 0);
  if (!is_interval(left) || left.kind != type_of(call, 1).kind) return std::nullopt;
  return binary(left, left);
}

Result<Signature> type_plus(const CallShape& call) {
  for (size_t at : {size_t{0}, size_t{1}}) {
    if (auto found = datetime_plus_interval(call, at)) return *found;
    if (auto found = date_plus_days(call, at)) return *found;
  }
  if (auto found = same_intervals(call)) return *found;
  return numeric_operator(call);
}

Result<Signature> type_minus(const CallShape& call) {
  if (auto found = datetime_plus_interval(call, 0)) return *found;
  if (auto found = date_plus_days(call, 0)) return *found;
  if (auto found = same_intervals(call)) return *found;
  const Type& left = type_of(call, 0);
  const Type& right = type_of(call, 1);
  if (is_datetime(left) || is_datetime(right)) {
    auto common = common_type(left, right);
    if (common && is_datetime(*common)) return binary(*common, Type(Kind::kIntervalDayTime));
  }
  return numeric_operator(call);
}

// An interval times or divided by a number; numbers are taken as DOUBLE unless integers.
std::optional<Signature> scaled_interval(const CallShape& call, size_t interval_at) {
  const Type& interval = type_of(call, interval_at);
  const Type& factor = type_of(call, 1 - interval_at);
  if (!is_interval(interval) || !factor.is_numeric()) return std::nullopt;
  Signature out{{interval, interval}, interval, true};
  out.arguments[1 - interval_at] = Type(factor.is_integer() ? Kind::kLong : Kind::kDouble);
  return out;
}

Result<Signature> type_times(const CallShape& call) {
  if (auto found = scaled_interval(call, 0)) return *found;
  if (auto found = scaled_interval(call, 1)) return *found;
  return numeric_operator(call);
}

Result<Signature> type_divide(const CallShape& call) {
  if (auto found = scaled_interval(call, 0)) return *found;
  LAKEBED_ASSIGN(Type common, arithmetic_type(call));
  const bool null = type_of(call, 0).kind == Kind::kVoid || type_of(call, 1).kind == Kind::kVoid;
  if (common.kind == Kind::kDecimal && !null) return numeric_operator(call);
  return binary(Type(Kind::kDouble), Type(Kind::kDouble));
}

Result<Signature> type_div(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, arithmetic_type(call));
  if (common.kind == Kind::kDecimal) {
    return Signature{{decimal_side(call, 0), decimal_side(call, 1)}, Type(Kind::kLong), true};
  }
  if (!common.is_integer()) return wrong_type(call, common);
  return binary(Type(Kind::kLong), Type(Kind::kLong));
}

bool has_map(const Type& type) {
  if (type.kind == Kind::kMap) return true;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [](const value::Field& field) { return has_map(field.type); });
}

Result<Signature> type_compare(const CallShape& call) {
  auto common = common_type(type_of(call, 0), type_of(call, 1));
  // Structs meet by position, whatever their fields are called.
  if (!common && can_cast_implicitly(type_of(call, 1), type_of(call, 0)) &&
      type_of(call, 0).is_nested()) {
    common = type_of(call, 0);
  }
  if (!common) return different_types(call);
  if (has_map(*common)) {
    return mismatch(call, "INVALID_ORDERING_TYPE",
                    fmt::format("`{}` does not compare {}.", call.name, common->text()));
  }
  return binary(*common, Type(Kind::kBoolean));
}

Result<Signature> type_null_safe(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, type_compare(call));
  out.nullable = false;
  return out;
}

Result<Type> common_of(const CallShape& call, size_t from, std::string_view code) {
  Type out = type_of(call, from);
  for (size_t i = from + 1; i < call.arguments.size(); ++i) {
    auto common = common_type(out, type_of(call, i));
    if (!common) {
      return mismatch(call, code,
                      fmt::format("The arguments of `{}` have types that do not meet: {} and {}.",
                                  call.name, out.text(), type_of(call, i).text()));
    }
    out = *common;
  }
  return out;
}

Result<Signature> type_in(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, common_of(call, 0, "DATA_DIFF_TYPES"));
  if (has_map(common)) {
    return mismatch(call, "INVALID_ORDERING_TYPE",
                    fmt::format("`{}` does not compare {}.", call.name, common.text()));
  }
  return Signature{std::vector<Type>(call.arguments.size(), common), Type(Kind::kBoolean), true};
}

Result<Signature> type_common(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, common_of(call, 0, "DATA_DIFF_TYPES"));
  return Signature{std::vector<Type>(call.arguments.size(), common), common, true};
}

// least and greatest: the types must meet without a cast from STRING.
Result<Signature> type_extreme(const CallShape& call) {
  bool text = false, other = false;
  for (const Expression* argument : call.arguments) {
    text = text || argument->type.kind == Kind::kString;
    other = other || (argument->type.kind != Kind::kString && argument->type.kind != Kind::kVoid);
  }
  if (text && other) {
    return mismatch(call, "DATA_DIFF_TYPES",
                    fmt::format("`{}` does not mix STRING with other types.", call.name));
  }
  LAKEBED_ASSIGN(Signature out, type_common(call));
  if (!value::is_orderable(out.result) && out.result.kind != Kind::kVoid) {
    return mismatch(call, "INVALID_ORDERING_TYPE",
                    fmt::format("{} has no order.", out.result.text()));
  }
  return out;
}

Result<Signature> type_if(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, common_of(call, 1, "DATA_DIFF_TYPES"));
  if (!can_cast_implicitly(type_of(call, 0), Type(Kind::kBoolean))) {
    return unexpected_type(call, 0, "a BOOLEAN");
  }
  return Signature{{Type(Kind::kBoolean), common, common}, common, true};
}

Result<Signature> type_nvl2(const CallShape& call) {
  LAKEBED_ASSIGN(Type common, common_of(call, 1, "DATA_DIFF_TYPES"));
  return Signature{{type_of(call, 0), common, common}, common, true};
}

Result<Signature> type_nullif(const CallShape& call) {
  LAKEBED_ASSIGN(Signature compared, type_compare(call));
  // The result keeps the type of the first argument; the comparison is in the common type.
  const Type& own = type_of(call, 0);
  const Type& other = type_of(call, 1);
  return Signature{{own, other.kind == Kind::kVoid ? own : compared.arguments[1]}, own, true};
}

Result<Signature> type_negative(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.is_numeric() || is_interval(own)) return Signature{{own}, own, true};
  if (own.kind != Kind::kString && own.kind != Kind::kVoid) {
    return unexpected_type(call, 0, "a number or an interval");
  }
  return Signature{{Type(Kind::kDouble)}, Type(Kind::kDouble), true};
}

Result<Signature> type_bits(const CallShape& call) {
  auto common = common_type(type_of(call, 0), type_of(call, 1));
  if (common && common->kind == Kind::kVoid) common = Type(Kind::kInt);
  if (!common) return different_types(call);
  if (!common->is_integer()) return wrong_type(call, *common);
  return binary(*common, *common);
}

Result<Signature> type_concat(const CallShape& call) {
  const size_t count = call.arguments.size();
  bool all_binary = count > 0;
  bool has_array = false;
  for (const Expression* argument : call.arguments) {
    all_binary = all_binary && argument->type.kind == Kind::kBinary;
    has_array = has_array || argument->type.kind == Kind::kArray;
  }
  if (has_array) return type_common(call);
  const Type out(all_binary ? Kind::kBinary : Kind::kString);
  for (size_t i = 0; i < count; ++i) {
    if (!can_cast_implicitly(type_of(call, i), out)) return unexpected_type(call, i, "a STRING");
  }
  return Signature{std::vector<Type>(count, out), out, true};
}

Result<Signature> type_pmod(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, numeric_operator(call));
  if (out.result.kind != Kind::kDecimal) return out;
  out.result = decimal_result("%", out.arguments[0], out.arguments[1]);
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max, FunctionSupport support,
           const char* note = "") {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  out.support = support;
  out.note = note;
  return out;
}

}  // namespace

void append_operators(std::vector<Function>& out) {
  constexpr auto kExact = FunctionSupport::kExact;
  constexpr auto kRewritten = FunctionSupport::kRewritten;
  append_family(out, FunctionKind::kScalar,
                {
                    rule("+", type_plus, 2, 2, kRewritten),
                    rule("-", type_minus, 2, 2, kRewritten),
                    rule("*", type_times, 2, 2, kRewritten),
                    rule("/", type_divide, 2, 2, kRewritten),
                    rule("div", type_div, 2, 2, kRewritten),
                    rule("% mod", type_pmod, 2, 2, kRewritten),
                    rule("pmod", type_pmod, 2, 2, kRewritten),
                    rule("try_add", type_plus, 2, 2, kRewritten),
                    rule("try_subtract", type_minus, 2, 2, kRewritten),
                    rule("try_multiply", type_times, 2, 2, kRewritten),
                    rule("try_divide", type_divide, 2, 2, kRewritten),
                    rule("try_mod", type_pmod, 2, 2, kRewritten),
                    rule("negative", type_negative, 1, 1, kRewritten),
                    {"positive", "num -> =0", "", kExact},
                    rule("= ==", type_compare, 2, 2, kExact),
                    rule("<> !=", type_compare, 2, 2, kExact),
                    rule("<", type_compare, 2, 2, kExact),
                    rule("<=", type_compare, 2, 2, kExact),
                    rule(">", type_compare, 2, 2, kExact),
                    rule(">=", type_compare, 2, 2, kExact),
                    rule("<=> equal_null", type_null_safe, 2, 2, kExact),
                    rule("is_distinct_from", type_null_safe, 2, 2, kExact),
                    {"and", "boolean, boolean -> boolean", "", kExact},
                    {"or", "boolean, boolean -> boolean", "", kExact},
                    {"not !", "boolean -> boolean", "", kExact},
                    {"is_true", "boolean -> boolean", "", kExact},
                    {"is_false", "boolean -> boolean", "", kExact},
                    {"is_unknown", "boolean -> boolean", "", kExact},
                    {"isnull", "any -> boolean", "", kExact},
                    {"isnotnull", "any -> boolean", "", kExact},
                    {"like", "string, string, string? -> boolean"},
                    {"ilike", "string, string, string? -> boolean"},
                    {"rlike regexp regexp_like", "string, string -> boolean"},
                    rule("in", type_in, 2, -1, kExact),
                    rule("between", type_in, 3, 3, kExact),
                    rule("concat ||", type_concat, 0, -1, kRewritten),
                    rule("&", type_bits, 2, 2, kExact),
                    rule("|", type_bits, 2, 2, kExact),
                    rule("^", type_bits, 2, 2, kExact),
                    {"~", "integral -> =0", "", kExact},
                    rule("coalesce", type_common, 1, -1, kExact),
                    rule("nvl ifnull", type_common, 2, 2, kExact),
                    rule("nvl2", type_nvl2, 3, 3, kExact),
                    rule("nullif", type_nullif, 2, 2, kRewritten),
                    {"nullifzero", "void -> void | num -> =0"},
                    {"zeroifnull", "void -> int | num -> =0"},
                    rule("if iff", type_if, 3, 3, kExact),
                    rule("least", type_extreme, 2, -1, kExact),
                    rule("greatest", type_extreme, 2, -1, kExact),
                });
}

}  // namespace lakebed::plan::functions
