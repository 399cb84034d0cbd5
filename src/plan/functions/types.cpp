// Spark's implicit casts, least common types and allowed casts, ANSI mode.
#include <algorithm>

#include "base/names.h"
#include "plan/functions/typing.h"

namespace lakebed::plan {

using value::Kind;
using value::Type;

namespace {

bool is_timestamp(const Type& type) {
  return type.kind == Kind::kTimestamp || type.kind == Kind::kTimestampNtz;
}
bool is_datetime(const Type& type) { return type.kind == Kind::kDate || is_timestamp(type); }
bool is_interval(const Type& type) {
  return type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
}
bool is_fractional(const Type& type) {
  return type.kind == Kind::kFloat || type.kind == Kind::kDouble || type.kind == Kind::kDecimal;
}

std::optional<Type> common_numeric(const Type& left, const Type& right) {
  const bool decimal = left.kind == Kind::kDecimal || right.kind == Kind::kDecimal;
  if (!decimal) {
    const Type& low = left.kind < right.kind ? left : right;
    const Type& high = left.kind < right.kind ? right : left;
    // A FLOAT cannot hold every INT or BIGINT: both go to DOUBLE.
    if (high.kind == Kind::kFloat && low.is_integer()) return Type(Kind::kDouble);
    return high;
  }
  if (left.kind == Kind::kDouble || left.kind == Kind::kFloat) return Type(Kind::kDouble);
  if (right.kind == Kind::kDouble || right.kind == Kind::kFloat) return Type(Kind::kDouble);
  const Type a = functions::decimal_of(left);
  const Type b = functions::decimal_of(right);
  const int scale = std::max(a.scale, b.scale);
  const int digits = std::max(a.precision - a.scale, b.precision - b.scale);
  if (digits + scale <= 38) return Type::decimal(digits + scale, scale);
  // Integral digits are kept before fractional ones.
  return Type::decimal(38, std::clamp(38 - digits, 0, scale));
}

std::optional<Type> common_with_string(const Type& other) {
  if (other.is_integer()) return Type(Kind::kLong);
  if (is_fractional(other)) return Type(Kind::kDouble);
  if (is_interval(other) || other.is_nested()) return std::nullopt;
  return other;
}

std::optional<Type> common_datetime(const Type& left, const Type& right) {
  if (left.kind == Kind::kTimestamp || right.kind == Kind::kTimestamp) {
    return Type(Kind::kTimestamp);
  }
  return Type(Kind::kTimestampNtz);
}

std::optional<Type> common_nested(const Type& left, const Type& right) {
  if (left.fields.size() != right.fields.size()) return std::nullopt;
  Type out = left;
  for (size_t i = 0; i < left.fields.size(); ++i) {
    if (!same_name(left.fields[i].name, right.fields[i].name)) return std::nullopt;
    auto inner = common_type(left.fields[i].type, right.fields[i].type);
    if (!inner) return std::nullopt;
    out.fields[i].type = *inner;
    out.fields[i].nullable = left.fields[i].nullable || right.fields[i].nullable;
  }
  return out;
}

using CastTest = bool (*)(const Type& from, const Type& to);

bool nested_casts(const Type& from, const Type& to, CastTest test) {
  if (from.kind != to.kind || from.fields.size() != to.fields.size()) return false;
  for (size_t i = 0; i < from.fields.size(); ++i) {
    if (!test(from.fields[i].type, to.fields[i].type)) return false;
  }
  return true;
}

bool can_cast_atomic(const Type& from, const Type& to) {
  if (from.kind == Kind::kString) return true;
  if (to.is_numeric()) {
    return from.is_numeric() || from.kind == Kind::kBoolean || from.kind == Kind::kTimestamp;
  }
  if (to.kind == Kind::kBoolean) return from.is_numeric();
  if (to.kind == Kind::kTimestamp) return from.is_numeric() || is_datetime(from);
  if (to.kind == Kind::kTimestampNtz || to.kind == Kind::kDate) return is_datetime(from);
  return false;
}

}  // namespace

std::optional<Type> common_type(const Type& left, const Type& right) {
  if (left == right) return left;
  if (left.kind == Kind::kVoid) return right;
  if (right.kind == Kind::kVoid) return left;
  if (left.is_numeric() && right.is_numeric()) return common_numeric(left, right);
  if (left.kind == Kind::kString) return common_with_string(right);
  if (right.kind == Kind::kString) return common_with_string(left);
  if (is_datetime(left) && is_datetime(right)) return common_datetime(left, right);
  if (left.kind == right.kind && left.is_nested()) return common_nested(left, right);
  return std::nullopt;
}

bool can_cast_implicitly(const Type& from, const Type& to) {
  if (from == to || from.kind == Kind::kVoid) return true;
  if (to.kind == Kind::kVoid) return false;
  if (from.is_nested() || to.is_nested()) return nested_casts(from, to, can_cast_implicitly);
  if (from.kind == Kind::kString) return !is_interval(to);
  if (is_interval(from) || is_interval(to)) return false;
  if (to.kind == Kind::kString) return true;
  if (from.is_numeric() && to.is_numeric()) return true;
  return is_datetime(from) && is_datetime(to);
}

bool can_cast(const Type& from, const Type& to) {
  if (from == to || from.kind == Kind::kVoid) return true;
  if (to.kind == Kind::kVoid) return false;
  // What an interval's cast yields depends on its fields, which types here do not keep.
  if (is_interval(from) || is_interval(to)) return from.kind == to.kind;
  if (to.kind == Kind::kString) return true;
  if (from.is_nested() || to.is_nested()) return nested_casts(from, to, can_cast);
  return can_cast_atomic(from, to);
}

std::string cast_refusal(const Type& from, const Type& to) {
  const bool to_day = from.is_numeric() && to.kind == Kind::kDate;
  if (to_day || (from.kind == Kind::kDate && to.is_numeric())) return "CAST_WITH_FUNC_SUGGESTION";
  const bool legacy =
      (from.kind == Kind::kBoolean && to.kind == Kind::kTimestamp) ||
      (from.is_integer() && to.kind == Kind::kBinary) ||
      ((from.kind == Kind::kDate || from.kind == Kind::kTimestamp) && to.kind == Kind::kBoolean);
  return legacy ? "CAST_WITH_CONF_SUGGESTION" : "CAST_WITHOUT_SUGGESTION";
}

namespace functions {

Type adjusted_decimal(int precision, int scale) {
  if (precision <= 38) return Type::decimal(precision, scale);
  const int digits = precision - scale;
  const int kept = std::min(scale, 6);
  return Type::decimal(38, std::max(38 - digits, kept));
}

Type bounded_decimal(int precision, int scale) {
  return Type::decimal(std::min(precision, 38), std::min(scale, 38));
}

Type decimal_of(const Type& type) {
  switch (type.kind) {
    case Kind::kDecimal: return type;
    case Kind::kByte: return Type::decimal(3, 0);
    case Kind::kShort: return Type::decimal(5, 0);
    case Kind::kInt: return Type::decimal(10, 0);
    case Kind::kLong: return Type::decimal(20, 0);
    case Kind::kFloat: return Type::decimal(14, 7);
    case Kind::kDouble: return Type::decimal(30, 15);
    default: return Type::decimal(38, 18);
  }
}

Type decimal_of(const Expression& argument) {
  if (argument.kind != ExpressionKind::kLiteral || !argument.type.is_integer() ||
      argument.is_null) {
    return decimal_of(argument.type);
  }
  const size_t digits = argument.text.size() - (argument.text.starts_with('-') ? 1 : 0);
  return Type::decimal(static_cast<int>(std::clamp<size_t>(digits, 1, 38)), 0);
}

}  // namespace functions
}  // namespace lakebed::plan
