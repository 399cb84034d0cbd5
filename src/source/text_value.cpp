#include "source/text_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace lakebed::source {

namespace {

constexpr int kMaxDigits = 38;
constexpr int64_t kExponentLimit = 1'000'000;  // beyond this a number is huge or zero anyway

// A number taken apart: value = digits x 10^exponent.
struct Digits {
  bool negative = false;
  std::string_view integral;
  std::string_view fraction;
  int64_t exponent = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view out = text.substr(0, count);
  text.remove_prefix(count);
  return out;
}

bool take_exponent(std::string_view& text, int64_t& out) {
  text.remove_prefix(1);
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return false;
  int64_t number = 0;
  for (const char c : digits) {
    number = std::min(number * 10 + (c - '0'), kExponentLimit);
  }
  out = negative ? -number : number;
  return true;
}

bool take_apart(std::string_view text, Digits& out) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  out.integral = take_digits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    out.fraction = take_digits(text);
  }
  if (out.integral.empty() && out.fraction.empty()) return false;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E') && !take_exponent(text, out.exponent)) {
    return false;
  }
  return text.empty();
}

// The n-th digit of integral and fraction written one after another.
int digit_at(const Digits& digits, size_t index) {
  const char c = index < digits.integral.size() ? digits.integral[index]
                                                : digits.fraction[index - digits.integral.size()];
  return c - '0';
}

size_t leading_zeros(const Digits& digits) {
  const size_t total = digits.integral.size() + digits.fraction.size();
  size_t zeros = 0;
  while (zeros < total && digit_at(digits, zeros) == 0) ++zeros;
  return zeros;
}

constexpr auto kPowersOfTen = [] {
  std::array<value::Int128, kMaxDigits + 1> out{};
  out[0] = 1;
  for (size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * 10;
  return out;
}();

value::Int128 power_of_ten(int64_t exponent) { return kPowersOfTen[static_cast<size_t>(exponent)]; }

// The first `count` digits from `first` on, as a number.
value::Int128 read_digits(const Digits& digits, size_t first, int64_t count) {
  constexpr int64_t kShort = 18;  // fit in 64 bits
  int64_t head = 0;
  const int64_t short_count = std::min(count, kShort);
  for (int64_t i = 0; i < short_count; ++i) {
    head = head * 10 + digit_at(digits, first + static_cast<size_t>(i));
  }
  value::Int128 out = head;
  for (int64_t i = short_count; i < count; ++i) {
    out = out * 10 + digit_at(digits, first + static_cast<size_t>(i));
  }
  return out;
}

template <typename T>
bool parse_floating(std::string_view text, T& out) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (end != text.data() + text.size()) return false;
  if (problem == std::errc()) return std::isfinite(out);
  if (problem != std::errc::result_out_of_range) return false;
  // Out of range is no error in Java: the magnitude decides between infinity and zero.
  Digits digits;
  if (!take_apart(text, digits)) return false;
  const auto point = static_cast<int64_t>(digits.integral.size()) -
                     static_cast<int64_t>(leading_zeros(digits)) + digits.exponent;
  out = point > 0 ? std::numeric_limits<T>::infinity() : T{0};
  if (digits.negative) out = -out;
  return true;
}

}  // namespace

bool parse_integer(std::string_view text, int64_t& out) {
  if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && end == text.data() + text.size();
}

bool fits_integer(value::Kind kind, int64_t number) {
  switch (kind) {
    case value::Kind::kByte: return number >= INT8_MIN && number <= INT8_MAX;
    case value::Kind::kShort: return number >= INT16_MIN && number <= INT16_MAX;
    case value::Kind::kInt: return number >= INT32_MIN && number <= INT32_MAX;
    default: return true;
  }
}

bool parse_double(std::string_view text, double& out) { return parse_floating(text, out); }
bool parse_float(std::string_view text, float& out) { return parse_floating(text, out); }

bool parse_non_numeric(std::string_view text, double& out) {
  if (text == "NaN") {
    out = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text != "Infinity" && text != "INF") return false;
  out =
      negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return true;
}

bool parse_decimal(std::string_view text, int precision, int scale, value::Int128& out) {
  Digits digits;
  if (!take_apart(text, digits)) return false;
  const size_t first = leading_zeros(digits);
  const size_t total = digits.integral.size() + digits.fraction.size();
  const auto count = static_cast<int64_t>(total - first);
  // How many places the digits move to become the unscaled number.
  const int64_t shift = digits.exponent - static_cast<int64_t>(digits.fraction.size()) + scale;
  const int64_t kept = shift >= 0 ? count : count + shift;
  out = 0;
  if (count == 0 || kept < 0) return true;
  if (kept + std::max<int64_t>(shift, 0) > kMaxDigits) return false;
  out = read_digits(digits, first, kept);
  if (shift > 0) out *= power_of_ten(shift);
  if (shift < 0 && digit_at(digits, first + static_cast<size_t>(kept)) >= 5) ++out;
  if (out >= power_of_ten(precision)) return false;
  if (digits.negative) out = -out;
  return true;
}

bool decimal_shape(std::string_view text, int& precision, int& scale) {
  Digits digits;
  if (!take_apart(text, digits)) return false;
  const auto fraction = static_cast<int64_t>(digits.fraction.size()) - digits.exponent;
  const size_t total = digits.integral.size() + digits.fraction.size();
  const auto significant = static_cast<int64_t>(total - leading_zeros(digits));
  scale = static_cast<int>(std::max<int64_t>(fraction, 0));
  const int64_t whole = significant + std::max<int64_t>(-fraction, 0);
  precision = static_cast<int>(std::max<int64_t>(std::max<int64_t>(whole, scale), 1));
  return true;
}

bool parse_base64(std::string_view text, std::string& out) {
  out.clear();
  uint32_t bits = 0;
  int held = 0;
  size_t padding = 0;
  for (const char c : text) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z')
      digit = c - 'A';
    else if (c >= 'a' && c <= 'z')
      digit = c - 'a' + 26;
    else if (is_digit(c))
      digit = c - '0' + 52;
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else if (c == '=')
      ++padding;
    else
      return false;
    if (digit < 0) continue;
    if (padding > 0) return false;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xFF));
    }
  }
  return text.size() % 4 == 0 && padding <= 2;
}

}  // namespace lakebed::source
