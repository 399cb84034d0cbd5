// Text: parts, search, case and padding.
#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

bool is_text(const Row& row, size_t k) { return row.column(k).type().kind == Kind::kString; }

Status length_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(
      static_cast<int64_t>(is_text(row, 0) ? utf8_length(row.text(0)) : row.text(0).size()));
  return {};
}
Status octet_length_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(static_cast<int64_t>(row.text(0).size()));
  return {};
}
Status bit_length_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(static_cast<int64_t>(row.text(0).size() * 8));
  return {};
}

Status initcap_row(const Row& row, Column& out, const KernelContext&) {
  std::string text;
  bool start = true;
  const std::string_view from = row.text(0);
  for (size_t at = 0; at < from.size();) {
    const char32_t code = utf8_next(from, at);
    utf8_append(text, start ? upper_code(code) : lower_code(code));
    start = code == ' ';
  }
  out.append_bytes(text);
  return {};
}

// --- trimming and padding ------------------------------------------------------------------------

bool contains_code(std::string_view set, std::string_view character) {
  for (size_t at = 0; at < set.size(); at += utf8_width(set[at])) {
    if (set.substr(at, utf8_width(set[at])) == character) return true;
  }
  return false;
}

std::string_view trim_left(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    const size_t width = utf8_width(text[0]);
    if (!contains_code(set, text.substr(0, width))) break;
    text.remove_prefix(std::min(width, text.size()));
  }
  return text;
}

std::string_view trim_right(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    if (!contains_code(set, text.substr(start))) break;
    text = text.substr(0, start);
  }
  return text;
}

template <bool left, bool right>
Status trim_row(const Row& row, Column& out, const KernelContext&) {
  // trim(text, set), but ltrim(set, text) and rtrim(set, text): so Spark has it.
  const size_t own = row.count() > 1 && left != right ? 1 : 0;
  const std::string_view set = row.count() > 1 ? row.text(1 - own) : std::string_view(" ");
  std::string_view text = row.text(own);
  if (left) text = trim_left(text, set);
  if (right) text = trim_right(text, set);
  out.append_bytes(text);
  return {};
}

std::string padding(std::string_view pad, int64_t count, bool text) {
  std::string out;
  size_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (at >= pad.size()) at = 0;
    const size_t width = text ? utf8_width(pad[at]) : 1;
    out += pad.substr(at, width);
    at += width;
  }
  return out;
}

template <bool left>
Status pad_row(const Row& row, Column& out, const KernelContext&) {
  const bool text = is_text(row, 0);
  const std::string_view own = row.text(0);
  const std::string_view blank = text ? std::string_view(" ") : std::string_view("\0", 1);
  const std::string_view pad = row.count() > 2 ? row.text(2) : blank;
  const int64_t wanted = std::max<int64_t>(row.integer(1), 0);
  const auto length = static_cast<int64_t>(text ? utf8_length(own) : own.size());
  if (length >= wanted || pad.empty()) {
    const std::string_view cut =
        text ? utf8_slice(own, 0, wanted) : own.substr(0, static_cast<size_t>(wanted));
    out.append_bytes(cut);
    return {};
  }
  const std::string filled = padding(pad, wanted - length, text);
  out.append_bytes(left ? filled + std::string(own) : std::string(own) + filled);
  return {};
}

// --- parts ---------------------------------------------------------------------------------------

std::string_view part(std::string_view text, int64_t position, int64_t length, bool characters) {
  const auto size = static_cast<int64_t>(characters ? utf8_length(text) : text.size());
  int64_t start = position > 0 ? position - 1 : position < 0 ? size + position : 0;
  // The end is counted from the start as asked for, also where that lies before the text.
  const int64_t end = length >= INT32_MAX ? size : std::min(size, start + length);
  start = std::max<int64_t>(start, 0);
  if (end <= start) return {};
  if (characters) return utf8_slice(text, start, end);
  return text.substr(static_cast<size_t>(start), static_cast<size_t>(end - start));
}

Status substring_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t length = row.count() > 2 ? row.integer(2) : INT32_MAX;
  out.append_bytes(part(row.text(0), row.integer(1), length, is_text(row, 0)));
  return {};
}

Status left_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(part(row.text(0), 1, row.integer(1), is_text(row, 0)));
  return {};
}

Status right_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t length = row.integer(1);
  out.append_bytes(length <= 0 ? std::string_view{} : part(row.text(0), -length, INT32_MAX, true));
  return {};
}

