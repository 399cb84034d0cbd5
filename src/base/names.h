// Names as Spark compares them: case-insensitively by default; and near misses for hints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lakebed {

// Lower case, for ASCII and for the two-byte Latin, Greek and Cyrillic letters of UTF-8.
std::string fold_case(std::string_view name);
bool same_name(std::string_view left, std::string_view right);

// The candidate nearest to `name` by edit distance, or "" when none is near enough to suggest.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// `a`, with backticks doubled and around it where the name is no plain identifier.
std::string quote_name(std::string_view name);

}  // namespace lakebed
