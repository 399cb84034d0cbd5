// Sets of rows of the files of a scan, tested inside DuckDB: deleted rows, or rows that are
// wanted. A bitmap a file, and a C++ function "lb_row_listed(set, file index, row)" that looks
// them up; an IN list or a join would be slower and would lose the order of the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"

namespace lakebed::engine::duck {

class Connection;

// One bitmap a file; an empty one lists nothing.
class RowSet {
 public:
  explicit RowSet(size_t files) : bitmaps_(files) {}
  // Rows in any order.
  void add(size_t file, const std::vector<uint64_t>& rows);
  bool contains(size_t file, uint64_t row) const {
    const auto& bits = bitmaps_[file];
    return row / 64 < bits.size() && ((bits[row / 64] >> (row % 64)) & 1U) != 0;
  }

 private:
  std::vector<std::vector<uint64_t>> bitmaps_;
};

// Makes a set known to the function until the handle is dropped. `id` goes into the SQL.
struct RowSetHandle {
  int64_t id = 0;
  std::shared_ptr<const void> keep;
};
RowSetHandle publish_row_set(std::shared_ptr<const RowSet> set);

// Registers lb_row_listed.
Status register_row_sets(Connection& connection);

}  // namespace lakebed::engine::duck
