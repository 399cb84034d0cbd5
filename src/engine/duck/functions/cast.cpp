#include "engine/duck/functions/cast.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/names.h"
#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/number_text.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

Error cast_invalid(std::string_view value, const Type& from, const Type& to) {
  return update_error(
             "CAST_INVALID_INPUT",
             fmt::format("The value '{}' of type {} cannot be cast to {}: it is malformed.", value,
                         from.text(), to.text()))
      .with_hint("try_cast gives NULL instead");
}

namespace {

Error cast_overflow(std::string_view value, const Type& from, const Type& to) {
  return update_error("CAST_OVERFLOW", fmt::format("The value {} of type {} does not fit in {}.",
                                                   value, from.text(), to.text()))
      .with_hint("try_cast gives NULL instead");
}

Error decimal_overflow(std::string_view value, const Type& to) {
  return update_error("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                      fmt::format("{} cannot be represented as {}.", value, to.text()))
      .with_hint("try_cast gives NULL instead");
}

struct Range {
  int64_t low;
  int64_t high;
};

Range range_of(Kind kind) {
  switch (kind) {
    case Kind::kByte: return {-128, 127};
    case Kind::kShort: return {-32'768, 32'767};
    case Kind::kInt:
    case Kind::kDate:
    case Kind::kIntervalYearMonth: return {INT32_MIN, INT32_MAX};
    default: return {INT64_MIN, INT64_MAX};
  }
}

std::string ym_text(int64_t months) {
  const int64_t size = months < 0 ? -months : months;
  return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", months < 0 ? "-" : "", size / 12,
                     size % 12);
}

std::string dt_text(int64_t micros) {
  const bool negative = micros < 0;
  const uint64_t size =
      negative ? uint64_t{0} - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  const uint64_t seconds = size / 1'000'000;
  std::string fraction;
  if (size % 1'000'000 != 0) {
    fraction = fmt::format(".{:06}", size % 1'000'000);
    while (fraction.back() == '0') fraction.pop_back();
  }
  return fmt::format("INTERVAL '{}{} {:02}:{:02}:{:02}{}' DAY TO SECOND", negative ? "-" : "",
                     seconds / 86'400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
                     fraction);
}

std::string joined(const Column& items, uint64_t begin, uint64_t end, const std::string& zone) {
  std::string out;
  for (uint64_t i = begin; i < end; ++i) {
    if (i > begin) out += ", ";
    out += items.is_null(i) ? "null" : value_text(items, i, zone);
  }
  return out;
}

std::string map_text(const Column& column, size_t row, const std::string& zone) {
  std::string out = "{";
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    if (i > column.begin(row)) out += ", ";
    const Column& items = column.children()[1];
    out += value_text(column.children()[0], i, zone) + " ->";
    out += items.is_null(i) ? " null" : " " + value_text(items, i, zone);
  }
  return out + "}";
}

std::string struct_text(const Column& column, size_t row, const std::string& zone) {
  std::string out = "{";
  bool first = true;
  for (const Column& child : column.children()) {
    if (!first) out += ", ";
    first = false;
    out += child.is_null(row) ? "null" : value_text(child, row, zone);
  }
  return out + "}";
}

}  // namespace

std::string value_text(const Column& column, size_t row, const std::string& zone) {
  switch (column.type().kind) {
    case Kind::kBoolean: return column.integer(row) != 0 ? "true" : "false";
    case Kind::kFloat: return java_float(column.fixed<float>(row));
    case Kind::kDouble: return java_double(column.fixed<double>(row));
    case Kind::kDecimal: return decimal_text(column.decimal(row), column.type().scale);
    case Kind::kString:
    case Kind::kBinary: return std::string(column.bytes(row));
    case Kind::kDate: return date_text(column.integer(row));
    case Kind::kTimestamp:
      return local_timestamp_text(to_local(column.integer(row), zone).value_or(0));
    case Kind::kTimestampNtz: return local_timestamp_text(column.integer(row));
    case Kind::kArray:
      return "[" + joined(column.children()[0], column.begin(row), column.end(row), zone) + "]";
    case Kind::kMap: return map_text(column, row, zone);
    case Kind::kStruct: return struct_text(column, row, zone);
    case Kind::kIntervalYearMonth: return ym_text(column.integer(row));
    case Kind::kIntervalDayTime: return dt_text(column.integer(row));
    case Kind::kVoid: return "null";
    default: return std::to_string(column.integer(row));
  }
}

