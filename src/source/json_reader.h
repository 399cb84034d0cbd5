// The JSON reader: JSON lines, or whole documents (multi_line), into columns of a given schema.
//
// Numbers go from their text straight into the column's type: a DECIMAL or a 64-bit integer is
// exact. What a type accepts is Spark's (JacksonParser): integers only from integer tokens, a
// BOOLEAN only from true and false, a STRING from anything (raw JSON text where it is no string),
// dates and timestamps from strings. Names match exactly. Missing and null read NULL; of two
// equal names the last wins. A damaged row stops the read with file, line, column and value
// (FAILFAST), unless the mode says otherwise. Memory is bounded by block and batch, whatever the
// size of the files; `.gz` files are unpacked on the way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "source/listing.h"
#include "source/options.h"
#include "value/column.h"

namespace lakebed::source {

struct JsonOptions {
  ParseMode mode = ParseMode::kFailFast;
  bool multi_line = false;
  bool allow_single_quotes = true;
  bool allow_comments = false;
  bool allow_unquoted_names = false;
  bool allow_non_numeric = true;  // bare NaN, Infinity, -Infinity
  bool fold_names = false;        // match names without case (readerCaseSensitive false)
  bool ignore_missing_files = false;
  std::string date_format;  // "" = Spark's default parsing
  std::string timestamp_format;
  std::string timestamp_ntz_format;
  std::string time_zone = "UTC";
  std::string corrupt_column;  // a STRING column of the schema that takes damaged rows; "" none
  std::string rescued_column;  // likewise, for what did not fit; "" none
  bool rescues = true;         // false: the rescued column is there, but always NULL
  std::string metadata_column = "_metadata";  // filled with the file's facts where wanted
  size_t batch_rows = 32'768;
  size_t batch_bytes = 16u << 20;  // of source text
};

// Reads files in their order, each row once, as columns of `schema` (which may hold the metadata
// column and partition columns of the files). Errors: MALFORMED_RECORD_IN_PARSING,
// SOURCE_FILE_VANISHED, SOURCE_FILE_CHANGED, SOURCE_FILE_DAMAGED (gzip), SOURCE_READ_FAILED.
Result<std::unique_ptr<value::BatchReader>> read_json(std::vector<ListedFile> files,
                                                      value::Schema schema, JsonOptions options);

// Options of the reader out of the options of the author.
JsonOptions json_options(const ReadOptions& options, const value::Schema& schema,
                         const std::string& session_zone);

}  // namespace lakebed::source
