// Rows of a reader as a table function of DuckDB, `lakebed_rows(id)`: what queries read from.
//
// DuckDB asks for just the columns that it needs and does all filtering itself. (A view over an
// Arrow stream, scan.h, will not do here: DuckDB hands its filters and its choice of columns to
// the stream, and the C API has no way to tell the stream of them. Writing, which reads all
// columns of all rows, uses it for its speed.) One thread reads, so the order of rows is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/duck/connection.h"
#include "value/column.h"

namespace lakebed::engine::duck {

// Which columns of a reader a relation has (by index in its schema), and under which names.
// `ordinals`: empty, or the names of two BIGINT columns (0 and the row's number from 0) at the end.
struct ReaderColumns {
  std::vector<size_t> indexes;
  std::vector<std::string> names;
  std::vector<std::string> ordinals;
};

class RowSource {
 public:
  // Makes the reader's rows a relation, for the time that this lives; read once.
  static Result<std::unique_ptr<RowSource>> open(Database& database,
                                                 std::unique_ptr<value::BatchReader> reader,
                                                 const ReaderColumns& columns);
  ~RowSource();
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // The relation, for a FROM clause.
  std::string sql() const;
  // The reader's error, where one stopped the query.
  const std::optional<Error>& failure() const;

  struct State;

 private:
  RowSource() = default;
  int64_t id_ = 0;
  std::shared_ptr<State> state_;  // shared with the query that runs over it
};

}  // namespace lakebed::engine::duck
