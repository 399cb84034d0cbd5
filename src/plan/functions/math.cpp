// Numbers: rounding, logarithms, trigonometry, bits, number formats.
#include "plan/functions/typing.h"

#include <algorithm>

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Type numeric_or_double(const Type& type) { return type.is_numeric() ? type : Type(Kind::kDouble); }

Result<Signature> check_scale(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (!own.is_numeric() && own.kind != Kind::kString && own.kind != Kind::kVoid) {
    return unexpected_type(call, 0, "a number");
  }
  if (call.arguments.size() == 2 && !literal_integer(call, 1) &&
      type_of(call, 1).kind != Kind::kVoid) {
    return mismatch(call, "NON_FOLDABLE_INPUT", "The scale must be a constant INT.");
  }
  Signature out{{numeric_or_double(own)}, numeric_or_double(own), true};
  if (call.arguments.size() == 2) out.arguments.push_back(Type(Kind::kInt));
  return out;
}

// round and bround of DECIMAL(p,s) to n digits: as many integral digits and one more.
Result<Signature> type_round(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, check_scale(call));
  const Type& own = out.arguments[0];
  if (own.kind != Kind::kDecimal) return out;
  const int scale =
      static_cast<int>(std::clamp<int64_t>(literal_integer(call, 1).value_or(0), -38, 38));
  const int digits = own.precision - own.scale + 1;
  if (scale < 0) {
    out.result = Type::decimal(std::min(38, std::max(digits, -scale + 1)), 0);
  } else {
    const int kept = std::min<int>(own.scale, scale);
    out.result = bounded_decimal(digits + kept, kept);
  }
  return out;
}

Result<Signature> type_ceil(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, check_scale(call));
  const Type own = out.arguments[0];
  if (call.arguments.size() == 2) {
    const Type base = decimal_of(own);
    const int scale =
        static_cast<int>(std::clamp<int64_t>(literal_integer(call, 1).value_or(0), -38, 38));
    out.arguments[0] = base;
    const int digits = base.precision - base.scale + 1;
    if (scale < 0) {
      out.result = Type::decimal(std::min(38, std::max(digits, -scale + 1)), 0);
    } else {
      const int kept = std::min<int>(base.scale, scale);
      out.result = bounded_decimal(digits + kept, kept);
    }
    return out;
  }
  if (own.kind == Kind::kDecimal) {
    out.result = bounded_decimal(own.precision - own.scale + (own.scale > 0 ? 1 : 0), 0);
    if (out.result.precision == 0) out.result = Type::decimal(1, 0);
    return out;
  }
  if (!own.is_integer())
    out.arguments[0] = Type(Kind::kDouble);
  else
    out.arguments[0] = Type(Kind::kLong);
  out.result = Type(Kind::kLong);
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  return out;
}

}  // namespace

void append_math(std::vector<Function>& out) {
  constexpr auto kExact = FunctionSupport::kExact;
  append_family(out, FunctionKind::kScalar,
                {
                    {"abs", "num -> =0 | interval_ym -> =0 | interval_dt -> =0"},
                    rule("round", type_round, 1, 2),
                    rule("bround", type_round, 1, 2),
                    rule("ceil ceiling", type_ceil, 1, 2),
                    rule("floor", type_ceil, 1, 2),
                    {"sign signum", "double -> double"},
                    {"sqrt", "double -> double"},
                    {"cbrt", "double -> double"},
                    {"exp", "double -> double"},
                    {"expm1", "double -> double"},
                    {"ln", "double -> double"},
                    {"log", "double, double? -> double"},
                    {"log10", "double -> double"},
                    {"log2", "double -> double"},
                    {"log1p", "double -> double"},
                    {"pow power", "double, double -> double"},
                    {"sin", "double -> double"},
                    {"cos", "double -> double"},
                    {"tan", "double -> double"},
                    {"cot", "double -> double"},
                    {"sec", "double -> double"},
                    {"csc", "double -> double"},
                    {"asin", "double -> double"},
                    {"acos", "double -> double"},
                    {"atan", "double -> double"},
                    {"atan2", "double, double -> double"},
                    {"sinh", "double -> double"},
                    {"cosh", "double -> double"},
                    {"tanh", "double -> double"},
                    {"asinh", "double -> double"},
                    {"acosh", "double -> double"},
                    {"atanh", "double -> double"},
                    {"degrees", "double -> double"},
                    {"radians", "double -> double"},
                    {"hypot", "double, double -> double"},
                    {"rint", "double -> double"},
                    {"e", "-> double", "", kExact},
                    {"pi", "-> double", "", kExact},
                    {"factorial", "int -> bigint"},
                    {"isnan", "double -> boolean"},
                    {"nanvl", "double, double -> double | float, float -> float"},
                    {"shiftleft <<", "int, int -> int | bigint, int -> bigint"},
                    {"shiftright >>", "int, int -> int | bigint, int -> bigint"},
                    {"shiftrightunsigned >>>", "int, int -> int | bigint, int -> bigint"},
                    {"bit_count", "integral -> int | boolean -> int"},
                    {"getbit bit_get", "integral, int -> tinyint"},
                    {"hex", "bigint -> string | string -> string | binary -> string"},
                    {"unhex", "string -> binary"},
                    {"bin", "bigint -> string"},
                    {"conv", "string, int, int -> string"},
                    {"width_bucket", "double, double, double, bigint -> bigint"},
                });
}

}  // namespace lakebed::plan::functions
