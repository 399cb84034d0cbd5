// String literals as Spark 4 reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lakebed::sql {

// The offset behind the closing quote of the string whose opening quote stands at `quote_at`, or
// npos. A backslash hides the next character, a doubled quote is one quote; neither in a raw
// string.
size_t string_end(std::string_view text, size_t quote_at, bool raw);

// The value of the text between the quotes. `\%` and `\_` keep their backslash, for LIKE.
std::string unescape_string(std::string_view inside, char quote);

// Appends a code point as UTF-8.
void append_utf8(uint32_t code, std::string& out);

}  // namespace lakebed::sql
