// A walk over the tokens of one text, and the errors that the parser's parts report.
//
// Inside this room a syntax error travels as one exception type, Failure: the grammar's functions
// return what they parsed, and read like the grammar. Nothing else throws it, and the functions of
// parse.h catch it: no exception leaves the room.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "plan/statement.h"
#include "sql/lexer.h"
#include "sql/text.h"

namespace lakebed::sql {

struct Failure {
  Error error;
};

class Cursor {
 public:
  // `text` must outlive the cursor.
  explicit Cursor(const MappedText& text);

  const MappedText& text() const { return text_; }
  const Token& peek(size_t ahead = 0) const;
  // Index of the current token: marks where a node begins.
  size_t position() const { return at_; }
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  // Takes the current token, which must be readable (no kBad, no kParameter). At the end it stays.
  const Token& next();
  // Takes the current token whatever it is.
  void skip();

  // Whether the token `ahead` is the keyword (in capitals) or symbol `what`.
  bool at(std::string_view what, size_t ahead = 0) const;
  bool at_any(std::initializer_list<std::string_view> choices, size_t ahead = 0) const;
  // Whether these keywords or symbols follow, one after another.
  bool at_all(std::initializer_list<std::string_view> sequence, size_t ahead = 0) const;
  // A word or a name in backticks.
  bool at_name(size_t ahead = 0) const;
  bool at_string(size_t ahead = 0) const { return peek(ahead).kind == TokenKind::kString; }
  // Whether the token `ahead` follows the one before it without a blank.
  bool adjacent(size_t ahead) const;

  // Take what is asked for, if it is there.
  bool accept(std::string_view what);
  bool accept_all(std::initializer_list<std::string_view> sequence);
  // Takes it or fails: "expected `what`, found ...".
  void expect(std::string_view what);
  void expect_all(std::initializer_list<std::string_view> sequence);
  // Takes the `)` that closes the `(` at token `opened`, or fails and says where that was.
  void expect_close(size_t opened);

  // The index of the token that closes the bracket at token `ahead`, counted from the current one;
  // of the end where nothing does.
  size_t matching(size_t ahead) const;

  // The place from token `first` (an index of position()) to the last token taken.
  SourceSpan span_from(size_t first) const;
  SourceSpan span_here(size_t ahead = 0) const;
  // What the user wrote from token `first` to the last token taken.
  std::string written_from(size_t first) const;

  // "expected <expected>, found <the current token>".
  [[noreturn]] void fail_expected(std::string_view expected, std::string hint = "") const;
  // A syntax error at the current token.
  [[noreturn]] void fail(std::string message, std::string hint = "") const;
  [[noreturn]] void fail_at(SourceSpan span, std::string message, std::string hint = "") const;
  // A feature that is known and refused: UNSUPPORTED_FEATURE.<what, blanks as underscores>.
  [[noreturn]] void refuse(std::string_view what, SourceSpan span, std::string hint = "") const;
  // Fails where a chain of equals (operators, joins, ...) has grown to a tree that could not be
  // walked by recursion any more.
  void limit_chain(size_t length) const;
  // "'FORM'", "the end of the statement", "the string 'x'".
  std::string found(size_t ahead = 0) const;

 private:
  friend class Nesting;
  const MappedText& text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t depth_ = 0;
};

// Counts how deep the grammar is nested while it lives; fails where a text would exhaust the stack.
class Nesting {
 public:
  explicit Nesting(Cursor& cursor);
  ~Nesting() { --cursor_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Cursor& cursor_;
};

}  // namespace lakebed::sql
