// LIKE, regular expressions and split.
#include <fmt/format.h>

#include <unordered_map>

#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/regex.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

using value::Column;

namespace {

// --- LIKE ----------------------------------------------------------------------------------------

struct LikeItem {
  enum class What : uint8_t { kCode, kOne, kMany } what;
  char32_t code = 0;
};

Result<std::vector<LikeItem>> like_items(std::string_view pattern, char32_t escape) {
  std::vector<LikeItem> out;
  for (size_t at = 0; at < pattern.size();) {
    const char32_t code = utf8_next(pattern, at);
    if (code == escape) {
      if (at >= pattern.size()) {
        return update_error("INVALID_FORMAT.ESC_AT_THE_END",
                            fmt::format("'{}' ends with its escape character.", pattern));
      }
      const char32_t next = utf8_next(pattern, at);
      if (next != '_' && next != '%' && next != escape) {
        return update_error("INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                            fmt::format("'{}' escapes a character that needs none.", pattern));
      }
      out.push_back({LikeItem::What::kCode, next});
    } else if (code == '_') {
      out.push_back({LikeItem::What::kOne, 0});
    } else if (code == '%') {
      out.push_back({LikeItem::What::kMany, 0});
    } else {
      out.push_back({LikeItem::What::kCode, code});
    }
  }
  return out;
}

bool like_matches(std::string_view text, const std::vector<LikeItem>& items, bool fold) {
  size_t at = 0, item = 0;
  size_t many = SIZE_MAX, many_at = 0;
  while (at < text.size() || item < items.size()) {
    if (item < items.size() && items[item].what == LikeItem::What::kMany) {
      many = ++item;
      many_at = at;
      continue;
    }
    if (item < items.size() && at < text.size()) {
      size_t next = at;
      const char32_t code = utf8_next(text, next);
      const LikeItem& wanted = items[item];
      if (wanted.what == LikeItem::What::kOne || code == wanted.code ||
          (fold && lower_code(code) == lower_code(wanted.code))) {
        at = next;
        ++item;
        continue;
      }
    }
    if (many == SIZE_MAX || many_at >= text.size()) return false;
    many_at += utf8_width(text[many_at]);
    at = many_at;
    item = many;
  }
  return true;
}

template <bool fold>
Status like_row(const Row& row, Column& out, const KernelContext&) {
  char32_t escape = '\\';
  if (row.count() > 2) {
    size_t at = 0;
    if (utf8_length(row.text(2)) != 1) {
      return update_error("INVALID_ESCAPE_CHAR", "ESCAPE takes one character.");
    }
    escape = utf8_next(row.text(2), at);
  }
  LAKEBED_ASSIGN(auto items, like_items(row.text(1), escape));
  append_boolean(out, like_matches(row.text(0), items, fold));
  return {};
}

// --- regular expressions -------------------------------------------------------------------------

Result<const Regex*> regex_of(std::string_view pattern) {
  thread_local std::unordered_map<std::string, Regex> known;
  const std::string key(pattern);
  const auto found = known.find(key);
  if (found != known.end()) return &found->second;
  LAKEBED_ASSIGN(Regex regex, Regex::compile(pattern));
  if (known.size() > 64) known.clear();
  return &known.emplace(key, std::move(regex)).first->second;
}

Status rlike_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  LAKEBED_ASSIGN(auto match, regex->find(row.text(0), 0));
  append_boolean(out, match.has_value());
  return {};
}

// Calls `visit(match)` for each match, as Java's find() goes on.
template <typename Visit>
Status each_match(const Regex& regex, std::string_view text, size_t from, Visit visit) {
  while (from <= text.size()) {
    LAKEBED_ASSIGN(auto match, regex.find(text, from));
    if (!match) return {};
    if (!visit(*match)) return {};
    const size_t end = (*match)[1];
    from = end;
    if (end == (*match)[0]) from += end < text.size() ? utf8_width(text[end]) : 1;
  }
  return {};
}

std::string_view group_text(std::string_view text, const Regex::Match& match, size_t group) {
  const size_t begin = match[group * 2], end = match[group * 2 + 1];
  if (begin == SIZE_MAX || end == SIZE_MAX) return {};
  return text.substr(begin, end - begin);
}

Error bad_replacement(std::string_view text) {
  return update_error("INVALID_PARAMETER_VALUE.REGEX_REPLACEMENT",
                      fmt::format("The replacement '{}' names no group.", text));
}

// Java's replacement text: $1, ${name}, backslash before a character that stands for itself.
Result<std::string> expanded(std::string_view replacement, std::string_view text,
                             const Regex::Match& match, const Regex& regex) {
  std::string out;
  for (size_t at = 0; at < replacement.size();) {
    const char c = replacement[at++];
    if (c == '\\') {
      if (at >= replacement.size()) return bad_replacement(replacement);
      out += replacement[at++];
    } else if (c != '$') {
      out += c;
    } else if (at < replacement.size() && replacement[at] == '{') {
      const size_t end = replacement.find('}', at);
      if (end == std::string_view::npos) return bad_replacement(replacement);
      const auto found = regex.names().find(std::string(replacement.substr(at + 1, end - at - 1)));
      if (found == regex.names().end()) return bad_replacement(replacement);
      out += group_text(text, match, found->second);
      at = end + 1;
    } else {
      if (at >= replacement.size() || replacement[at] < '0' || replacement[at] > '9') {
        return bad_replacement(replacement);
      }
      size_t group = static_cast<size_t>(replacement[at++] - '0');
      if (group > regex.group_count()) return bad_replacement(replacement);
      while (at < replacement.size() && replacement[at] >= '0' && replacement[at] <= '9') {
        const size_t longer = group * 10 + static_cast<size_t>(replacement[at] - '0');
        if (longer > regex.group_count()) break;
        group = longer;
        ++at;
      }
      out += group_text(text, match, group);
    }
  }
  return out;
}

Status regexp_replace_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0), replacement = row.text(2);
  const int64_t position = row.count() > 3 ? row.integer(3) : 1;
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  if (position < 1) {
    return update_error("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "The position counts from 1.");
  }
  if (position > 1 && position > static_cast<int64_t>(utf8_length(text))) {
    out.append_bytes(text);
    return {};
  }
  const size_t from = utf8_offset(text, position - 1);
  std::string result;
  size_t copied = 0;
  Status inner;
  LAKEBED_TRY(each_match(*regex, text, from, [&](const Regex::Match& match) {
    result += text.substr(copied, match[0] - copied);
    auto piece = expanded(replacement, text, match, *regex);
    if (!piece.ok())
      inner = piece.error();
    else
      result += *piece;
    copied = match[1];
    return piece.ok();
  }));
  LAKEBED_TRY(inner);
  result += text.substr(copied);
  out.append_bytes(result);
  return {};
}

