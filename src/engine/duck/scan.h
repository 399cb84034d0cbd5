// Rows of ours as a relation of DuckDB: a view over an Arrow stream, for the time of one query.
//
// The order of the rows is kept through projections and filters, with several threads at work.
// An error of the source stops the query, and stays here whole, because DuckDB passes on only a
// text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/duck/arrow.h"
#include "engine/duck/connection.h"

namespace lakebed::engine::duck {

class ScanView {
 public:
  // `schema` names the view's columns; names must differ, case aside. A stream is read once.
  static Result<std::unique_ptr<ScanView>> open(std::shared_ptr<Database> database,
                                                const value::Schema& schema,
                                                ArrowSource::Next next);
  // Only the columns named by `columns` (indexes in the reader's schema), as `names`.
  static Result<std::unique_ptr<ScanView>> over_reader(
      std::shared_ptr<Database> database, std::unique_ptr<value::BatchReader> reader,
      const std::vector<size_t>& columns, const std::vector<std::string>& names);
  ~ScanView();
  ScanView(const ScanView&) = delete;
  ScanView& operator=(const ScanView&) = delete;

  const std::string& name() const { return name_; }
  const std::optional<Error>& failure() const { return source_->failure(); }

 private:
  ScanView() = default;

  std::shared_ptr<Database> database_;
  std::unique_ptr<ArrowSource> source_;
  std::string name_;
};

}  // namespace lakebed::engine::duck
