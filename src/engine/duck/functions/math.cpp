// Numbers: rounding, logarithms, trigonometry, bits, number formats.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/duck/functions/arithmetic.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/java_math.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/number_text.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

using Real = double (*)(double);

// DOUBLE to DOUBLE, as java.lang.Math has it.
template <Real function>
Status real_row(const Row& row, Column& out, const KernelContext&) {
  append_real(out, function(row.real(0)));
  return {};
}

double sign_of(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
double cot(double x) { return 1.0 / std::tan(x); }
double sec(double x) { return 1.0 / std::cos(x); }
double csc(double x) { return 1.0 / std::sin(x); }
double to_degrees(double x) { return x * (180.0 / std::numbers::pi); }
double to_radians(double x) { return x * (std::numbers::pi / 180.0); }
double asinh_java(double x) {
  const double size = std::fabs(x);
  if (!std::isfinite(x) || size < 3.725290298461914e-09) return x;
  double out = 0;
  if (size > 268435456.0)
    out = strict_log(size) + std::numbers::ln2;
  else if (size > 2)
    out = strict_log(2.0 * size + 1.0 / (std::sqrt(x * x + 1.0) + size));
  else
    out = std::log1p(size + x * x / (1.0 + std::sqrt(1.0 + x * x)));
  return std::copysign(out, x);
}
double log2_java(double x) { return strict_log(x) / strict_log(2.0); }
double acosh_java(double x) { return strict_log(x + std::sqrt(x * x - 1.0)); }
double atanh_java(double x) { return 0.5 * (std::log1p(x) - std::log1p(-x)); }
double rint_even(double x) { return std::nearbyint(x); }

// Logarithms give NULL outside of their domain.
template <Real function, int asymptote>
Status log_row(const Row& row, Column& out, const KernelContext&) {
  const double x = row.real(0);
  if (x <= asymptote)
    out.append_null();
  else
    append_real(out, function(x));
  return {};
}

Status log_base_row(const Row& row, Column& out, const KernelContext&) {
  const double x = row.real(row.count() - 1);
  const double base = row.count() == 2 ? row.real(0) : std::numbers::e;
  if (x <= 0 || base <= 0)
    out.append_null();
  else if (row.count() == 1)
    append_real(out, strict_log(x));
  else
    append_real(out, strict_log(x) / strict_log(base));
  return {};
}

using Real2 = double (*)(double, double);
template <Real2 function>
Status real2_row(const Row& row, Column& out, const KernelContext&) {
  append_real(out, function(row.real(0), row.real(1)));
  return {};
}
double power(double x, double y) {
  // Java: 1 to the power of NaN and of an infinity is NaN.
  if (std::isnan(y) || (std::isinf(y) && std::fabs(x) == 1)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::pow(x, y);
}
double arc(double y, double x) { return std::atan2(y + 0.0, x + 0.0); }
double hypotenuse(double x, double y) { return std::hypot(x, y); }

Status nanvl_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0) || (std::isnan(row.real(0)) && row.null(1)))
    out.append_null();
  else
    append_real(out, std::isnan(row.real(0)) ? row.real(1) : row.real(0));
  return {};
}

Status isnan_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, !row.null(0) && std::isnan(row.real(0)));
  return {};
}

// --- rounding ------------------------------------------------------------------------------------

template <int mode>
constexpr Rounding kMode = mode == 0   ? Rounding::kHalfUp
                           : mode == 1 ? Rounding::kHalfEven
                           : mode == 2 ? Rounding::kFloor
                                       : Rounding::kCeiling;

// To `places` decimals (negative: tens, hundreds); the result keeps `scale`.
std::optional<Int128> round_decimal(Int128 item, int from, int places, int scale,
                                    Rounding rounding) {
  auto rounded = rescale(item, from, std::min(places, from), rounding);
  if (!rounded) return std::nullopt;
  return rescale(*rounded, std::min(places, from), scale, Rounding::kDown);
}

