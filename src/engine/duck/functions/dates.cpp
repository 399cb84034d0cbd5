// Dates, timestamps and intervals, patterns aside.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "base/names.h"
#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

namespace {

Error overflow(std::string_view what) {
  return update_error("ARITHMETIC_OVERFLOW", fmt::format("{} is out of range.", what));
}

// The wall clock of argument k: of a DATE, TIMESTAMP or TIMESTAMP_NTZ.
int64_t local_of(const Row& row, size_t k, const KernelContext& context) {
  const int64_t item = row.integer(k);
  switch (context.types[k].kind) {
    case Kind::kDate: return item * kMicrosPerDay;
    case Kind::kTimestamp: return to_local(item, context.zone).value_or(item);
    default: return item;
  }
}

// Appends a wall clock as the type of `out`.
void append_local(Column& out, int64_t local, const KernelContext& context) {
  switch (out.type().kind) {
    case Kind::kDate: out.append_integer(floor_div(local, kMicrosPerDay)); break;
    case Kind::kTimestamp:
      out.append_integer(to_instant(local, context.zone).value_or(local));
      break;
    default: out.append_integer(local);
  }
}

// --- fields --------------------------------------------------------------------------------------

enum class Field : uint8_t {
  kYear,
  kIsoYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfWeek,
  kIsoDay,
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  kWeekday
};

int64_t field_of(Field field, int64_t local) {
  const int64_t days = floor_div(local, kMicrosPerDay);
  const int64_t seconds = floor_mod(local, kMicrosPerDay) / kMicrosPerSecond;
  const Day day = civil_from_days(days);
  switch (field) {
    case Field::kYear: return day.year;
    case Field::kIsoYear: return civil_from_days(days - (iso_weekday(days) - 4)).year;
    case Field::kQuarter: return (day.month + 2) / 3;
    case Field::kMonth: return day.month;
    case Field::kWeek: return iso_week(days);
    case Field::kDay: return day.day;
    case Field::kDayOfWeek: return iso_weekday(days) % 7 + 1;
    case Field::kIsoDay: return iso_weekday(days);
    case Field::kWeekday: return iso_weekday(days) - 1;
    case Field::kDayOfYear: return days - days_from_civil(day.year, 1, 1) + 1;
    case Field::kHour: return seconds / 3600;
    case Field::kMinute: return seconds / 60 % 60;
    default: return seconds % 60;
  }
}

template <Field field>
Status field_row(const Row& row, Column& out, const KernelContext& context) {
  out.append_integer(field_of(field, local_of(row, 0, context)));
  return {};
}

const std::map<std::string, Field>& field_names() {
  static const std::map<std::string, Field> names = {{"year", Field::kYear},
                                                     {"y", Field::kYear},
                                                     {"years", Field::kYear},
                                                     {"yr", Field::kYear},
                                                     {"yrs", Field::kYear},
                                                     {"yearofweek", Field::kIsoYear},
                                                     {"quarter", Field::kQuarter},
                                                     {"qtr", Field::kQuarter},
                                                     {"month", Field::kMonth},
                                                     {"mon", Field::kMonth},
                                                     {"mons", Field::kMonth},
                                                     {"months", Field::kMonth},
                                                     {"week", Field::kWeek},
                                                     {"w", Field::kWeek},
                                                     {"weeks", Field::kWeek},
                                                     {"day", Field::kDay},
                                                     {"d", Field::kDay},
                                                     {"days", Field::kDay},
                                                     {"dayofweek", Field::kDayOfWeek},
                                                     {"dow", Field::kDayOfWeek},
                                                     {"dayofweek_iso", Field::kIsoDay},
                                                     {"dow_iso", Field::kIsoDay},
                                                     {"doy", Field::kDayOfYear},
                                                     {"hour", Field::kHour},
                                                     {"h", Field::kHour},
                                                     {"hours", Field::kHour},
                                                     {"hr", Field::kHour},
                                                     {"hrs", Field::kHour},
                                                     {"minute", Field::kMinute},
                                                     {"m", Field::kMinute},
                                                     {"min", Field::kMinute},
                                                     {"mins", Field::kMinute},
                                                     {"minutes", Field::kMinute},
                                                     {"second", Field::kSecond},
                                                     {"s", Field::kSecond},
                                                     {"sec", Field::kSecond},
                                                     {"seconds", Field::kSecond},
                                                     {"secs", Field::kSecond}};
  return names;
}

Error bad_field(const Row& row) {
  return update_error("INVALID_EXTRACT_FIELD",
                      fmt::format("'{}' is no field of a date or timestamp.", row.text(0)));
}

Status extract_interval(const Row& row, Field field, Column& out, Kind kind) {
  const int64_t item = row.integer(1);
  if (kind == Kind::kIntervalYearMonth) {
    if (field == Field::kYear)
      out.append_integer(item / 12);
    else if (field == Field::kMonth)
      out.append_integer(item % 12);
    else
      return bad_field(row);
    return {};
  }
  const int64_t seconds = item / kMicrosPerSecond;
  if (field == Field::kDay)
    out.append_integer(item / kMicrosPerDay);
  else if (field == Field::kHour)
    out.append_integer(seconds / 3600 % 24);
  else if (field == Field::kMinute)
    out.append_integer(seconds / 60 % 60);
  else if (field == Field::kSecond)
    out.append_decimal(item % (60 * kMicrosPerSecond));
  else
    return bad_field(row);
  return {};
}

Status extract_row(const Row& row, Column& out, const KernelContext& context) {
  const auto found = field_names().find(fold_case(row.text(0)));
  if (found == field_names().end()) return bad_field(row);
  const Kind kind = context.types[1].kind;
  if (kind == Kind::kIntervalYearMonth || kind == Kind::kIntervalDayTime) {
    return extract_interval(row, found->second, out, kind);
  }
  const int64_t local = local_of(row, 1, context);
  if (found->second == Field::kSecond) {
    out.append_decimal(floor_mod(local, 60 * kMicrosPerSecond));
  } else {
    out.append_integer(field_of(found->second, local));
  }
  return {};
}

template <bool month>
Status name_row(const Row& row, Column& out, const KernelContext&) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu",
                                                            "Fri", "Sat", "Sun"};
  const int64_t days = row.integer(0);
  if (month)
    out.append_bytes(kMonths[static_cast<size_t>(civil_from_days(days).month - 1)]);
  else
    out.append_bytes(kDays[static_cast<size_t>(iso_weekday(days) - 1)]);
  return {};
}

