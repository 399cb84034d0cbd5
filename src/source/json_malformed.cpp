#include "source/json_malformed.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"

namespace lakebed::source {

Error malformed_json(const Record& record, const std::string& file, const std::string& field,
                     const std::string& reason, size_t offset) {
  const std::string_view before = record.text.substr(0, offset);
  const auto lines = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_start = lines == 0 ? 0 : before.rfind('\n') + 1;
  std::string message = fmt::format("{}, line {}, column {}: {}", file, record.line + lines,
                                    offset - line_start + 1, reason);
  if (!field.empty()) message += " in field " + quote_name(field);
  if (!record.closed && offset + 1 >= record.text.size()) {
    message += "; the file ends there, it seems to be cut short";
  }
  return update_error("MALFORMED_RECORD_IN_PARSING", std::move(message))
      .with_hint(
          "correct the file, or read it with mode => 'PERMISSIVE' or 'DROPMALFORMED', or "
          "with a rescuedDataColumn");
}

}  // namespace lakebed::source