Status put_rounded(Column& out, std::optional<Int128> item) {
  if (!item || !fits_precision(*item, out.type().precision)) {
    return update_error("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                        fmt::format("The result cannot be represented as {}.", out.type().text()));
  }
  out.append_decimal(*item);
  return {};
}

Status round_real(const Row& row, Column& out, int places, Rounding rounding) {
  const double item = row.real(0);
  const bool single = row.column(0).type().kind == Kind::kFloat;
  if (!std::isfinite(item) || places > 36) {
    append_real(out, item);
    return {};
  }
  // Through the decimal text of the number, as BigDecimal does.
  const std::string text = single ? java_float(static_cast<float>(item)) : java_double(item);
  Int128 scaled = 0;
  const int kept = std::max(places, 0);
  if (std::fabs(item) >= 1e20 || kept > 17) {
    append_real(out, item);
    return {};
  }
  if (rounding == Rounding::kHalfUp && places >= 0) {
    parse_decimal(text, 38, kept, scaled);
  } else {
    Int128 exact = 0;
    parse_decimal(text, 38, 17, exact);
    scaled =
        rescale(*rescale(exact, 17, places, rounding), places, kept, Rounding::kDown).value_or(0);
  }
  append_real(out, parse_double(decimal_text(scaled, kept)).value_or(item));
  return {};
}

template <int mode>
Status round_row(const Row& row, Column& out, const KernelContext&) {
  const Rounding rounding = kMode<mode>;
  const int places = row.count() > 1 ? static_cast<int>(row.integer(1)) : 0;
  const Column& column = row.column(0);
  if (column.type().kind == Kind::kDecimal) {
    const auto item = round_decimal(column.decimal(row.row()), column.type().scale, places,
                                    out.type().scale, rounding);
    return put_rounded(out, item);
  }
  if (!column.type().is_integer()) return round_real(row, out, places, rounding);
  const Int128 item = row.integer(0);
  const auto rounded =
      places >= 0 ? std::optional<Int128>(item) : round_decimal(item, 0, places, 0, rounding);
  const int64_t high = column.type().kind == Kind::kByte    ? 127
                       : column.type().kind == Kind::kShort ? 32'767
                       : column.type().kind == Kind::kInt   ? INT32_MAX
                                                            : INT64_MAX;
  if (!rounded || *rounded > high || *rounded < -Int128{high} - 1)
    return arithmetic_overflow("round");
  out.append_integer(static_cast<int64_t>(*rounded));
  return {};
}

template <int mode>
Status whole_row(const Row& row, Column& out, const KernelContext& context) {
  const Column& column = row.column(0);
  if (column.type().kind == Kind::kDecimal) return round_row<mode>(row, out, context);
  if (column.type().is_integer()) {
    out.append_integer(row.integer(0));
    return {};
  }
  const double item = mode == 2 ? std::floor(row.real(0)) : std::ceil(row.real(0));
  if (std::isnan(item) || item >= 9223372036854775808.0 || item < -9223372036854775808.0) {
    return arithmetic_overflow(mode == 2 ? "floor" : "ceil");
  }
  out.append_integer(static_cast<int64_t>(item));
  return {};
}

// --- integers ------------------------------------------------------------------------------------

Status factorial_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t n = row.integer(0);
  if (n < 0 || n > 20) {
    out.append_null();
    return {};
  }
  int64_t item = 1;
  for (int64_t i = 2; i <= n; ++i) item *= i;
  out.append_integer(item);
  return {};
}

int width_of(const Column& out) { return out.type().kind == Kind::kInt ? 32 : 64; }

Status shift_left_row(const Row& row, Column& out, const KernelContext&) {
  const int width = width_of(out);
  const auto by = static_cast<uint64_t>(row.integer(1)) & static_cast<uint64_t>(width - 1);
  const uint64_t item = static_cast<uint64_t>(row.integer(0)) << by;
  if (width == 32)
    out.append_integer(static_cast<int32_t>(static_cast<uint32_t>(item)));
  else
    out.append_integer(static_cast<int64_t>(item));
  return {};
}

Status shift_right_row(const Row& row, Column& out, const KernelContext&) {
  const auto by = static_cast<uint64_t>(row.integer(1)) & static_cast<uint64_t>(width_of(out) - 1);
  out.append_integer(row.integer(0) >> by);
  return {};
}

Status shift_right_unsigned_row(const Row& row, Column& out, const KernelContext&) {
  const int width = width_of(out);
  const auto by = static_cast<uint64_t>(row.integer(1)) & static_cast<uint64_t>(width - 1);
  if (width == 32) {
    const uint32_t item = static_cast<uint32_t>(row.integer(0)) >> by;
    out.append_integer(static_cast<int32_t>(item));
  } else {
    out.append_integer(static_cast<int64_t>(static_cast<uint64_t>(row.integer(0)) >> by));
  }
  return {};
}

Status bit_count_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(__builtin_popcountll(static_cast<uint64_t>(row.integer(0))));
  return {};
}

Status getbit_row(const Row& row, Column& out, const KernelContext&) {
  const Kind kind = row.column(0).type().kind;
  const int64_t bits = kind == Kind::kByte    ? 8
                       : kind == Kind::kShort ? 16
                       : kind == Kind::kInt   ? 32
                                              : 64;
  const int64_t at = row.integer(1);
  if (at < 0 || at >= bits) {
    return update_error("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
                        fmt::format("Bit {} is not within 0 and {}.", at, bits - 1));
  }
  out.append_integer((row.integer(0) >> at) & 1);
  return {};
}

// --- number formats ------------------------------------------------------------------------------

std::string hex_text(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return out;
}

Status hex_row(const Row& row, Column& out, const KernelContext&) {
  if (row.column(0).type().kind == Kind::kLong) {
    out.append_bytes(fmt::format("{:X}", static_cast<uint64_t>(row.integer(0))));
  } else {
    out.append_bytes(hex_text(row.text(0)));
  }
  return {};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status unhex_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0);
  std::string bytes;
  size_t at = 0;
  int high = text.size() % 2 == 1 ? 0 : -1;
  for (; at < text.size(); ++at) {
    const int digit = hex_digit(text[at]);
    if (digit < 0) {
      out.append_null();
      return {};
    }
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  out.append_bytes(bytes);
  return {};
}

