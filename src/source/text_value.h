// Values out of text, as Spark reads them: numbers (exact, or correctly rounded), and what a
// decimal keeps of its digits. No locale, no exceptions; each function returns false where the
// text is no such value or does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "value/type.h"

namespace lakebed::source {

// An integer with an optional sign. Requires nothing; checks all.
bool parse_integer(std::string_view text, int64_t& out);
// True where `number` fits an integer kind (kByte to kLong).
bool fits_integer(value::Kind kind, int64_t number);

// A JSON or Java number: digits, fraction, exponent. Beyond the range: infinity or zero, as Java.
bool parse_double(std::string_view text, double& out);
bool parse_float(std::string_view text, float& out);
// "NaN", "Infinity", "+Infinity", "-Infinity", "INF", "+INF", "-INF".
bool parse_non_numeric(std::string_view text, double& out);

// The unscaled number for DECIMAL(precision, scale), rounded half up at the scale.
bool parse_decimal(std::string_view text, int precision, int scale, value::Int128& out);

// Digits of a number's text: how many before and after the point once the exponent is applied.
// False where the text is no number.
bool decimal_shape(std::string_view text, int& precision, int& scale);

// Base64 as Java's decoder takes it (padding at the end only, no line feeds).
bool parse_base64(std::string_view text, std::string& out);

}  // namespace lakebed::source
