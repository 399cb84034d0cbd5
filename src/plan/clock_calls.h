// Time in plans: functions of the clock become literals (one value a batch), and TIMESTAMP
// literals become instants. The clock's value comes from ResolveOptions, zones from the tz
// database.
#pragma once

#include <optional>
#include <string>

#include "plan/resolve.h"

namespace lakebed::plan {

// current_timestamp(), now(), current_date(), curdate(), localtimestamp(), current_timezone(),
// unix_timestamp() without arguments: the literal, or nothing when `name` is none of them.
// Requires: `name` is folded.
std::optional<Result<ExpressionPtr>> clock_call(const std::string& name, size_t arguments,
                                                const ResolveOptions& options,
                                                const SourceSpan& span);

// The canonical text of a DATE, TIMESTAMP or TIMESTAMP_NTZ literal as written (TIMESTAMP: in UTC,
// read in `zone` unless the text names one). Nothing where the text is none.
std::optional<std::string> canonical_date(const std::string& text);
std::optional<std::string> canonical_timestamp(const std::string& text, const std::string& zone,
                                               bool with_zone);

}  // namespace lakebed::plan
