// A cursor over the text of one JSON record. It checks every token that it passes, also of values
// that it only skips, and hands out numbers as text: no number is ever rounded here.
//
// The grammar is RFC 8259 plus the liberties that Spark's reader takes by default (Jackson's
// names for them): single quotes, and bare NaN and Infinity; comments and unquoted names on
// request. Functions return false where the text is damaged; problem() then says how and where.
// The cursor borrows the text. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lakebed::source {

struct JsonSyntax {
  bool single_quotes = true;
  bool comments = false;
  bool unquoted_names = false;
  bool non_numeric = true;
};

enum class JsonToken : uint8_t {
  kEnd,
  kObject,
  kArray,
  kString,
  kNumber,
  kNonNumeric,  // NaN, Infinity, +Infinity, -Infinity, INF, +INF, -INF
  kTrue,
  kFalse,
  kNull,
  kOther,  // '}', ']', ',', ':' or what is no JSON
};

struct JsonProblem {
  const char* what = nullptr;  // null: none
  size_t offset = 0;           // in the record's text
};

class JsonCursor {
 public:
  explicit JsonCursor(JsonSyntax syntax) : syntax_(syntax) {}

  // Starts anew on `text`, which must outlive the use of the cursor.
  void reset(std::string_view text);

  // Skips blanks and tells what the next token begins. Does not move past it.
  JsonToken peek();
  // Steps past a value of the kind that peek() told.
  bool read_string(std::string_view& out);  // valid until the next call
  bool read_number(std::string_view& out, bool& is_integer);
  bool read_non_numeric(std::string_view& out);
  bool read_word(JsonToken word);  // true, false, null
  // Steps past any value, checking it.
  bool skip_value();

  // Objects: enter(), then next_name() until it tells the end; each name is followed by a value.
  // Arrays: enter(), then next_element() likewise.
  bool enter();
  bool next_name(std::string_view& name, bool& at_end);
  bool next_element(bool& at_end);

  // True where nothing but blanks follows.
  bool at_end() { return peek() == JsonToken::kEnd; }

  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  // Goes back to a place that offset() told, between values. Requires: the same nesting.
  void rewind(size_t offset) { at_ = begin_ + offset; }
  std::string_view text(size_t from, size_t to) const { return {begin_ + from, to - from}; }
  const JsonProblem& problem() const { return problem_; }

 private:
  bool fail(const char* what);
  void skip_blanks() {
    if (at_ < end_ && static_cast<uint8_t>(*at_) > ' ' && *at_ != '/') return;
    skip_blanks_and_comments();
  }
  void skip_blanks_and_comments();
  bool skip_comment();
  bool read_quoted(char quote, std::string_view& out);
  bool unescape(char quote, const char* from, std::string_view& out);
  bool read_escape();
  bool read_hex4(uint32_t& out);
  bool read_unquoted(std::string_view& out);
  bool skip_scalar(JsonToken token);
  bool digits();

  JsonSyntax syntax_;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int depth_ = 0;
  bool first_ = false;  // just entered: no comma is due
  JsonProblem problem_;
  std::string scratch_;  // the last string that had escapes
};

}  // namespace lakebed::source
