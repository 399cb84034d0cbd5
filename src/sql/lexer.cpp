#include "sql/lexer.h"

#include <array>
#include <cctype>
#include <cstdint>

#include "sql/strings.h"

namespace lakebed::sql {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

constexpr std::array<std::string_view, 14> kSymbols = {
    "<=>", "||", "|>", "->", "=>", "::", "<=", ">=", "<>", "!=", "==", "<<", "*/", "?::"};

// Blanks besides ASCII's that editors and web pages leave in a text.
size_t wide_blank_length(std::string_view rest) {
  if (rest.substr(0, 2) == "\xC2\xA0") return 2;      // no-break space
  if (rest.substr(0, 3) == "\xEF\xBB\xBF") return 3;  // byte order mark
  if (rest.substr(0, 3) == "\xE3\x80\x80") return 3;  // ideographic space
  if (rest.size() >= 3 && rest.substr(0, 2) == "\xE2\x80") {
    const auto last = static_cast<unsigned char>(rest[2]);
    if ((last >= 0x80 && last <= 0x8B) || last == 0xAF) return 3;  // spaces of other widths
  }
  return 0;
}

bool is_typographic_quote(std::string_view rest) {
  if (rest.size() < 3 || rest.substr(0, 2) != "\xE2\x80") return false;
  const auto last = static_cast<unsigned char>(rest[2]);
  return last >= 0x98 && last <= 0x9F;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (skip_blanks(), at_ < text_.size()) take();
    tokens_.push_back({TokenKind::kEnd, text_.size(), text_.size(), "", ""});
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(at_); }
  bool at_line_start() const { return at_ == 0 || text_[at_ - 1] == '\n'; }
  std::string_view line() const { return rest().substr(0, rest().find('\n')); }

