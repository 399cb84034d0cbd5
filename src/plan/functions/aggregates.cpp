// Aggregates. All of them may be used over a window, too.
#include <fmt/core.h>

#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Result<Signature> type_count(const CallShape& call) {
  Signature out{{}, Type(Kind::kLong), false};
  for (const Expression* argument : call.arguments) out.arguments.push_back(argument->type);
  return out;
}

Type summed(const Type& own) {
  if (own.kind == Kind::kDecimal) return bounded_decimal(own.precision + 10, own.scale);
  if (own.is_integer()) return Type(Kind::kLong);
  return Type(Kind::kDouble);
}

bool is_interval(const Type& type) {
  return type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
}

Result<Type> number_argument(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.is_numeric() || is_interval(own)) return own;
  if (own.kind == Kind::kString || own.kind == Kind::kVoid) return Type(Kind::kDouble);
  return unexpected_type(call, 0, "a number");
}

Result<Signature> type_sum(const CallShape& call) {
  LAKEBED_ASSIGN(Type own, number_argument(call));
  return Signature{{own}, is_interval(own) ? own : summed(own), true};
}

Result<Signature> type_avg(const CallShape& call) {
  LAKEBED_ASSIGN(Type own, number_argument(call));
  if (is_interval(own)) return unexpected_type(call, 0, "a number");
  if (own.kind != Kind::kDecimal) return Signature{{own}, Type(Kind::kDouble), true};
  return Signature{{own}, bounded_decimal(own.precision + 4, own.scale + 4), true};
}

Status check_order(const CallShape& call, size_t index) {
  const Type& own = type_of(call, index);
  if (own.kind == Kind::kVoid || value::is_orderable(own)) return {};
  return mismatch(call, "INVALID_ORDERING_TYPE", fmt::format("{} has no order.", own.text()));
}

Result<Signature> type_extreme(const CallShape& call) {
  LAKEBED_TRY(check_order(call, 0));
  return Signature{{type_of(call, 0)}, type_of(call, 0), true};
}

Result<Signature> type_extreme_by(const CallShape& call) {
  LAKEBED_TRY(check_order(call, 1));
  return Signature{{type_of(call, 0), type_of(call, 1)}, type_of(call, 0), true};
}

// percentile(x, p): DOUBLE, an ARRAY for an array of p.
Result<Signature> type_percentile(const CallShape& call) {
  const bool many = type_of(call, 1).kind == Kind::kArray;
  const Type number(Kind::kDouble);
  Signature out{
      {number, many ? Type::array(number) : number}, many ? Type::array(number) : number, true};
  if (call.arguments.size() == 3) out.arguments.push_back(Type(Kind::kLong));
  if (!type_of(call, 0).is_numeric() && type_of(call, 0).kind != Kind::kVoid &&
      type_of(call, 0).kind != Kind::kString) {
    return unexpected_type(call, 0, "a number");
  }
  return out;
}

// percentile_approx(x, p [, accuracy]): of x's own type.
Result<Signature> type_percentile_approx(const CallShape& call) {
  Type own = type_of(call, 0);
  if (own.kind == Kind::kString || own.kind == Kind::kVoid) own = Type(Kind::kDouble);
  const bool ordered = own.is_numeric() || own.kind == Kind::kDate ||
                       own.kind == Kind::kTimestamp || own.kind == Kind::kTimestampNtz;
  if (!ordered) return unexpected_type(call, 0, "a number, a date or a timestamp");
  const bool many = type_of(call, 1).kind == Kind::kArray;
  const Type number(Kind::kDouble);
  Signature out{
      {own, many ? Type::array(number) : number}, many ? Type::array(own, false) : own, true};
  if (call.arguments.size() == 3) out.arguments.push_back(Type(Kind::kInt));
  return out;
}

Result<Signature> type_mode(const CallShape& call) {
  Signature out{{type_of(call, 0)}, type_of(call, 0), true};
  if (call.arguments.size() == 2) out.arguments.push_back(Type(Kind::kBoolean));
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max, const char* note = "") {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  out.note = note;
  return out;
}

}  // namespace

void append_aggregates(std::vector<Function>& out) {
  append_family(out, FunctionKind::kAggregate,
                {
                    rule("count", type_count, 0, -1),
                    rule("sum", type_sum, 1, 1),
                    rule("try_sum", type_sum, 1, 1),
                    rule("avg mean", type_avg, 1, 1),
                    rule("try_avg", type_avg, 1, 1),
                    rule("min", type_extreme, 1, 1),
                    rule("max", type_extreme, 1, 1),
                    rule("min_by", type_extreme_by, 2, 2),
                    rule("max_by", type_extreme_by, 2, 2),
                    {"first first_value", "T, boolean? -> T"},
                    {"last last_value", "T, boolean? -> T"},
                    {"any_value", "T, boolean? -> T"},
                    {"count_if", "boolean -> bigint"},
                    {"bool_and every", "boolean -> boolean"},
                    {"bool_or any some", "boolean -> boolean"},
                    {"bit_and", "integral -> =0"},
                    {"bit_or", "integral -> =0"},
                    {"bit_xor", "integral -> =0"},
                    {"collect_list array_agg", "T -> array<T>"},
                    {"collect_set", "T -> array<T>"},
                    {"approx_count_distinct", "any, double? -> bigint", "Counts exactly."},
                    {"stddev stddev_samp std", "double -> double"},
                    {"stddev_pop", "double -> double"},
                    {"variance var_samp", "double -> double"},
                    {"var_pop", "double -> double"},
                    {"skewness", "double -> double"},
                    {"kurtosis", "double -> double"},
                    {"corr", "double, double -> double"},
                    {"covar_pop", "double, double -> double"},
                    {"covar_samp", "double, double -> double"},
                    {"regr_count", "double, double -> bigint"},
                    {"regr_avgx", "double, double -> double"},
                    {"regr_avgy", "double, double -> double"},
                    {"regr_slope", "double, double -> double"},
                    {"regr_intercept", "double, double -> double"},
                    {"regr_r2", "double, double -> double"},
                    {"regr_sxx", "double, double -> double"},
                    {"regr_syy", "double, double -> double"},
                    {"regr_sxy", "double, double -> double"},
                    rule("percentile", type_percentile, 2, 3),
                    rule("percentile_approx approx_percentile", type_percentile_approx, 2, 3,
                         "Takes the exact percentile."),
                    {"median", "double -> double"},
                    rule("mode", type_mode, 1, 2),
                    {"listagg string_agg", "string, string? -> string"},
                    {"grouping", "any -> tinyint"},
                    {"grouping_id", "any* -> bigint"},
                });
}

}  // namespace lakebed::plan::functions
