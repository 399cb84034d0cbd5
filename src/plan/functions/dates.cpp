// Dates, timestamps and intervals.
#include <fmt/core.h>

#include <set>
#include <string_view>

#include "base/names.h"
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

bool is_moment(const Type& type) {
  return type.kind == Kind::kDate || type.kind == Kind::kTimestamp ||
         type.kind == Kind::kTimestampNtz;
}

bool is_field(std::string_view name) {
  static const std::set<std::string_view> names = {
      "year",    "y",      "years",     "yr",     "yrs",           "yearofweek", "quarter", "qtr",
      "month",   "mon",    "mons",      "months", "week",          "w",          "weeks",   "day",
      "d",       "days",   "dayofweek", "dow",    "dayofweek_iso", "dow_iso",    "doy",     "hour",
      "h",       "hours",  "hr",        "hrs",    "minute",        "m",          "min",     "mins",
      "minutes", "second", "s",         "sec",    "seconds",       "secs"};
  return names.contains(name);
}

// extract('field', x): INT, but DECIMAL(8,6) for seconds and BIGINT for days of an interval.
Result<Signature> type_extract(const CallShape& call) {
  auto field = literal_text(call, 0);
  if (!field) return mismatch(call, "NON_FOLDABLE_INPUT", "The field must be a literal.");
  const std::string name = fold_case(*field);
  if (!is_field(name)) {
    return project_error("INVALID_EXTRACT_FIELD",
                         fmt::format("'{}' is no field of a date or timestamp.", *field),
                         call.arguments[0]->span);
  }
  Type own = type_of(call, 1);
  if (own.kind == Kind::kString || own.kind == Kind::kVoid) own = Type(Kind::kTimestamp);
  const bool interval = own.kind == Kind::kIntervalDayTime || own.kind == Kind::kIntervalYearMonth;
  if (!is_moment(own) && !interval) return unexpected_type(call, 1, "a date or a timestamp");
  Signature out{{Type(Kind::kString), own}, Type(Kind::kInt), true};
  const bool second =
      name == "second" || name == "s" || name == "sec" || name == "seconds" || name == "secs";
  if (own.kind == Kind::kDate && second) out.arguments[1] = Type(Kind::kTimestamp);
  if (second) out.result = Type::decimal(8, 6);
  if (own.kind == Kind::kIntervalDayTime && (name == "hour" || name == "minute")) {
    out.result = Type(Kind::kByte);
  }
  if (own.kind == Kind::kIntervalYearMonth && name == "month") out.result = Type(Kind::kByte);
  return out;
}

// timestampadd('unit', n, moment), dateadd likewise; two arguments: date_add.
Result<Signature> type_dateadd(const CallShape& call) {
  if (call.arguments.size() == 2) {
    return Signature{{Type(Kind::kDate), Type(Kind::kInt)}, Type(Kind::kDate), true};
  }
  Type own = type_of(call, 2);
  if (own.kind != Kind::kTimestampNtz) own = Type(Kind::kTimestamp);
  return Signature{{Type(Kind::kString), Type(Kind::kLong), own}, own, true};
}

Result<Signature> type_datediff(const CallShape& call) {
  if (call.arguments.size() == 2) {
    return Signature{{Type(Kind::kDate), Type(Kind::kDate)}, Type(Kind::kInt), true};
  }
  const Type moment(Kind::kTimestamp);
  return Signature{{Type(Kind::kString), moment, moment}, Type(Kind::kLong), true};
}

// window(time, duration [, slide [, start]]): STRUCT<start, end>. Spark makes rows of sliding
// windows; only tumbling ones are one value.
Result<Signature> type_window(const CallShape& call) {
  Type own = type_of(call, 0);
  if (own.kind != Kind::kTimestampNtz) own = Type(Kind::kTimestamp);
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    if (!literal_text(call, i)) {
      return mismatch(call, "NON_FOLDABLE_INPUT", "Durations of window must be literals.");
    }
  }
  if (call.arguments.size() > 2 && literal_text(call, 1) != literal_text(call, 2)) {
    return project_error("FUNCTION_NOT_SUPPORTED.window",
                         "Sliding windows are not built; only tumbling ones are.", call.span);
  }
  Signature out{
      {own}, Type::structure({{"start", own, true, "", {}}, {"end", own, true, "", {}}}), true};
  out.arguments.resize(call.arguments.size(), Type(Kind::kString));
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  return out;
}