Status substring_index_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0), mark = row.text(1);
  int64_t count = row.integer(2);
  std::string_view result = text;
  if (count == 0 || mark.empty()) {
    result = {};
  } else if (count > 0) {
    size_t at = 0, found = 0;
    for (;; --count) {
      found = text.find(mark, at);
      if (found == std::string_view::npos || count == 1) break;
      at = found + 1;
    }
    if (found != std::string_view::npos) result = text.substr(0, found);
  } else {
    size_t end = text.size(), found = 0;
    for (;; ++count) {
      found = end < mark.size() ? std::string_view::npos : text.rfind(mark, end - mark.size());
      if (found == std::string_view::npos || count == -1) break;
      end = found + mark.size() - 1;
    }
    if (found != std::string_view::npos) result = text.substr(found + mark.size());
  }
  out.append_bytes(result);
  return {};
}

std::vector<std::string_view> split_text(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  size_t at = 0;
  if (!mark.empty()) {
    for (size_t found = text.find(mark); found != std::string_view::npos;
         found = text.find(mark, at)) {
      parts.push_back(text.substr(at, found - at));
      at = found + mark.size();
    }
  }
  parts.push_back(text.substr(at));
  return parts;
}

Status split_part_row(const Row& row, Column& out, const KernelContext&) {
  const auto parts = split_text(row.text(0), row.text(1));
  int64_t n = row.integer(2);
  if (n == 0) return update_error("INVALID_INDEX_OF_ZERO", "Parts are numbered from 1.");
  if (n < 0) n += static_cast<int64_t>(parts.size()) + 1;
  if (n < 1 || n > static_cast<int64_t>(parts.size()))
    out.append_bytes("");
  else
    out.append_bytes(parts[static_cast<size_t>(n - 1)]);
  return {};
}

void append_part(std::string& out, bool& first, std::string_view mark, std::string_view item) {
  if (!first) out += mark;
  first = false;
  out += item;
}

Status concat_ws_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0)) {
    out.append_null();
    return {};
  }
  std::string text;
  bool first = true;
  for (size_t k = 1; k < row.count(); ++k) {
    if (row.null(k)) continue;
    if (row.column(k).type().kind != Kind::kArray) {
      append_part(text, first, row.text(0), row.text(k));
      continue;
    }
    for (uint64_t i = row.begin(k); i < row.end(k); ++i) {
      if (!row.elements(k).is_null(i))
        append_part(text, first, row.text(0), row.elements(k).bytes(i));
    }
  }
  out.append_bytes(text);
  return {};
}

Status repeat_row(const Row& row, Column& out, const KernelContext&) {
  std::string text;
  for (int64_t i = 0; i < row.integer(1); ++i) text += row.text(0);
  out.append_bytes(text);
  return {};
}

Status reverse_row(const Row& row, Column& out, const KernelContext&) {
  if (row.column(0).type().kind == Kind::kArray) {
    Column& items = out.raw_children()[0];
    for (uint64_t i = row.end(0); i-- > row.begin(0);) items.append_from(row.elements(0), i);
    out.append_list();
    return {};
  }
  const std::string_view text = row.text(0);
  std::string reversed;
  for (size_t at = 0; at < text.size(); at += utf8_width(text[at])) {
    reversed.insert(0, text.substr(at, utf8_width(text[at])));
  }
  out.append_bytes(reversed);
  return {};
}

Status replace_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view search = row.text(1);
  if (search.empty()) {
    out.append_bytes(row.text(0));
    return {};
  }
  std::string text;
  bool first = true;
  for (const auto piece : split_text(row.text(0), search)) {
    append_part(text, first, row.count() > 2 ? row.text(2) : std::string_view{}, piece);
  }
  out.append_bytes(text);
  return {};
}

Status translate_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0), from = row.text(1), to = row.text(2);
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view one = text.substr(at, utf8_width(text[at]));
    at += one.size();
    int64_t index = 0;
    size_t place = 0;
    bool found = false;
    for (; place < from.size() && !found; ++index) {
      found = from.substr(place, utf8_width(from[place])) == one;
      place += utf8_width(from[place]);
    }
    if (!found)
      result += one;
    else
      result += utf8_slice(to, index - 1, index);
  }
  out.append_bytes(result);
  return {};
}

