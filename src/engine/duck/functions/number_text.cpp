#include "engine/duck/functions/number_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/names.h"

namespace lakebed::engine::duck {

namespace {

// From digits and exponent ("1.2345e+10" of to_chars) to Java's form.
template <typename T>
std::string java_real(T item) {
  if (std::isnan(item)) return "NaN";
  if (std::isinf(item)) return item < 0 ? "-Infinity" : "Infinity";
  if (item == 0) return std::signbit(item) ? "-0.0" : "0.0";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::fabs(item), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t mark = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c != '.') digits += c;
  }
  const int exponent = std::stoi(std::string(text.substr(mark + 1)));
  std::string out = item < 0 ? "-" : "";
  if (exponent < -3 || exponent >= 7) {
    out += digits.substr(0, 1) + "." + (digits.size() > 1 ? digits.substr(1) : "0");
    return out + "E" + std::to_string(exponent);
  }
  if (exponent < 0) {
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole - digits.size() + 1, '0');
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

std::string java_double(double item) { return java_real(item); }
std::string java_float(float item) { return java_real(item); }

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> parse_integer(std::string_view text, int64_t low, int64_t high) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (out < low || out > high) return std::nullopt;
  return out;
}

std::optional<double> parse_double(std::string_view text) {
  const std::string folded = fold_case(text);
  const double infinity = std::numeric_limits<double>::infinity();
  if (folded == "inf" || folded == "+inf" || folded == "infinity" || folded == "+infinity") {
    return infinity;
  }
  if (folded == "-inf" || folded == "-infinity") return -infinity;
  if (folded == "nan") return std::numeric_limits<double>::quiet_NaN();
  std::string_view number = folded;
  if (number.size() > 1 && (number.back() == 'd' || number.back() == 'f')) {
    number.remove_suffix(1);
  }
  if (number.starts_with('+')) number.remove_prefix(1);
  const size_t first = number.starts_with('-') ? 1 : 0;
  if (number.size() <= first ||
      (std::isdigit(static_cast<unsigned char>(number[first])) == 0 && number[first] != '.')) {
    return std::nullopt;
  }
  double out = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), out);
  if (end != number.data() + number.size()) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    const size_t mark = number.find('e');
    const bool tiny = mark != std::string_view::npos && number.substr(mark + 1).starts_with('-');
    out = tiny ? 0.0 : infinity;
    return number.starts_with('-') ? -out : out;
  }
  if (code != std::errc()) return std::nullopt;
  return out;
}

}  // namespace lakebed::engine::duck