constexpr const char* kTimeOfDay = "timestamp -> int | timestamp_ntz -> int";

}  // namespace

void append_dates(std::vector<Function>& out) {
  append_family(
      out, FunctionKind::kScalar,
      {
          {"year", "date -> int"},
          {"month", "date -> int"},
          {"day dayofmonth", "date -> int"},
          {"quarter", "date -> int"},
          {"dayofweek", "date -> int"},
          {"weekday", "date -> int"},
          {"dayofyear", "date -> int"},
          {"weekofyear", "date -> int"},
          {"dayname", "date -> string"},
          {"monthname", "date -> string"},
          {"hour", kTimeOfDay},
          {"minute", kTimeOfDay},
          {"second", kTimeOfDay},
          rule("extract date_part datepart", type_extract, 2, 2),
          {"date_add", "date, int -> date"},
          {"date_sub", "date, int -> date"},
          rule("dateadd", type_dateadd, 2, 3),
          rule("timestampadd", type_dateadd, 3, 3),
          rule("datediff date_diff", type_datediff, 2, 3),
          rule("timestampdiff", type_datediff, 3, 3),
          {"add_months", "date, int -> date"},
          {"months_between", "timestamp, timestamp, boolean? -> double"},
          {"last_day", "date -> date"},
          {"next_day", "date, string -> date"},
          {"trunc", "date, string -> date"},
          {"date_trunc", "string, timestamp -> timestamp"},
          {"make_date", "int, int, int -> date"},
          {"make_timestamp", "int, int, int, int, int, decimal(16,6), string? -> timestamp"},
          {"try_make_timestamp", "int, int, int, int, int, decimal(16,6), string? -> timestamp"},
          {"make_timestamp_ltz", "int, int, int, int, int, decimal(16,6), string? -> timestamp"},
          {"make_timestamp_ntz", "int, int, int, int, int, decimal(16,6) -> timestamp_ntz"},
          {"make_ym_interval", "int?, int? -> interval_ym"},
          {"make_dt_interval", "int?, int?, int?, decimal(18,6)? -> interval_dt"},
          {"date_format", "timestamp, string -> string"},
          {"to_date", "any, string? -> date"},
          {"try_to_date", "any, string? -> date"},
          {"to_timestamp", "any, string? -> timestamp"},
          {"to_timestamp_ltz", "any, string? -> timestamp"},
          {"to_timestamp_ntz", "any, string? -> timestamp_ntz"},
          {"try_to_timestamp", "any, string? -> timestamp"},
          {"unix_timestamp to_unix_timestamp", "any, string? -> bigint"},
          {"from_unixtime", "bigint, string? -> string"},
          {"unix_seconds", "timestamp -> bigint"},
          {"unix_millis", "timestamp -> bigint"},
          {"unix_micros", "timestamp -> bigint"},
          {"unix_date", "date -> int"},
          {"date_from_unix_date", "int -> date"},
          {"timestamp_seconds", "num -> timestamp"},
          {"timestamp_millis", "bigint -> timestamp"},
          {"timestamp_micros", "bigint -> timestamp"},
          {"from_utc_timestamp", "timestamp, string -> timestamp"},
          {"to_utc_timestamp", "timestamp, string -> timestamp"},
          {"convert_timezone",
           "string, string, timestamp_ntz -> timestamp_ntz | string, timestamp_ntz -> "
           "timestamp_ntz"},
          rule("window", type_window, 2, 4),
          {"session_window", nullptr,
           "Its windows depend on rows that come later; group by a tumbling window().",
           FunctionSupport::kRefused},
          {"window_time", nullptr, "Take window.end - INTERVAL 1 MICROSECOND.",
           FunctionSupport::kRefused},
      });
}

}  // namespace lakebed::plan::functions
