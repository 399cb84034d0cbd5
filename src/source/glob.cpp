// Globs as Hadoop's file systems have them.
#include <algorithm>

#include "source/glob.h"

namespace lakebed::source {

namespace {

// The end of a bracket expression that begins at `at`, or npos.
size_t bracket_end(std::string_view glob, size_t at) {
  size_t end = at + 1;
  if (end < glob.size() && (glob[end] == '!' || glob[end] == '^')) ++end;
  if (end < glob.size() && glob[end] == ']') ++end;
  return glob.find(']', end);
}

bool bracket_match(std::string_view inside, char c) {
  const bool negated = inside[0] == '!' || inside[0] == '^';
  if (negated) inside.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < inside.size(); ++i) {
    const bool is_range = i + 2 < inside.size() && inside[i + 1] == '-';
    if (is_range) {
      found = found || (c >= inside[i] && c <= inside[i + 2]);
      i += 2;
    } else {
      found = found || c == inside[i];
    }
  }
  return found != negated;
}

// Length of one UTF-8 character.
size_t character(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<uint8_t>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

// Takes what stands first in the glob (not a star) off both. False where it does not match.
bool match_one(std::string_view& glob, std::string_view& text) {
  if (text.empty()) return false;
  if (glob[0] == '?') {
    if (text[0] == '/') return false;
    glob.remove_prefix(1);
    text.remove_prefix(character(text));
    return true;
  }
  if (glob[0] == '[') {
    const size_t end = bracket_end(glob, 0);
    if (end != std::string_view::npos && end > 1) {
      if (text[0] == '/' || !bracket_match(glob.substr(1, end - 1), text[0])) return false;
      glob.remove_prefix(end + 1);
      text.remove_prefix(1);
      return true;
    }
  }
  if (glob[0] == '\\' && glob.size() > 1) glob.remove_prefix(1);
  if (glob[0] != text[0]) return false;
  glob.remove_prefix(1);
  text.remove_prefix(1);
  return true;
}

// A match without braces; goes back to the last star only.
bool match_plain(std::string_view glob, std::string_view text) {
  std::string_view star_glob;
  std::string_view star_text;
  bool starred = false;
  while (true) {
    if (!glob.empty() && glob[0] == '*') {
      glob.remove_prefix(1);
      star_glob = glob;
      star_text = text;
      starred = true;
      continue;
    }
    if (glob.empty() && text.empty()) return true;
    if (!glob.empty() && match_one(glob, text)) continue;
    if (!starred || star_text.empty() || star_text[0] == '/') return false;
    star_text.remove_prefix(1);
    glob = star_glob;
    text = star_text;
  }
}

// Position of the brace that closes the one at `open`, or npos; commas of that level as well.
size_t brace_end(std::string_view glob, size_t open, std::vector<size_t>& commas) {
  int depth = 0;
  for (size_t i = open; i < glob.size(); ++i) {
    const char c = glob[i];
    if (c == '\\')
      ++i;
    else if (c == '{')
      ++depth;
    else if (c == ',' && depth == 1)
      commas.push_back(i);
    else if (c == '}' && --depth == 0)
      return i;
  }
  return std::string_view::npos;
}

}  // namespace

bool is_glob(std::string_view path) {
  return path.find_first_of("*?[{\\") != std::string_view::npos;
}

std::vector<std::string> expand_braces(std::string_view glob) {
  size_t open = 0;
  while (open < glob.size() && glob[open] != '{') open += glob[open] == '\\' ? 2 : 1;
  if (open >= glob.size()) return {std::string(glob)};
  std::vector<size_t> commas;
  const size_t close = brace_end(glob, open, commas);
  if (close == std::string_view::npos) return {std::string(glob)};
  commas.push_back(close);
  std::vector<std::string> out;
  size_t from = open + 1;
  for (const size_t to : commas) {
    std::string one(glob.substr(0, open));
    one += glob.substr(from, to - from);
    one += glob.substr(close + 1);
    for (std::string& expanded : expand_braces(one)) out.push_back(std::move(expanded));
    from = to + 1;
  }
  return out;
}

bool glob_match(std::string_view glob, std::string_view text) {
  const std::vector<std::string> globs = expand_braces(glob);
  return std::any_of(globs.begin(), globs.end(),
                     [text](const std::string& one) { return match_plain(one, text); });
}

}  // namespace lakebed::source