// --- moving --------------------------------------------------------------------------------------

template <int sign>
Status date_add_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t days = row.integer(0) + sign * row.integer(1);
  if (days < INT32_MIN || days > INT32_MAX) return overflow("The date");
  out.append_integer(days);
  return {};
}

Status add_months_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(add_months(row.integer(0), row.integer(1)));
  return {};
}

Status last_day_row(const Row& row, Column& out, const KernelContext&) {
  const Day day = civil_from_days(row.integer(0));
  out.append_integer(days_from_civil(day.year, day.month, days_in_month(day.year, day.month)));
  return {};
}

int weekday_named(std::string_view name) {
  static const std::map<std::string, int> names = {
      {"mo", 1}, {"mon", 1}, {"monday", 1},    {"tu", 2}, {"tue", 2}, {"tuesday", 2},
      {"we", 3}, {"wed", 3}, {"wednesday", 3}, {"th", 4}, {"thu", 4}, {"thursday", 4},
      {"fr", 5}, {"fri", 5}, {"friday", 5},    {"sa", 6}, {"sat", 6}, {"saturday", 6},
      {"su", 7}, {"sun", 7}, {"sunday", 7}};
  const auto found = names.find(fold_case(name));
  return found == names.end() ? 0 : found->second;
}

Status next_day_row(const Row& row, Column& out, const KernelContext&) {
  const int wanted = weekday_named(row.text(1));
  if (wanted == 0) {
    return update_error("ILLEGAL_DAY_OF_WEEK",
                        fmt::format("'{}' is no day of the week.", row.text(1)));
  }
  const int64_t days = row.integer(0);
  const int ahead = (wanted - iso_weekday(days) + 6) % 7 + 1;
  out.append_integer(days + ahead);
  return {};
}

// The start of a period of dates; nothing for another unit.
std::optional<int64_t> start_of(std::string_view unit, int64_t days) {
  const Day day = civil_from_days(days);
  if (unit == "year" || unit == "yyyy" || unit == "yy") return days_from_civil(day.year, 1, 1);
  if (unit == "quarter") return days_from_civil(day.year, (day.month - 1) / 3 * 3 + 1, 1);
  if (unit == "month" || unit == "mon" || unit == "mm") {
    return days_from_civil(day.year, day.month, 1);
  }
  if (unit == "week") return days - (iso_weekday(days) - 1);
  return std::nullopt;
}

Status trunc_row(const Row& row, Column& out, const KernelContext&) {
  const auto start = start_of(fold_case(row.text(1)), row.integer(0));
  if (start)
    out.append_integer(*start);
  else
    out.append_null();
  return {};
}