Result<size_t> group_index(const Row& row, const Regex& regex) {
  const int64_t index = row.count() > 2 ? row.integer(2) : 1;
  if (index < 0 || index > static_cast<int64_t>(regex.group_count())) {
    return update_error(
        "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
        fmt::format("There are groups 0 to {}, not {}.", regex.group_count(), index));
  }
  return static_cast<size_t>(index);
}

Status regexp_extract_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  LAKEBED_ASSIGN(auto match, regex->find(row.text(0), 0));
  if (!match) {
    out.append_bytes("");
    return {};
  }
  LAKEBED_ASSIGN(const size_t group, group_index(row, *regex));
  out.append_bytes(group_text(row.text(0), *match, group));
  return {};
}

Status regexp_extract_all_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  const std::string_view text = row.text(0);
  std::vector<std::string_view> found;
  std::optional<Error> error;
  LAKEBED_TRY(each_match(*regex, text, 0, [&](const Regex::Match& match) {
    auto group = group_index(row, *regex);
    if (!group.ok())
      error = group.error();
    else
      found.push_back(group_text(text, match, *group));
    return group.ok();
  }));
  if (error) return *error;
  for (const auto piece : found) out.raw_children()[0].append_bytes(piece);
  out.append_list();
  return {};
}

Status regexp_count_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  int64_t count = 0;
  LAKEBED_TRY(each_match(*regex, row.text(0), 0, [&](const Regex::Match&) {
    ++count;
    return true;
  }));
  out.append_integer(count);
  return {};
}

Status regexp_instr_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  LAKEBED_ASSIGN(auto match, regex->find(row.text(0), 0));
  if (!match)
    out.append_integer(0);
  else
    out.append_integer(static_cast<int64_t>(utf8_length(row.text(0).substr(0, (*match)[0]))) + 1);
  return {};
}

Status regexp_substr_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  LAKEBED_ASSIGN(auto match, regex->find(row.text(0), 0));
  if (match)
    out.append_bytes(group_text(row.text(0), *match, 0));
  else
    out.append_null();
  return {};
}

// --- split ---------------------------------------------------------------------------------------

void split_characters(std::string_view text, int64_t limit, Column& items) {
  size_t at = 0;
  for (int64_t count = 1; at < text.size(); ++count) {
    const size_t width = limit > 0 && count == limit ? text.size() - at : utf8_width(text[at]);
    items.append_bytes(text.substr(at, width));
    at += width;
  }
}

Status split_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view text = row.text(0);
  const int64_t limit = row.count() > 2 ? row.integer(2) : -1;
  Column& items = out.raw_children()[0];
  if (row.text(1).empty() && !text.empty()) {
    split_characters(text, limit, items);
    out.append_list();
    return {};
  }
  LAKEBED_ASSIGN(const Regex* regex, regex_of(row.text(1)));
  std::vector<std::string_view> parts;
  size_t copied = 0;
  LAKEBED_TRY(each_match(*regex, text, 0, [&](const Regex::Match& match) {
    if (limit > 0 && static_cast<int64_t>(parts.size()) + 1 >= limit) return false;
    // An empty match at the start makes no empty part.
    if (match[1] == 0) return true;
    parts.push_back(text.substr(copied, match[0] - copied));
    copied = match[1];
    return true;
  }));
  parts.push_back(text.substr(copied));
  for (const auto part : parts) items.append_bytes(part);
  out.append_list();
  return {};
}

}  // namespace

std::vector<Rendering> regexp_renderings() {
  return {
      {"like", like_row<false>},
      {"ilike", like_row<true>},
      {"rlike regexp regexp_like", rlike_row},
      {"regexp_replace", regexp_replace_row},
      {"regexp_extract", regexp_extract_row},
      {"regexp_extract_all", regexp_extract_all_row},
      {"regexp_count", regexp_count_row},
      {"regexp_instr", regexp_instr_row},
      {"regexp_substr", regexp_substr_row},
      {"split", split_row},
  };
}

}  // namespace lakebed::engine::duck
