// The rows of the benchmarks: a pure function of seed, batch and row, so that any part of a feed
// can be made alone, twice, and in any order, and the naive answer is computed without reading it.
//
// A table starts with `rows` keys 0 .. rows - 1 (batch 0). A batch of changes then holds 80 %
// updates, 5 % deletes, 15 % inserts of new keys; 2 % come late (their sequence lies below the
// batch before), 5 % repeat the key of the row before. Updated keys are picked without
// replacement by an affine walk. Whether a key is only ever deleted is a property of the key: no
// late event can bring a deleted key back, so systems without tombstones have the same answer.
//
// A bitemporal table starts with `rows` versions of rows / versions keys, each known when it came
// to hold. Of a batch then 70 % are newer versions, 20 % hold from a time in the past, 7 % correct
// a version, 3 % end the newest. All become known in order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "value/column.h"

namespace lakebed::bench {

struct Shape {
  uint64_t rows = 100'000;     // rows that the table starts with
  uint64_t changes = 100'000;  // rows of a batch
  bool only_updates = false;   // each change updates another key, in order
  uint64_t versions = 0;       // of a key, where the table is bitemporal

  bool bitemporal() const { return versions > 0; }
  uint64_t keys() const { return bitemporal() ? rows / versions : rows; }
};

struct Change {
  int64_t id = 0;
  int64_t sequence = 0;  // of a bitemporal table: when it became known
  int64_t business = 0;  // of a bitemporal table: since when it holds
  bool is_delete = false;
  uint64_t payload = 0;  // all other columns are derived from it
};

// Row `row` of batch `batch`; batch 0 is the initial table.
Change change_at(const Shape& shape, uint64_t batch, uint64_t row);

// id, sequence, op, and seven columns of payload: about 100 bytes a row. Then `business`, where the
// table is bitemporal.
value::Schema feed_schema(const Shape& shape);
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

// The naive answer, of a bitemporal table what is believed now: at each business time of a key what
// became known last.
class BitemporalOracle {
 public:
  explicit BitemporalOracle(const Shape& shape) : shape_(shape), keys_(shape.keys()) { take(0); }
  void apply(uint64_t batch) { take(batch); }
  Checksum answer() const;

 private:
  void take(uint64_t batch);
  Shape shape_;
  std::vector<std::map<int64_t, Change>> keys_;  // by id: changes by business time
};

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
