#include "sql/literals.h"

#include <charconv>
#include <cmath>

#include "sql/names.h"

namespace lakebed::sql {

namespace {

using plan::ExpressionPtr;
using value::Kind;
using value::Type;

[[noreturn]] void bad_literal(SourceSpan span, const std::string& message, std::string hint = "") {
  Error error = project_error("INVALID_TYPED_LITERAL", message, std::move(span));
  if (!hint.empty()) error.with_hint(std::move(hint));
  throw Failure{std::move(error)};
}

ExpressionPtr boolean_or_null(Cursor& cursor) {
  const size_t first = cursor.position();
  const std::string word = cursor.next().upper;
  auto node = std::make_shared<plan::Expression>();
  node->span = cursor.span_from(first);
  node->is_null = word == "NULL";
  node->type = node->is_null ? Kind::kVoid : Kind::kBoolean;
  if (!node->is_null) node->text = word == "TRUE" ? "true" : "false";
  return node;
}

ExpressionPtr date_or_timestamp(Cursor& cursor) {
  const size_t first = cursor.position();
  const std::string word = cursor.next().upper;
  const std::string text = parse_string(cursor, "the value as a string");
  const SourceSpan span = cursor.span_from(first);
  if (word == "DATE") {
    const auto date = canonical_date(text);
    if (!date) bad_literal(span, "'" + text + "' is no date", "write DATE'2024-01-31'");
    return literal(Kind::kDate, *date, span);
  }
  std::string zone;
  const auto moment = canonical_timestamp(text, zone);
  if (!moment) {
    bad_literal(span, "'" + text + "' is no timestamp", "write TIMESTAMP'2024-01-31 12:00:00'");
  }
  const bool ntz = word == "TIMESTAMP_NTZ";
  // A zone that was written stays behind the canonical text: only resolution knows the zones.
  const std::string whole = zone.empty() || ntz ? *moment : *moment + " " + zone;
  return literal(ntz ? Kind::kTimestampNtz : Kind::kTimestamp, whole, span);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

ExpressionPtr binary(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  std::string digits = cursor.next().text;
  if (digits.size() % 2 == 1) digits.insert(digits.begin(), '0');
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) {
      bad_literal(cursor.span_from(first), "X'" + digits + "' holds what is no hexadecimal digit");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return literal(Kind::kBinary, bytes, cursor.span_from(first));
}

// Digits of a decimal with their point moved by `exponent`: "1.5", 2 -> "150".
struct Decimal {
  std::string digits;  // without leading zeros; "0" for none
  int scale = 0;
};

Decimal read_decimal(std::string_view mantissa, int exponent) {
  Decimal out;
  bool point = false;
  for (const char c : mantissa) {
    if (c == '.') {
      point = true;
      continue;
    }
    out.digits += c;
    if (point) ++out.scale;
  }
  out.scale -= exponent;
  while (out.scale < 0 && out.digits.size() < 80) {
    out.digits += '0';
    ++out.scale;
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  if (out.digits.empty()) out.digits = "0";
  return out;
}

std::string decimal_text(const Decimal& decimal, bool negative) {
  std::string text = decimal.digits;
  const auto scale = static_cast<size_t>(decimal.scale);
  if (scale > 0) {
    if (text.size() <= scale) text.insert(0, scale + 1 - text.size(), '0');
    text.insert(text.size() - scale, ".");
  }
  return negative ? "-" + text : text;
}

ExpressionPtr decimal_literal(const Decimal& decimal, bool negative, SourceSpan span) {
  const int precision = std::max(static_cast<int>(decimal.digits.size()), decimal.scale);
  if (precision > 38 || decimal.scale < 0) {
    bad_literal(span, "a number of more than 38 digits", "write it as a DOUBLE with the suffix D");
  }
  return literal(Type::decimal(precision, decimal.scale), decimal_text(decimal, negative), span);
}

ExpressionPtr float_literal(const std::string& digits, Kind kind, const SourceSpan& span) {
  // from_chars reads with no regard for the locale; the shortest text that reads back is written.
  char buffer[64];
  std::to_chars_result written{};
  if (kind == Kind::kFloat) {
    float number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (std::isinf(number)) bad_literal(span, digits + " is out of the range of FLOAT");
    written = std::to_chars(buffer, buffer + sizeof buffer, number);
  } else {
    double number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc::result_out_of_range && digits.find("e-") == std::string::npos) {
      bad_literal(span, digits + " is out of the range of DOUBLE");
    }
    written = std::to_chars(buffer, buffer + sizeof buffer, number);
  }
  return literal(kind, std::string(buffer, written.ptr), span);
}

ExpressionPtr integer_literal(const std::string& digits, const std::string& suffix,
                              const SourceSpan& span) {
  int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool fits = read.ec == std::errc();
  const auto within = [&](int64_t low, int64_t high) {
    return fits && number >= low && number <= high;
  };
  const std::string text = fits ? std::to_string(number) : digits;
  if (suffix == "Y" && within(-128, 127)) return literal(Kind::kByte, text, span);
  if (suffix == "S" && within(-32768, 32767)) return literal(Kind::kShort, text, span);
  if (suffix == "L" && fits) return literal(Kind::kLong, text, span);
  if (!suffix.empty()) bad_literal(span, digits + suffix + " is out of the range of its type");
  if (within(INT32_MIN, INT32_MAX)) return literal(Kind::kInt, text, span);
  if (fits) return literal(Kind::kLong, text, span);
  const bool negative = digits[0] == '-';
  return decimal_literal(read_decimal(digits.substr(negative ? 1 : 0), 0), negative, span);
}

// The suffix at the end of a number token, in capitals.
std::string suffix_of(const std::string& text) {
  std::string suffix;
  for (const char c : text) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!letter) {
      suffix.clear();
    } else {
      suffix += static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
    }
  }
  return suffix == "E" ? "" : suffix;
}

}  // namespace

