#include "delta/value_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace lakebed::delta {
namespace {

using value::Int128;
using value::Kind;

constexpr int64_t kDayUs = 86'400'000'000;

struct Civil {
  int64_t year;
  unsigned month;
  unsigned day;
};

// Days since 1970-01-01 and the proleptic Gregorian calendar, for any year.
Civil civil_of(int64_t days) {
  const int64_t shifted = days + 719468;  // since 0000-03-01
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 -
                                            year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;  // from March
  Civil out{};
  out.day = static_cast<unsigned>(day_of_year - (153 * month + 2) / 5 + 1);
  out.month = static_cast<unsigned>(month < 10 ? month + 3 : month - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
  return out;
}

int64_t days_of(int64_t year, int64_t month, int64_t day) {
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

int64_t floor_divide(int64_t number, int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

// Takes `width` or more digits from the front.
std::optional<int64_t> take_number(std::string_view& text, size_t least, size_t most) {
  size_t count = 0;
  int64_t number = 0;
  while (count < most && count < text.size() && text[count] >= '0' && text[count] <= '9') {
    number = number * 10 + (text[count] - '0');
    ++count;
  }
  if (count < least) return {};
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char mark) {
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> take_date(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto year = take_number(text, 4, 7);
  if (!year || !take(text, '-')) return {};
  const auto month = take_number(text, 1, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = take_number(text, 1, 2);
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return {};
  return days_of(negative ? -*year : *year, *month, *day);
}

// HH:mm:ss[.f{1,9}] in microseconds.
std::optional<int64_t> take_time(std::string_view& text) {
  const auto hour = take_number(text, 1, 2);
  if (!hour || !take(text, ':')) return {};
  const auto minute = take_number(text, 1, 2);
  if (!minute || !take(text, ':')) return {};
  const auto second = take_number(text, 1, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return {};
  int64_t micros = ((*hour * 60 + *minute) * 60 + *second) * 1'000'000;
  if (!take(text, '.')) return micros;
  const size_t before = text.size();
  auto fraction = take_number(text, 1, 6);
  if (!fraction) return {};
  for (size_t digits = before - text.size(); digits < 6; ++digits) *fraction *= 10;
  take_number(text, 0, 9);  // finer digits than we hold
  return micros + *fraction;
}

// Z or +hh:mm: microseconds to subtract.
std::optional<int64_t> take_zone(std::string_view& text) {
  if (text.empty() || take(text, 'Z')) return 0;
  const bool west = take(text, '-');
  if (!west && !take(text, '+')) return {};
  const auto hours = take_number(text, 2, 2);
  if (!hours || !take(text, ':')) return {};
  const auto minutes = take_number(text, 2, 2);
  if (!minutes) return {};
  const int64_t micros = (*hours * 60 + *minutes) * 60'000'000;
  return west ? -micros : micros;
}

std::optional<int64_t> parse_timestamp(std::string_view text) {
  const auto days = take_date(text);
  if (!days) return {};
  if (text.empty()) return *days * kDayUs;
  if (!take(text, 'T') && !take(text, ' ')) return {};
  const auto time = take_time(text);
  if (!time) return {};
  const auto zone = take_zone(text);
  if (!zone || !text.empty()) return {};
  return *days * kDayUs + *time - *zone;
}

std::optional<Int128> parse_decimal(std::string_view text, int precision, int scale) {
  const bool negative = take(text, '-');
  Int128 number = 0;
  int digits = 0;
  int after_point = -1;
  for (const char c : text) {
    if (c == '.' && after_point < 0) {
      after_point = 0;
      continue;
    }
    if (c < '0' || c > '9' || (after_point >= 0 && after_point == scale && c != '0')) return {};
    if (after_point >= 0 && after_point == scale) continue;
    number = number * 10 + (c - '0');
    digits += number != 0 ? 1 : 0;
    if (after_point >= 0) ++after_point;
    if (digits > precision) return {};
  }
  for (int i = after_point < 0 ? 0 : after_point; i < scale; ++i) {
    number *= 10;
    digits += number != 0 ? 1 : 0;
  }
  if (text.empty() || digits > precision) return {};
  return negative ? -number : number;
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

template <typename T>
std::optional<T> parse_floating(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<T>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<T>::infinity();
  return parse_number<T>(text);
}

template <typename T>
std::string floating_text(T number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  std::string out;
  append_number(out, number);
  return out;
}

template <typename T>
void append_shortest(std::string& out, T number) {
  const std::string text = fmt::format("{}", number);
  out += text;
  const bool whole = text.find_first_of(".e") == std::string::npos;
  if (whole) out += ".0";
}

bool fits(int64_t number, size_t width) {
  if (width == 8) return true;
  const int64_t limit = int64_t{1} << (8 * width - 1);
  return number >= -limit && number < limit;
}

bool append_integer_text(value::Column& column, std::string_view text) {
  const auto number = parse_number<int64_t>(text);
  if (!number || !fits(*number, value::fixed_width(column.type()))) return false;
  column.append_integer(*number);
  return true;
}

template <typename T>
bool append_optional(value::Column& column, const std::optional<T>& item) {
  if (item) column.append_fixed(*item);
  return item.has_value();
}

}  // namespace

void append_date(std::string& out, int64_t days) {
  const Civil civil = civil_of(days);
  const int64_t year = civil.year < 0 ? -civil.year : civil.year;
  out += fmt::format("{}{:04}-{:02}-{:02}", civil.year < 0 ? "-" : "", year, civil.month,
                     civil.day);
}

void append_timestamp(std::string& out, int64_t microseconds, int digits) {
  const int64_t days = floor_divide(microseconds, kDayUs);
  const int64_t rest = microseconds - days * kDayUs;
  const int64_t seconds = rest / 1'000'000;
  append_date(out, days);
  out += fmt::format("T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  const int64_t fraction = rest % 1'000'000;
  if (digits == 3) out += fmt::format(".{:03}", fraction / 1000);
  if (digits == 6) out += fmt::format(".{:06}", fraction);
}

void append_decimal(std::string& out, Int128 unscaled, int scale) {
  const bool negative = unscaled < 0;
  value::UInt128 rest = negative ? -static_cast<value::UInt128>(unscaled)
                                 : static_cast<value::UInt128>(unscaled);
  std::string digits;  // from the last one on
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0 || static_cast<int>(digits.size()) <= scale);
  if (negative) out += '-';
  for (size_t i = digits.size(); i-- > 0;) {
    out += digits[i];
    if (scale > 0 && i == static_cast<size_t>(scale)) out += '.';
  }
}

void append_number(std::string& out, double number) { append_shortest(out, number); }
void append_number(std::string& out, float number) { append_shortest(out, number); }

std::string value_text(const value::Column& column, size_t row) {
  std::string out;
  switch (column.type().kind) {
    case Kind::kBoolean:
      return column.integer(row) != 0 ? "true" : "false";
    case Kind::kFloat:
      return floating_text(column.fixed<float>(row));
    case Kind::kDouble:
      return floating_text(column.fixed<double>(row));
    case Kind::kDecimal:
      append_decimal(out, column.decimal(row), column.type().scale);
      return out;
    case Kind::kDate:
      append_date(out, column.integer(row));
      return out;
    case Kind::kTimestamp:
      append_timestamp(out, column.integer(row), 6);
      return out + "Z";
    case Kind::kTimestampNtz:
      append_timestamp(out, column.integer(row), 6);
      out[out.find('T')] = ' ';  // the protocol knows no other spelling of wall clock values
      return out;
    case Kind::kString:
    case Kind::kBinary:
      return std::string(column.bytes(row));
    default:
      LAKEBED_ASSERT(column.type().is_integer());
      return std::to_string(column.integer(row));
  }
}

bool append_value_text(value::Column& column, std::string_view text) {
  const value::Type& type = column.type();
  switch (type.kind) {
    case Kind::kBoolean:
      if (text != "true" && text != "false") return false;
      column.append_integer(text == "true" ? 1 : 0);
      return true;
    case Kind::kFloat:
      return append_optional(column, parse_floating<float>(text));
    case Kind::kDouble:
      return append_optional(column, parse_floating<double>(text));
    case Kind::kDecimal: {
      const auto number = parse_decimal(text, type.precision, type.scale);
      if (number) column.append_decimal(*number);
      return number.has_value();
    }
    case Kind::kDate: {
      const auto days = take_date(text);
      if (!days || !text.empty()) return false;
      column.append_integer(*days);
      return true;
    }
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      return append_optional(column, parse_timestamp(text));
    case Kind::kString:
    case Kind::kBinary:
      column.append_bytes(text);
      return true;
    default:
      return type.is_integer() && append_integer_text(column, text);
  }
}

}  // namespace lakebed::delta
