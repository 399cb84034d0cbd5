// value::Columns in the Arrow C data interface, the form in which DuckDB takes rows from us.
//
// Why Arrow: DuckDB's scan of an Arrow stream keeps a batch index, so that rows stay in order
// while several threads work on them (Parquet encoding uses all cores). A table function of the C
// API has no such index and would be read by one thread. Fixed-width data, strings and list
// offsets are lent without a copy; only validity and booleans are packed to bits, and MAP offsets
// narrowed. The structs are the public ABI of Arrow, the same in every version.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "value/column.h"

// The names are given by the ABI and by duckdb.h, which declares them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace lakebed::engine::duck {

// Rows [first, first + count) of columns of the same length. `owner` keeps the columns alive
// until DuckDB is done with them; null when the caller does.
struct ColumnSlice {
  std::vector<const value::Column*> columns;
  size_t first = 0;
  size_t count = 0;
  std::shared_ptr<const void> owner;
};
void export_slice(const ColumnSlice& slice, ArrowArray& out);

// A stream that DuckDB pulls: slices until nothing is left. An error is kept in `failure` and
// ends the stream. `next` is called by one thread at a time, but by any.
class ArrowSource {
 public:
  using Next = std::function<Result<std::optional<ColumnSlice>>()>;
  ArrowSource(const value::Schema& schema, Next next);
  ~ArrowSource();
  ArrowSource(const ArrowSource&) = delete;
  ArrowSource& operator=(const ArrowSource&) = delete;

  ArrowArrayStream* stream() { return &stream_; }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  static ArrowSource& of(ArrowArrayStream* stream);
  int pull(ArrowArray* out);

  ArrowSchema exported_{};  // what readers of the stream are lent
  Next next_;
  ArrowArrayStream stream_{};
  std::optional<Error> failure_;
  std::string message_;
};

}  // namespace lakebed::engine::duck
