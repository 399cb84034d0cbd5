// Text to tokens. The lexer never fails: what it cannot read becomes a kBad token whose text is
// the complaint, so that the parser reports it only where the token is needed. Comments of both
// styles (block comments nest) and blanks are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lakebed::sql {

enum class TokenKind : uint8_t {
  kWord,       // identifier or keyword; `upper` is set
  kQuoted,     // `identifier`, decoded
  kString,     // '...' or "...", decoded; r'...' as it stands
  kNumber,     // digits with point, exponent, suffix, as written
  kSymbol,     // punctuation; `>` always alone, so that types may close twice
  kParameter,  // ${name} outside of quotes, text = name
  kCellMark,   // a line "-- COMMAND ----------"
  kBad,        // text = what is wrong
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t begin = 0;  // byte offsets
  size_t end = 0;
  std::string text;
  std::string upper;  // kWord: in capitals (ASCII)
};

// All tokens, the last of kind kEnd.
std::vector<Token> lex(std::string_view text);

// The length of a `${name}` that begins at `at`, or 0. Names hold no blank, `$` or `}`.
size_t parameter_length(std::string_view text, size_t at);

}  // namespace lakebed::sql
