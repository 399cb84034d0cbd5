// Result<T>: the one way a function reports that it could not do its work.
//
// An Error carries a code that users and tests can rely on, a message, the place in the user's
// source that caused it (if any), and a hint. No exception crosses a room's border. Values of
// these types may be moved between threads, but are not shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lakebed {

// A place in a user's text. Lines and columns count from 1; 0 means "unknown".
// `length` is in characters of that line, for the caret; `file` as the user wrote it.
struct SourceSpan {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;

  bool known() const { return line != 0; }
  // "file:line:column", without the parts that are unknown.
  std::string text() const;
  bool operator==(const SourceSpan&) const = default;
};

// Who has to act. It decides the exit code of the program: kProject is 2, all else is 1.
enum class Blame : uint8_t {
  kProject,  // the project, its files or the arguments are wrong; nothing was started
  kUpdate,   // the update failed: data, files, another writer, the disk
};

struct Error {
  std::string code;     // e.g. "AUTOCDC_EMPTY_KEYS" or "DELTA_LOG.DAMAGED"; never empty
  std::string message;  // what happened, one or more sentences
  SourceSpan span;      // where in the user's text
  std::string hint;     // what to do; may be empty
  std::vector<std::string> context;  // outermost first: "flow x", "file y"
  Blame blame = Blame::kUpdate;

  Error& with_span(SourceSpan value);         // keeps a span that is already known
  Error& with_hint(std::string value);        // keeps a hint that is already there
  Error& within(std::string outer_context);   // adds an outer context
  // "CODE: message (context)", one line, for logs and tests.
  std::string text() const;
};

// Makes an error for which the update (data, files, environment) is to blame.
Error update_error(std::string code, std::string message);
// Makes an error for which the project (its files or the arguments) is to blame.
Error project_error(std::string code, std::string message, SourceSpan span = {});

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Requires: ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Requires: !ok().
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

// The result of work that yields nothing: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace lakebed

// The only macros of the code base besides LAKEBED_ASSERT: return early with the error.
//   LAKEBED_TRY(do_it());                       for Result<void>
//   LAKEBED_ASSIGN(auto x, compute());          for Result<T>
#define LAKEBED_CONCAT_INNER(a, b) a##b
#define LAKEBED_CONCAT(a, b) LAKEBED_CONCAT_INNER(a, b)
#define LAKEBED_TRY(expression)                                                     \
  do {                                                                              \
    if (auto lakebed_status = (expression); !lakebed_status.ok()) {                 \
      return std::move(lakebed_status).error();                                     \
    }                                                                               \
  } while (false)
#define LAKEBED_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                                 \
  if (!result.ok()) return std::move(result).error();         \
  declaration = std::move(result).value()
#define LAKEBED_ASSIGN(declaration, expression) \
  LAKEBED_ASSIGN_INNER(LAKEBED_CONCAT(lakebed_result_, __COUNTER__), declaration, expression)

// A bug stops the program, in release builds too. Never for wrong user input.
#define LAKEBED_ASSERT(condition)                                            \
  do {                                                                       \
    if (!(condition)) ::lakebed::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)

namespace lakebed {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}
