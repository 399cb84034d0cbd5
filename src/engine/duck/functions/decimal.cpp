#include "engine/duck/functions/decimal.h"

#include <algorithm>
#include <charconv>

namespace lakebed::engine::duck {

Wide Wide::of(UInt128 item) {
  Wide out;
  for (size_t i = 0; i < 4; ++i) out.words[i] = static_cast<uint32_t>(item >> (32 * i));
  return out;
}

bool Wide::is_zero() const {
  return std::all_of(words.begin(), words.end(), [](uint32_t word) { return word == 0; });
}

std::optional<UInt128> Wide::narrow() const {
  for (size_t i = 4; i < words.size(); ++i) {
    if (words[i] != 0) return std::nullopt;
  }
  UInt128 out = 0;
  for (size_t i = 4; i-- > 0;) out = (out << 32) | words[i];
  return out;
}

Wide multiply(const Wide& left, const Wide& right) {
  Wide out;
  for (size_t i = 0; i < out.words.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; i + j < out.words.size(); ++j) {
      carry += static_cast<uint64_t>(left.words[i]) * right.words[j] + out.words[i + j];
      out.words[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  return out;
}

Wide add(const Wide& left, const Wide& right) {
  Wide out;
  uint64_t carry = 0;
  for (size_t i = 0; i < out.words.size(); ++i) {
    carry += static_cast<uint64_t>(left.words[i]) + right.words[i];
    out.words[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return out;
}

Wide subtract(const Wide& left, const Wide& right) {
  Wide out;
  int64_t borrow = 0;
  for (size_t i = 0; i < out.words.size(); ++i) {
    int64_t item = static_cast<int64_t>(left.words[i]) - right.words[i] + borrow;
    borrow = item < 0 ? -1 : 0;
    if (item < 0) item += int64_t{1} << 32;
    out.words[i] = static_cast<uint32_t>(item);
  }
  return out;
}

int compare(const Wide& left, const Wide& right) {
  for (size_t i = left.words.size(); i-- > 0;) {
    if (left.words[i] != right.words[i]) return left.words[i] < right.words[i] ? -1 : 1;
  }
  return 0;
}

Quotient divide(const Wide& left, const Wide& right) {
  Quotient out;
  const auto narrow_left = left.narrow();
  const auto narrow_right = right.narrow();
  if (narrow_left && narrow_right) {
    out.quotient = Wide::of(*narrow_left / *narrow_right);
    out.remainder = Wide::of(*narrow_left % *narrow_right);
    return out;
  }
  const size_t bits = left.words.size() * 32;
  for (size_t bit = bits; bit-- > 0;) {
    Wide& rest = out.remainder;
    for (size_t i = rest.words.size(); i-- > 1;) {
      rest.words[i] = (rest.words[i] << 1) | (rest.words[i - 1] >> 31);
    }
    rest.words[0] = (rest.words[0] << 1) | ((left.words[bit / 32] >> (bit % 32)) & 1U);
    if (compare(rest, right) < 0) continue;
    rest = subtract(rest, right);
    out.quotient.words[bit / 32] |= 1U << (bit % 32);
  }
  return out;
}

Int128 power_of_ten(int exponent) {
  Int128 out = 1;
  for (int i = 0; i < exponent; ++i) out *= 10;
  return out;
}

Wide wide_power_of_ten(int exponent) {
  const int first = std::min(exponent, 38);
  Wide out = Wide::of(static_cast<UInt128>(power_of_ten(first)));
  if (exponent == first) return out;
  return multiply(out, Wide::of(static_cast<UInt128>(power_of_ten(exponent - first))));
}

bool fits_precision(Int128 unscaled, int precision) {
  return magnitude_of(unscaled) < static_cast<UInt128>(power_of_ten(precision));
}

int digits_of(Int128 unscaled) {
  UInt128 rest = magnitude_of(unscaled);
  int digits = 1;
  while (rest >= 10) {
    rest /= 10;
    ++digits;
  }
  return digits;
}

namespace {

bool rounds_up(const Quotient& parts, const Wide& divisor, bool negative, Rounding rounding) {
  if (parts.remainder.is_zero()) return false;
  const int half = compare(add(parts.remainder, parts.remainder), divisor);
  switch (rounding) {
    case Rounding::kHalfUp: return half >= 0;
    case Rounding::kHalfEven: return half > 0 || (half == 0 && (parts.quotient.words[0] & 1U) != 0);
    case Rounding::kFloor: return negative;
    case Rounding::kCeiling: return !negative;
    default: return false;
  }
}

}  // namespace

std::optional<Int128> rescale_wide(const Wide& magnitude, bool negative, int from, int to,
                                   Rounding rounding) {
  Wide out = magnitude;
  if (to > from) {
    if (to - from > 76) return magnitude.is_zero() ? std::optional<Int128>(0) : std::nullopt;
    out = multiply(out, wide_power_of_ten(to - from));
  } else if (to < from) {
    if (from - to > 76) return Int128{0};
    const Wide divisor = wide_power_of_ten(from - to);
    const Quotient parts = divide(out, divisor);
    out = parts.quotient;
    if (rounds_up(parts, divisor, negative, rounding)) out = add(out, Wide::of(1));
  }
  const auto narrow = out.narrow();
  if (!narrow || *narrow >= static_cast<UInt128>(power_of_ten(38))) return std::nullopt;
  const auto item = static_cast<Int128>(*narrow);
  return negative ? -item : item;
}

std::optional<Int128> rescale(Int128 unscaled, int from, int to, Rounding rounding) {
  if (from == to) return unscaled;
  return rescale_wide(Wide::of(magnitude_of(unscaled)), unscaled < 0, from, to, rounding);
}

std::string decimal_text(Int128 unscaled, int scale) {
  UInt128 rest = magnitude_of(unscaled);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  while (static_cast<int>(digits.size()) <= scale) digits += '0';
  std::reverse(digits.begin(), digits.end());
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  if (unscaled < 0) digits.insert(digits.begin(), '-');
  return digits;
}

double decimal_to_double(Int128 unscaled, int scale) {
  const std::string text = decimal_text(unscaled, scale);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

namespace {

struct Scanned {
  std::string digits;  // without leading zeros
  int64_t scale = 0;   // digits after the point, may be negative
  bool negative = false;
};

bool scan_exponent(std::string_view text, Scanned& out) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (code != std::errc() || end != text.data() + text.size()) return false;
  out.scale -= exponent;
  return true;
}

bool scan(std::string_view text, Scanned& out) {
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) out.negative = text[at++] == '-';
  bool point = false;
  size_t seen = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      ++seen;
      if (point) ++out.scale;
      if (!out.digits.empty() || c != '0') out.digits += c;
    } else {
      break;
    }
  }
  if (seen == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  return scan_exponent(text.substr(at + 1), out);
}

}  // namespace

DecimalParse parse_decimal(std::string_view text, int precision, int scale, Int128& out) {
  Scanned parts;
  if (!scan(text, parts)) return DecimalParse::kMalformed;
  out = 0;
  if (parts.digits.empty()) return DecimalParse::kGood;
  // Where the first digit that counts stands, before anything is computed with it.
  const int64_t integral = static_cast<int64_t>(parts.digits.size()) - parts.scale;
  if (integral > 38) return DecimalParse::kTooLarge;
  if (integral < -40) return DecimalParse::kGood;
  // 76 digits decide the rounding; what follows only matters when it is not zero.
  if (parts.digits.size() > 76) {
    const bool rest = parts.digits.find_first_not_of('0', 76) != std::string::npos;
    parts.scale -= static_cast<int64_t>(parts.digits.size()) - 76;
    parts.digits.resize(76);
    if (rest && parts.digits.back() == '0') parts.digits.back() = '1';
  }
  Wide magnitude;
  for (const char c : parts.digits) {
    magnitude = add(multiply(magnitude, Wide::of(10)), Wide::of(static_cast<UInt128>(c - '0')));
  }
  const auto scaled = rescale_wide(magnitude, parts.negative, static_cast<int>(parts.scale), scale,
                                   Rounding::kHalfUp);
  if (!scaled || !fits_precision(*scaled, precision)) return DecimalParse::kTooLarge;
  out = *scaled;
  return DecimalParse::kGood;
}

}  // namespace lakebed::engine::duck
