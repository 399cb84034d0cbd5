// Parquet files from columns, through DuckDB's COPY.
//
// Rows are written in the order given (their positions are remembered), by all threads: the
// stream of rows has a batch index, and row groups are encoded side by side and put in order.
#pragma once

#include <string>
#include <vector>

#include "engine/duck/connection.h"
#include "engine/engine.h"

namespace lakebed::engine::duck {

// See Engine::write_parquet. Errors: UNSUPPORTED_TYPE for VOID and intervals; FILE_ERROR.
Result<WrittenFile> write_parquet(Database& database, const std::string& path,
                                  const value::Schema& schema,
                                  const std::vector<const value::ColumnBatch*>& batches,
                                  const WriteOptions& options);

}  // namespace lakebed::engine::duck
