// Exact arithmetic on DECIMAL(38, s): what Java's BigDecimal does for Spark. Numbers in between
// may have twice the digits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "value/type.h"

namespace lakebed::engine::duck {

using value::Int128;
using value::UInt128;

// An unsigned number of 320 bits, small words first. Enough for 10^38 * 10^38 * 10^18.
struct Wide {
  std::array<uint32_t, 10> words{};
  static Wide of(UInt128 item);
  bool is_zero() const;
  // Nothing where it does not fit.
  std::optional<UInt128> narrow() const;
};
Wide multiply(const Wide& left, const Wide& right);
Wide add(const Wide& left, const Wide& right);
// left - right. Requires: left >= right.
Wide subtract(const Wide& left, const Wide& right);
int compare(const Wide& left, const Wide& right);
struct Quotient {
  Wide quotient;
  Wide remainder;
};
// Requires: right is not zero.
Quotient divide(const Wide& left, const Wide& right);
Wide wide_power_of_ten(int exponent);  // up to 10^76

enum class Rounding : uint8_t { kHalfUp, kHalfEven, kDown, kFloor, kCeiling };

// The number with `from` decimals, rounded to `to` decimals; nothing beyond 38 digits.
std::optional<Int128> rescale(Int128 unscaled, int from, int to, Rounding rounding);
// The same for a magnitude of any width.
std::optional<Int128> rescale_wide(const Wide& magnitude, bool negative, int from, int to,
                                   Rounding rounding);
Int128 power_of_ten(int exponent);  // 0 to 38
// True where the number has at most `precision` digits.
bool fits_precision(Int128 unscaled, int precision);
int digits_of(Int128 unscaled);

inline UInt128 magnitude_of(Int128 item) {
  return item < 0 ? UInt128{0} - static_cast<UInt128>(item) : static_cast<UInt128>(item);
}

std::string decimal_text(Int128 unscaled, int scale);
double decimal_to_double(Int128 unscaled, int scale);

// Text as BigDecimal reads it: sign, digits, point, exponent.
enum class DecimalParse : uint8_t { kGood, kMalformed, kTooLarge };
// Rounded half up to `scale`; kTooLarge where it has more than `precision` digits then.
DecimalParse parse_decimal(std::string_view text, int precision, int scale, Int128& out);

}  // namespace lakebed::engine::duck
