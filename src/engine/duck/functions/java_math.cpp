#include "engine/duck/functions/java_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lakebed::engine::duck {

namespace {

// ln 2 in two parts, so that a multiple of it keeps more digits than a double has.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;

uint32_t high_word(double x) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 32); }

// exp on [-0.35, 0.35]: `x` is high - low, k counts the factors of two taken out.
double exp_near_zero(double high, double low, int k) {
  const double x = high - low;
  const double t = x * x;
  const double c =
      x - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  if (k == 0) return 1.0 - ((x * c) / (c - 2.0) - x);
  return std::ldexp(1.0 - ((low - (x * c) / (2.0 - c)) - high), k);
}

// log of 1 + f, with k * ln 2 added.
double log_polynomial(double f, int k, bool wide) {
  const double dk = k;
  const double s = f / (2.0 + f);
  const double z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double r = odd + even;
  if (wide) {
    const double half = 0.5 * f * f;
    if (k == 0) return f - (half - s * (half + r));
    return dk * kLn2High - ((half - (s * (half + r) + dk * kLn2Low)) - f);
  }
  if (k == 0) return f - s * (f - r);
  return dk * kLn2High - ((s * (f - r) - dk * kLn2Low) - f);
}

}  // namespace

double strict_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 7.09782712893383973096e+02) return std::numeric_limits<double>::infinity();
  if (x < -7.45133219101941108420e+02) return 0.0;
  const double size = std::fabs(x);
  if (size < 3.725290298461914e-09) return 1.0 + x;
  if (size <= 0.5 * (kLn2High + kLn2Low)) return exp_near_zero(x, 0.0, 0);
  int k = x < 0 ? -1 : 1;
  if (size >= 1.5 * (kLn2High + kLn2Low)) {
    k = static_cast<int>(1.44269504088896338700e+00 * x + (x < 0 ? -0.5 : 0.5));
  }
  return exp_near_zero(x - k * kLn2High, k * kLn2Low, k);
}

double strict_log(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 18014398509481984.0;  // 2^54
    k = -54;
  }
  // x = 2^k * (1 + f) with 1 + f between the square roots of a half and of two.
  const uint32_t top = high_word(x);
  k += static_cast<int>(top >> 20) - 1023;
  const uint32_t mantissa = top & 0xFFFFFU;
  const uint32_t shift = (mantissa + 0x95F64U) & 0x100000U;
  k += static_cast<int>(shift >> 20);
  const uint64_t low = std::bit_cast<uint64_t>(x) & 0xFFFFFFFFULL;
  const uint64_t bits = (static_cast<uint64_t>(mantissa | (shift ^ 0x3FF00000U)) << 32) | low;
  const double f = std::bit_cast<double>(bits) - 1.0;
  if ((0xFFFFFU & (2U + mantissa)) < 3U) {
    if (f == 0) return k == 0 ? 0.0 : k * kLn2High + k * kLn2Low;
    const double r = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - r : k * kLn2High - ((r - k * kLn2Low) - f);
  }
  const auto above = static_cast<int32_t>(mantissa) - 0x6147A;
  const auto below = 0x6B851 - static_cast<int32_t>(mantissa);
  return log_polynomial(f, k, (above | below) > 0);
}

double strict_cosh(double x) {
  const double size = std::fabs(x);
  if (std::isnan(x) || std::isinf(x)) return size;
  if (size < 0.34657359027997264) {
    const double t = std::expm1(size);
    const double w = 1.0 + t;
    return size < 2.7755575615628914e-17 ? w : 1.0 + (t * t) / (w + w);
  }
  if (size < 22) {
    const double t = strict_exp(size);
    return 0.5 * t + 0.5 / t;
  }
  if (size < 709.78) return 0.5 * strict_exp(size);
  const double w = strict_exp(0.5 * size);
  return 0.5 * w * w;
}

}  // namespace lakebed::engine::duck
