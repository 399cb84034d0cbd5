// The rows of the benchmarks: a pure function of seed, batch and row, so that any part of a feed
// can be made alone, twice, and in any order, and the naive answer is computed without reading it.
//
// A table starts with `rows` keys 0 .. rows - 1 (batch 0). A batch of changes then holds 80 %
// updates, 5 % deletes, 15 % inserts of new keys; 2 % come late (their sequence lies below the
// batch before), 5 % repeat the key of the row before. Updated keys are picked without
// replacement by an affine walk. Whether a key is only ever deleted is a property of the key: no
// late event can bring a deleted key back, so systems without tombstones have the same answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "value/column.h"

namespace lakebed::bench {

struct Shape {
  uint64_t rows = 100'000;     // rows that the table starts with
  uint64_t changes = 100'000;  // rows of a batch
  bool only_updates = false;   // each change updates another key, in order
};

struct Change {
  int64_t id = 0;
  int64_t sequence = 0;
  bool is_delete = false;
  uint64_t payload = 0;  // all other columns are derived from it
};

// Row `row` of batch `batch`; batch 0 is the initial table.
Change change_at(const Shape& shape, uint64_t batch, uint64_t row);

// id, sequence, op, and seven columns of payload: about 100 bytes a row.
value::Schema feed_schema();
// Rows first .. first + count - 1 of a batch.
value::ColumnBatch feed_rows(const Shape& shape, uint64_t batch, uint64_t first, uint64_t count);

// Copy `batch` of a table of `rows` keys: against the copy before, about 1 % of the rows have
// another payload, 0.5 % are gone and 0.5 % are back.
value::ColumnBatch copy_rows(const Shape& shape, uint64_t batch);

// What a table is compared by: four sums over its rows, in any order.
struct Checksum {
  int64_t rows = 0;
  int64_t ids = 0;
  int64_t sequences = 0;
  int64_t payloads = 0;
  bool operator==(const Checksum&) const = default;
  std::string text() const;
};
// The naive answer after that copy.
Checksum copy_answer(const Shape& shape, uint64_t batch);
// The SELECT list that computes a Checksum, in the common part of Spark's and DuckDB's dialects.
std::string checksum_columns();

// The naive answer: the newest change of each key, kept in arrays.
class Oracle {
 public:
  explicit Oracle(const Shape& shape);
  void apply(uint64_t batch);
  Checksum answer() const;

 private:
  struct Latest {
    int64_t sequence = -1;
    uint64_t payload = 0;
    bool is_deleted = false;
  };
  void take(const Change& change);
  Shape shape_;
  std::vector<Latest> latest_;  // by id
};

}  // namespace lakebed::bench
