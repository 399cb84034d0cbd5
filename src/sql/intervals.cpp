// INTERVAL literals: a sum of months, or a sum of microseconds.
#include <cctype>
#include <charconv>

#include "sql/literals.h"
#include "sql/names.h"

namespace lakebed::sql {

namespace {

using value::Int128;
using value::Kind;

struct Unit {
  std::string_view name;
  bool months;
  int64_t factor;  // months or microseconds
};
constexpr Unit kUnits[] = {
    {"YEAR", true, 12},
    {"MONTH", true, 1},
    {"WEEK", false, 604'800'000'000},
    {"DAY", false, 86'400'000'000},
    {"HOUR", false, 3'600'000'000},
    {"MINUTE", false, 60'000'000},
    {"SECOND", false, 1'000'000},
    {"MILLISECOND", false, 1'000},
    {"MICROSECOND", false, 1},
};

const Unit* find_unit(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (word.size() > 1 && word.back() == 'S') word.pop_back();
  for (const Unit& unit : kUnits) {
    if (unit.name == word) return &unit;
  }
  return nullptr;
}

// The running sum of an interval's parts.
struct Sum {
  Cursor& cursor;
  size_t first;
  Int128 months = 0;
  Int128 micros = 0;
  bool has_months = false;
  bool has_micros = false;

  [[noreturn]] void fail(const std::string& message) const {
    throw Failure{project_error("INVALID_INTERVAL_FORMAT", message, cursor.span_from(first))};
  }

  // Adds `number` ("-1.5") of the unit. Fractions only where they are whole microseconds.
  void add(std::string_view number, const Unit& unit) {
    const std::string_view written = number;
    bool negative = false;
    if (!number.empty() && (number[0] == '-' || number[0] == '+')) {
      negative = number[0] == '-';
      number.remove_prefix(1);
    }
    const size_t point = std::min(number.find('.'), number.size());
    const Int128 whole = digits(number.substr(0, point), written);
    std::string fraction(number.substr(std::min(point + 1, number.size())));
    if (!fraction.empty() && unit.name != "SECOND") {
      fail("'" + std::string(written) + "': only seconds may have a fraction in an interval");
    }
    fraction.resize(6, '0');
    Int128 amount = whole * unit.factor;
    if (unit.name == "SECOND") amount += digits(fraction, written);
    (unit.months ? months : micros) += negative ? -amount : amount;
    (unit.months ? has_months : has_micros) = true;
  }

  Int128 digits(std::string_view text, std::string_view written) const {
    Int128 value = 0;
    if (text.empty() || text.size() > 18) fail("'" + std::string(written) + "' is no number");
    for (const char c : text) {
      if (c < '0' || c > '9') fail("'" + std::string(written) + "' is no number");
      value = value * 10 + (c - '0');
    }
    return value;
  }
};

// '3 days 2 hours' or 'interval 3 days'.
void add_words(Sum& sum, const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  size_t i = !words.empty() && find_unit(words[0]) == nullptr && words[0].size() == 8 ? 1 : 0;
  if (words.size() <= i) sum.fail("'" + text + "' is no interval");
  for (; i < words.size(); i += 2) {
    if ((words[i] == "-" || words[i] == "+") && i + 1 < words.size()) {
      words[i + 1].insert(0, words[i]);
      ++i;
    }
    const Unit* unit = i + 1 < words.size() ? find_unit(words[i + 1]) : nullptr;
    if (unit == nullptr) sum.fail("'" + text + "' is no interval: a number lacks its unit");
    sum.add(words[i], *unit);
  }
}

// '1-2' YEAR TO MONTH, '1 02:03:04.5' DAY TO SECOND: parts from the greater unit to the smaller.
void add_range(Sum& sum, std::string text, const Unit& from, const Unit& to) {
  const bool signed_text = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string sign(text, 0, signed_text ? 1 : 0);
  if (signed_text) text.erase(0, 1);
  const Unit* unit = &from;
  std::string part;
  for (size_t i = 0; i <= text.size(); ++i) {
    const bool cut = i == text.size() || text[i] == '-' || text[i] == ' ' || text[i] == ':';
    if (!cut) {
      part += text[i];
      continue;
    }
    if (unit > &to) sum.fail("'" + text + "' has more parts than the units that follow it");
    sum.add(sign + part, *unit++);
    part.clear();
  }
  if (unit != &to + 1) sum.fail("'" + text + "' has fewer parts than the units that follow it");
}

const Unit& take_unit(Cursor& cursor) {
  const Unit* unit =
      cursor.peek().kind == TokenKind::kWord ? find_unit(cursor.peek().upper) : nullptr;
  if (unit == nullptr) cursor.fail_expected("a unit of the interval such as DAY or MONTHS");
  cursor.next();
  return *unit;
}

void add_part(Cursor& cursor, Sum& sum) {
  std::string sign;
  if (cursor.at_any({"-", "+"})) sign = cursor.next().text;
  const bool quoted = cursor.at_string();
  std::string text = quoted ? parse_string(cursor, "a number") : cursor.next().text;
  if (sign == "-") text = text[0] == '-' ? text.substr(1) : "-" + text;
  const bool unit_follows =
      cursor.peek().kind == TokenKind::kWord && find_unit(cursor.peek().upper) != nullptr;
  if (quoted && !unit_follows) return add_words(sum, text);
  const Unit& from = take_unit(cursor);
  if (!quoted || !cursor.at("TO")) return sum.add(text, from);
  cursor.next();
  const Unit& to = take_unit(cursor);
  if (to.months != from.months || &to <= &from) cursor.fail("the units do not follow each other");
  add_range(sum, std::move(text), from, to);
}

bool at_part(const Cursor& cursor) {
  const size_t ahead = cursor.at_any({"-", "+"}) ? 1 : 0;
  const bool number = cursor.at_string(ahead) || cursor.peek(ahead).kind == TokenKind::kNumber;
  const Token& unit = cursor.peek(ahead + 1);
  return number && unit.kind == TokenKind::kWord && find_unit(unit.upper) != nullptr;
}

std::string number_text(Int128 value, const Sum& sum) {
  if (value > INT64_MAX || value < INT64_MIN) sum.fail("the interval is out of range");
  return std::to_string(static_cast<int64_t>(value));
}

}  // namespace

plan::ExpressionPtr parse_interval(Cursor& cursor) {
  Sum sum{cursor, cursor.position()};
  cursor.expect("INTERVAL");
  add_part(cursor, sum);
  // `INTERVAL 1 YEAR 2 MONTHS`; with a sign between it would be an operator.
  while (!cursor.at_any({"-", "+"}) && at_part(cursor)) add_part(cursor, sum);
  if (sum.has_months && sum.has_micros) {
    cursor.refuse("AN INTERVAL OF MONTHS AND DAYS TOGETHER", cursor.span_from(sum.first),
                  "add two intervals one after the other");
  }
  auto node = std::make_shared<plan::Expression>();
  node->kind = plan::ExpressionKind::kInterval;
  node->type = sum.has_months ? Kind::kIntervalYearMonth : Kind::kIntervalDayTime;
  node->text = number_text(sum.has_months ? sum.months : sum.micros, sum);
  node->span = cursor.span_from(sum.first);
  return node;
}

}  // namespace lakebed::sql
