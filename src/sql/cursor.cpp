#include "sql/cursor.h"

#include <algorithm>

namespace lakebed::sql {

namespace {

// Each level of nested brackets costs some ten stack frames.
constexpr size_t kMaxDepth = 200;
// A chain of equals is parsed by a loop, but makes a tree as deep as it is long.
constexpr size_t kMaxChain = 2000;

bool is_wordlike(std::string_view what) {
  return !what.empty() && ((what[0] >= 'A' && what[0] <= 'Z') || what[0] == '_');
}

std::string cut(std::string_view text) {
  return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
}

Failure syntax_error(std::string message, SourceSpan span, std::string hint) {
  Error error = project_error("PARSE_SYNTAX_ERROR", std::move(message), std::move(span));
  if (!hint.empty()) error.with_hint(std::move(hint));
  return Failure{std::move(error)};
}

}  // namespace

Cursor::Cursor(const MappedText& text) : text_(text), tokens_(lex(text.text())) {}

const Token& Cursor::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::next() {
  const Token& token = tokens_[at_];
  if (token.kind == TokenKind::kBad || token.kind == TokenKind::kParameter) {
    fail_expected("a token");
  }
  skip();
  return token;
}

void Cursor::skip() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

bool Cursor::at(std::string_view what, size_t ahead) const {
  const Token& token = peek(ahead);
  if (is_wordlike(what)) return token.kind == TokenKind::kWord && token.upper == what;
  return token.kind == TokenKind::kSymbol && token.text == what;
}

bool Cursor::at_any(std::initializer_list<std::string_view> choices, size_t ahead) const {
  return std::any_of(choices.begin(), choices.end(),
                     [&](std::string_view choice) { return at(choice, ahead); });
}

bool Cursor::at_all(std::initializer_list<std::string_view> sequence, size_t ahead) const {
  for (const std::string_view what : sequence) {
    if (!at(what, ahead++)) return false;
  }
  return true;
}

bool Cursor::at_name(size_t ahead) const {
  const TokenKind kind = peek(ahead).kind;
  return kind == TokenKind::kWord || kind == TokenKind::kQuoted;
}

bool Cursor::adjacent(size_t ahead) const {
  const size_t index = at_ + ahead;
  return index > 0 && index < tokens_.size() && tokens_[index - 1].end == tokens_[index].begin;
}

bool Cursor::accept(std::string_view what) {
  if (!at(what)) return false;
  next();
  return true;
}

bool Cursor::accept_all(std::initializer_list<std::string_view> sequence) {
  if (!at_all(sequence)) return false;
  for (size_t i = 0; i < sequence.size(); ++i) next();
  return true;
}

void Cursor::expect(std::string_view what) {
  if (!accept(what)) fail_expected(what);
}

void Cursor::expect_all(std::initializer_list<std::string_view> sequence) {
  for (const std::string_view what : sequence) expect(what);
}

void Cursor::expect_close(size_t opened) {
  if (accept(")")) return;
  const SourceSpan open = text_.span(tokens_[opened].begin, tokens_[opened].end);
  fail_expected(") or ,", "the bracket was opened at " + std::to_string(open.line) + ":" +
                              std::to_string(open.column));
}

size_t Cursor::matching(size_t ahead) const {
  size_t depth = 0;
  for (;; ++ahead) {
    const Token& token = peek(ahead);
    if (token.kind == TokenKind::kEnd) return ahead;
    if (token.kind != TokenKind::kSymbol) continue;
    if (token.text == "(" || token.text == "[") ++depth;
    if ((token.text == ")" || token.text == "]") && --depth == 0) return ahead;
  }
}

SourceSpan Cursor::span_from(size_t first) const {
  const size_t last = at_ > first ? at_ - 1 : first;
  return text_.span(tokens_[first].begin, tokens_[last].end);
}

SourceSpan Cursor::span_here(size_t ahead) const {
  return text_.span(peek(ahead).begin, peek(ahead).end);
}

std::string Cursor::written_from(size_t first) const {
  if (at_ <= first) return "";
  return text_.written(tokens_[first].begin, tokens_[at_ - 1].end);
}

std::string Cursor::found(size_t ahead) const {
  const Token& token = peek(ahead);
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the statement";
    case TokenKind::kCellMark: return "the end of the cell";
    case TokenKind::kString: return "the string '" + cut(token.text) + "'";
    case TokenKind::kParameter: return "the parameter ${" + token.text + "}, which has no value";
    case TokenKind::kBad: return token.text;
    case TokenKind::kQuoted: return "`" + cut(token.text) + "`";
    default: return "'" + cut(token.text) + "'";
  }
}

void Cursor::fail_expected(std::string_view expected, std::string hint) const {
  const Token& token = peek();
  if (token.kind == TokenKind::kBad) {
    SourceSpan span = span_here();
    throw syntax_error("found " + token.text, std::move(span), std::move(hint));
  }
  fail("expected " + std::string(expected) + ", found " + found(), std::move(hint));
}

void Cursor::fail(std::string message, std::string hint) const {
  // At the end the caret belongs behind the last token, not behind trailing blanks and comments.
  const bool behind = at_end() && at_ > 0;
  const size_t end = behind ? tokens_[at_ - 1].end : peek().begin;
  fail_at(behind ? text_.span(end - 1, end) : span_here(), std::move(message), std::move(hint));
}

void Cursor::fail_at(SourceSpan span, std::string message, std::string hint) const {
  throw syntax_error(std::move(message), std::move(span), std::move(hint));
}

void Cursor::refuse(std::string_view what, SourceSpan span, std::string hint) const {
  std::string code = "UNSUPPORTED_FEATURE.";
  for (const char c : what) code += c == ' ' ? '_' : c;
  Error error = project_error(std::move(code), std::string(what) + " is not supported", span);
  if (!hint.empty()) error.with_hint(std::move(hint));
  throw Failure{std::move(error)};
}

void Cursor::limit_chain(size_t length) const {
  if (length > kMaxChain) fail("more than 2,000 operators of a kind in one row");
}

Nesting::Nesting(Cursor& cursor) : cursor_(cursor) {
  if (++cursor.depth_ > kMaxDepth) {
    --cursor.depth_;
    cursor.fail("the statement is nested too deep: more than " + std::to_string(kMaxDepth) +
                " levels");
  }
}

}  // namespace lakebed::sql
