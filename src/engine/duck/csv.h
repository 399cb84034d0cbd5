// CSV files with Spark's meaning, through DuckDB's reader where it agrees with Spark.
//
// DuckDB only cuts the text into fields; all columns are read as text and converted by Spark's
// casts. Options whose Spark meaning DuckDB has not are refused by name.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/duck/connection.h"
#include "value/column.h"

namespace lakebed::engine::duck {

// See Engine::read_csv. Errors: CSV_OPTION_NOT_SUPPORTED.<name>, MALFORMED_CSV_RECORD with the
// file and the line.
Result<std::unique_ptr<value::BatchReader>> open_csv(
    const std::shared_ptr<Database>& database, const std::string& path,
    const value::Schema& schema, const std::map<std::string, std::string>& options);

}  // namespace lakebed::engine::duck
