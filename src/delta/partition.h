// Partition values as the log spells them, both ways; and paths.
//
// NULL and the empty string are one in Delta: an empty text reads as NULL. Names of our own files
// are plain ASCII and carry no partition values (readers take these from the log, not the path).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "value/column.h"

namespace lakebed::delta {

// The text of one value; nullopt for NULL and for empty text. Timestamps are ISO-8601 with Z.
// Requires: a kind that can be a partition column (no nested ones, no BINARY that is not UTF-8).
std::optional<std::string> partition_text(const value::Column& column, size_t row);

// Appends the value that `text` spells. Error DELTA_LOG.PARTITION_VALUE naming text and type.
Status append_partition_value(value::Column& column, const std::optional<std::string>& text);

// A path of the log -> relative path in the store, or absolute path for `file:` URIs.
// Error DELTA_UNSUPPORTED_PATH for other schemes, DELTA_LOG.DAMAGED for broken escapes.
Result<std::string> decode_path(std::string_view log_path);
// A relative path in the store -> path of the log.
std::string encode_path(std::string_view path);

}  // namespace lakebed::delta
