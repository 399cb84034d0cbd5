// The rows of a running query as a BatchReader.
//
// Batches are large (callers keep them): DuckDB's vectors of 2,048 rows are gathered until there
// are about 64 thousand rows or 64 MB. The reader owns the connection and everything that the
// query reads from; it may outlive the engine that made it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/duck/connection.h"
#include "engine/duck/row_source.h"

namespace lakebed::engine::duck {

// What has to live as long as a query runs.
struct QueryResources {
  std::vector<std::unique_ptr<RowSource>> sources;
  std::vector<std::shared_ptr<const void>> kept;

  // The error of a source, if one stopped the query.
  std::optional<Error> failure() const;
};

// Starts a query. The columns of the statement have the types of `schema`, in order; else the
// error ENGINE_ERROR names the column (a fault of a renderer).
Result<std::unique_ptr<value::BatchReader>> open_query(
    std::shared_ptr<Database> database, const std::string& sql, value::Schema schema,
    std::unique_ptr<QueryResources> resources);

// Runs a query to its end.
Result<value::ColumnBatch> read_all(std::shared_ptr<Database> database, const std::string& sql,
                                    value::Schema schema,
                                    std::unique_ptr<QueryResources> resources = nullptr);

}  // namespace lakebed::engine::duck