Status bin_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(fmt::format("{:b}", static_cast<uint64_t>(row.integer(0))));
  return {};
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// The number in base `from`, cut at the first character that is no digit of it.
Result<uint64_t> read_base(std::string_view text, int from) {
  uint64_t item = 0;
  for (const char c : text) {
    const int digit = digit_value(c);
    if (digit >= from) break;
    uint64_t scaled = 0;
    if (__builtin_mul_overflow(item, static_cast<uint64_t>(from), &scaled) ||
        __builtin_add_overflow(scaled, static_cast<uint64_t>(digit), &item)) {
      return arithmetic_overflow("conv");
    }
  }
  return item;
}

Status conv_row(const Row& row, Column& out, const KernelContext&) {
  const auto from = static_cast<int>(row.integer(1));
  const auto to = static_cast<int>(row.integer(2));
  std::string_view text = trimmed(row.text(0));
  if (from < 2 || from > 36 || std::abs(to) < 2 || std::abs(to) > 36 || text.empty()) {
    out.append_null();
    return {};
  }
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  LAKEBED_ASSIGN(uint64_t item, read_base(text, from));
  bool minus = false;
  if (negative && to > 0)
    item = static_cast<int64_t>(item) < 0 ? UINT64_MAX : uint64_t{0} - item;
  else if (negative)
    minus = item != 0;
  else if (to < 0 && static_cast<int64_t>(item) < 0) {
    item = uint64_t{0} - item;
    minus = true;
  }
  const auto base = static_cast<uint64_t>(std::abs(to));
  std::string digits;
  do {
    const auto digit = static_cast<char>(item % base);
    digits.insert(digits.begin(), static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10));
    item /= base;
  } while (item != 0);
  out.append_bytes(minus ? "-" + digits : digits);
  return {};
}

Status width_bucket_row(const Row& row, Column& out, const KernelContext&) {
  const double x = row.real(0), low = row.real(1), high = row.real(2);
  const int64_t count = row.integer(3);
  if (count <= 0 || count == INT64_MAX || std::isnan(x) || low == high || !std::isfinite(low) ||
      !std::isfinite(high)) {
    out.append_null();
    return {};
  }
  const double lower = std::min(low, high), upper = std::max(low, high);
  if (low < high ? x < lower : x > upper)
    out.append_integer(0);
  else if (low < high ? x >= upper : x <= lower)
    out.append_integer(count + 1);
  else {
    const double part = low < high ? x - lower : upper - x;
    out.append_integer(static_cast<int64_t>(static_cast<double>(count) * part / (upper - lower)) +
                       1);
  }
  return {};
}

}  // namespace

std::vector<Rendering> math_renderings() {
  return {
      {"round", round_row<0>},
      {"bround", round_row<1>},
      {"floor", whole_row<2>},
      {"ceil ceiling", whole_row<3>},
      {"sign signum", real_row<sign_of>},
      {"sqrt", real_row<std::sqrt>},
      {"cbrt", real_row<std::cbrt>},
      {"exp", real_row<strict_exp>},
      {"expm1", real_row<std::expm1>},
      {"ln", log_row<strict_log, 0>},
      {"log", log_base_row},
      {"log10", log_row<std::log10, 0>},
      {"log2", log_row<log2_java, 0>},
      {"log1p", log_row<std::log1p, -1>},
      {"pow power", real2_row<power>},
      {"sin", real_row<std::sin>},
      {"cos", real_row<std::cos>},
      {"tan", real_row<std::tan>},
      {"cot", real_row<cot>},
      {"sec", real_row<sec>},
      {"csc", real_row<csc>},
      {"asin", real_row<std::asin>},
      {"acos", real_row<std::acos>},
      {"atan", real_row<std::atan>},
      {"atan2", real2_row<arc>},
      {"sinh", real_row<std::sinh>},
      {"cosh", real_row<strict_cosh>},
      {"tanh", real_row<std::tanh>},
      {"asinh", real_row<asinh_java>},
      {"acosh", real_row<acosh_java>},
      {"atanh", real_row<atanh_java>},
      {"degrees", real_row<to_degrees>},
      {"radians", real_row<to_radians>},
      {"hypot", real2_row<hypotenuse>},
      {"rint", real_row<rint_even>},
      {"e", "CAST(2.718281828459045 AS DOUBLE)"},
      {"pi", "CAST(3.141592653589793 AS DOUBLE)"},
      {"factorial", factorial_row},
      {"isnan", isnan_row, kSeesNulls},
      {"nanvl", nanvl_row, kSeesNulls},
      {"shiftleft <<", shift_left_row},
      {"shiftright >>", shift_right_row},
      {"shiftrightunsigned >>>", shift_right_unsigned_row},
      {"bit_count", bit_count_row},
      {"getbit bit_get", getbit_row},
      {"hex", hex_row},
      {"unhex", unhex_row},
      {"bin", bin_row},
      {"conv", conv_row},
      {"width_bucket", width_bucket_row},
  };
}

}  // namespace lakebed::engine::duck