Status date_trunc_row(const Row& row, Column& out, const KernelContext& context) {
  const std::string unit = fold_case(row.text(0));
  const int64_t local = local_of(row, 1, context);
  int64_t step = 0;
  if (unit == "microsecond") step = 1;
  if (unit == "millisecond") step = 1000;
  if (unit == "second") step = kMicrosPerSecond;
  if (unit == "minute") step = 60 * kMicrosPerSecond;
  if (unit == "hour") step = 3600 * kMicrosPerSecond;
  if (unit == "day" || unit == "dd") step = kMicrosPerDay;
  const auto start = start_of(unit, floor_div(local, kMicrosPerDay));
  // Parts of a day are cut from the instant, so that an hour that comes twice stays the one it is.
  if (step != 0 && step < kMicrosPerDay)
    out.append_integer(row.integer(1) - floor_mod(local, step));
  else if (step != 0)
    append_local(out, floor_div(local, step) * step, context);
  else if (start)
    append_local(out, *start * kMicrosPerDay, context);
  else
    out.append_null();
  return {};
}

// --- units ---------------------------------------------------------------------------------------

struct Unit {
  int64_t months = 0;
  int64_t days = 0;
  int64_t micros = 0;
};

std::optional<Unit> unit_named(std::string_view name) {
  static const std::map<std::string, Unit> units = {{"year", {12, 0, 0}},
                                                    {"quarter", {3, 0, 0}},
                                                    {"month", {1, 0, 0}},
                                                    {"week", {0, 7, 0}},
                                                    {"day", {0, 1, 0}},
                                                    {"dayofyear", {0, 1, 0}},
                                                    {"hour", {0, 0, 3600 * kMicrosPerSecond}},
                                                    {"minute", {0, 0, 60 * kMicrosPerSecond}},
                                                    {"second", {0, 0, kMicrosPerSecond}},
                                                    {"millisecond", {0, 0, 1000}},
                                                    {"microsecond", {0, 0, 1}}};
  const auto found = units.find(fold_case(name));
  if (found == units.end()) return std::nullopt;
  return found->second;
}

Error bad_unit(std::string_view name) {
  return update_error("INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                      fmt::format("'{}' is no unit of time.", name));
}

Status timestampadd_row(const Row& row, Column& out, const KernelContext& context) {
  const auto unit = unit_named(row.text(0));
  if (!unit) return bad_unit(row.text(0));
  const int64_t count = row.integer(1);
  if (unit->micros != 0) {
    int64_t step = 0, moved = 0;
    if (__builtin_mul_overflow(count, unit->micros, &step) ||
        __builtin_add_overflow(row.integer(2), step, &moved)) {
      return update_error("DATETIME_OVERFLOW", "The timestamp is out of range.");
    }
    out.append_integer(moved);
    return {};
  }
  const int64_t local = local_of(row, 2, context);
  int64_t days = floor_div(local, kMicrosPerDay);
  days = unit->months != 0 ? add_months(days, count * unit->months) : days + count * unit->days;
  append_local(out, days * kMicrosPerDay + floor_mod(local, kMicrosPerDay), context);
  return {};
}

// Whole months from one wall clock to another, towards zero.
int64_t whole_months(int64_t from, int64_t to) {
  // As java.time: whole days first, then months by the day of the month.
  const int64_t start = floor_div(from, kMicrosPerDay);
  int64_t end = floor_div(to, kMicrosPerDay);
  const int64_t rest = floor_mod(to, kMicrosPerDay) - floor_mod(from, kMicrosPerDay);
  if (end > start && rest < 0) --end;
  if (end < start && rest > 0) ++end;
  const Day a = civil_from_days(start), b = civil_from_days(end);
  const int64_t packed_a = (a.year * 12 + a.month - 1) * 32 + a.day;
  const int64_t packed_b = (b.year * 12 + b.month - 1) * 32 + b.day;
  return (packed_b - packed_a) / 32;
}

Status timestampdiff_row(const Row& row, Column& out, const KernelContext& context) {
  const auto unit = unit_named(row.text(0));
  if (!unit) return bad_unit(row.text(0));
  const int64_t from = local_of(row, 1, context), to = local_of(row, 2, context);
  if (unit->micros != 0)
    out.append_integer((to - from) / unit->micros);
  else if (unit->months != 0)
    out.append_integer(whole_months(from, to) / unit->months);
  else
    out.append_integer((to - from) / (unit->days * kMicrosPerDay));
  return {};
}

Status datediff_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(row.integer(0) - row.integer(1));
  return {};
}

