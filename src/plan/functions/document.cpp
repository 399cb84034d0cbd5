#include "plan/functions/document.h"

#include <fmt/format.h>

#include "plan/functions.h"

namespace lakebed::plan {

namespace {

const char* kind_text(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kScalar: return "scalar";
    case FunctionKind::kAggregate: return "aggregate";
    case FunctionKind::kWindow: return "window";
    default: return "generator";
  }
}

const char* support_text(FunctionSupport support) {
  switch (support) {
    case FunctionSupport::kExact: return "exact";
    case FunctionSupport::kRewritten: return "rewritten";
    default: return "refused";
  }
}

// A bar would end the cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string count_text(const Function& function) {
  if (function.support == FunctionSupport::kRefused) return "";
  if (function.arguments_max == SIZE_MAX) return fmt::format("{} or more", function.arguments_min);
  if (function.arguments_min == function.arguments_max)
    return std::to_string(function.arguments_min);
  return fmt::format("{} to {}", function.arguments_min, function.arguments_max);
}

std::string line_of(const Function& function) {
  std::string note = cell(function.note);
  if (function.canonical != function.name)
    note = fmt::format("Same as `{}`. {}", cell(function.canonical), note);
  while (!note.empty() && note.back() == ' ') note.pop_back();
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", cell(function.name),
                     kind_text(function.kind), support_text(function.support), count_text(function),
                     note);
}

}  // namespace

std::string functions_document() {
  size_t working = 0, refused = 0;
  std::string lines;
  for (const Function& function : all_functions()) {
    (function.support == FunctionSupport::kRefused ? refused : working) += 1;
    lines += line_of(function);
  }
  return fmt::format(
      "# Functions\n\n"
      "Made from the function table; do not edit. {} names work, {} are refused by name. *exact*: "
      "DuckDB's own operation gives Spark's answer. *rewritten*: computed by another expression or "
      "by code of ours. *refused*: known in Spark, not here; the error is "
      "`FUNCTION_NOT_SUPPORTED.<name>`. All answers are those of Spark 4.3 with ANSI on; "
      "`tests/vectors` holds what a real Spark answered. Numbers of floating point print with the "
      "fewest digits that read back, as Java 19 and later do.\n\n"
      "Not in the table, because they are values and syntax: `current_timestamp`, `now`, "
      "`current_date`, `curdate`, `localtimestamp`, `current_timezone` and `unix_timestamp()` are "
      "one value a batch; `cast`, `try_cast`, `::`, `case` and `exists` are read by the parser.\n\n"
      "| name | kind | support | arguments | note |\n|---|---|---|---|---|\n{}",
      working, refused, lines);
}

}  // namespace lakebed::plan
