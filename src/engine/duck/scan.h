// Rows of ours as a relation of DuckDB: a view over an Arrow stream, for the time of one COPY.
//
// Only for statements that take all columns of all rows: DuckDB hands filters and the choice of
// columns to the stream, which is not told of them (row_source.h is for queries). The order of the
// rows is kept, with several threads at work.
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