Result<std::string> render_dateadd(const RenderedCall& call, RenderContext& context) {
  return render_kernel(call, call.arguments.size() == 2 ? date_add_row<1> : timestampadd_row,
                       kStrict, context);
}
Result<std::string> render_datediff(const RenderedCall& call, RenderContext& context) {
  return render_kernel(call, call.arguments.size() == 2 ? datediff_row : timestampdiff_row, kStrict,
                       context);
}

Status months_between_row(const Row& row, Column& out, const KernelContext& context) {
  const int64_t left = local_of(row, 0, context), right = local_of(row, 1, context);
  const Day a = civil_from_days(floor_div(left, kMicrosPerDay));
  const Day b = civil_from_days(floor_div(right, kMicrosPerDay));
  const auto months = static_cast<double>((a.year - b.year) * 12 + a.month - b.month);
  const bool last =
      a.day == days_in_month(a.year, a.month) && b.day == days_in_month(b.year, b.month);
  if (a.day == b.day || last) {
    append_real(out, months);
    return {};
  }
  const int64_t seconds = floor_mod(left, kMicrosPerDay) / kMicrosPerSecond -
                          floor_mod(right, kMicrosPerDay) / kMicrosPerSecond +
                          (a.day - b.day) * int64_t{86'400};
  const double exact = months + static_cast<double>(seconds) / (31.0 * 86'400.0);
  const bool round = row.count() < 3 || row.boolean(2);
  append_real(out, round ? std::floor(exact * 1e8 + 0.5) / 1e8 : exact);
  return {};
}

// --- making --------------------------------------------------------------------------------------

Error out_of_bounds(std::string_view code, std::string_view what) {
  return update_error(std::string(code), fmt::format("The {} is out of bounds.", what));
}

Result<int64_t> make_days(const Row& row, std::string_view code) {
  const auto days = checked_days(row.integer(0), static_cast<int>(row.integer(1)),
                                 static_cast<int>(row.integer(2)));
  if (!days) return out_of_bounds(code, "day");
  return *days;
}

Status make_date_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(int64_t days, make_days(row, "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION"));
  out.append_integer(days);
  return {};
}

Status make_timestamp_row(const Row& row, Column& out, const KernelContext& context) {
  constexpr std::string_view kCode = "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION";
  LAKEBED_ASSIGN(int64_t days, make_days(row, kCode));
  const int64_t hour = row.integer(3), minute = row.integer(4);
  const auto micros = static_cast<int64_t>(row.column(5).decimal(row.row()));
  if (hour < 0 || hour > 23) return out_of_bounds(kCode, "hour");
  if (minute < 0 || minute > 59) return out_of_bounds(kCode, "minute");
  if (micros > 60 * kMicrosPerSecond && micros < 61 * kMicrosPerSecond) {
    return update_error("INVALID_FRACTION_OF_SECOND", "60 seconds take no fraction.");
  }
  if (micros < 0 || micros > 60 * kMicrosPerSecond) return out_of_bounds(kCode, "second");
  const int64_t local =
      days * kMicrosPerDay + (hour * 60 + minute) * 60 * kMicrosPerSecond + micros;
  if (row.count() < 7) {
    append_local(out, local, context);
    return {};
  }
  const auto instant = to_instant(local, std::string(row.text(6)));
  if (!instant) {
    return update_error("INVALID_TIMEZONE", fmt::format("'{}' is no time zone.", row.text(6)));
  }
  out.append_integer(*instant);
  return {};
}

Status make_ym_row(const Row& row, Column& out, const KernelContext&) {
  int64_t months = row.count() > 0 ? row.integer(0) * 12 : 0;
  if (row.count() > 1) months += row.integer(1);
  if (months < INT32_MIN || months > INT32_MAX) return overflow("The interval");
  out.append_integer(months);
  return {};
}

Status make_dt_row(const Row& row, Column& out, const KernelContext&) {
  Int128 micros = 0;
  const int64_t sizes[3] = {86'400, 3600, 60};
  for (size_t k = 0; k < 3 && k < row.count(); ++k) {
    micros += Int128{row.integer(k)} * sizes[k] * kMicrosPerSecond;
  }
  if (row.count() > 3) micros += row.column(3).decimal(row.row());
  if (micros > INT64_MAX || micros < INT64_MIN) return overflow("The interval");
  out.append_integer(static_cast<int64_t>(micros));
  return {};
}

template <int64_t unit>
Status from_units_row(const Row& row, Column& out, const KernelContext& context) {
  if (context.types[0].is_integer()) {
    int64_t micros = 0;
    if (__builtin_mul_overflow(row.integer(0), unit, &micros)) {
      return update_error("DATETIME_OVERFLOW", "The timestamp is out of range.");
    }
    out.append_integer(micros);
    return {};
  }
  if (context.types[0].kind == Kind::kDecimal) {
    const int scale = context.types[0].scale;
    const auto micros = rescale(row.column(0).decimal(row.row()), scale, 6, Rounding::kDown);
    if (!micros || *micros > INT64_MAX || *micros < INT64_MIN) return overflow("The timestamp");
    if (scale > 6 &&
        rescale(*micros, 6, scale, Rounding::kDown) != row.column(0).decimal(row.row())) {
      return update_error("INEXACT_TIMESTAMP", "The seconds have more than six decimals.");
    }
    out.append_integer(static_cast<int64_t>(*micros));
    return {};
  }
  if (!std::isfinite(row.real(0)))
    out.append_null();
  else
    out.append_integer(static_cast<int64_t>(row.real(0) * 1e6));
  return {};
}

template <int64_t unit>
Status to_units_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(floor_div(row.integer(0), unit));
  return {};
}

Status same_integer_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(row.integer(0));
  return {};
}

