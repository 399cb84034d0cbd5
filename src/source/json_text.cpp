#include "source/json_text.h"

#include <cstring>

namespace lakebed::source {

namespace {

constexpr int kMaxDepth = 1000;  // as Jackson's

constexpr uint64_t repeat(uint8_t byte) { return 0x0101010101010101ULL * byte; }

// A bit set in each byte of `word` that equals `byte`, up to the first such byte.
constexpr uint64_t matches(uint64_t word, uint8_t byte) {
  const uint64_t x = word ^ repeat(byte);
  return (x - repeat(1)) & ~x & repeat(0x80);
}

// The first byte at or after `at` that ends a plain stretch of a string: the quote, a backslash
// or a control character. Eight bytes a step.
const char* plain_end(const char* at, const char* end, char quote) {
  const auto wanted = static_cast<uint8_t>(quote);
  while (end - at >= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    const uint64_t control = (word - repeat(0x20)) & ~word & repeat(0x80);
    const uint64_t stop = matches(word, wanted) | matches(word, '\\') | control;
    if (stop != 0) return at + (__builtin_ctzll(stop) >> 3);
    at += 8;
  }
  while (at < end && *at != quote && *at != '\\' && static_cast<uint8_t>(*at) >= 0x20) ++at;
  return at;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<uint8_t>(c) >= 0x80;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool starts_with(const char* at, const char* end, std::string_view word) {
  return static_cast<size_t>(end - at) >= word.size() &&
         std::memcmp(at, word.data(), word.size()) == 0;
}

constexpr std::string_view kNonNumeric[] = {"NaN", "Infinity", "+Infinity", "-Infinity",
                                            "INF", "+INF",     "-INF"};

}  // namespace

void JsonCursor::reset(std::string_view text) {
  begin_ = at_ = text.data();
  end_ = begin_ + text.size();
  depth_ = 0;
  first_ = false;
  problem_ = {};
}

bool JsonCursor::fail(const char* what) {
  if (problem_.what == nullptr) problem_ = {what, offset()};
  return false;
}

void JsonCursor::skip_blanks_and_comments() {
  while (at_ < end_) {
    const char c = *at_;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (!(c == '/' && syntax_.comments && skip_comment())) {
      return;
    }
  }
}

bool JsonCursor::skip_comment() {
  if (starts_with(at_, end_, "//")) {
    while (at_ < end_ && *at_ != '\n') ++at_;
    return true;
  }
  if (!starts_with(at_, end_, "/*")) return false;
  for (const char* at = at_ + 2; at + 1 < end_; ++at) {
    if (at[0] == '*' && at[1] == '/') {
      at_ = at + 2;
      return true;
    }
  }
  return false;
}

JsonToken JsonCursor::peek() {
  skip_blanks();
  if (at_ >= end_) return JsonToken::kEnd;
  switch (*at_) {
    case '"': return JsonToken::kString;
    case '\'': return syntax_.single_quotes ? JsonToken::kString : JsonToken::kOther;
    case '{': return JsonToken::kObject;
    case '[': return JsonToken::kArray;
    case 't': return JsonToken::kTrue;
    case 'f': return JsonToken::kFalse;
    case 'n': return JsonToken::kNull;
    case 'N':
    case 'I':
    case '+': return JsonToken::kNonNumeric;
    case '-': return at_ + 1 < end_ && at_[1] == 'I' ? JsonToken::kNonNumeric : JsonToken::kNumber;
    default: return is_digit(*at_) ? JsonToken::kNumber : JsonToken::kOther;
  }
}

bool JsonCursor::read_string(std::string_view& out) {
  const char quote = *at_++;
  return read_quoted(quote, out);
}

bool JsonCursor::read_quoted(char quote, std::string_view& out) {
  const char* from = at_;
  at_ = plain_end(at_, end_, quote);
  if (at_ < end_ && *at_ == quote) {
    out = {from, static_cast<size_t>(at_ - from)};
    ++at_;
    return true;
  }
  return unescape(quote, from, out);
}

bool JsonCursor::unescape(char quote, const char* from, std::string_view& out) {
  scratch_.clear();
  while (true) {
    scratch_.append(from, at_);
    if (at_ >= end_) return fail("a string without an end");
    if (*at_ == quote) break;
    if (*at_ != '\\') return fail("a control character inside a string");
    ++at_;
    if (!read_escape()) return false;
    from = at_;
    at_ = plain_end(at_, end_, quote);
  }
  ++at_;
  out = scratch_;
  return true;
}

bool JsonCursor::read_escape() {
  if (at_ >= end_) return fail("a string without an end");
  const char c = *at_++;
  switch (c) {
    case '"':
    case '\\':
    case '/': scratch_.push_back(c); return true;
    case 'b': scratch_.push_back('\b'); return true;
    case 'f': scratch_.push_back('\f'); return true;
    case 'n': scratch_.push_back('\n'); return true;
    case 'r': scratch_.push_back('\r'); return true;
    case 't': scratch_.push_back('\t'); return true;
    case '\'':
      if (!syntax_.single_quotes) break;
      scratch_.push_back(c);
      return true;
    case 'u': {
      uint32_t code;
      if (!read_hex4(code)) return false;
      if (code >= 0xD800 && code < 0xDC00 && starts_with(at_, end_, "\\u")) {
        const char* back = at_;
        at_ += 2;
        uint32_t low;
        if (!read_hex4(low)) return false;
        if (low >= 0xDC00 && low < 0xE000) {
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
          at_ = back;
        }
      }
      // Half of a pair has no UTF-8 form; Java writes a question mark.
      if (code >= 0xD800 && code < 0xE000) code = '?';
      append_utf8(scratch_, code);
      return true;
    }
    default: break;
  }
  --at_;
  return fail("an unknown escape in a string");
}

bool JsonCursor::read_hex4(uint32_t& out) {
  if (end_ - at_ < 4) return fail("a \\u escape without four digits");
  out = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = *at_;
    uint32_t digit;
    if (is_digit(c)) {
      digit = static_cast<uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      digit = static_cast<uint32_t>((c | 0x20) - 'a') + 10;
    } else {
      return fail("a \\u escape without four digits");
    }
    out = out * 16 + digit;
  }
  return true;
}

bool JsonCursor::digits() {
  const char* from = at_;
  while (at_ < end_ && is_digit(*at_)) ++at_;
  return at_ != from;
}

bool JsonCursor::read_number(std::string_view& out, bool& is_integer) {
  const char* from = at_;
  if (*at_ == '-') ++at_;
  const char* integral = at_;
  if (!digits()) return fail("a number without digits");
  if (*integral == '0' && at_ - integral > 1) return fail("a number with leading zeros");
  is_integer = true;
  if (at_ < end_ && *at_ == '.') {
    is_integer = false;
    ++at_;
    if (!digits()) return fail("a number that ends with its decimal point");
  }
  if (at_ < end_ && (*at_ | 0x20) == 'e') {
    is_integer = false;
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return fail("a number without digits in its exponent");
  }
  if (at_ < end_ && (is_name_char(*at_) || *at_ == '.' || *at_ == '"')) {
    return fail("a number that goes on with something else");
  }
  out = {from, static_cast<size_t>(at_ - from)};
  return true;
}

bool JsonCursor::read_non_numeric(std::string_view& out) {
  if (syntax_.non_numeric) {
    for (const std::string_view word : kNonNumeric) {
      const char* after = at_ + word.size();
      if (!starts_with(at_, end_, word) || (after < end_ && is_name_char(*after))) continue;
      out = word;
      at_ = after;
      return true;
    }
  }
  return fail("a word that is no JSON value");
}

bool JsonCursor::read_word(JsonToken word) {
  const std::string_view text = word == JsonToken::kTrue    ? "true"
                                : word == JsonToken::kFalse ? "false"
                                                            : "null";
  const char* after = at_ + text.size();
  if (!starts_with(at_, end_, text) || (after < end_ && is_name_char(*after))) {
    return fail("a word that is no JSON value");
  }
  at_ = after;
  return true;
}

bool JsonCursor::enter() {
  if (++depth_ > kMaxDepth) return fail("values nested more than 1000 deep");
  ++at_;
  first_ = true;
  return true;
}

bool JsonCursor::next_name(std::string_view& name, bool& at_end) {
  skip_blanks();
  at_end = at_ < end_ && *at_ == '}';
  if (at_end) {
    ++at_;
    --depth_;
    first_ = false;
    return true;
  }
  if (!first_) {
    if (at_ >= end_) return fail("an object without an end");
    if (*at_ != ',') return fail("a comma or '}' is missing");
    ++at_;
  }
  first_ = false;
  const JsonToken token = peek();
  if (token == JsonToken::kEnd) return fail("an object without an end");
  if (token == JsonToken::kString) {
    if (!read_string(name)) return false;
  } else if (!syntax_.unquoted_names || !read_unquoted(name)) {
    return fail("a field's name in double quotes is missing");
  }
  skip_blanks();
  if (at_ >= end_) return fail("an object without an end");
  if (*at_ != ':') return fail("a colon is missing after a field's name");
  ++at_;
  return true;
}

bool JsonCursor::read_unquoted(std::string_view& out) {
  const char* from = at_;
  while (at_ < end_ && is_name_char(*at_)) ++at_;
  out = {from, static_cast<size_t>(at_ - from)};
  return at_ != from && !is_digit(*from);
}

bool JsonCursor::next_element(bool& at_end) {
  skip_blanks();
  at_end = at_ < end_ && *at_ == ']';
  if (at_end) {
    ++at_;
    --depth_;
  } else if (!first_) {
    if (at_ >= end_) return fail("an array without an end");
    if (*at_ != ',') return fail("a comma or ']' is missing");
    ++at_;
  } else if (at_ >= end_) {
    return fail("an array without an end");
  }
  first_ = false;
  return true;
}

bool JsonCursor::skip_scalar(JsonToken token) {
  std::string_view text;
  bool is_integer;
  switch (token) {
    case JsonToken::kString: return read_string(text);
    case JsonToken::kNumber: return read_number(text, is_integer);
    case JsonToken::kNonNumeric: return read_non_numeric(text);
    case JsonToken::kTrue:
    case JsonToken::kFalse:
    case JsonToken::kNull: return read_word(token);
    case JsonToken::kEnd: return fail("a value is missing: the record ends here");
    default: return fail("a value is missing");
  }
}

bool JsonCursor::skip_value() {
  const JsonToken token = peek();
  if (token != JsonToken::kObject && token != JsonToken::kArray) return skip_scalar(token);
  const bool is_object = token == JsonToken::kObject;
  if (!enter()) return false;
  while (true) {
    bool at_end;
    std::string_view name;
    if (!(is_object ? next_name(name, at_end) : next_element(at_end))) return false;
    if (at_end) return true;
    if (!skip_value()) return false;
  }
}

}  // namespace lakebed::source
