// Numbers as Java prints and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lakebed::engine::duck {

// Double.toString and Float.toString: "1.0", "1.0E10", "Infinity", "NaN".
std::string java_double(double item);
std::string java_float(float item);

// Without blanks and control characters around it, as Spark trims before it casts.
std::string_view trimmed(std::string_view text);

// Text of an integer (sign and digits only) within [low, high]; nothing otherwise.
std::optional<int64_t> parse_integer(std::string_view text, int64_t low, int64_t high);
// Java's Double.parseDouble and Spark's words for infinity and NaN.
std::optional<double> parse_double(std::string_view text);

}  // namespace lakebed::engine::duck