// --- windows
// --------------------------------------------------------------------------------------

// "10 minutes", "1 hour 30 minutes": microseconds.
std::optional<int64_t> duration_of(std::string_view text) {
  int64_t out = 0;
  size_t at = 0;
  const auto skip = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  skip();
  if (fold_case(text.substr(at, 9)) == "interval ") at += 9;
  while (at < text.size()) {
    skip();
    size_t start = at;
    while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0)) ++at;
    if (at == start || at - start > 12) return std::nullopt;
    const int64_t count = std::stoll(std::string(text.substr(start, at - start)));
    skip();
    start = at;
    while (at < text.size() && (std::isalpha(static_cast<unsigned char>(text[at])) != 0)) ++at;
    std::string name = fold_case(text.substr(start, at - start));
    if (name.ends_with('s')) name.pop_back();
    const auto unit = unit_named(name);
    if (!unit || unit->months != 0) return std::nullopt;
    out += count * (unit->micros + unit->days * kMicrosPerDay);
    skip();
  }
  return out;
}

Status window_row(const Row& row, Column& out, const KernelContext&) {
  const auto width = duration_of(row.text(1));
  const auto start = row.count() > 3 ? duration_of(row.text(3)) : std::optional<int64_t>(0);
  if (!width || *width <= 0 || !start) {
    return update_error("CANNOT_PARSE_INTERVAL", "The duration of window is no interval.");
  }
  const int64_t item = row.integer(0);
  const int64_t begin = item - floor_mod(item - *start, *width);
  out.raw_children()[0].append_integer(begin);
  out.raw_children()[1].append_integer(begin + *width);
  out.append_struct();
  return {};
}

}  // namespace

std::vector<Rendering> date_renderings() {
  return {
      {"year", field_row<Field::kYear>},
      {"month", field_row<Field::kMonth>},
      {"day dayofmonth", field_row<Field::kDay>},
      {"quarter", field_row<Field::kQuarter>},
      {"dayofweek", field_row<Field::kDayOfWeek>},
      {"weekday", field_row<Field::kWeekday>},
      {"dayofyear", field_row<Field::kDayOfYear>},
      {"weekofyear", field_row<Field::kWeek>},
      {"dayname", name_row<false>},
      {"monthname", name_row<true>},
      {"hour", field_row<Field::kHour>},
      {"minute", field_row<Field::kMinute>},
      {"second", field_row<Field::kSecond>},
      {"extract date_part datepart", extract_row},
      {"date_add", date_add_row<1>},
      {"date_sub", date_add_row<-1>},
      {"dateadd", render_dateadd},
      {"timestampadd", timestampadd_row},
      {"datediff date_diff", render_datediff},
      {"timestampdiff", timestampdiff_row},
      {"add_months", add_months_row},
      {"months_between", months_between_row},
      {"last_day", last_day_row},
      {"next_day", next_day_row},
      {"trunc", trunc_row},
      {"date_trunc", date_trunc_row},
      {"make_date", make_date_row},
      {"make_timestamp make_timestamp_ltz make_timestamp_ntz", make_timestamp_row},
      {"try_make_timestamp", make_timestamp_row, kTried},
      {"make_ym_interval", make_ym_row},
      {"make_dt_interval", make_dt_row},
      {"unix_seconds", to_units_row<kMicrosPerSecond>},
      {"unix_millis", to_units_row<1000>},
      {"unix_micros unix_date date_from_unix_date", same_integer_row},
      {"timestamp_seconds", from_units_row<kMicrosPerSecond>},
      {"timestamp_millis", from_units_row<1000>},
      {"timestamp_micros", from_units_row<1>},
      {"window", window_row},
  };
}

}  // namespace lakebed::engine::duck
