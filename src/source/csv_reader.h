// The CSV reader: records of text into columns of a given schema, as Spark reads them.
//
// Fields go by position; with a header the names of the header say which column a field is, where
// they match. Options are Spark's: sep, quote, escape, comment, nullValue, emptyValue, header,
// ignoreLeadingWhiteSpace, multiLine, ... A damaged record (a value of the wrong type, too many
// or too few fields, a quote without an end) stops the read with file, line, column and value
// (FAILFAST), unless the mode says otherwise.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "source/csv_text.h"
#include "source/json_reader.h"
#include "source/listing.h"
#include "source/options.h"
#include "value/column.h"

namespace lakebed::source {

struct CsvOptions {
  CsvSyntax syntax;
  bool header = false;
  uint64_t skip_rows = 0;   // records before the header
  std::string null_value;   // unquoted text that reads NULL
  std::string empty_value;  // what a quoted empty field reads
  std::string nan_value = "NaN";
  std::string positive_inf = "Inf";
  std::string negative_inf = "-Inf";
  bool by_name = true;  // with a header; false: always by position (enforceSchema)
  bool trim_left = false;
  bool trim_right = false;
  // All columns of the files' records in their order, where the reader is asked for some only.
  value::Schema layout;
  JsonOptions common;  // mode, formats, zone, special columns, batch size
};

// Errors: INVALID_READ_OPTION for a separator or quote that cannot be used.
Result<CsvOptions> csv_options(const ReadOptions& options, const value::Schema& schema,
                               const std::string& session_zone);

// The names that a header gives: empty ones _c<i>, equal ones with their position behind.
std::vector<std::string> csv_header_names(const CsvRecord& record);

// As read_json.
Result<std::unique_ptr<value::BatchReader>> read_csv(std::vector<ListedFile> files,
                                                     value::Schema schema, CsvOptions options);

// Names out of the header (or _c0, _c1, ...), types out of the values where `infer_types` is set,
// else STRING. Errors as read_csv.
Result<value::Schema> infer_csv(const std::vector<ListedFile>& files, const ReadOptions& options,
                                const std::string& session_zone);

}  // namespace lakebed::source
