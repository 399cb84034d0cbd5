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

// Which columns of a reader a view has (by index in its schema), and under which names.
// `ordinals`: empty, or the names of two BIGINT columns (0 and the row's number from 0) at the end.
struct ReaderColumns {
  std::vector<size_t> indexes;
  std::vector<std::string> names;
  std::vector<std::string> ordinals;
};

class ScanView {
 public:
  // `schema` names the view's columns; names must differ, case aside. A stream is read once.
  static Result<std::unique_ptr<ScanView>> open(std::shared_ptr<Database> database,
                                                const value::Schema& schema,
                                                ArrowSource::Next next);
  static Result<std::unique_ptr<ScanView>> over_reader(std::shared_ptr<Database> database,
                                                       std::unique_ptr<value::BatchReader> reader,
                                                       const ReaderColumns& columns);
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
