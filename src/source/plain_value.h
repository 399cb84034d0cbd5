// Plain text (of a CSV field, a folder's name) as a value of a column's type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/text_time.h"
#include "value/column.h"

namespace lakebed::source {

// The author's patterns; absent: what a cast takes.
struct TimePatterns {
  std::optional<TimePattern> date;
  std::optional<TimePattern> timestamp;
  std::optional<TimePattern> ntz;

  // Out of texts, "" = absent. Error: INVALID_DATETIME_PATTERN.
  static Result<TimePatterns> compile_all(const std::string& date, const std::string& timestamp,
                                          const std::string& ntz);
};

// Appends the value; false, with nothing appended, where the text is none of the type. Nested
// types have no plain text.
bool append_plain(std::string_view text, const Zone& zone, const TimePatterns& patterns,
                  value::Column& out);

}  // namespace lakebed::source
