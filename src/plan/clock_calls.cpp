#include "plan/clock_calls.h"

#include <array>
#include <charconv>
#include <string_view>

#include "plan/tree_tools.h"
#include "value/text.h"

namespace lakebed::plan {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

int64_t floor_div(int64_t left, int64_t right) {
  const int64_t quotient = left / right;
  return left % right < 0 ? quotient - 1 : quotient;
}

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
int64_t days_of(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = floor_div(year, 400);
  const int64_t of_era = year - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146'097 + day_of_era - 719'468;
}

int64_t days_in_month(int64_t year, int64_t month) {
  constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// Reads a text from left to right.
struct Reader {
  std::string_view rest;

  bool eat(char wanted) {
    if (rest.empty() || rest.front() != wanted) return false;
    rest.remove_prefix(1);
    return true;
  }
  // A number of `least` to `most` digits.
  std::optional<int64_t> digits(size_t least, size_t most) {
    size_t count = 0;
    int64_t value = 0;
    while (count < rest.size() && count < most && rest[count] >= '0' && rest[count] <= '9') {
      value = value * 10 + (rest[count++] - '0');
    }
    if (count < least) return std::nullopt;
    rest.remove_prefix(count);
    return value;
  }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() <= ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() <= ' ') text.remove_suffix(1);
  return text;
}

// yyyy, yyyy-MM or yyyy-MM-dd with one or two digits, as Spark reads dates.
std::optional<int64_t> read_days(Reader& reader) {
  const bool negative = reader.eat('-');
  if (!negative) reader.eat('+');
  const auto year = reader.digits(4, 6);
  if (!year) return std::nullopt;
  int64_t month = 1;
  int64_t day = 1;
  if (reader.eat('-')) {
    const auto found = reader.digits(1, 2);
    if (!found || *found < 1 || *found > 12) return std::nullopt;
    month = *found;
    if (reader.eat('-')) {
      const auto number = reader.digits(1, 2);
      if (!number) return std::nullopt;
      day = *number;
    }
  }
  const int64_t signed_year = negative ? -*year : *year;
  if (day < 1 || day > days_in_month(signed_year, month)) return std::nullopt;
  return days_of(signed_year, month, day);
}

// HH:mm[:ss[.ffffff]] in microseconds.
std::optional<int64_t> read_time(Reader& reader) {
  const auto hour = reader.digits(1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int64_t micros = *hour * 3'600 * kSecond;
  if (!reader.eat(':')) return micros;
  const auto minute = reader.digits(1, 2);
  if (!minute || *minute > 59) return std::nullopt;
  micros += *minute * 60 * kSecond;
  if (!reader.eat(':')) return micros;
  const auto second = reader.digits(1, 2);
  if (!second || *second > 59) return std::nullopt;
  micros += *second * kSecond;
  if (!reader.eat('.')) return micros;
  int64_t unit = 100'000;
  while (!reader.rest.empty() && reader.rest.front() >= '0' && reader.rest.front() <= '9') {
    micros += (reader.rest.front() - '0') * unit;
    unit /= 10;
    reader.rest.remove_prefix(1);
  }
  return micros;
}

ExpressionPtr literal(value::Kind kind, std::string text, const SourceSpan& span) {
  auto node = edit(*string_literal(std::move(text), span));
  node->type = kind;
  return node;
}

}  // namespace

std::optional<std::string> canonical_date(const std::string& text) {
  Reader reader{trimmed(text)};
  const auto days = read_days(reader);
  if (!days) return std::nullopt;
  const bool at_end = reader.rest.empty() || reader.rest.front() == ' ' ||
                      reader.rest.front() == 'T';
  if (!at_end) return std::nullopt;
  return value::date_text(*days);
}

std::optional<std::string> canonical_timestamp(const std::string& text, const std::string& zone,
                                               bool with_zone) {
  Reader reader{trimmed(text)};
  const auto days = read_days(reader);
  if (!days) return std::nullopt;
  int64_t local = *days * kDay;
  if (!reader.rest.empty() && (reader.eat('T') || reader.eat(' '))) {
    const auto time = read_time(reader);
    if (!time) return std::nullopt;
    local += *time;
  }
  const std::string named(trimmed(reader.rest));
  if (!with_zone) {
    if (!named.empty() && !value::is_known_zone(named)) return std::nullopt;
    return value::timestamp_text(local);
  }
  const std::string& used = named.empty() ? zone : named;
  if (!value::is_known_zone(used)) return std::nullopt;
  return value::timestamp_text(value::local_to_utc_micros(local, used));
}

std::optional<Result<ExpressionPtr>> clock_call(const std::string& name, size_t arguments,
                                                const ResolveOptions& options,
                                                const SourceSpan& span) {
  if (arguments != 0) return std::nullopt;
  const auto made = [&](value::Kind kind, std::string text) {
    return std::optional<Result<ExpressionPtr>>(literal(kind, std::move(text), span));
  };
  if (name == "current_timestamp" || name == "now") {
    return made(value::Kind::kTimestamp, value::timestamp_text(options.now_us));
  }
  if (name == "current_timezone") return made(value::Kind::kString, options.time_zone);
  if (name == "unix_timestamp") {
    return made(value::Kind::kLong, std::to_string(floor_div(options.now_us, kSecond)));
  }
  const bool date = name == "current_date" || name == "curdate";
  if (!date && name != "localtimestamp") return std::nullopt;
  const int64_t local =
      options.now_us + value::zone_offset_seconds(options.now_us, options.time_zone) * kSecond;
  if (date) return made(value::Kind::kDate, value::date_text(floor_div(local, kDay)));
  return made(value::Kind::kTimestampNtz, value::timestamp_text(local));
}

}  // namespace lakebed::plan
