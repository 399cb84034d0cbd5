// Text as code points, the unit of Spark's string functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lakebed::engine::duck {

// Bytes of the character that begins with `lead`.
size_t utf8_width(char lead);
size_t utf8_length(std::string_view text);
// Byte position of the character with that number, or the text's size.
size_t utf8_offset(std::string_view text, int64_t characters);
// Characters [from, to), cut to the text.
std::string_view utf8_slice(std::string_view text, int64_t from, int64_t to);
// The code point at a byte position; moves the position on.
char32_t utf8_next(std::string_view text, size_t& at);
void utf8_append(std::string& out, char32_t code);
bool utf8_valid(std::string_view text);

// Case of one character: ASCII, Latin, Greek and Cyrillic.
char32_t upper_code(char32_t code);
char32_t lower_code(char32_t code);
bool is_letter(char32_t code);
bool is_decimal_digit(char32_t code);

}  // namespace lakebed::engine::duck