Status overlay_row(const Row& row, Column& out, const KernelContext&) {
  const bool text = is_text(row, 0);
  const std::string_view own = row.text(0), other = row.text(1);
  const int64_t at = row.integer(2);
  int64_t length = row.count() > 3 ? row.integer(3) : -1;
  if (length < 0) length = static_cast<int64_t>(text ? utf8_length(other) : other.size());
  std::string result(part(own, 1, at - 1, text));
  result += other;
  result += part(own, at + length, INT32_MAX, text);
  out.append_bytes(result);
  return {};
}

// --- search --------------------------------------------------------------------------------------

int64_t position_of(std::string_view text, std::string_view part, int64_t start) {
  if (start < 1) return 0;
  const size_t from = utf8_offset(text, start - 1);
  if (start - 1 > static_cast<int64_t>(utf8_length(text))) return 0;
  const size_t found = text.find(part, from);
  if (found == std::string_view::npos) return 0;
  return static_cast<int64_t>(utf8_length(text.substr(0, found))) + 1;
}

Status instr_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(position_of(row.text(0), row.text(1), 1));
  return {};
}
Status locate_row(const Row& row, Column& out, const KernelContext&) {
  if (row.count() > 2 && row.null(2)) {
    out.append_integer(0);
  } else if (row.null(0) || row.null(1)) {
    out.append_null();
  } else {
    out.append_integer(position_of(row.text(1), row.text(0), row.count() > 2 ? row.integer(2) : 1));
  }
  return {};
}
Status contains_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, row.text(0).find(row.text(1)) != std::string_view::npos);
  return {};
}
Status startswith_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, row.text(0).starts_with(row.text(1)));
  return {};
}
Status endswith_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, row.text(0).ends_with(row.text(1)));
  return {};
}

Status ascii_row(const Row& row, Column& out, const KernelContext&) {
  size_t at = 0;
  char32_t code = row.text(0).empty() ? 0 : utf8_next(row.text(0), at);
  // Java's first char: the high surrogate of a character beyond the basic plane.
  if (code > 0xFFFF) code = 0xD7C0 + (code >> 10);
  out.append_integer(static_cast<int64_t>(code));
  return {};
}

Status chr_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t item = row.integer(0);
  std::string text;
  if (item >= 0) utf8_append(text, static_cast<char32_t>(item & 0xFF));
  out.append_bytes(text);
  return {};
}

Status space_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(std::string(static_cast<size_t>(std::max<int64_t>(row.integer(0), 0)), ' '));
  return {};
}

char soundex_code(char c) {
  static constexpr std::string_view kCodes = "01230127022455012623017202";
  return kCodes[static_cast<size_t>(c - 'A')];
}

char upper_ascii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

Status soundex_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0);
  if (text.empty() || upper_ascii(text[0]) < 'A' || upper_ascii(text[0]) > 'Z') {
    out.append_bytes(text);
    return {};
  }
  std::string code(1, upper_ascii(text[0]));
  char last = soundex_code(code[0]);
  for (size_t i = 1; i < text.size() && code.size() < 4; ++i) {
    const char c = upper_ascii(text[i]);
    if (c < 'A' || c > 'Z') {
      last = '0';
      continue;
    }
    const char own = soundex_code(c);
    // H and W ('7') keep the code before them, vowels ('0') break it.
    if (own == '7') continue;
    if (own != '0' && own != last) code += own;
    last = own;
  }
  code.resize(4, '0');
  out.append_bytes(code);
  return {};
}

std::u32string codes_of(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) out += utf8_next(text, at);
  return out;
}

Status levenshtein_row(const Row& row, Column& out, const KernelContext&) {
  const std::u32string a = codes_of(row.text(0)), b = codes_of(row.text(1));
  std::vector<int64_t> line(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) line[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t before = line[0];
    line[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t cost = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = line[j];
      line[j] = std::min({cost, line[j] + 1, line[j - 1] + 1});
    }
  }
  const int64_t distance = line[b.size()];
  if (row.count() > 2 && distance > row.integer(2))
    out.append_integer(-1);
  else
    out.append_integer(distance);
  return {};
}

Status find_in_set_row(const Row& row, Column& out, const KernelContext&) {
  int64_t index = 0;
  if (row.text(0).find(',') == std::string_view::npos) {
    const auto parts = split_text(row.text(1), ",");
    const auto found = std::find(parts.begin(), parts.end(), row.text(0));
    if (found != parts.end()) index = found - parts.begin() + 1;
  }
  out.append_integer(index);
  return {};
}

