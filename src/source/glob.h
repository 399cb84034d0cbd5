// Globs: * ? [a-z] [!a] [^a] {a,b} and backslash. '*' and '?' do not match '/'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lakebed::source {

bool glob_match(std::string_view glob, std::string_view text);
// True where a path has characters that make it a glob.
bool is_glob(std::string_view path);
// One glob a choice of {a,b}, in order; without braces the glob itself.
std::vector<std::string> expand_braces(std::string_view glob);

}  // namespace lakebed::source
