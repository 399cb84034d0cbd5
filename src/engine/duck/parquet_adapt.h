// From a column as it lies in a file to the column that the reader's schema wants: other names
// (column mapping), narrower types, fields that the file lacks, at any depth.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "engine/duck/functions/render.h"
#include "value/type.h"

namespace lakebed::engine::duck {

// The reader's side of one column.
struct WantedColumn {
  const value::Field* field = nullptr;
  // Dotted logical path -> name in the file, where they differ. Below arrays and maps the path
  // goes through "element", "key" and "value".
  const std::map<std::string, std::string>* physical_names = nullptr;
};

// The expression that makes the wanted column of `operand`, which is the file's field `from`.
// Error: FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH where the file's type does not fit.
Result<std::string> adapt_column(const std::string& operand, const value::Field& from,
                                 const WantedColumn& wanted, RenderContext& context);

// The name in the file of a logical path whose last part is `name`.
std::string name_in_file(const WantedColumn& wanted, const std::string& path,
                         const std::string& name);

}  // namespace lakebed::engine::duck
