#include "base/names.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>

namespace lakebed {

namespace {

// Folds one two-byte code point (U+0080 to U+07FF); others come back unchanged.
uint32_t fold_code_point(uint32_t code) {
  if (code >= 0xC0 && code <= 0xDE && code != 0xD7) return code + 0x20;  // Latin-1
  if (code >= 0x100 && code <= 0x17F) {                                  // Latin Extended-A
    const bool odd_is_lower = (code < 0x139) || (code >= 0x14A && code < 0x178);
    if (code == 0x130 || code == 0x131 || code == 0x138 || code == 0x149 || code == 0x17F) {
      return code;
    }
    if (code == 0x178) return 0xFF;
    const bool upper = odd_is_lower ? (code % 2 == 0) : (code % 2 == 1);
    return upper ? code + 1 : code;
  }
  if (code >= 0x391 && code <= 0x3A9 && code != 0x3A2) return code + 0x20;  // Greek
  if (code >= 0x410 && code <= 0x42F) return code + 0x20;                   // Cyrillic
  if (code >= 0x400 && code <= 0x40F) return code + 0x50;
  return code;
}

}  // namespace

std::string fold_case(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<uint8_t>(name[i]);
    if (byte < 0x80) {
      out += static_cast<char>(std::tolower(byte));
    } else if ((byte & 0xE0) == 0xC0 && i + 1 < name.size()) {
      const auto next = static_cast<uint8_t>(name[++i]);
      const uint32_t code = fold_code_point(((byte & 0x1FU) << 6) | (next & 0x3FU));
      out += static_cast<char>(0xC0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += name[i];
    }
  }
  return out;
}

bool same_name(std::string_view left, std::string_view right) {
  if (left == right) return true;
  return fold_case(left) == fold_case(right);
}

static size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t above = row[j];
      const size_t change = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[right.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string folded = fold_case(name);
  const size_t limit = std::max<size_t>(1, folded.size() / 3);
  std::string best;
  size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(folded, fold_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string quote_name(std::string_view name) {
  bool plain = !name.empty() && !std::isdigit(static_cast<uint8_t>(name[0]));
  for (const char c : name) {
    plain = plain && (std::isalnum(static_cast<uint8_t>(c)) || c == '_');
  }
  if (plain) return std::string(name);
  std::string out = "`";
  for (const char c : name) out += (c == '`') ? "``" : std::string(1, c);
  return out + "`";
}

}  // namespace lakebed