Status elt_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0)) {
    out.append_null();
    return {};
  }
  const int64_t n = row.integer(0);
  if (n < 1 || n >= static_cast<int64_t>(row.count())) {
    return update_error(
        "INVALID_ARRAY_INDEX",
        fmt::format("The index {} is out of bounds: there are {} elements.", n, row.count() - 1));
  }
  out.append_from(row.column(static_cast<size_t>(n)), row.row());
  return {};
}

// --- masking and checks --------------------------------------------------------------------------

// A character given by argument k: nothing for NULL (keep), else its text.
std::optional<std::string> mask_of(const Row& row, size_t k, std::string_view fallback) {
  if (k >= row.count()) {
    if (fallback.empty()) return std::nullopt;
    return std::string(fallback);
  }
  if (row.null(k)) return std::nullopt;
  return std::string(row.text(k));
}

Status mask_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0)) {
    out.append_null();
    return {};
  }
  const auto upper = mask_of(row, 1, "X"), lower = mask_of(row, 2, "x");
  const auto digit = mask_of(row, 3, "n"), other = mask_of(row, 4, "");
  const std::string_view text = row.text(0);
  std::string masked;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t code = utf8_next(text, at);
    const bool is_digit = is_decimal_digit(code);
    const bool is_upper = is_letter(code) && lower_code(code) != code;
    const bool is_lower = is_letter(code) && upper_code(code) != code;
    const auto& with = is_digit ? digit : is_upper ? upper : is_lower ? lower : other;
    if (with)
      masked += *with;
    else
      masked += text.substr(start, at - start);
  }
  out.append_bytes(masked);
  return {};
}

Status luhn_row(const Row& row, Column& out, const KernelContext&) {
  int sum = 0;
  bool twice = false, good = !row.text(0).empty();
  const std::string_view text = row.text(0);
  for (size_t i = text.size(); i-- > 0 && good; twice = !twice) {
    good = text[i] >= '0' && text[i] <= '9';
    int digit = (text[i] - '0') * (twice ? 2 : 1);
    if (digit > 9) digit -= 9;
    sum += digit;
  }
  append_boolean(out, good && sum % 10 == 0);
  return {};
}

Status quote_row(const Row& row, Column& out, const KernelContext&) {
  std::string text = "'";
  for (const char c : row.text(0)) {
    if (c == '\'') text += '\\';
    text += c;
  }
  out.append_bytes(text + "'");
  return {};
}

Status is_valid_utf8_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, utf8_valid(row.text(0)));
  return {};
}
Status validate_utf8_row(const Row& row, Column& out, const KernelContext&) {
  if (!utf8_valid(row.text(0))) {
    return update_error("INVALID_UTF8_STRING", "The text is not valid UTF-8.");
  }
  out.append_bytes(row.text(0));
  return {};
}

}  // namespace

std::vector<Rendering> string_renderings() {
  return {
      // A sharp s becomes two letters, as Java has it.
      {"upper ucase", "upper(replace({0}, '\u00df', 'SS'))"},
      {"lower lcase", "lower({0})"},
      {"initcap", initcap_row},
      {"length len char_length character_length", length_row},
      {"octet_length", octet_length_row},
      {"bit_length", bit_length_row},
      {"trim btrim", trim_row<true, true>},
      {"ltrim", trim_row<true, false>},
      {"rtrim", trim_row<false, true>},
      {"lpad", pad_row<true>},
      {"rpad", pad_row<false>},
      {"substring substr", substring_row},
      {"left", left_row},
      {"right", right_row},
      {"substring_index", substring_index_row},
      {"split_part", split_part_row},
      {"concat_ws", concat_ws_row, kSeesNulls},
      {"repeat", repeat_row},
      {"reverse", reverse_row},
      {"replace", replace_row},
      {"translate", translate_row},
      {"overlay", overlay_row},
      {"instr", instr_row},
      {"locate position charindex", locate_row, kSeesNulls},
      {"contains", contains_row},
      {"startswith", startswith_row},
      {"endswith", endswith_row},
      {"ascii", ascii_row},
      {"chr char", chr_row},
      {"space", space_row},
      {"soundex", soundex_row},
      {"levenshtein", levenshtein_row},
      {"find_in_set", find_in_set_row},
      {"elt", elt_row, kSeesNulls},
      {"mask", mask_row, kSeesNulls},
      {"luhn_check", luhn_row},
      {"quote", quote_row},
      {"is_valid_utf8", is_valid_utf8_row},
      {"validate_utf8", validate_utf8_row},
      {"try_validate_utf8", validate_utf8_row, kTried},
  };
}

}  // namespace lakebed::engine::duck
