// format_number and format_string.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/number_text.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

// --- number formats ------------------------------------------------------------------------------

struct NumberPattern {
  int grouping = 0;  // digits between commas; 0: none
  int least_whole = 0;
  int least_fraction = 0;
  int most_fraction = 0;
};

// "#,##0.00": digits, commas and a point only.
std::optional<NumberPattern> read_number_pattern(std::string_view text) {
  NumberPattern out;
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const size_t comma = whole.rfind(',');
  if (comma != std::string_view::npos) out.grouping = static_cast<int>(whole.size() - comma - 1);
  for (const char c : whole) {
    if (c == '0')
      ++out.least_whole;
    else if (c != '#' && c != ',')
      return std::nullopt;
  }
  for (const char c : point < text.size() ? text.substr(point + 1) : std::string_view{}) {
    if (c != '0' && c != '#') return std::nullopt;
    if (c == '0') ++out.least_fraction;
    ++out.most_fraction;
  }
  return out;
}

std::string grouped(std::string digits, int every) {
  if (every <= 0) return digits;
  for (int at = static_cast<int>(digits.size()) - every; at > 0; at -= every) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

// The exact decimal text of a number, rounded half even to `places`.
std::string rounded_text(const Row& row, int places) {
  const Column& column = row.column(0);
  const Kind kind = column.type().kind;
  if (kind == Kind::kDecimal) {
    const auto item =
        rescale(column.decimal(row.row()), column.type().scale, places, Rounding::kHalfEven);
    return decimal_text(item.value_or(0), places);
  }
  // The C library rounds the exact binary value half to even, as DecimalFormat does.
  if (kind == Kind::kDouble || kind == Kind::kFloat)
    return fmt::format("{:.{}f}", row.real(0), places);
  return decimal_text(row.integer(0), 0) +
         (places > 0 ? "." + std::string(static_cast<size_t>(places), '0') : "");
}

Status format_number_row(const Row& row, Column& out, const KernelContext&) {
  NumberPattern pattern{3, 1, 0, 0};
  if (row.column(1).type().kind == Kind::kString) {
    const std::string_view given = row.text(1);
    auto read = read_number_pattern(given.empty() ? "#,###,###,###,###,###,##0" : given);
    if (!read) {
      return update_error("FUNCTION_NOT_SUPPORTED.format_number",
                          fmt::format("The pattern '{}' has more than digits.", given));
    }
    pattern = *read;
  } else {
    const int64_t places = row.integer(1);
    if (places < 0) {
      out.append_null();
      return {};
    }
    pattern.least_fraction = pattern.most_fraction =
        static_cast<int>(std::min<int64_t>(places, 340));
  }
  const Kind kind = row.column(0).type().kind;
  if ((kind == Kind::kDouble || kind == Kind::kFloat) && !std::isfinite(row.real(0))) {
    out.append_bytes(std::isnan(row.real(0)) ? "NaN" : row.real(0) < 0 ? "-\u221e" : "\u221e");
    return {};
  }
  std::string text = rounded_text(row, pattern.most_fraction);
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  const size_t point = text.find('.');
  std::string whole = text.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  while (static_cast<int>(fraction.size()) > pattern.least_fraction && fraction.back() == '0') {
    fraction.pop_back();
  }
  while (static_cast<int>(whole.size()) < pattern.least_whole) whole.insert(0, "0");
  text = grouped(whole, pattern.grouping);
  if (!fraction.empty()) text += "." + fraction;
  out.append_bytes(negative ? "-" + text : text);
  return {};
}

// --- format_string -------------------------------------------------------------------------------

Error bad_format(std::string_view format) {
  return update_error("FUNCTION_NOT_SUPPORTED.format_string",
                      fmt::format("A conversion in '{}' is not built.", format));
}

struct Conversion {
  std::string flags;
  int width = 0;
  int precision = -1;
  int index = 0;
  char letter = 0;
};

// After the percent sign: [n$][flags][width][.precision]letter.
std::optional<Conversion> read_conversion(std::string_view text, size_t& at) {
  Conversion out;
  const auto number = [&] {
    int item = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && item < 100000) {
      item = item * 10 + (text[at++] - '0');
    }
    return item;
  };
  const size_t start = at;
  const int index = number();
  if (index > 0 && at < text.size() && text[at] == '$') {
    out.index = index;
    ++at;
  } else {
    at = start;
  }
  while (at < text.size() && std::string_view("-+ 0,(#").find(text[at]) != std::string_view::npos) {
    out.flags += text[at++];
  }
  out.width = number();
  if (at < text.size() && text[at] == '.') {
    ++at;
    out.precision = number();
  }
  if (at >= text.size()) return std::nullopt;
  out.letter = text[at++];
  return out;
}

bool flag(const Conversion& conversion, char c) {
  return conversion.flags.find(c) != std::string::npos;
}

std::string laid_out(const Conversion& conversion, std::string text, bool number) {
  const size_t width = utf8_length(text);
  if (width >= static_cast<size_t>(conversion.width)) return text;
  const size_t missing = static_cast<size_t>(conversion.width) - width;
  if (flag(conversion, '-')) return text + std::string(missing, ' ');
  if (number && flag(conversion, '0')) {
    const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return text.insert(sign, std::string(missing, '0'));
  }
  return std::string(missing, ' ') + text;
}

