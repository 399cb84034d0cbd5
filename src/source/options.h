// Options of read_files, cloud_files and readers: one typed struct out of any spelling.
//
// Names match without case, with or without the prefix `cloudFiles.`; values may be quoted.
// A name that no format knows is refused (UNKNOWN_READ_OPTION) with the nearest known name; one
// that is known but not built is refused by name (UNSUPPORTED_READ_OPTION) unless it has no
// meaning on one machine (schemaLocation, useNotifications), which is accepted in silence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "source/source.h"

namespace lakebed::source {

enum class ParseMode : uint8_t { kFailFast, kPermissive, kDropMalformed };
enum class Evolution : uint8_t { kAddNewColumns, kFail, kRescue, kNone };

struct ReadOptions {
  std::string format;  // "json", "csv", "parquet", or "" = by the files' names
  std::optional<std::string> schema_text;

  // Listing.
  std::string file_glob;          // fileNamePattern, pathGlobFilter
  std::optional<bool> recursive;  // recursiveFileLookup
  std::optional<int64_t> modified_after_us;
  std::optional<int64_t> modified_before_us;
  bool ignore_missing_files = false;
  std::optional<std::vector<std::string>> partition_columns;

  // Streams.
  uint64_t max_files = 1000;          // maxFilesPerTrigger
  std::optional<uint64_t> max_bytes;  // maxBytesPerTrigger
  bool include_existing = true;
  bool allow_overwrites = false;
  Evolution evolution = Evolution::kAddNewColumns;

  // Damaged rows.
  std::optional<ParseMode> mode;
  std::string corrupt_column = "_corrupt_record";
  bool corrupt_column_written = false;
  std::optional<std::string> rescued_column;

  // Inference.
  bool infer_types = true;  // inferColumnTypes, inferSchema; read_files infers
  std::optional<std::string> schema_hints;
  bool primitives_as_string = false;
  bool prefers_decimal = false;
  bool merge_schema = true;

  // Text.
  bool multi_line = false;
  std::string date_format;  // "" = Spark's default parsing
  std::string timestamp_format;
  std::string timestamp_ntz_format;
  std::string time_zone;  // timeZone; "" = the session's
  bool allow_single_quotes = true;
  bool allow_comments = false;
  bool allow_unquoted_names = false;
  bool allow_non_numeric = true;
  bool reader_case_sensitive = true;
  bool drop_field_if_all_null = false;

  // CSV: options by folded name, checked, as Engine::read_csv takes them.
  std::map<std::string, std::string> csv;
  bool header = false;

  std::vector<std::string> notices;
};

// Reads the options. `format` is one given outside of them (may be "").
Result<ReadOptions> parse_options(const std::vector<Option>& options, const std::string& format,
                                  const std::string& session_zone);

// All option names that are known, for hints and for the documentation.
std::vector<std::string> known_options();

}  // namespace lakebed::source
