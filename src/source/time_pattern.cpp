// Patterns of Java's DateTimeFormatter.
#include <fmt/core.h>

#include <algorithm>

#include "source/text_time.h"

namespace lakebed::source {

namespace {

constexpr std::string_view kNumeric = "yuMdDHhkKmsS";
constexpr std::string_view kOthers = "aEzVXxZ";
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};
constexpr const char* kWeekDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                     "Friday", "Saturday", "Sunday"};

using Item = TimePattern::Item;

bool is_numeric(const Item& item) {
  if (item.letter == 'M' && item.count > 2) return false;
  return item.letter != 0 && kNumeric.find(item.letter) != std::string_view::npos;
}

// What was read of a text so far.
struct Fields {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t day_of_year = 0;  // 0: not written
  int64_t hour = 0;
  int64_t hour_of_half = -1;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t fraction_us = 0;
  bool afternoon = false;
  std::string zone;
};

struct Matcher {
  const std::vector<Item>& items;
  Fields fields;

  bool match(std::string_view& text, size_t from, size_t to);
  bool match_item(std::string_view& text, const Item& item);
  bool match_number(std::string_view& text, const Item& item);
  bool match_word(std::string_view& text, const Item& item);
  bool match_zone(std::string_view& text);
  bool set(char letter, int64_t number);
};

bool Matcher::match(std::string_view& text, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    const Item& item = items[i];
    if (item.letter == ']') continue;
    if (item.letter != '[') {
      if (!match_item(text, item)) return false;
      continue;
    }
    const size_t after = i + static_cast<size_t>(item.count);
    std::string_view attempt = text;
    const Fields before = fields;
    if (match(attempt, i + 1, after)) {
      text = attempt;
    } else {
      fields = before;
    }
    i = after;
  }
  return true;
}

bool Matcher::match_item(std::string_view& text, const Item& item) {
  if (item.letter == 0) {
    if (text.substr(0, item.literal.size()) != item.literal) return false;
    text.remove_prefix(item.literal.size());
    return true;
  }
  if (is_numeric(item)) return match_number(text, item);
  if (item.letter == 'M' || item.letter == 'E' || item.letter == 'a') return match_word(text, item);
  return match_zone(text);
}

bool Matcher::match_number(std::string_view& text, const Item& item) {
  const auto count = static_cast<size_t>(item.count);
  const bool is_year = item.letter == 'y' || item.letter == 'u';
  size_t least = count == 1 ? 1 : count;
  size_t most = item.fixed || count == 2 ? count : 19;
  if (is_year && count != 2 && !item.fixed) most = 9;
  if (item.letter == 'S') {
    least = item.fixed ? count : 0;
    most = count;
  }
  const bool negative = is_year && !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  int64_t number = 0;
  size_t read = 0;
  for (; read < most && read < text.size() && text[read] >= '0' && text[read] <= '9'; ++read) {
    if (number < INT64_MAX / 10 - 9) number = number * 10 + (text[read] - '0');
  }
  if (read < least) return false;
  text.remove_prefix(read);
  if (item.letter == 'S') {
    for (size_t i = read; i < 9; ++i) number *= 10;
    fields.fraction_us = number / 1000;
    return true;
  }
  if (is_year && count == 2) number += 2000;
  return set(item.letter, negative ? -number : number);
}

bool Matcher::set(char letter, int64_t number) {
  switch (letter) {
    case 'y':
    case 'u': fields.year = number; return true;
    case 'M': fields.month = number; return number >= 1 && number <= 12;
    case 'd': fields.day = number; return number >= 1 && number <= 31;
    case 'D': fields.day_of_year = number; return number >= 1 && number <= 366;
    case 'H': fields.hour = number; return number <= 23;
    case 'k': fields.hour = number % 24; return number >= 1 && number <= 24;
    case 'h': fields.hour_of_half = number % 12; return number >= 1 && number <= 12;
    case 'K': fields.hour_of_half = number; return number <= 11;
    case 'm': fields.minute = number; return number <= 59;
    case 's': fields.second = number; return number <= 59;
    default: return false;
  }
}

bool Matcher::match_word(std::string_view& text, const Item& item) {
  if (item.letter == 'a') {
    const std::string_view half = text.substr(0, 2);
    if (half != "AM" && half != "PM") return false;
    fields.afternoon = half == "PM";
    text.remove_prefix(2);
    return true;
  }
  const bool whole = item.count >= 4;
  const bool is_month = item.letter == 'M';
  const size_t names = is_month ? 12 : 7;
  for (size_t i = 0; i < names; ++i) {
    std::string_view name = is_month ? kMonths[i] : kWeekDays[i];
    if (!whole) name = name.substr(0, 3);
    if (text.substr(0, name.size()) != name) continue;
    text.remove_prefix(name.size());
    if (is_month) fields.month = static_cast<int64_t>(i) + 1;
    return true;
  }
  return false;
}