std::string signed_text(const Conversion& conversion, std::string digits, bool negative) {
  if (negative) return flag(conversion, '(') ? "(" + digits + ")" : "-" + digits;
  if (flag(conversion, '+')) return "+" + digits;
  return flag(conversion, ' ') ? " " + digits : digits;
}

std::optional<std::string> format_integer(const Conversion& conversion, const Row& row, size_t k) {
  if (!row.column(k).type().is_integer()) return std::nullopt;
  const int64_t item = row.integer(k);
  if (conversion.letter == 'd') {
    std::string digits = std::to_string(item);
    if (item < 0) digits.erase(0, 1);
    if (flag(conversion, ',')) digits = grouped(digits, 3);
    return signed_text(conversion, digits, item < 0);
  }
  const Kind kind = row.column(k).type().kind;
  auto bits = static_cast<uint64_t>(item);
  if (kind == Kind::kInt) bits &= 0xFFFFFFFFU;
  if (kind == Kind::kShort) bits &= 0xFFFFU;
  if (kind == Kind::kByte) bits &= 0xFFU;
  if (conversion.letter == 'o') return fmt::format("{:o}", bits);
  return conversion.letter == 'x' ? fmt::format("{:x}", bits) : fmt::format("{:X}", bits);
}

std::optional<std::string> format_real(const Conversion& conversion, const Row& row, size_t k) {
  const int places = conversion.precision < 0 ? 6 : conversion.precision;
  const Column& column = row.column(k);
  std::string text;
  if (column.type().kind == Kind::kDecimal) {
    if (conversion.letter != 'f') return std::nullopt;
    const auto item =
        rescale(column.decimal(row.row()), column.type().scale, places, Rounding::kHalfUp);
    if (!item) return std::nullopt;
    text = decimal_text(*item, places);
  } else if (column.type().kind == Kind::kDouble || column.type().kind == Kind::kFloat) {
    const double item = row.real(k);
    if (!std::isfinite(item)) return std::nullopt;
    if (conversion.letter == 'f') {
      // Java rounds the decimal text half up.
      value::Int128 scaled = 0;
      const std::string shown = java_double(item);
      if (parse_decimal(shown, 38, std::min(places, 20), scaled) != DecimalParse::kGood)
        return std::nullopt;
      text = decimal_text(scaled, std::min(places, 20));
      if (std::signbit(item) && text[0] != '-') text.insert(0, "-");
    } else {
      text = fmt::format("{:.{}e}", item, places);
    }
  } else {
    return std::nullopt;
  }
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  if (flag(conversion, ',')) {
    const size_t point = std::min(text.find('.'), text.size());
    text = grouped(text.substr(0, point), 3) + text.substr(point);
  }
  if (conversion.letter == 'E') std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  return signed_text(conversion, text, negative);
}

std::optional<std::string> format_one(const Conversion& conversion, const Row& row, size_t k,
                                      const std::string& zone) {
  const bool null = row.null(k);
  std::optional<std::string> text;
  bool number = false;
  switch (conversion.letter) {
    case 's':
    case 'S':
      text = null ? "null" : value_text(row.column(k), row.row(), zone);
      if (conversion.precision >= 0) text = std::string(utf8_slice(*text, 0, conversion.precision));
      break;
    case 'b':
      text = null                                                            ? "false"
             : row.column(k).type().kind != Kind::kBoolean || row.boolean(k) ? "true"
                                                                             : "false";
      break;
    case 'd':
    case 'x':
    case 'X':
    case 'o':
      number = !null;
      text = null ? "null" : format_integer(conversion, row, k);
      break;
    case 'f':
    case 'e':
    case 'E':
      number = !null;
      text = null ? "null" : format_real(conversion, row, k);
      break;
    case 'c':
      if (null || !row.column(k).type().is_integer()) return std::nullopt;
      text.emplace();
      utf8_append(*text, static_cast<char32_t>(row.integer(k)));
      break;
    default: return std::nullopt;
  }
  if (!text) return std::nullopt;
  if (conversion.letter == 'S')
    std::transform(text->begin(), text->end(), text->begin(), ::toupper);
  return laid_out(conversion, *text, number);
}

Status format_string_row(const Row& row, Column& out, const KernelContext& context) {
  if (row.null(0)) {
    out.append_null();
    return {};
  }
  const std::string_view format = row.text(0);
  std::string text;
  size_t next = 1;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    auto conversion = read_conversion(format, ++at);
    if (!conversion) return bad_format(format);
    if (conversion->letter == '%' || conversion->letter == 'n') {
      text += conversion->letter == '%' ? '%' : '\n';
      continue;
    }
    const size_t k = conversion->index > 0 ? static_cast<size_t>(conversion->index) : next++;
    if (k >= row.count()) return bad_format(format);
    auto piece = format_one(*conversion, row, k, context.zone);
    if (!piece) return bad_format(format);
    text += *piece;
  }
  out.append_bytes(text);
  return {};
}

}  // namespace

std::vector<Rendering> format_renderings() {
  return {
      {"format_number", format_number_row},
      {"format_string printf", format_string_row, kSeesNulls},
  };
}

}  // namespace lakebed::engine::duck