ExpressionPtr literal(Type type, std::string text, SourceSpan span) {
  auto node = std::make_shared<plan::Expression>();
  node->kind = plan::ExpressionKind::kLiteral;
  node->type = std::move(type);
  node->text = std::move(text);
  node->span = std::move(span);
  return node;
}

bool at_word_literal(const Cursor& cursor) {
  if (cursor.at_any({"TRUE", "FALSE", "NULL"})) return !cursor.at_any({"(", "."}, 1);
  if (cursor.at_any({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})) {
    return cursor.at_string(1);
  }
  if (cursor.at("X")) return cursor.at_string(1) && cursor.adjacent(1);
  if (!cursor.at("INTERVAL")) return false;
  const size_t ahead = cursor.at_any({"-", "+"}, 1) ? 2 : 1;
  return cursor.at_string(ahead) || cursor.peek(ahead).kind == TokenKind::kNumber;
}

ExpressionPtr parse_word_literal(Cursor& cursor) {
  if (cursor.at_any({"TRUE", "FALSE", "NULL"})) return boolean_or_null(cursor);
  if (cursor.at("X")) return binary(cursor);
  if (cursor.at("INTERVAL")) return parse_interval(cursor);
  return date_or_timestamp(cursor);
}

ExpressionPtr parse_number(Cursor& cursor, size_t first, bool negative) {
  std::string text = cursor.next().text;
  const SourceSpan span = cursor.span_from(first);
  const std::string suffix = suffix_of(text);
  text.resize(text.size() - suffix.size());
  for (char& c : text) c = c == 'E' ? 'e' : c;
  const size_t mark = text.find('e');
  const std::string sign = negative ? "-" : "";
  if (suffix == "D") return float_literal(sign + text, Kind::kDouble, span);
  if (suffix == "F") return float_literal(sign + text, Kind::kFloat, span);
  const bool integer = mark == std::string::npos && text.find('.') == std::string::npos;
  if (integer && suffix != "BD") return integer_literal(sign + text, suffix, span);
  if (suffix == "L" || suffix == "S" || suffix == "Y") {
    bad_literal(span, "the suffix " + suffix + " needs a whole number");
  }
  if (mark == std::string::npos) return decimal_literal(read_decimal(text, 0), negative, span);
  if (suffix != "BD") {
    const size_t plus = text.find('+');
    if (plus != std::string::npos) text.erase(plus, 1);
    return float_literal(sign + text, Kind::kDouble, span);
  }
  int exponent = 0;
  const char* digits = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  const auto read = std::from_chars(digits, text.data() + text.size(), exponent);
  if (read.ec != std::errc() || std::abs(exponent) > 60) bad_literal(span, "a number out of range");
  return decimal_literal(read_decimal(text.substr(0, mark), exponent), negative, span);
}

ExpressionPtr parse_string_literal(Cursor& cursor) {
  const size_t first = cursor.position();
  std::string text = parse_string(cursor, "a string");
  return literal(Kind::kString, std::move(text), cursor.span_from(first));
}

}  // namespace lakebed::sql
