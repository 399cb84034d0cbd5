#include "sql/script.h"

#include <optional>

#include "base/names.h"
#include "sql/statements.h"

namespace lakebed::sql {

namespace {

constexpr size_t kMaxExpansions = 40;  // of a parameter whose value names parameters

// Blanks out what marks the lines of %sql cells, byte for byte, so that their SQL is read; the
// other magic cells stay the comments that they are.
std::string unmask_magic(const std::string& text) {
  static constexpr std::string_view kMagic = "-- MAGIC";
  std::string out = text;
  bool sql = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.substr(0, kMagic.size()) != kMagic) {
      sql = false;
    } else {
      size_t blank = kMagic.size();
      const size_t word = line.find_first_not_of(' ', blank);
      if (word != std::string_view::npos && line[word] == '%') {
        sql = same_name(line.substr(word, 4), "%sql");
        blank = word + 4;
      }
      if (sql) {
        for (size_t i = 0; i < std::min(blank, line.size()); ++i) out[at + i] = ' ';
      }
    }
    at = end + 1;
  }
  return out;
}

// One statement's tokens, as byte offsets of the file.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
};

// The end of the BEGIN ... END block that starts at token `at`: the index of its last token.
size_t block_end(const std::vector<Token>& tokens, size_t at) {
  size_t depth = 0;
  const auto is = [&](size_t i, std::string_view word) {
    return i < tokens.size() && tokens[i].kind == TokenKind::kWord && tokens[i].upper == word;
  };
  for (size_t i = at; i < tokens.size(); ++i) {
    if (is(i, "BEGIN") || is(i, "CASE")) ++depth;
    if (!is(i, "END")) continue;
    const bool loop = is(i + 1, "IF") || is(i + 1, "FOR") || is(i + 1, "WHILE") ||
                      is(i + 1, "LOOP") || is(i + 1, "REPEAT");
    if (loop) continue;
    if (is(i + 1, "CASE")) ++i;
    if (--depth == 0) return i;
  }
  return at;
}

std::vector<Piece> cut(const std::vector<Token>& tokens) {
  std::vector<Piece> out;
  std::optional<Piece> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool mark = token.kind == TokenKind::kEnd || token.kind == TokenKind::kCellMark ||
                      (token.kind == TokenKind::kSymbol && token.text == ";");
    if (mark) {
      if (open) out.push_back(*open);
      open.reset();
      continue;
    }
    if (!open) {
      open = Piece{token.begin, token.end};
      const bool block = token.kind == TokenKind::kWord && token.upper == "BEGIN";
      if (block) i = block_end(tokens, i);
    }
    open->end = tokens[i].end;
  }
  return out;
}

class Script {
 public:
  Script(const SourceText& source, Parameters parameters)
      : original_(std::make_shared<Original>(source.file, source.text)),
        masked_(unmask_magic(source.text)),
        tokens_(lex(masked_)),
        parameters_(std::move(parameters)) {}

  std::vector<plan::Statement> run() {
    std::vector<plan::Statement> out;
    for (const Piece& piece : cut(tokens_)) parse_piece(piece, out);
    return out;
  }

 private:
  void parse_piece(const Piece& piece, std::vector<plan::Statement>& out) {
    const MappedText text = expand(piece);
    Cursor cursor(text);
    while (!cursor.at_end()) {
      if (cursor.accept(";")) continue;
      out.push_back(parse_statement(cursor));
      if (!cursor.at_end() && !cursor.at(";")) fail_behind(cursor);
      if (const auto* set = std::get_if<plan::SetStatement>(&out.back())) {
        if (set->value.has_value()) parameters_[set->key] = *set->value;
      }
    }
  }

  [[noreturn]] static void fail_behind(const Cursor& cursor) {
    const bool next = cursor.at_any({"CREATE", "APPLY", "INSERT", "SET", "DROP", "USE"});
    cursor.fail_expected("; or the end of the statement",
                         next ? "is a ; missing before " + cursor.peek().text + "?" : "");
  }

  // The piece with its parameters put in, comments excepted.
  MappedText expand(const Piece& piece) const {
    MappedText out(original_);
    size_t from = piece.begin;
    for (const Token& token : tokens_) {
      if (token.begin < piece.begin || token.end > piece.end) continue;
      for (size_t at = token.begin; at < token.end;) {
        const size_t length = parameter_length(std::string_view(masked_).substr(0, token.end), at);
        if (length == 0) {
          ++at;
          continue;
        }
        out.append_copy(std::string_view(masked_).substr(from, at - from), from);
        out.append_instead(value_at(at, length), at, at + length);
        at += length;
        from = at;
      }
    }
    out.append_copy(std::string_view(masked_).substr(from, piece.end - from), from);
    return out;
  }

  std::string value_at(size_t at, size_t length) const {
    const std::string name = masked_.substr(at + 2, length - 3);
    return value_of(name, original_->span(at, at + length), 0);
  }

  std::string value_of(const std::string& name, const SourceSpan& span, size_t depth) const {
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) fail_parameter(name, span);
    if (depth > kMaxExpansions) {
      throw Failure{project_error("UNKNOWN_PARAMETER",
                                  "the value of ${" + name + "} leads back to itself", span)};
    }
    std::string out;
    const std::string& value = found->second;
    for (size_t i = 0; i < value.size();) {
      const size_t length = parameter_length(value, i);
      if (length == 0) {
        out += value[i++];
      } else {
        out += value_of(value.substr(i + 2, length - 3), span, depth + 1);
        i += length;
      }
    }
    return out;
  }

  [[noreturn]] void fail_parameter(const std::string& name, const SourceSpan& span) const {
    std::vector<std::string> known;
    for (const auto& [key, value] : parameters_) known.push_back(key);
    const std::string near = nearest_name(name, known);
    Error error =
        project_error("UNKNOWN_PARAMETER", "the parameter ${" + name + "} has no value", span);
    error.with_hint(near.empty() ? "give it under configuration: in the project's file, or with "
                                   "SET " +
                                       name + " = value; before it is used"
                                 : "did you mean ${" + near + "}?");
    throw Failure{std::move(error)};
  }

  std::shared_ptr<const Original> original_;
  std::string masked_;
  std::vector<Token> tokens_;
  Parameters parameters_;
};

}  // namespace

std::vector<plan::Statement> parse_file(const SourceText& source, Parameters parameters) {
  return Script(source, std::move(parameters)).run();
}

}  // namespace lakebed::sql