namespace {

// One cast: everything that the parts below need.
struct Cast {
  const Column& from;
  size_t row;
  Column& to;
  const std::string& zone;
  bool tried;

  const Type& source() const { return from.type(); }
  const Type& target() const { return to.type(); }
  std::string shown() const { return value_text(from, row, zone); }
  Error invalid() const { return cast_invalid(shown(), source(), target()); }
  Error overflow() const { return cast_overflow(shown(), source(), target()); }
};

Status put_integer(const Cast& cast, int64_t item) {
  const Range range = range_of(cast.target().kind);
  if (item < range.low || item > range.high) return cast.overflow();
  cast.to.append_integer(item);
  return {};
}

Status put_decimal(const Cast& cast, std::optional<Int128> item) {
  if (!item || !fits_precision(*item, cast.target().precision)) {
    return decimal_overflow(cast.shown(), cast.target());
  }
  cast.to.append_decimal(*item);
  return {};
}

double as_double(const Cast& cast) {
  switch (cast.source().kind) {
    case Kind::kDouble: return cast.from.fixed<double>(cast.row);
    case Kind::kFloat: return static_cast<double>(cast.from.fixed<float>(cast.row));
    case Kind::kDecimal: return decimal_to_double(cast.from.decimal(cast.row), cast.source().scale);
    case Kind::kTimestamp: return static_cast<double>(cast.from.integer(cast.row)) / 1e6;
    default: return static_cast<double>(cast.from.integer(cast.row));
  }
}

bool is_real(Kind kind) { return kind == Kind::kFloat || kind == Kind::kDouble; }

Status real_to_integer(const Cast& cast) {
  const double item = as_double(cast);
  const Range range = range_of(cast.target().kind);
  const double whole = std::trunc(item);
  const bool fits = whole >= static_cast<double>(range.low) &&
                    (range.high == INT64_MAX ? whole < 9223372036854775808.0
                                             : whole <= static_cast<double>(range.high));
  if (std::isnan(item) || !fits) return cast.overflow();
  cast.to.append_integer(static_cast<int64_t>(whole));
  return {};
}

int64_t micros_per_unit() { return kMicrosPerSecond; }

Status to_integer(const Cast& cast) {
  const Kind kind = cast.source().kind;
  if (is_real(kind)) return real_to_integer(cast);
  if (kind == Kind::kString) {
    const Range range = range_of(cast.target().kind);
    auto item = parse_integer(trimmed(cast.from.bytes(cast.row)), range.low, range.high);
    if (!item) return cast.invalid();
    cast.to.append_integer(*item);
    return {};
  }
  if (kind == Kind::kDecimal) {
    auto whole = rescale(cast.from.decimal(cast.row), cast.source().scale, 0, Rounding::kDown);
    if (!whole || *whole > INT64_MAX || *whole < INT64_MIN) return cast.overflow();
    return put_integer(cast, static_cast<int64_t>(*whole));
  }
  const int64_t item = cast.from.integer(cast.row);
  if (kind == Kind::kTimestamp) return put_integer(cast, floor_div(item, micros_per_unit()));
  return put_integer(cast, item);
}

Status to_real(const Cast& cast) {
  if (cast.source().kind == Kind::kString) {
    auto item = parse_double(trimmed(cast.from.bytes(cast.row)));
    if (!item) return cast.invalid();
    append_real(cast.to, *item);
    return {};
  }
  if (cast.source().is_integer() && cast.target().kind == Kind::kFloat) {
    cast.to.append_fixed(static_cast<float>(cast.from.integer(cast.row)));
    return {};
  }
  append_real(cast.to, as_double(cast));
  return {};
}

Status text_to_decimal(const Cast& cast, std::string_view text) {
  Int128 item = 0;
  const Type& target = cast.target();
  switch (parse_decimal(text, target.precision, target.scale, item)) {
    case DecimalParse::kMalformed: return cast.invalid();
    case DecimalParse::kTooLarge: return decimal_overflow(cast.shown(), target);
    default: cast.to.append_decimal(item); return {};
  }
}

Status to_decimal(const Cast& cast) {
  const int scale = cast.target().scale;
  switch (cast.source().kind) {
    case Kind::kString: return text_to_decimal(cast, trimmed(cast.from.bytes(cast.row)));
    case Kind::kFloat:
    case Kind::kDouble: {
      const double item = as_double(cast);
      if (!std::isfinite(item)) {
        cast.to.append_null();
        return {};
      }
      return text_to_decimal(cast, java_double(item));
    }
    case Kind::kDecimal:
      return put_decimal(cast, rescale(cast.from.decimal(cast.row), cast.source().scale, scale,
                                       Rounding::kHalfUp));
    case Kind::kTimestamp:
      return put_decimal(cast, rescale(cast.from.integer(cast.row), 6, scale, Rounding::kHalfUp));
    default:
      return put_decimal(cast, rescale(cast.from.integer(cast.row), 0, scale, Rounding::kHalfUp));
  }
}

Status to_boolean(const Cast& cast) {
  if (cast.source().kind == Kind::kString) {
    const std::string text = fold_case(trimmed(cast.from.bytes(cast.row)));
    const bool yes = text == "t" || text == "true" || text == "y" || text == "yes" || text == "1";
    const bool no = text == "f" || text == "false" || text == "n" || text == "no" || text == "0";
    if (!yes && !no) return cast.invalid();
    append_boolean(cast.to, yes);
    return {};
  }
  if (is_real(cast.source().kind))
    append_boolean(cast.to, as_double(cast) != 0);
  else if (cast.source().kind == Kind::kDecimal)
    append_boolean(cast.to, cast.from.decimal(cast.row) != 0);
  else
    append_boolean(cast.to, cast.from.integer(cast.row) != 0);
  return {};
}

Status to_date(const Cast& cast) {
  const Kind kind = cast.source().kind;
  if (kind == Kind::kString) {
    auto days = parse_date(trimmed(cast.from.bytes(cast.row)));
    if (!days || *days < INT32_MIN || *days > INT32_MAX) return cast.invalid();
    cast.to.append_integer(*days);
    return {};
  }
  int64_t micros = cast.from.integer(cast.row);
  if (kind == Kind::kTimestamp) micros = to_local(micros, cast.zone).value_or(micros);
  cast.to.append_integer(floor_div(micros, kMicrosPerDay));
  return {};
}

Status text_to_timestamp(const Cast& cast) {
  auto parsed = parse_timestamp(trimmed(cast.from.bytes(cast.row)));
  if (!parsed) return cast.invalid();
  int64_t micros = parsed->local_us;
  if (cast.target().kind == Kind::kTimestamp) {
    micros = to_instant(micros, parsed->zone.value_or(cast.zone)).value_or(micros);
  }
  cast.to.append_integer(micros);
  return {};
}

Status real_to_timestamp(const Cast& cast) {
  const double item = as_double(cast);
  if (!std::isfinite(item)) return cast.invalid();
  const double micros = item * 1e6;
  if (std::fabs(micros) >= 9223372036854775808.0) return cast.overflow();
  cast.to.append_integer(static_cast<int64_t>(micros));
  return {};
}

Status seconds_to_timestamp(const Cast& cast) {
  const int64_t seconds = cast.from.integer(cast.row);
  int64_t micros = 0;
  if (__builtin_mul_overflow(seconds, kMicrosPerSecond, &micros)) {
    micros = seconds < 0 ? INT64_MIN : INT64_MAX;
  }
  cast.to.append_integer(micros);
  return {};
}

Status to_timestamp(const Cast& cast) {
  const Kind kind = cast.source().kind;
  const bool instant = cast.target().kind == Kind::kTimestamp;
  if (kind == Kind::kString) return text_to_timestamp(cast);
  if (is_real(kind)) return real_to_timestamp(cast);
  if (kind == Kind::kDecimal) {
    auto micros = rescale(cast.from.decimal(cast.row), cast.source().scale, 6, Rounding::kDown);
    if (!micros || *micros > INT64_MAX || *micros < INT64_MIN) return cast.overflow();
    cast.to.append_integer(static_cast<int64_t>(*micros));
    return {};
  }
  if (cast.source().is_integer()) return seconds_to_timestamp(cast);
  int64_t micros = cast.from.integer(cast.row);
  if (kind == Kind::kDate) micros *= kMicrosPerDay;
  if (kind == Kind::kTimestamp)
    micros = to_local(micros, cast.zone).value_or(micros);
  else if (instant)
    micros = to_instant(micros, cast.zone).value_or(micros);
  cast.to.append_integer(micros);
  return {};
}

Status cast_elements(const Cast& cast, size_t child) {
  const Column& items = cast.from.children()[child];
  Column& out = cast.to.raw_children()[child];
  for (uint64_t i = cast.from.begin(cast.row); i < cast.from.end(cast.row); ++i) {
    LAKEBED_TRY(cast_value(items, i, out, cast.zone, cast.tried));
  }
  return {};
}

Status to_nested(const Cast& cast) {
  if (cast.target().kind != Kind::kStruct) {
    for (size_t child = 0; child < cast.from.children().size(); ++child) {
      LAKEBED_TRY(cast_elements(cast, child));
    }
    cast.to.append_list();
    return {};
  }
  for (size_t child = 0; child < cast.from.children().size(); ++child) {
    LAKEBED_TRY(cast_value(cast.from.children()[child], cast.row, cast.to.raw_children()[child],
                           cast.zone, cast.tried));
  }
  cast.to.append_struct();
  return {};
}

Status to_interval(const Cast& cast) {
  if (cast.source().kind == Kind::kString) return cast.invalid();
  return put_integer(cast, cast.from.integer(cast.row));
}

Status dispatch(const Cast& cast) {
  switch (cast.target().kind) {
    case Kind::kBoolean: return to_boolean(cast);
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong: return to_integer(cast);
    case Kind::kFloat:
    case Kind::kDouble: return to_real(cast);
    case Kind::kDecimal: return to_decimal(cast);
    case Kind::kString: cast.to.append_bytes(cast.shown()); return {};
    case Kind::kBinary: cast.to.append_bytes(cast.from.bytes(cast.row)); return {};
    case Kind::kDate: return to_date(cast);
    case Kind::kTimestamp:
    case Kind::kTimestampNtz: return to_timestamp(cast);
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kStruct: return to_nested(cast);
    case Kind::kIntervalYearMonth:
    case Kind::kIntervalDayTime: return to_interval(cast);
    default: cast.to.append_null(); return {};
  }
}

}  // namespace

