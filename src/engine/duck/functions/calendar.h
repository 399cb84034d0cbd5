// Days, wall clocks and time zones, as java.time has them (proleptic Gregorian calendar).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lakebed::engine::duck {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

struct Day {
  int64_t year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
};

int64_t days_from_civil(int64_t year, int month, int day);
Day civil_from_days(int64_t days);
int days_in_month(int64_t year, int month);
bool is_leap(int64_t year);
// Nothing where there is no such day.
std::optional<int64_t> checked_days(int64_t year, int month, int day);
// The day, or the last of its month, `months` later.
int64_t add_months(int64_t days, int64_t months);
// 1 = Monday ... 7 = Sunday.
int iso_weekday(int64_t days);
int iso_week(int64_t days);

inline int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
inline int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

// An instant as wall clock of a zone, and back: a wall clock that a zone skips moves forward by
// the gap, one that it has twice is the earlier instant (as java.time). Zones: IANA names, "Z",
// "UTC", "+hh:mm" and its shorter forms, "UTC+h", "GMT+h". Nothing for an unknown zone.
std::optional<int64_t> to_local(int64_t instant_us, const std::string& zone);
std::optional<int64_t> to_instant(int64_t local_us, const std::string& zone);
// Offset in seconds at an instant.
std::optional<int64_t> zone_offset(int64_t instant_us, const std::string& zone);
bool known_zone(const std::string& zone);
// The short name at an instant ("UTC", "CET"), for patterns.
std::string zone_short_name(int64_t instant_us, const std::string& zone);

// yyyy-MM-dd, longer years with a sign.
std::string date_text(int64_t days);
// yyyy-MM-dd HH:mm:ss[.ffffff] without trailing zeros.
std::string local_timestamp_text(int64_t local_us);

// Text as Spark's casts read it (blanks around it are dropped by the caller).
std::optional<int64_t> parse_date(std::string_view text);
struct ParsedTimestamp {
  int64_t local_us = 0;
  std::optional<std::string> zone;  // as written in the text
};
std::optional<ParsedTimestamp> parse_timestamp(std::string_view text);

}  // namespace lakebed::engine::duck
