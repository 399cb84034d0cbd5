#include "engine/duck/functions/calendar.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <cctype>
#include <mutex>
#include <unordered_map>

namespace lakebed::engine::duck {

int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = floor_div(year, 400);
  const int64_t of_era = year - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

Day civil_from_days(int64_t days) {
  days += 719'468;
  const int64_t era = floor_div(days, 146'097);
  const int64_t of_era = days - era * 146'097;
  const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * of_year + 2) / 153;
  Day out;
  out.day = static_cast<int>(of_year - (153 * shifted + 2) / 5 + 1);
  out.month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
  return out;
}

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int64_t year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::optional<int64_t> checked_days(int64_t year, int month, int day) {
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_from_civil(year, month, day);
}

int64_t add_months(int64_t days, int64_t months) {
  const Day day = civil_from_days(days);
  const int64_t all = day.year * 12 + day.month - 1 + months;
  const int64_t year = floor_div(all, 12);
  const int month = static_cast<int>(floor_mod(all, 12)) + 1;
  return days_from_civil(year, month, std::min(day.day, days_in_month(year, month)));
}

int iso_weekday(int64_t days) { return static_cast<int>(floor_mod(days + 3, 7)) + 1; }

int iso_week(int64_t days) {
  // The week belongs to the year of its Thursday.
  const int64_t thursday = days - (iso_weekday(days) - 4);
  const int64_t first = days_from_civil(civil_from_days(thursday).year, 1, 1);
  return static_cast<int>((thursday - first) / 7) + 1;
}

// --- zones ---------------------------------------------------------------------------------------

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "+hh:mm[:ss]", "+h", "+hhmm": seconds.
std::optional<int64_t> fixed_offset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  int64_t parts[3] = {0, 0, 0};
  size_t part = 0;
  size_t digits = 0;
  for (const char c : text.substr(1)) {
    if (c == ':') {
      if (digits == 0 || ++part > 2) return std::nullopt;
      digits = 0;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    if (digits == 2 && ++part <= 2) digits = 0;
    if (part > 2) return std::nullopt;
    parts[part] = parts[part] * 10 + (c - '0');
    ++digits;
  }
  if (digits == 0 || parts[0] > 18 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  const int64_t out = parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (out > 18 * 3600) return std::nullopt;
  return sign * out;
}

struct Zone {
  std::optional<int64_t> fixed;
  const date::time_zone* named = nullptr;
};

std::optional<Zone> make_zone(const std::string& name) {
  Zone out;
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") {
    out.fixed = 0;
    return out;
  }
  std::string_view rest = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (!rest.starts_with(prefix)) continue;
    rest.remove_prefix(prefix.size());
    break;
  }
  out.fixed = fixed_offset(rest);
  if (out.fixed) return out;
  try {
    out.named = date::locate_zone(name);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return out;
}

std::optional<Zone> find_zone(const std::string& name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::optional<Zone>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  return known.emplace(name, make_zone(name)).first->second;
}

using Instant = date::sys_time<std::chrono::seconds>;

int64_t offset_at(const Zone& zone, int64_t instant_us) {
  if (zone.fixed) return *zone.fixed;
  const Instant at{std::chrono::seconds(floor_div(instant_us, kMicrosPerSecond))};
  return zone.named->get_info(at).offset.count();
}

}  // namespace

bool known_zone(const std::string& zone) { return find_zone(zone).has_value(); }

std::optional<int64_t> zone_offset(int64_t instant_us, const std::string& zone) {
  const auto found = find_zone(zone);
  if (!found) return std::nullopt;
  return offset_at(*found, instant_us);
}

std::optional<int64_t> to_local(int64_t instant_us, const std::string& zone) {
  const auto offset = zone_offset(instant_us, zone);
  if (!offset) return std::nullopt;
  return instant_us + *offset * kMicrosPerSecond;
}

std::optional<int64_t> to_instant(int64_t local_us, const std::string& zone) {
  const auto found = find_zone(zone);
  if (!found) return std::nullopt;
  if (found->fixed) return local_us - *found->fixed * kMicrosPerSecond;
  const date::local_seconds at{std::chrono::seconds(floor_div(local_us, kMicrosPerSecond))};
  // In a gap the offset before it moves the clock forward; in an overlap it is the earlier instant.
  const auto info = found->named->get_info(at);
  return local_us - info.first.offset.count() * kMicrosPerSecond;
}

std::string zone_short_name(int64_t instant_us, const std::string& zone) {
  const auto found = find_zone(zone);
  if (!found || found->fixed) return zone;
  const Instant at{std::chrono::seconds(floor_div(instant_us, kMicrosPerSecond))};
  return found->named->get_info(at).abbrev;
}

