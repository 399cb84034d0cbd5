// Dates and timestamps as Spark's literals spell them.
#include <array>
#include <cstdio>
#include <optional>

#include "sql/literals.h"

namespace lakebed::sql {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// Takes 1 to `most` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t least, size_t most) {
  int value = 0;
  size_t count = 0;
  while (count < text.size() && count < most && is_digit(text[count])) {
    value = value * 10 + (text[count++] - '0');
  }
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[static_cast<size_t>(month - 1)];
}

// Takes "[+-]yyyy*[-[m]m[-[d]d]]" off the front.
std::optional<std::string> take_date(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto year = take_digits(text, 4, 6);
  if (!year) return std::nullopt;
  std::optional<int> month = 1;
  std::optional<int> day = 1;
  if (take(text, '-')) {
    month = take_digits(text, 1, 2);
    if (month && take(text, '-')) day = take_digits(text, 1, 2);
  }
  if (!month || !day || *month < 1 || *month > 12 || *day < 1) return std::nullopt;
  if (*day > days_in_month(*year, *month)) return std::nullopt;
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%s%04d-%02d-%02d", negative ? "-" : "", *year, *month,
                *day);
  return std::string(buffer);
}

// Takes "[h]h[:[m]m[:[s]s[.f*]]]" off the front.
std::optional<std::string> take_time(std::string_view& text) {
  const auto hour = take_digits(text, 1, 2);
  std::optional<int> minute = 0;
  std::optional<int> second = 0;
  std::string fraction;
  if (take(text, ':')) {
    minute = take_digits(text, 1, 2);
    if (minute && take(text, ':')) {
      second = take_digits(text, 1, 2);
      if (second && take(text, '.')) {
        while (!text.empty() && is_digit(text.front())) {
          fraction += text.front();
          text.remove_prefix(1);
        }
      }
    }
  }
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) {
    return std::nullopt;
  }
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%02d:%02d:%02d", *hour, *minute, *second);
  fraction.resize(std::min<size_t>(fraction.size(), 6));  // digits below microseconds are cut
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? std::string(buffer) : std::string(buffer) + "." + fraction;
}

}  // namespace

std::optional<std::string> canonical_date(std::string_view text) {
  text = trim(text);
  auto date = take_date(text);
  if (!date || text.empty()) return date;
  // What follows a blank or a T is ignored, but only behind a full date.
  if (text.front() == ' ' || text.front() == 'T') return date;
  return std::nullopt;
}

std::optional<std::string> canonical_timestamp(std::string_view text, std::string& zone) {
  text = trim(text);
  const auto date = take_date(text);
  if (!date) return std::nullopt;
  if (text.empty()) return *date + " 00:00:00";
  if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  zone = trim(text);
  return *date + " " + *time;
}

}  // namespace lakebed::sql
