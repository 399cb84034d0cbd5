#include "base/result.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

namespace lakebed {

std::string SourceSpan::text() const {
  if (!known()) return file;
  if (file.empty()) return fmt::format("{}:{}", line, column);
  return fmt::format("{}:{}:{}", file, line, column);
}

Error& Error::with_span(SourceSpan value) {
  if (!span.known()) span = std::move(value);
  return *this;
}

Error& Error::with_hint(std::string value) {
  if (hint.empty()) hint = std::move(value);
  return *this;
}

Error& Error::within(std::string outer_context) {
  context.insert(context.begin(), std::move(outer_context));
  return *this;
}

std::string Error::text() const {
  std::string out = fmt::format("{}: {}", code, message);
  if (!context.empty()) {
    out += " (";
    for (size_t i = 0; i < context.size(); ++i) out += (i ? ", " : "") + context[i];
    out += ")";
  }
  return out;
}

Error update_error(std::string code, std::string message) {
  Error error;
  error.code = std::move(code);
  error.message = std::move(message);
  return error;
}

Error project_error(std::string code, std::string message, SourceSpan span) {
  Error error = update_error(std::move(code), std::move(message));
  error.span = std::move(span);
  error.blame = Blame::kProject;
  return error;
}

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "lakebed: internal error, this is a bug: %s at %s:%d\n", condition, file,
               line);
  std::abort();
}

}  // namespace lakebed
