#include "engine/duck/functions/date_pattern.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "base/names.h"
#include "engine/duck/functions/calendar.h"

namespace lakebed::engine::duck {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};
constexpr std::string_view kKnown = "GyMLdDQqEFahHkKmsSVzOXxZ";

Error bad_pattern(std::string_view pattern) {
  return update_error("INVALID_DATETIME_PATTERN.WITH_SUGGESTION",
                      fmt::format("'{}' is not a datetime pattern.", pattern));
}

// Patterns that Spark 2 read otherwise, or that Spark 3 no longer has.
Error legacy_pattern(std::string_view pattern) {
  return update_error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
                      fmt::format("Spark 3 does not know the pattern '{}'.", pattern));
}

int most(char letter) {
  switch (letter) {
    case 'y': return 6;
    case 'M':
    case 'L':
    case 'Q':
    case 'q':
    case 'E':
    case 'G':
    case 'z': return 4;
    case 'S': return 9;
    case 'X':
    case 'x':
    case 'Z': return 5;
    case 'D': return 3;
    case 'a':
    case 'F': return 1;
    case 'V': return 2;
    case 'O': return 4;
    default: return 2;
  }
}

Status check(const PatternPart& part, std::string_view pattern) {
  if (std::string_view("YWwu").find(part.letter) != std::string_view::npos) {
    return legacy_pattern(pattern);
  }
  if (part.letter == 'e' || part.letter == 'c') {
    return update_error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN",
                        fmt::format("'{}' is of weeks, which Spark 3 does not know.", pattern));
  }
  if (std::string_view("ABnNp").find(part.letter) != std::string_view::npos) {
    return update_error("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER",
                        fmt::format("'{}' is no letter of datetime patterns.", part.letter));
  }
  if (kKnown.find(part.letter) == std::string_view::npos) return bad_pattern(pattern);
  if (part.count > most(part.letter)) return legacy_pattern(pattern);
  if (part.letter == 'V' && part.count != 2) return bad_pattern(pattern);
  return {};
}

