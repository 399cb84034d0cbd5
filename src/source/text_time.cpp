#include "source/text_time.h"

#include <date/tz.h>
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace lakebed::source {

namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return static_cast<uint8_t>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Takes `least` to `most` digits off the front.
bool take_number(std::string_view& text, size_t least, size_t most, int64_t& out) {
  size_t count = 0;
  out = 0;
  while (count < text.size() && count < most && is_digit(text[count])) {
    out = out * 10 + (text[count++] - '0');
  }
  if (count < least || (count < text.size() && is_digit(text[count]))) return false;
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// Takes yyyy[-M[-d]]; `whole` is set where a day was written.
bool take_date(std::string_view& text, size_t year_digits_most, int32_t& days, bool& whole) {
  int64_t sign = 1;
  if (take(text, '-'))
    sign = -1;
  else
    take(text, '+');
  int64_t year;
  int64_t month = 1;
  int64_t day = 1;
  if (!take_number(text, 4, year_digits_most, year)) return false;
  whole = false;
  if (take(text, '-')) {
    if (!take_number(text, 1, 2, month)) return false;
    if (take(text, '-')) {
      if (!take_number(text, 1, 2, day)) return false;
      whole = true;
    }
  }
  return civil_days(sign * year, static_cast<int>(month), static_cast<int>(day), days);
}

// Takes H:m[:s[.ffffff...]]; digits beyond the microsecond are cut off.
bool take_time(std::string_view& text, int64_t& micros) {
  int64_t hour;
  int64_t minute;
  int64_t second = 0;
  int64_t fraction = 0;
  if (!take_number(text, 1, 2, hour) || !take(text, ':') || !take_number(text, 1, 2, minute)) {
    return false;
  }
  if (take(text, ':')) {
    if (!take_number(text, 1, 2, second)) return false;
    if (take(text, '.')) {
      int64_t unit = kSecond / 10;
      for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), unit /= 10) {
        fraction += (text[0] - '0') * unit;
      }
    }
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  micros = ((hour * 60 + minute) * 60 + second) * kSecond + fraction;
  return true;
}

struct ParsedTimestamp {
  int64_t local_us = 0;
  std::string_view zone;  // empty: none was written
};

bool parse_cast(std::string_view text, ParsedTimestamp& out) {
  text = trim(text);
  int32_t days;
  bool whole;
  if (!take_date(text, 6, days, whole)) return false;
  out.local_us = days * kDay;
  if (text.empty()) return true;
  if (!whole || !(take(text, 'T') || take(text, ' '))) return false;
  if (text.empty()) return false;
  int64_t micros;
  if (!take_time(text, micros)) return false;
  out.local_us += micros;
  out.zone = trim(text);
  return true;
}

// "+2", "+02", "+02:00", "+0200", "+02:00:00" in microseconds.
bool parse_offset(std::string_view text, int64_t& out) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const bool compact = text.size() > 2 && text.find(':') == std::string_view::npos;
  int64_t parts[3] = {0, 0, 0};
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    if (i > 0 && !compact && !take(text, ':')) return false;
    std::string_view part = text.substr(0, compact ? 2 : std::min(text.find(':'), text.size()));
    text.remove_prefix(part.size());
    if (!take_number(part, 1, 2, parts[i]) || !part.empty()) return false;
  }
  if (!text.empty() || parts[0] > 18 || parts[1] > 59 || parts[2] > 59) return false;
  out = sign * ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * kSecond;
  return out >= -18 * 3600 * kSecond && out <= 18 * 3600 * kSecond;
}

int64_t in_zone(int64_t local_us, std::string_view written, const Zone& session, bool& ok) {
  ok = true;
  if (written.empty()) return session.to_instant(local_us);
  if (written == "Z") return local_us;
  auto zone = Zone::find(written);
  ok = zone.ok();
  return ok ? zone->to_instant(local_us) : 0;
}

}  // namespace

bool civil_days(int64_t year, int month, int day, int32_t& out) {
  if (month < 1 || month > 12 || day < 1) return false;
  if (year < -5'877'641 || year > 5'881'580) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (day > kDays[month - 1] + (month == 2 && leap ? 1 : 0)) return false;
  // Counts from 1 March of year 0, in eras of 400 years.
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t of_era = y - era * 400;
  const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t days = era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
  if (days < INT32_MIN || days > INT32_MAX) return false;
  out = static_cast<int32_t>(days);
  return true;
}

Result<Zone> Zone::find(std::string_view id) {
  Zone out;
  const std::string name(trim(id));
  std::string_view rest = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (rest.substr(0, prefix.size()) == prefix && rest.size() > prefix.size()) {
      rest.remove_prefix(prefix.size());
      break;
    }
  }
  if (rest == "Z" || rest == "UTC" || rest == "GMT" || rest == "UT") return out;
  if (parse_offset(rest, out.offset_us_)) return out;
  try {
    out.region_ = date::locate_zone(name);
    return out;
  } catch (const std::runtime_error&) {
    return update_error("INVALID_TIMEZONE", fmt::format("`{}` is no time zone", name))
        .with_hint("write a region such as Europe/Paris, or an offset such as +02:00");
  }
}

int64_t Zone::to_instant(int64_t local_us) const {
  if (region_ == nullptr) return local_us - offset_us_;
  if (local_us >= valid_from_ && local_us < valid_to_) return local_us - cached_offset_us_;
  using Micros = std::chrono::microseconds;
  const auto* region = static_cast<const date::time_zone*>(region_);
  const date::local_info info = region->get_info(date::local_time<Micros>{Micros{local_us}});
  const int64_t offset = std::chrono::duration_cast<Micros>(info.first.offset).count();
  if (info.result == date::local_info::unique) {
    // A day of margin at both ends: no gap or overlap is longer.
    cached_offset_us_ = offset;
    using std::chrono::seconds;
    const int64_t begin = info.first.begin.time_since_epoch().count();
    const int64_t end = info.first.end.time_since_epoch().count();
    const int64_t limit = INT64_MAX / kSecond - 2 * 86'400;
    valid_from_ = (std::max(begin, -limit) + 86'400) * kSecond;
    valid_to_ = (std::min(end, limit) - 86'400) * kSecond;
  }
  return local_us - offset;
}

bool parse_date(std::string_view text, int32_t& out) {
  text = trim(text);
  bool whole;
  if (!take_date(text, 7, out, whole)) return false;
  return text.empty() || (whole && (text[0] == 'T' || text[0] == ' '));
}

bool parse_timestamp(std::string_view text, const Zone& zone, int64_t& out) {
  ParsedTimestamp parsed;
  if (!parse_cast(text, parsed)) return false;
  bool ok;
  out = in_zone(parsed.local_us, parsed.zone, zone, ok);
  return ok;
}

bool parse_timestamp_ntz(std::string_view text, int64_t& out) {
  ParsedTimestamp parsed;
  if (!parse_cast(text, parsed) || !parsed.zone.empty()) return false;
  out = parsed.local_us;
  return true;
}

}  // namespace lakebed::source