bool Matcher::match_zone(std::string_view& text) {
  size_t length = 0;
  const auto belongs = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' ||
           c == '-' || c == ':' || c == '/' || c == '_';
  };
  while (length < text.size() && belongs(text[length])) ++length;
  if (length == 0) return false;
  fields.zone = std::string(text.substr(0, length));
  text.remove_prefix(length);
  return true;
}

bool to_local(const Fields& fields, int64_t& out) {
  int32_t days;
  if (!civil_days(fields.year, static_cast<int>(fields.month), static_cast<int>(fields.day),
                  days)) {
    return false;
  }
  if (fields.day_of_year > 0) {
    int32_t first;
    int32_t next;
    if (!civil_days(fields.year, 1, 1, first) || !civil_days(fields.year + 1, 1, 1, next)) {
      return false;
    }
    days = first + static_cast<int32_t>(fields.day_of_year) - 1;
    if (days >= next) return false;
  }
  int64_t hour = fields.hour;
  if (fields.hour_of_half >= 0) hour = fields.hour_of_half + (fields.afternoon ? 12 : 0);
  const int64_t seconds = (hour * 60 + fields.minute) * 60 + fields.second;
  out = (int64_t{days} * 86'400 + seconds) * 1'000'000 + fields.fraction_us;
  return true;
}

bool match_all(const std::vector<Item>& items, std::string_view text, Fields& fields,
               int64_t& local_us) {
  Matcher matcher{items, {}};
  if (!matcher.match(text, 0, items.size()) || !text.empty()) return false;
  fields = matcher.fields;
  return to_local(fields, local_us);
}

// Takes a quoted part ('' is a quote) or one plain character.
std::string take_literal(std::string_view& pattern) {
  std::string out;
  if (pattern[0] != '\'') {
    out = pattern[0];
    pattern.remove_prefix(1);
    return out;
  }
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const char c = pattern[0];
    pattern.remove_prefix(1);
    if (c == '\'') {
      if (pattern.empty() || pattern[0] != '\'') break;
      pattern.remove_prefix(1);
    }
    out.push_back(c);
  }
  return out.empty() ? "'" : out;
}

// Fills in how long each optional part is, and which numbers stand at once before another.
bool link(std::vector<Item>& items) {
  std::vector<size_t> open;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].letter == '[') open.push_back(i);
    if (items[i].letter == ']') {
      if (open.empty()) return false;
      items[open.back()].count = static_cast<int>(i - open.back());
      open.pop_back();
    }
    items[i].fixed = is_numeric(items[i]) && items[i].count > 1 && i + 1 < items.size() &&
                     is_numeric(items[i + 1]);
  }
  return open.empty();
}

}  // namespace

Result<TimePattern> TimePattern::compile(std::string_view pattern) {
  TimePattern out;
  const auto wrong = [&pattern, text = std::string(pattern)](const std::string& why) {
    return project_error("INVALID_DATETIME_PATTERN",
                         fmt::format("the pattern `{}` cannot be used: {}", text, why));
  };
  while (!pattern.empty()) {
    const char c = pattern[0];
    Item item;
    if (c == '[' || c == ']') {
      item.letter = c;
      pattern.remove_prefix(1);
    } else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
      if (kNumeric.find(c) == std::string_view::npos && kOthers.find(c) == std::string_view::npos) {
        return wrong(fmt::format("the letter `{}` is not known for reading", c));
      }
      item.letter = c;
      while (!pattern.empty() && pattern[0] == c) {
        ++item.count;
        pattern.remove_prefix(1);
      }
    } else {
      item.literal = take_literal(pattern);
    }
    out.items_.push_back(std::move(item));
  }
  if (!link(out.items_)) return wrong("brackets do not match");
  return out;
}

bool TimePattern::parse_date(std::string_view text, int32_t& out) const {
  Fields fields;
  int64_t local_us;
  if (!match_all(items_, text, fields, local_us)) return false;
  constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
  out = static_cast<int32_t>((local_us - ((local_us % kDay) + kDay) % kDay) / kDay);
  return true;
}

bool TimePattern::parse_timestamp(std::string_view text, const Zone& zone, int64_t& out) const {
  Fields fields;
  int64_t local_us;
  if (!match_all(items_, text, fields, local_us)) return false;
  if (fields.zone.empty()) {
    out = zone.to_instant(local_us);
    return true;
  }
  const auto written = Zone::find(fields.zone);
  if (!written.ok()) return false;
  out = written->to_instant(local_us);
  return true;
}

bool TimePattern::parse_timestamp_ntz(std::string_view text, int64_t& out) const {
  Fields fields;
  return match_all(items_, text, fields, out);
}

}  // namespace lakebed::source