// --- text ----------------------------------------------------------------------------------------

std::string date_text(int64_t days) {
  const Day day = civil_from_days(days);
  if (day.year > 9999) return fmt::format("+{}-{:02}-{:02}", day.year, day.month, day.day);
  if (day.year < 0) return fmt::format("-{:04}-{:02}-{:02}", -day.year, day.month, day.day);
  return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

std::string local_timestamp_text(int64_t local_us) {
  const int64_t days = floor_div(local_us, kMicrosPerDay);
  const int64_t rest = floor_mod(local_us, kMicrosPerDay);
  const int64_t seconds = rest / kMicrosPerSecond;
  std::string out = fmt::format("{} {:02}:{:02}:{:02}", date_text(days), seconds / 3600,
                                seconds / 60 % 60, seconds % 60);
  const int64_t fraction = rest % kMicrosPerSecond;
  if (fraction == 0) return out;
  out += fmt::format(".{:06}", fraction);
  while (out.back() == '0') out.pop_back();
  return out;
}

namespace {

// Reads a run of digits of `least` to `most` characters.
std::optional<int64_t> digits(std::string_view text, size_t& at, size_t least, size_t most) {
  int64_t out = 0;
  size_t count = 0;
  while (at < text.size() && is_digit(text[at]) && count < most) {
    out = out * 10 + (text[at++] - '0');
    ++count;
  }
  if (count < least || (at < text.size() && is_digit(text[at]))) return std::nullopt;
  return out;
}

// [+-]yyyy[-[m]m[-[d]d]]; leaves `at` behind it.
std::optional<int64_t> date_part(std::string_view text, size_t& at, bool& whole) {
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  auto year = digits(text, at, 4, 7);
  if (!year) return std::nullopt;
  int64_t month = 1, day = 1;
  whole = false;
  if (at < text.size() && text[at] == '-') {
    auto found = digits(text, ++at, 1, 2);
    if (!found) return std::nullopt;
    month = *found;
    if (at < text.size() && text[at] == '-') {
      found = digits(text, ++at, 1, 2);
      if (!found) return std::nullopt;
      day = *found;
      whole = true;
    }
  }
  return checked_days(negative ? -*year : *year, static_cast<int>(month), static_cast<int>(day));
}

// .ffffff, up to nine digits, more than six are cut.
std::optional<int64_t> fraction_part(std::string_view text, size_t& at) {
  int64_t out = 0;
  size_t count = 0;
  while (at < text.size() && is_digit(text[at])) {
    if (count < 6) out = out * 10 + (text[at] - '0');
    ++count;
    ++at;
  }
  for (size_t i = count; i < 6; ++i) out *= 10;
  return out;
}

// [h]h:[m]m[:[s]s[.f]]; microseconds.
std::optional<int64_t> time_part(std::string_view text, size_t& at) {
  auto hour = digits(text, at, 1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int64_t minute = 0, second = 0, fraction = 0;
  if (at < text.size() && text[at] == ':') {
    auto found = digits(text, ++at, 1, 2);
    if (!found || *found > 59) return std::nullopt;
    minute = *found;
    if (at < text.size() && text[at] == ':') {
      found = digits(text, ++at, 1, 2);
      if (!found || *found > 59) return std::nullopt;
      second = *found;
      if (at < text.size() && text[at] == '.') fraction = *fraction_part(text, ++at);
    }
  }
  return ((*hour * 60 + minute) * 60 + second) * kMicrosPerSecond + fraction;
}

}  // namespace

std::optional<int64_t> parse_date(std::string_view text) {
  size_t at = 0;
  bool whole = false;
  auto days = date_part(text, at, whole);
  if (!days) return std::nullopt;
  if (at == text.size()) return days;
  if (whole && (text[at] == ' ' || text[at] == 'T')) return days;
  return std::nullopt;
}

std::optional<ParsedTimestamp> parse_timestamp(std::string_view text) {
  size_t at = 0;
  bool whole = false;
  auto days = date_part(text, at, whole);
  if (!days) return std::nullopt;
  ParsedTimestamp out;
  out.local_us = *days * kMicrosPerDay;
  if (at == text.size()) return out;
  if (!whole || (text[at] != ' ' && text[at] != 'T')) return std::nullopt;
  if (++at == text.size()) return out;
  auto time = time_part(text, at);
  if (!time) return std::nullopt;
  out.local_us += *time;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at == text.size()) return out;
  out.zone = std::string(text.substr(at));
  if (!known_zone(*out.zone)) return std::nullopt;
  return out;
}

}  // namespace lakebed::engine::duck