  void push(TokenKind kind, size_t end, std::string text, std::string upper = "") {
    tokens_.push_back({kind, at_, end, std::move(text), std::move(upper)});
    at_ = end;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (const size_t wide = wide_blank_length(rest()); wide > 0) {
        at_ += wide;
      } else if (c == '-' && peek(1) == '-') {
        line_comment();
      } else if (c == '/' && peek(1) == '*') {
        if (!block_comment()) return;
      } else {
        return;
      }
    }
  }

  void line_comment() {
    const std::string_view whole = line();
    if (at_line_start() && whole.substr(0, 21) == "-- COMMAND ----------") {
      push(TokenKind::kCellMark, at_ + whole.size(), "");
    } else {
      at_ += whole.size();
    }
  }

  // False where the comment has no end: then a bad token took the rest.
  bool block_comment() {
    size_t depth = 0;
    for (size_t i = at_; i + 1 < text_.size(); ++i) {
      if (text_[i] == '/' && text_[i + 1] == '*') {
        ++depth;
        ++i;
      } else if (text_[i] == '*' && text_[i + 1] == '/') {
        ++i;
        if (--depth == 0) {
          at_ = i + 1;
          return true;
        }
      }
    }
    push(TokenKind::kBad, text_.size(), "a comment that begins with /* is never closed by */");
    return false;
  }

  void take() {
    const char c = peek();
    if (at_line_start() && conflict_marker()) return;
    if (c == '\'' || c == '"') return string(at_, false);
    if ((c == 'r' || c == 'R') && (peek(1) == '\'' || peek(1) == '"')) return string(at_ + 1, true);
    if (c == '`') return quoted();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_name())) return number();
    if (is_typographic_quote(rest())) {
      return push(TokenKind::kBad, at_ + 3, "a typographic quote; write ' or \"");
    }
    if (is_word_byte(c)) return word();
    if (const size_t length = parameter_length(text_, at_); length > 0) {
      return push(TokenKind::kParameter, at_ + length,
                  std::string(text_.substr(at_ + 2, length - 3)));
    }
    symbol();
  }

  // `t.1x`: a point right after a name continues the name.
  bool after_name() const {
    if (tokens_.empty() || tokens_.back().end != at_) return false;
    const Token& last = tokens_.back();
    return last.kind == TokenKind::kWord || last.kind == TokenKind::kQuoted || last.text == "]" ||
           last.text == ")";
  }

  bool conflict_marker() {
    const std::string_view whole = line();
    for (const std::string_view mark : {"<<<<<<<", ">>>>>>>", "|||||||", "======="}) {
      if (whole.substr(0, 7) != mark) continue;
      if (whole.size() > 7 && whole[7] != ' ' && whole[7] != '\r') continue;
      push(TokenKind::kBad, at_ + 7, "a marker of an unresolved merge conflict");
      return true;
    }
    return false;
  }

  void string(size_t quote_at, bool raw) {
    const size_t end = string_end(text_, quote_at, raw);
    if (end == std::string_view::npos) {
      const std::string mark(1, text_[quote_at]);
      return push(TokenKind::kBad, text_.size(),
                  "a string that begins with " + mark + " is never closed");
    }
    const std::string_view inside = text_.substr(quote_at + 1, end - quote_at - 2);
    push(TokenKind::kString, end,
         raw ? std::string(inside) : unescape_string(inside, text_[quote_at]));
  }

  void quoted() {
    std::string name;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] != '`') {
        name += text_[i];
      } else if (i + 1 < text_.size() && text_[i + 1] == '`') {
        name += text_[i++];
      } else {
        return push(TokenKind::kQuoted, i + 1, std::move(name));
      }
    }
    push(TokenKind::kBad, text_.size(), "a name that begins with ` is never closed");
  }

  size_t digits_end(size_t from) const {
    while (from < text_.size() && is_digit(text_[from])) ++from;
    return from;
  }

  void number() {
    size_t end = digits_end(at_);
    bool point = false;
    const bool names_follow = end + 1 < text_.size() && is_word_byte(text_[end + 1]) &&
                              !is_digit(text_[end + 1]) && !is_exponent_or_suffix(end + 1);
    if (end < text_.size() && text_[end] == '.' && !names_follow) {
      point = true;
      end = digits_end(end + 1);
    }
    if (const size_t exponent = exponent_end(end); exponent > 0) end = exponent;
    if (const size_t suffix = suffix_end(end); suffix > 0) end = suffix;
    if (!point && end < text_.size() && is_word_byte(text_[end])) return word();
    push(TokenKind::kNumber, end, std::string(text_.substr(at_, end - at_)));
  }

  bool is_exponent_or_suffix(size_t from) const {
    return exponent_end(from) > 0 || suffix_end(from) > 0;
  }

  // The end of "e+12" at `from`, or 0.
  size_t exponent_end(size_t from) const {
    if (from >= text_.size() || (text_[from] != 'e' && text_[from] != 'E')) return 0;
    size_t digits = from + 1;
    if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
    const size_t end = digits_end(digits);
    return end > digits ? end : 0;
  }

  // The end of a type suffix (L, S, Y, D, F, BD) at `from` that no word byte follows, or 0.
  size_t suffix_end(size_t from) const {
    if (from >= text_.size()) return 0;
    const auto upper = [this](size_t i) {
      return i < text_.size() ? std::toupper(static_cast<unsigned char>(text_[i])) : 0;
    };
    size_t end = 0;
    if (upper(from) == 'B' && upper(from + 1) == 'D') end = from + 2;
    if (std::string_view("LSYDF").find(static_cast<char>(upper(from))) != std::string_view::npos) {
      end = from + 1;
    }
    const bool cut = end > 0 && (end >= text_.size() || !is_word_byte(text_[end]));
    return cut ? end : 0;
  }

  void word() {
    size_t end = at_;
    while (end < text_.size() && is_word_byte(text_[end]) &&
           wide_blank_length(text_.substr(end)) == 0 && !is_typographic_quote(text_.substr(end))) {
      ++end;
    }
    std::string text(text_.substr(at_, end - at_));
    std::string upper = text;
    for (char& c : upper) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    push(TokenKind::kWord, end, std::move(text), std::move(upper));
  }

  void symbol() {
    for (const std::string_view symbol : kSymbols) {
      if (rest().substr(0, symbol.size()) == symbol) {
        return push(TokenKind::kSymbol, at_ + symbol.size(), std::string(symbol));
      }
    }
    push(TokenKind::kSymbol, at_ + 1, std::string(1, peek()));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view text) { return Lexer(text).run(); }

size_t parameter_length(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "${") return 0;
  for (size_t i = at + 2; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '}') return i > at + 2 ? i + 1 - at : 0;
    if (c == '$' || c == ' ' || c == '\n' || c == '\r' || c == '\t') return 0;
  }
  return 0;
}

}  // namespace lakebed::sql