// A part that fails inside of a nested value leaves elements behind, but then the whole query
// fails.
Status cast_value(const Column& from, size_t row, Column& to, const std::string& zone, bool tried) {
  if (from.is_null(row) || from.type().kind == Kind::kVoid) {
    to.append_null();
    return {};
  }
  if (from.type() == to.type()) {
    to.append_from(from, row);
    return {};
  }
  Status status = dispatch(Cast{from, row, to, zone, tried});
  if (status.ok() || !tried || from.type().is_nested()) return status;
  to.append_null();
  return {};
}

namespace {

Status cast_row(const Row& row, Column& out, const KernelContext& context) {
  return cast_value(row.column(0), row.row(), out, context.zone);
}

Status try_cast_row(const Row& row, Column& out, const KernelContext& context) {
  return cast_value(row.column(0), row.row(), out, context.zone, true);
}

// Casts that DuckDB does exactly as Spark.
bool is_native(const Type& from, const Type& to) {
  if (from.kind == Kind::kVoid) return true;
  if (from.is_integer() && to.is_integer()) return from.kind < to.kind;
  if (from.is_integer() && to.kind == Kind::kDouble) return true;
  if (from.is_integer() && to.kind == Kind::kString) return true;
  if (from.kind == Kind::kFloat && to.kind == Kind::kDouble) return true;
  if (from.kind == Kind::kDecimal && to.kind == Kind::kDecimal) {
    return to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
  }
  if (from.is_integer() && to.kind == Kind::kDecimal) return value::can_widen(from, to);
  return false;
}

}  // namespace

Result<std::string> render_cast(const std::string& operand, const Type& from, const Type& to,
                                bool try_cast, RenderContext& context) {
  if (from == to) return operand;
  if (is_native(from, to)) return fmt::format("CAST({} AS {})", operand, duck_type(to));
  return call_kernel(try_cast ? "try_cast" : "cast", try_cast ? try_cast_row : cast_row, kStrict,
                     {operand}, {from}, to, context);
}

}  // namespace lakebed::engine::duck
