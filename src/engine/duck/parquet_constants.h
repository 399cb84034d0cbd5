// Columns of a Parquet scan that are the same for all rows of a file: partition values and
// `_metadata`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "value/type.h"

namespace lakebed::engine::duck {

// Operands of the column's DuckDB type: one for all files, or one a file.
struct FileChoice {
  std::vector<std::string> values;
};

// The partition values of a column, or nothing when the files do not give it as a constant.
// Error: PARTITION_VALUE_MISSING when only some files do.
std::optional<Result<FileChoice>> find_constant(const value::Field& field,
                                                const std::vector<const ParquetFile*>& files);

// The _metadata struct with the fields that `field.type` names.
Result<FileChoice> metadata_choice(const value::Field& field,
                                   const std::vector<const ParquetFile*>& files);

// "file:///a/b%20c" of an absolute path, as Spark writes it.
std::string file_uri(const std::string& path);

}  // namespace lakebed::engine::duck
