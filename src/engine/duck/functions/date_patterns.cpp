// Functions that read or write times by a pattern.
#include <fmt/format.h>

#include <unordered_map>

#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/date_pattern.h"
#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

namespace {

// Patterns are nearly always constant: the last one of a thread is kept.
Result<const DatePattern*> pattern_of(std::string_view text) {
  thread_local std::unordered_map<std::string, DatePattern> known;
  const std::string key(text);
  const auto found = known.find(key);
  if (found != known.end()) return &found->second;
  LAKEBED_ASSIGN(DatePattern pattern, DatePattern::compile(text));
  if (known.size() > 64) known.clear();
  return &known.emplace(key, std::move(pattern)).first->second;
}

constexpr std::string_view kDefaultPattern = "yyyy-MM-dd HH:mm:ss";

Error cannot_parse(std::string_view text, std::string_view pattern) {
  return update_error("CANNOT_PARSE_TIMESTAMP",
                      fmt::format("'{}' does not fit the pattern '{}'.", text, pattern));
}

// Argument 0 as an instant (or a wall clock for TIMESTAMP_NTZ) by the pattern in argument 1.
Result<int64_t> parse_by_pattern(const Row& row, bool instant, const KernelContext& context,
                                 std::string_view fallback = {}) {
  const std::string_view text = row.count() > 1 ? row.text(1) : fallback;
  LAKEBED_ASSIGN(const DatePattern* pattern, pattern_of(text));
  const auto parsed = pattern->parse(row.text(0));
  if (!parsed) return cannot_parse(row.text(0), text);
  if (!instant) return parsed->local_us;
  return to_instant(parsed->local_us, parsed->zone.value_or(context.zone))
      .value_or(parsed->local_us);
}

bool is_text(const Row& row) { return row.column(0).type().kind == Kind::kString; }

// to_date, to_timestamp...: by pattern for a string with one, else a cast.
Status to_moment_row(const Row& row, Column& out, const KernelContext& context) {
  const Kind kind = out.type().kind;
  if (row.count() == 1 || !is_text(row)) {
    return cast_value(row.column(0), row.row(), out, context.zone);
  }
  // A DATE is the wall clock's day in the session zone.
  LAKEBED_ASSIGN(int64_t micros, parse_by_pattern(row, kind != Kind::kTimestampNtz, context));
  if (kind == Kind::kDate) {
    micros = to_local(micros, context.zone).value_or(micros);
    out.append_integer(floor_div(micros, kMicrosPerDay));
  } else {
    out.append_integer(micros);
  }
  return {};
}

Status unix_timestamp_row(const Row& row, Column& out, const KernelContext& context) {
  int64_t micros = 0;
  if (is_text(row)) {
    LAKEBED_ASSIGN(micros, parse_by_pattern(row, true, context, kDefaultPattern));
  } else {
    Column moment{Type(Kind::kTimestamp)};
    LAKEBED_TRY(cast_value(row.column(0), row.row(), moment, context.zone));
    micros = moment.integer(0);
  }
  // Towards zero, other than unix_seconds.
  out.append_integer(micros / kMicrosPerSecond);
  return {};
}

Status format_instant(int64_t micros, std::string_view text, Column& out,
                      const KernelContext& context) {
  LAKEBED_ASSIGN(const DatePattern* pattern, pattern_of(text));
  const int64_t local = to_local(micros, context.zone).value_or(micros);
  out.append_bytes(pattern->format(local, micros, context.zone));
  return {};
}

Status date_format_row(const Row& row, Column& out, const KernelContext& context) {
  return format_instant(row.integer(0), row.text(1), out, context);
}

Status from_unixtime_row(const Row& row, Column& out, const KernelContext& context) {
  int64_t micros = 0;
  if (__builtin_mul_overflow(row.integer(0), kMicrosPerSecond, &micros)) {
    return update_error("ARITHMETIC_OVERFLOW", "The time is out of range.");
  }
  return format_instant(micros, row.count() > 1 ? row.text(1) : kDefaultPattern, out, context);
}

}  // namespace

std::vector<Rendering> date_pattern_renderings() {
  return {
      {"date_format", date_format_row},
      {"from_unixtime", from_unixtime_row},
      {"to_date", to_moment_row},
      {"try_to_date", to_moment_row, kTried},
      {"to_timestamp to_timestamp_ltz to_timestamp_ntz", to_moment_row},
      {"try_to_timestamp", to_moment_row, kTried},
      {"unix_timestamp to_unix_timestamp", unix_timestamp_row},
  };
}

}  // namespace lakebed::engine::duck
