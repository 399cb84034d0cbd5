#include "engine/duck/functions/arithmetic.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/decimal.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

Error arithmetic_overflow(std::string_view what) {
  return update_error("ARITHMETIC_OVERFLOW", fmt::format("{} overflows.", what));
}

namespace {

Error by_zero() { return update_error("DIVIDE_BY_ZERO", "Division by zero."); }
Error remainder_by_zero() { return update_error("REMAINDER_BY_ZERO", "Remainder by zero."); }

bool is_real(const Column& out) {
  return out.type().kind == Kind::kDouble || out.type().kind == Kind::kFloat;
}

// Appends an integer result that may be wider than its type.
Status put(Column& out, Int128 item, char symbol) {
  const Kind kind = out.type().kind;
  const int bits = kind == Kind::kByte    ? 8
                   : kind == Kind::kShort ? 16
                   : (kind == Kind::kInt || kind == Kind::kIntervalYearMonth || kind == Kind::kDate)
                       ? 32
                       : 64;
  const Int128 high = (Int128{1} << (bits - 1)) - 1;
  if (item > high || item < -high - 1) {
    if (bits < 32) {
      return update_error("BINARY_ARITHMETIC_OVERFLOW", fmt::format("{} overflows.", symbol));
    }
    return arithmetic_overflow(std::string(1, symbol));
  }
  out.append_integer(static_cast<int64_t>(item));
  return {};
}

Status put_decimal(Column& out, std::optional<Int128> item) {
  if (!item || !fits_precision(*item, out.type().precision)) {
    return update_error("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                        fmt::format("The result cannot be represented as {}.", out.type().text()));
  }
  out.append_decimal(*item);
  return {};
}

struct Signed {
  Wide magnitude;
  bool negative = false;
};

Signed scaled(const Row& row, size_t k, int scale) {
  const Int128 item = row.column(k).decimal(row.row());
  Signed out{Wide::of(magnitude_of(item)), item < 0};
  const int own = row.column(k).type().scale;
  if (scale > own) out.magnitude = multiply(out.magnitude, wide_power_of_ten(scale - own));
  return out;
}

Signed sum(const Signed& a, const Signed& b) {
  if (a.negative == b.negative) return {add(a.magnitude, b.magnitude), a.negative};
  if (compare(a.magnitude, b.magnitude) >= 0) {
    return {subtract(a.magnitude, b.magnitude), a.negative};
  }
  return {subtract(b.magnitude, a.magnitude), b.negative};
}

int scale_of(const Row& row, size_t k) { return row.column(k).type().scale; }

Status put_signed(Column& out, const Signed& item, int scale) {
  return put_decimal(
      out, rescale_wide(item.magnitude, item.negative, scale, out.type().scale, Rounding::kHalfUp));
}

bool decimals(const Row& row) { return row.column(0).type().kind == Kind::kDecimal; }

// --- dates and intervals -------------------------------------------------------------------------

bool is_moment(const Type& type) {
  return type.kind == Kind::kDate || type.kind == Kind::kTimestamp ||
         type.kind == Kind::kTimestampNtz;
}
bool is_interval(const Type& type) {
  return type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
}

Status add_months_to(const Row& row, size_t at, int64_t months, Column& out,
                     const KernelContext& context) {
  const int64_t item = row.integer(at);
  const Kind kind = context.types[at].kind;
  if (kind == Kind::kDate) {
    out.append_integer(add_months(item, months));
    return {};
  }
  const bool instant = kind == Kind::kTimestamp;
  const int64_t local = instant ? to_local(item, context.zone).value_or(item) : item;
  const int64_t moved = add_months(floor_div(local, kMicrosPerDay), months) * kMicrosPerDay +
                        floor_mod(local, kMicrosPerDay);
  out.append_integer(instant ? to_instant(moved, context.zone).value_or(moved) : moved);
  return {};
}

// Days of an interval are days of the wall clock, the rest is elapsed time.
Status add_micros_to(const Row& row, size_t at, int64_t micros, Column& out,
                     const KernelContext& context) {
  const int64_t item = row.integer(at);
  const Kind kind = context.types[at].kind;
  if (kind == Kind::kDate) return put(out, Int128{item} + micros / kMicrosPerDay, '+');
  int64_t moved = 0;
  if (__builtin_add_overflow(item, micros, &moved)) return arithmetic_overflow("+");
  if (kind == Kind::kTimestamp) {
    const int64_t days = micros / kMicrosPerDay;
    const int64_t local = to_local(item, context.zone).value_or(item) + days * kMicrosPerDay;
    moved = to_instant(local, context.zone).value_or(local) + (micros - days * kMicrosPerDay);
  }
  out.append_integer(moved);
  return {};
}

Status move_moment(const Row& row, size_t at, int sign, Column& out, const KernelContext& context) {
  const int64_t step = row.integer(1 - at);
  if (sign < 0 && step == INT64_MIN) return arithmetic_overflow("-");
  const Type& type = context.types[1 - at];
  if (type.kind == Kind::kIntervalYearMonth) {
    return add_months_to(row, at, sign * step, out, context);
  }
  if (type.kind == Kind::kIntervalDayTime) {
    return add_micros_to(row, at, sign * step, out, context);
  }
  return put(out, Int128{row.integer(at)} + sign * step, '+');
}

Status difference(const Row& row, Column& out, const KernelContext& context) {
  int64_t left = row.integer(0), right = row.integer(1);
  const Kind kind = context.types[0].kind;
  if (kind == Kind::kDate) return put(out, (Int128{left} - right) * kMicrosPerDay, '-');
  if (kind == Kind::kTimestamp) {
    left = to_local(left, context.zone).value_or(left);
    right = to_local(right, context.zone).value_or(right);
  }
  return put(out, Int128{left} - right, '-');
}

// --- the operators -------------------------------------------------------------------------------

Status plus_minus(const Row& row, Column& out, const KernelContext& context, int sign) {
  if (is_moment(context.types[0])) {
    if (is_moment(context.types[1])) return difference(row, out, context);
    return move_moment(row, 0, sign, out, context);
  }
  if (is_moment(context.types[1])) return move_moment(row, 1, sign, out, context);
  if (decimals(row)) {
    const int scale = std::max(scale_of(row, 0), scale_of(row, 1));
    Signed right = scaled(row, 1, scale);
    if (sign < 0) right.negative = !right.negative;
    return put_signed(out, sum(scaled(row, 0, scale), right), scale);
  }
  if (is_real(out)) {
    append_real(out, row.real(0) + sign * row.real(1));
    return {};
  }
  return put(out, Int128{row.integer(0)} + sign * Int128{row.integer(1)}, sign > 0 ? '+' : '-');
}

Status plus_row(const Row& row, Column& out, const KernelContext& context) {
  return plus_minus(row, out, context, 1);
}
Status minus_row(const Row& row, Column& out, const KernelContext& context) {
  return plus_minus(row, out, context, -1);
}

Status put_interval(Column& out, double item) {
  const double rounded = std::floor(std::fabs(item) + 0.5) * (item < 0 ? -1 : 1);
  if (!std::isfinite(rounded) || std::fabs(rounded) > 9e18) return arithmetic_overflow("*");
  return put(out, static_cast<Int128>(rounded), '*');
}

Status times_row(const Row& row, Column& out, const KernelContext& context) {
  if (is_interval(context.result)) {
    const size_t at = is_interval(context.types[0]) ? 0 : 1;
    if (context.types[1 - at].kind == Kind::kDouble) {
      return put_interval(out, static_cast<double>(row.integer(at)) * row.real(1 - at));
    }
    return put(out, Int128{row.integer(0)} * row.integer(1), '*');
  }
  if (decimals(row)) {
    const Signed a = scaled(row, 0, 0), b = scaled(row, 1, 0);
    return put_signed(out, {multiply(a.magnitude, b.magnitude), a.negative != b.negative},
                      scale_of(row, 0) + scale_of(row, 1));
  }
  if (is_real(out)) {
    append_real(out, row.real(0) * row.real(1));
    return {};
  }
  return put(out, Int128{row.integer(0)} * row.integer(1), '*');
}

// The quotient with one digit more than wanted and a mark of what is left, rounded once.
Status divide_decimals(const Row& row, Column& out) {
  const Signed a = scaled(row, 0, 0), b = scaled(row, 1, 0);
  const int scale = out.type().scale;
  // a / 10^s1 / (b / 10^s2) with scale + 1 decimals.
  const int shift = scale + 1 - scale_of(row, 0) + scale_of(row, 1);
  const Wide dividend = shift > 0 ? multiply(a.magnitude, wide_power_of_ten(shift)) : a.magnitude;
  const Wide divisor = shift < 0 ? multiply(b.magnitude, wide_power_of_ten(-shift)) : b.magnitude;
  const Quotient parts = divide(dividend, divisor);
  return put_decimal(out, rescale_wide(parts.quotient, a.negative != b.negative, scale + 1, scale,
                                       Rounding::kHalfUp));
}

Status divide_row(const Row& row, Column& out, const KernelContext& context) {
  if (is_interval(context.result)) {
    const bool real = context.types[1].kind == Kind::kDouble;
    const double by = real ? row.real(1) : static_cast<double>(row.integer(1));
    if (by == 0) return update_error("INTERVAL_DIVIDED_BY_ZERO", "Division by zero.");
    return put_interval(out, static_cast<double>(row.integer(0)) / by);
  }
  if (decimals(row)) {
    if (row.column(1).decimal(row.row()) == 0) return by_zero();
    return divide_decimals(row, out);
  }
  if (row.real(1) == 0) return by_zero();
  append_real(out, row.real(0) / row.real(1));
  return {};
}

Status div_row(const Row& row, Column& out, const KernelContext&) {
  if (decimals(row)) {
    const int scale = std::max(scale_of(row, 0), scale_of(row, 1));
    const Signed a = scaled(row, 0, scale), b = scaled(row, 1, scale);
    if (b.magnitude.is_zero()) return by_zero();
    const auto whole = divide(a.magnitude, b.magnitude).quotient.narrow();
    if (!whole || *whole > static_cast<UInt128>(INT64_MAX)) return arithmetic_overflow("div");
    const auto item = static_cast<int64_t>(*whole);
    out.append_integer(a.negative != b.negative ? -item : item);
    return {};
  }
  if (row.integer(1) == 0) return by_zero();
  return put(out, Int128{row.integer(0)} / row.integer(1), '/');
}

Signed decimal_remainder(const Row& row, int scale) {
  const Signed a = scaled(row, 0, scale), b = scaled(row, 1, scale);
  return {divide(a.magnitude, b.magnitude).remainder, a.negative};
}

Status modulo(const Row& row, Column& out, bool positive) {
  if (decimals(row)) {
    const int scale = std::max(scale_of(row, 0), scale_of(row, 1));
    const Signed b = scaled(row, 1, scale);
    if (b.magnitude.is_zero()) return remainder_by_zero();
    Signed rest = decimal_remainder(row, scale);
    if (positive && rest.negative && !rest.magnitude.is_zero()) {
      // (r + b) % b, as Spark has it.
      rest = sum(rest, b);
      rest.magnitude = divide(rest.magnitude, b.magnitude).remainder;
    }
    return put_signed(out, rest, scale);
  }
  if (is_real(out)) {
    const double by = row.real(1);
    if (by == 0) return remainder_by_zero();
    double rest = std::fmod(row.real(0), by);
    if (positive && rest < 0) rest = std::fmod(rest + by, by);
    append_real(out, rest);
    return {};
  }
  const Int128 by = row.integer(1);
  if (by == 0) return remainder_by_zero();
  Int128 rest = Int128{row.integer(0)} % by;
  if (positive && rest < 0) rest = (rest + by) % by;
  return put(out, rest, '%');
}

Status remainder_row(const Row& row, Column& out, const KernelContext&) {
  return modulo(row, out, false);
}
Status pmod_row(const Row& row, Column& out, const KernelContext&) {
  return modulo(row, out, true);
}

Status negative_row(const Row& row, Column& out, const KernelContext&) {
  if (decimals(row))
    out.append_decimal(-row.column(0).decimal(row.row()));
  else if (is_real(out))
    append_real(out, -row.real(0));
  else
    return put(out, -Int128{row.integer(0)}, '-');
  return {};
}

Status abs_row(const Row& row, Column& out, const KernelContext&) {
  if (decimals(row)) {
    const Int128 item = row.column(0).decimal(row.row());
    out.append_decimal(item < 0 ? -item : item);
  } else if (is_real(out)) {
    append_real(out, std::fabs(row.real(0)));
  } else {
    const Int128 item = row.integer(0);
    return put(out, item < 0 ? -item : item, '-');
  }
  return {};
}

}  // namespace

Status concat_arrays_row(const Row& row, Column& out, const KernelContext&) {
  Column& items = out.raw_children()[0];
  for (size_t k = 0; k < row.count(); ++k) {
    items.append_range(row.elements(k), row.begin(k), row.end(k) - row.begin(k));
  }
  out.append_list();
  return {};
}

RowFunction arithmetic_row(std::string_view name) {
  if (name == "+") return plus_row;
  if (name == "-") return minus_row;
  if (name == "*") return times_row;
  if (name == "/") return divide_row;
  if (name == "div") return div_row;
  if (name == "%" || name == "mod") return remainder_row;
  if (name == "pmod") return pmod_row;
  if (name == "negative") return negative_row;
  return abs_row;
}

}  // namespace lakebed::engine::duck