// Reads a quoted text; `at` stands behind the opening quote.
std::optional<std::string> quoted(std::string_view pattern, size_t& at) {
  std::string out;
  if (at < pattern.size() && pattern[at] == '\'') {
    ++at;
    return "'";
  }
  while (at < pattern.size()) {
    if (pattern[at] != '\'') {
      out += pattern[at++];
    } else if (pattern.substr(at, 2) == "''") {
      out += '\'';
      at += 2;
    } else {
      ++at;
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<DatePattern> DatePattern::compile(std::string_view pattern) {
  DatePattern out;
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    PatternPart part;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      part.letter = c;
      while (at < pattern.size() && pattern[at] == c) {
        ++part.count;
        ++at;
      }
      LAKEBED_TRY(check(part, pattern));
    } else if (c == '[' || c == ']') {
      part.letter = c;
      ++at;
    } else if (c == '\'') {
      auto text = quoted(pattern, ++at);
      if (!text) return bad_pattern(pattern);
      part.literal = std::move(*text);
    } else if (c == '#' || c == '{' || c == '}') {
      return bad_pattern(pattern);
    } else {
      part.literal = std::string(1, c);
      ++at;
    }
    out.parts_.push_back(std::move(part));
  }
  return out;
}

// --- formatting ----------------------------------------------------------------------------------

namespace {

struct Clock {
  Day day;
  int64_t days = 0;
  int64_t seconds = 0;  // of the day
  int64_t micros = 0;   // of the second
  int64_t instant_us = 0;
  std::string zone;
  int64_t year = 1970;  // of the era, where the pattern names one
};

std::string offset_text(int64_t offset, int count, bool z_for_zero, bool localized) {
  if (offset == 0 && z_for_zero) return "Z";
  const char sign = offset < 0 ? '-' : '+';
  const int64_t size = offset < 0 ? -offset : offset;
  const int64_t hours = size / 3600, minutes = size / 60 % 60, seconds = size % 60;
  if (localized) {
    if (offset == 0) return "GMT";
    if (count == 4) return fmt::format("GMT{}{:02}:{:02}", sign, hours, minutes);
    if (minutes == 0) return fmt::format("GMT{}{}", sign, hours);
    return fmt::format("GMT{}{}:{:02}", sign, hours, minutes);
  }
  std::string out = fmt::format("{}{:02}", sign, hours);
  if (count == 1) return minutes == 0 ? out : out + fmt::format("{:02}", minutes);
  const std::string colon = count == 3 || count == 5 ? ":" : "";
  out += colon + fmt::format("{:02}", minutes);
  if (count >= 4 && seconds != 0) out += colon + fmt::format("{:02}", seconds);
  return out;
}

std::string year_text(int64_t year, int count) {
  if (count == 2) return fmt::format("{:02}", floor_mod(year, 100));
  std::string digits = fmt::format("{}", year < 0 ? -year : year);
  const size_t own = digits.size();
  std::string sign;
  if (year < 0)
    sign = "-";
  else if (count >= 4 && static_cast<int>(own) > count)
    sign = "+";
  if (static_cast<int>(own) < count) sign.append(static_cast<size_t>(count) - own, '0');
  return sign.append(digits);
}

std::string name_text(std::string_view name, int count) {
  return std::string(count == 4 ? name : name.substr(0, 3));
}

std::string quarter_text(int quarter, int count) {
  static constexpr std::array<std::string_view, 4> kOrdinals = {"1st", "2nd", "3rd", "4th"};
  if (count == 3) return fmt::format("Q{}", quarter);
  if (count == 4) return fmt::format("{} quarter", kOrdinals[static_cast<size_t>(quarter - 1)]);
  return fmt::format("{:0{}}", quarter, count);
}

std::string zone_part(char letter, int count, const Clock& clock) {
  const int64_t offset = zone_offset(clock.instant_us, clock.zone).value_or(0);
  switch (letter) {
    case 'V': return clock.zone;
    case 'z': return zone_short_name(clock.instant_us, clock.zone);
    case 'O': return offset_text(offset, count, false, true);
    case 'X': return offset_text(offset, count, true, false);
    case 'x': return offset_text(offset, count, false, false);
    default:
      if (count == 4) return offset_text(offset, 4, false, true);
      if (count == 5) return offset_text(offset, 5, true, false);
      return offset_text(offset, 2, false, false);
  }
}

std::string time_part(char letter, int count, const Clock& clock) {
  const int64_t hour = clock.seconds / 3600;
  const auto padded = [count](int64_t item) { return fmt::format("{:0{}}", item, count); };
  switch (letter) {
    case 'a': return hour < 12 ? "AM" : "PM";
    case 'h': return padded(hour % 12 == 0 ? 12 : hour % 12);
    case 'H': return padded(hour);
    case 'k': return padded(hour == 0 ? 24 : hour);
    case 'K': return padded(hour % 12);
    case 'm': return padded(clock.seconds / 60 % 60);
    case 's': return padded(clock.seconds % 60);
    default: return fmt::format("{:09}", clock.micros * 1000).substr(0, static_cast<size_t>(count));
  }
}

std::string part_text(const PatternPart& part, const Clock& clock) {
  const int count = part.count;
  const auto padded = [count](int64_t item) { return fmt::format("{:0{}}", item, count); };
  switch (part.letter) {
    case 0: return part.literal;
    case '[':
    case ']': return "";
    case 'G':
      return count == 4 ? (clock.day.year > 0 ? "Anno Domini" : "Before Christ")
                        : (clock.day.year > 0 ? "AD" : "BC");
    case 'y': return year_text(clock.year, count);
    case 'M':
    case 'L':
      if (count >= 3) return name_text(kMonths[static_cast<size_t>(clock.day.month - 1)], count);
      return padded(clock.day.month);
    case 'd': return padded(clock.day.day);
    case 'D': return padded(clock.days - days_from_civil(clock.day.year, 1, 1) + 1);
    case 'Q':
    case 'q': return quarter_text((clock.day.month + 2) / 3, count);
    case 'E': return name_text(kDays[static_cast<size_t>(iso_weekday(clock.days) - 1)], count);
    case 'F': return padded((clock.day.day - 1) % 7 + 1);
    case 'V':
    case 'z':
    case 'O':
    case 'X':
    case 'x':
    case 'Z': return zone_part(part.letter, count, clock);
    default: return time_part(part.letter, count, clock);
  }
}

}  // namespace

std::string DatePattern::format(int64_t local_us, int64_t instant_us,
                                const std::string& zone) const {
  Clock clock;
  clock.days = floor_div(local_us, kMicrosPerDay);
  clock.day = civil_from_days(clock.days);
  clock.seconds = floor_mod(local_us, kMicrosPerDay) / kMicrosPerSecond;
  clock.micros = floor_mod(local_us, kMicrosPerSecond);
  clock.instant_us = instant_us;
  clock.zone = zone;
  clock.year = clock.day.year;
  for (const PatternPart& part : parts_) {
    if (part.letter == 'G' && clock.day.year <= 0) clock.year = 1 - clock.day.year;
  }
  std::string out;
  for (const PatternPart& part : parts_) out += part_text(part, clock);
  return out;
}

// --- parsing -------------------------------------------------------------------------------------

namespace {

// What was read, by pattern letter.
struct Fields {
  std::optional<int64_t> year, month, day, day_of_year, hour, clock_hour, half, minute, second,
      weekday;
  int64_t micros = 0;
  bool before_christ = false;
  std::optional<std::string> zone;
};

bool is_number(const PatternPart& part) {
  if (part.letter == 'M' || part.letter == 'L') return part.count <= 2;
  return std::string_view("ydDhHkKmsS").find(part.letter) != std::string_view::npos &&
         part.letter != 0;
}

bool is_fixed(const PatternPart& part) {
  return is_number(part) && part.letter != 'S' && part.count == 2;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class PatternReader {
 public:
  PatternReader(const std::vector<PatternPart>& parts, std::string_view text)
      : parts_(parts), text_(text) {}

  std::optional<Fields> run() {
    if (!section(0, parts_.size()) || at_ != text_.size()) return std::nullopt;
    return fields_;
  }

 private:
  size_t closing(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < parts_.size(); ++i) {
      if (parts_[i].letter == '[') ++depth;
      if (parts_[i].letter == ']' && --depth == 0) return i;
    }
    return parts_.size();
  }

  bool section(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (parts_[i].letter == '[') {
        const size_t end = std::min(closing(i), to);
        const size_t before = at_;
        const Fields kept = fields_;
        if (!section(i + 1, end)) {
          at_ = before;
          fields_ = kept;
        }
        i = end;
        continue;
      }
      if (parts_[i].letter == ']') continue;
      if (!one(i)) return false;
    }
    return true;
  }

  // Digits that fixed numbers right behind this one need for themselves.
  size_t reserved(size_t index) const {
    size_t out = 0;
    for (size_t i = index + 1; i < parts_.size() && is_fixed(parts_[i]); ++i) {
      out += static_cast<size_t>(parts_[i].count);
    }
    return out;
  }

  std::optional<int64_t> number(size_t index, size_t least, size_t most) {
    size_t run = 0;
    while (at_ + run < text_.size() && is_digit(text_[at_ + run])) ++run;
    const bool fixed = least == most;
    if (!fixed) {
      const size_t keep = reserved(index);
      run = run > keep ? run - keep : 0;
    }
    run = std::min(run, most);
    if (run < least || run == 0) return std::nullopt;
    int64_t out = 0;
    for (size_t i = 0; i < run; ++i) out = out * 10 + (text_[at_++] - '0');
    return out;
  }

  bool word(std::string_view wanted) {
    if (!same_name(text_.substr(at_, wanted.size()), wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  template <size_t n>
  std::optional<int64_t> name(const std::array<std::string_view, n>& names, int count) {
    for (size_t i = 0; i < n; ++i) {
      if (word(count == 4 ? names[i] : names[i].substr(0, 3))) return static_cast<int64_t>(i) + 1;
    }
    return std::nullopt;
  }

  bool put(std::optional<int64_t>& field, std::optional<int64_t> item) {
    if (!item) return false;
    field = item;
    return true;
  }

  bool year(size_t index, int count) {
    if (count == 2) {
      auto item = number(index, 2, 2);
      if (item) *item += 2000;
      return put(fields_.year, item);
    }
    bool negative = false;
    if (at_ < text_.size() && (text_[at_] == '-' || (text_[at_] == '+' && count >= 4))) {
      negative = text_[at_++] == '-';
    }
    auto item = number(index, static_cast<size_t>(count), 10);
    if (item && negative) *item = -*item;
    return put(fields_.year, item);
  }

  bool fraction(int count) {
    int64_t item = 0;
    int read = 0;
    while (at_ < text_.size() && is_digit(text_[at_]) && read < count) {
      if (read < 6) item = item * 10 + (text_[at_] - '0');
      ++read;
      ++at_;
    }
    for (int i = read; i < 6; ++i) item *= 10;
    fields_.micros = item;
    return read > 0;
  }

  bool zone(char letter) {
    const size_t start = at_;
    if (letter == 'V' || letter == 'z' || letter == 'O') {
      while (at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
              std::string_view("/_+-:").find(text_[at_]) != std::string_view::npos)) {
        ++at_;
      }
    } else if (at_ < text_.size() && text_[at_] == 'Z' && letter == 'X') {
      ++at_;
    } else {
      if (at_ >= text_.size() || (text_[at_] != '+' && text_[at_] != '-')) return false;
      ++at_;
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == ':')) ++at_;
    }
    fields_.zone = std::string(text_.substr(start, at_ - start));
    return known_zone(*fields_.zone);
  }

  bool one(size_t index) {
    const PatternPart& part = parts_[index];
    const int count = part.count;
    const size_t least = count == 2 ? 2 : 1, most = count == 2 ? 2 : 19;
    switch (part.letter) {
      case 0:
        if (!word(part.literal)) return false;
        return true;
      case 'G':
        if (word("AD")) return true;
        fields_.before_christ = word("BC");
        return fields_.before_christ;
      case 'y': return year(index, count);
      case 'M':
      case 'L':
        if (count >= 3) return put(fields_.month, name(kMonths, count));
        return put(fields_.month, number(index, least, most));
      case 'd': return put(fields_.day, number(index, least, most));
      case 'D': return put(fields_.day_of_year, number(index, static_cast<size_t>(count), 3));
      case 'E': return put(fields_.weekday, name(kDays, count));
      case 'a':
        if (word("AM")) return put(fields_.half, 0);
        return word("PM") && put(fields_.half, 1);
      case 'h':
      case 'K': {
        auto item = number(index, least, most);
        if (!item || (part.letter == 'h' ? *item < 1 || *item > 12 : *item > 11)) return false;
        return put(fields_.clock_hour, *item % 12);
      }
      case 'k': {
        auto item = number(index, least, most);
        if (!item || *item < 1 || *item > 24) return false;
        return put(fields_.hour, *item % 24);
      }
      case 'H': return put(fields_.hour, number(index, least, most));
      case 'm': return put(fields_.minute, number(index, least, most));
      case 's': return put(fields_.second, number(index, least, most));
      case 'S': return fraction(count);
      case 'V':
      case 'z':
      case 'O':
      case 'X':
      case 'x':
      case 'Z': return zone(part.letter);
      default: return false;
    }
  }

  const std::vector<PatternPart>& parts_;
  std::string_view text_;
  size_t at_ = 0;
  Fields fields_;
};

std::optional<int64_t> day_of(const Fields& fields) {
  int64_t year = fields.year.value_or(1970);
  if (fields.before_christ) year = 1 - year;
  if (fields.day_of_year) {
    if (*fields.day_of_year < 1 || *fields.day_of_year > (is_leap(year) ? 366 : 365)) {
      return std::nullopt;
    }
    return days_from_civil(year, 1, 1) + *fields.day_of_year - 1;
  }
  const int64_t month = fields.month.value_or(1), day = fields.day.value_or(1);
  if (month > 12 || day > 31) return std::nullopt;
  return checked_days(year, static_cast<int>(month), static_cast<int>(day));
}

}  // namespace

std::optional<DatePattern::Parsed> DatePattern::parse(std::string_view text) const {
  auto fields = PatternReader(parts_, text).run();
  if (!fields) return std::nullopt;
  const auto days = day_of(*fields);
  if (!days) return std::nullopt;
  if (fields->weekday && *fields->weekday != iso_weekday(*days)) return std::nullopt;
  int64_t hour = fields->hour.value_or(0);
  if (!fields->hour && fields->clock_hour)
    hour = *fields->clock_hour + 12 * fields->half.value_or(0);
  const int64_t minute = fields->minute.value_or(0), second = fields->second.value_or(0);
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  Parsed out;
  out.local_us = *days * kMicrosPerDay + ((hour * 60 + minute) * 60 + second) * kMicrosPerSecond +
                 fields->micros;
  out.zone = fields->zone;
  return out;
}

}  // namespace lakebed::engine::duck
