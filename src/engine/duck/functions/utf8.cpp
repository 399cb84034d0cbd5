#include "engine/duck/functions/utf8.h"

#include <algorithm>

namespace lakebed::engine::duck {

size_t utf8_width(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

size_t utf8_length(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += utf8_width(text[at])) ++count;
  return count;
}

size_t utf8_offset(std::string_view text, int64_t characters) {
  size_t at = 0;
  for (int64_t i = 0; i < characters && at < text.size(); ++i) at += utf8_width(text[at]);
  return std::min(at, text.size());
}

std::string_view utf8_slice(std::string_view text, int64_t from, int64_t to) {
  if (to <= from) return {};
  const size_t begin = utf8_offset(text, std::max<int64_t>(from, 0));
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, utf8_offset(rest, to - std::max<int64_t>(from, 0)));
}

char32_t utf8_next(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t width = std::min(utf8_width(text[at]), text.size() - at);
  char32_t code = lead;
  if (width > 1) code = lead & (0x7FU >> width);
  for (size_t i = 1; i < width; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at += width;
  return code;
}

void utf8_append(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool utf8_valid(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4)) return false;
    const size_t width = utf8_width(text[at]);
    if (at + width > text.size()) return false;
    for (size_t i = 1; i < width; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) return false;
    }
    const size_t start = at;
    const char32_t code = utf8_next(text, at);
    const bool overlong = (width == 3 && code < 0x800) || (width == 4 && code < 0x10000);
    if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return false;
    at = start + width;
  }
  return true;
}

namespace {

bool in(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

// Ranges in which capital and small letters alternate, the capital first and even.
bool alternating(char32_t code) {
  return in(code, 0x100, 0x12F) || in(code, 0x132, 0x137) || in(code, 0x14A, 0x177) ||
         in(code, 0x370, 0x373) || in(code, 0x460, 0x481) || in(code, 0x48A, 0x4BF) ||
         in(code, 0x4D0, 0x52F) || in(code, 0x1E00, 0x1E95) || in(code, 0x1EA0, 0x1EFF);
}

// The same where the capital is odd.
bool alternating_odd(char32_t code) {
  return in(code, 0x139, 0x148) || in(code, 0x179, 0x17E) || in(code, 0x4C1, 0x4CE);
}

}  // namespace

char32_t upper_code(char32_t code) {
  if (in(code, 'a', 'z')) return code - 32;
  if (code < 0x80) return code;
  if (code == 0xB5) return 0x39C;
  if (code == 0xFF) return 0x178;
  if (in(code, 0xE0, 0xFE) && code != 0xF7) return code - 32;
  if (code == 0x131) return 'I';
  if (code == 0x3C2) return 0x3A3;
  if (in(code, 0x3B1, 0x3C9)) return code - 32;
  if (code == 0x3AC) return 0x386;
  if (in(code, 0x3AD, 0x3AF)) return code - 37;
  if (code == 0x3CC) return 0x38C;
  if (in(code, 0x3CD, 0x3CE)) return code - 63;
  if (in(code, 0x430, 0x44F)) return code - 32;
  if (in(code, 0x450, 0x45F)) return code - 80;
  if (alternating(code)) return code & ~char32_t{1};
  if (alternating_odd(code) && code % 2 == 0) return code - 1;
  return code;
}

char32_t lower_code(char32_t code) {
  if (in(code, 'A', 'Z')) return code + 32;
  if (code < 0x80) return code;
  if (in(code, 0xC0, 0xDE) && code != 0xD7) return code + 32;
  if (code == 0x178) return 0xFF;
  if (in(code, 0x391, 0x3A9)) return code + 32;
  if (code == 0x386) return 0x3AC;
  if (in(code, 0x388, 0x38A)) return code + 37;
  if (code == 0x38C) return 0x3CC;
  if (in(code, 0x38E, 0x38F)) return code + 63;
  if (in(code, 0x410, 0x42F)) return code + 32;
  if (in(code, 0x400, 0x40F)) return code + 80;
  if (code != 0x130 && alternating(code)) return code | 1;
  if (alternating_odd(code) && code % 2 == 1) return code + 1;
  return code;
}

bool is_letter(char32_t code) {
  if (code < 0x80) return in(code, 'a', 'z') || in(code, 'A', 'Z');
  if (code == 0xAA || code == 0xB5 || code == 0xBA) return true;
  if (in(code, 0xC0, 0x24F)) return code != 0xD7 && code != 0xF7;
  return in(code, 0x250, 0x2AF) || in(code, 0x370, 0x373) || in(code, 0x376, 0x377) ||
         in(code, 0x386, 0x3FF) || in(code, 0x400, 0x481) || in(code, 0x48A, 0x52F) ||
         in(code, 0x531, 0x587) || in(code, 0x5D0, 0x5EA) || in(code, 0x620, 0x64A) ||
         in(code, 0x904, 0x939) || in(code, 0xE01, 0xE30) || in(code, 0x1E00, 0x1FFF) ||
         in(code, 0x3041, 0x3096) || in(code, 0x30A1, 0x30FA) || in(code, 0x3400, 0x4DBF) ||
         in(code, 0x4E00, 0x9FFF) || in(code, 0xAC00, 0xD7A3);
}

bool is_decimal_digit(char32_t code) {
  return in(code, '0', '9') || in(code, 0x660, 0x669) || in(code, 0x966, 0x96F) ||
         in(code, 0xFF10, 0xFF19);
}

}  // namespace lakebed::engine::duck
