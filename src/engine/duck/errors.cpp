// From DuckDB's messages to Spark's codes. DuckDB's C API gives a text only; its beginning names
// the class of the exception, which is stable, and the rest names values that users want to see.
#include <array>
#include <string>

#include "engine/duck/connection.h"

namespace lakebed::engine::duck {

namespace {

bool is_code_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '`';
}

// The length of a code at the start of the text: capitals, digits, at least one underscore (our
// codes all have one), followed by ": ". 0 when there is none.
size_t code_length(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && is_code_character(text[at])) ++at;
  const bool closed = text.substr(at, 2) == ": ";
  const bool underscore = text.substr(0, at).find('_') != std::string_view::npos;
  return closed && underscore && text[0] >= 'A' && text[0] <= 'Z' ? at : 0;
}

// "Invalid Input Error: CODE: message" and the like, nested or not.
std::optional<Error> own_error(std::string_view message) {
  size_t at = 0;
  for (int depth = 0; depth < 4; ++depth) {
    const auto rest = message.substr(at);
    if (const size_t length = code_length(rest)) {
      return update_error(std::string(rest.substr(0, length)),
                          std::string(rest.substr(length + 2)));
    }
    const auto next = rest.find(": ");
    if (next == std::string_view::npos) break;
    at += next + 2;
  }
  return std::nullopt;
}

struct Pattern {
  std::string_view start;     // of the message; empty: any
  std::string_view contains;  // empty: any
  const char* code;
};

constexpr std::array<Pattern, 16> kPatterns{{
    {"Out of Memory Error", "", "ENGINE_OUT_OF_MEMORY"},
    {"", "division by zero", "DIVIDE_BY_ZERO"},
    {"Out of Range Error", "verflow", "ARITHMETIC_OVERFLOW"},
    {"Out of Range Error", "", "ARITHMETIC_OVERFLOW"},
    // Only sums are that wide.
    {"Conversion Error", "Type INT128", "ARITHMETIC_OVERFLOW"},
    {"Conversion Error", "", "CAST_INVALID_INPUT"},
    {"Invalid Input Error", "Casting value", "NUMERIC_VALUE_OUT_OF_RANGE"},
    {"", "No magic bytes found", "PARQUET_FILE.DAMAGED"},
    {"", "not a parquet file", "PARQUET_FILE.DAMAGED"},
    {"", "too small to be a Parquet file", "PARQUET_FILE.DAMAGED"},
    {"", "Failed to read Parquet file", "PARQUET_FILE.DAMAGED"},
    {"", "No files found that match", "FILE_NOT_FOUND"},
    {"IO Error", "No such file", "FILE_NOT_FOUND"},
    {"IO Error", "No space left", "DISK_FULL"},
    {"IO Error", "", "FILE_ERROR"},
    {"", "More than one row returned by a subquery", "SCALAR_SUBQUERY_TOO_MANY_ROWS"},
}};

const char* pattern_code(std::string_view message) {
  for (const auto& pattern : kPatterns) {
    if (!message.starts_with(pattern.start)) continue;
    if (message.find(pattern.contains) != std::string_view::npos) return pattern.code;
  }
  return "ENGINE_ERROR";
}

// DuckDB appends the statement with a caret, or advice about its settings; both tell a user of
// generated SQL nothing.
std::string_view without_statement(std::string_view message) {
  return message.substr(0, message.find("\n\n"));
}

// "Conversion Error: text" -> "text".
std::string_view without_class(std::string_view message) {
  const auto at = message.find(" Error: ");
  const bool leading = at != std::string_view::npos && at < 24;
  return leading ? message.substr(at + 8) : message;
}

}  // namespace

Error translate_error(std::string_view message) {
  const auto text = without_statement(message);
  if (auto own = own_error(text)) return *own;
  Error error = update_error(pattern_code(text), std::string(text));
  if (error.code != "ENGINE_ERROR") error.message = without_class(text);
  if (error.code == "ENGINE_OUT_OF_MEMORY") {
    error.with_hint("raise the memory limit, or give a temp folder with free space for spilling");
  }
  return error;
}

}  // namespace lakebed::engine::duck
