#include "sql/strings.h"

#include <cstdint>
#include <optional>

namespace lakebed::sql {

size_t string_end(std::string_view text, size_t quote_at, bool raw) {
  const char quote = text[quote_at];
  for (size_t i = quote_at + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && !raw) {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = !raw && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto push = [&out](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0U | (code >> 6));
    push(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    push(0xE0U | (code >> 12));
    push(0x80U | ((code >> 6) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  } else {
    push(0xF0U | (code >> 18));
    push(0x80U | ((code >> 12) & 0x3FU));
    push(0x80U | ((code >> 6) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  }
}

namespace {

// `count` digits of `base` at `from` as a number.
std::optional<uint32_t> digits(std::string_view text, size_t from, size_t count, uint32_t base) {
  if (from + count > text.size()) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = from; i < from + count; ++i) {
    const char c = text[i];
    uint32_t digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<uint32_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<uint32_t>(c - 'A') + 10;
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

// The numbered escape behind the backslash at `at`: appends it and returns its length, or 0.
size_t numbered_escape(std::string_view text, size_t at, std::string& out) {
  const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
  if (kind == 'u') {
    const auto first = digits(text, at + 2, 4, 16);
    if (!first) return 0;
    const bool high = *first >= 0xD800 && *first < 0xDC00;
    const auto second =
        high && text.substr(at + 6, 2) == "\\u" ? digits(text, at + 8, 4, 16) : std::nullopt;
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      append_utf8(0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), out);
      return 12;
    }
    append_utf8(*first, out);
    return 6;
  }
  if (kind == 'U') {
    const auto code = digits(text, at + 2, 8, 16);
    if (!code || *code > 0x10FFFF) return 0;
    append_utf8(*code, out);
    return 10;
  }
  if (kind == '0' || kind == '1') {
    const auto code = digits(text, at + 1, 3, 8);
    if (!code) return 0;
    append_utf8(*code, out);
    return 4;
  }
  return 0;
}

std::string plain_escape(char c) {
  switch (c) {
    case '0': return std::string(1, '\0');
    case 'b': return "\b";
    case 'n': return "\n";
    case 'r': return "\r";
    case 't': return "\t";
    case 'Z': return "\x1A";
    case '%': return "\\%";
    case '_': return "\\_";
    default: return std::string(1, c);
  }
}

}  // namespace

std::string unescape_string(std::string_view inside, char quote) {
  std::string out;
  out.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (c == quote) {
      out += c;
      ++i;  // the second of two
    } else if (c != '\\' || i + 1 == inside.size()) {
      out += c;
    } else if (const size_t length = numbered_escape(inside, i, out); length > 0) {
      i += length - 1;
    } else {
      out += plain_escape(inside[++i]);
    }
  }
  return out;
}

}  // namespace lakebed::sql
