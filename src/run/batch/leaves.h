// Leaves of rows (rules P1 to P3): which there are, which of them an event writes, and how the
// memory keeps who wrote what.
//
// Leaves are the fields beneath structs, in the order of the schema; an array, a map and a struct
// without fields are one leaf. A leaf is known by its folded path, so columns and fields that are
// added later change the numbers of leaves but not what they are.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "cdc/partial_scd1.h"
#include "run/pipeline/flow_plan.h"

namespace lakebed::run {

struct Leaf {
  size_t column = 0;          // at top level
  std::vector<size_t> steps;  // which field, struct by struct
  std::string path;           // folded names, '\0' between
};

class Leaves {
 public:
  Leaves() = default;
  explicit Leaves(const value::Schema& schema);

  size_t count() const { return leaves_.size(); }
  size_t words() const { return cdc::leaf_words(count()); }
  const Leaf& operator[](size_t leaf) const { return leaves_[leaf]; }
  // The leaves of a column are first(column) up to first(column + 1).
  size_t first(size_t column) const { return first_[column]; }
  // Adds the leaves of a column to a set.
  void add_column(std::span<uint64_t> set, size_t column) const;
  // For each leaf the one of the same path in `other`; kNone: it has none.
  static constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> match(const Leaves& other) const;

 private:
  void add(const value::Type& type, Leaf leaf);
  std::vector<Leaf> leaves_;
  std::vector<size_t> first_;
};

// True where the leaf of that row is NULL, or a struct around it is.
bool is_null_leaf(const std::vector<value::Column>& columns, const Leaf& leaf, size_t row);
// The column that holds the leaf.
const value::Column& leaf_column(const std::vector<value::Column>& columns, const Leaf& leaf);

// Says which leaves the events of a flow with partial updates write.
class WrittenLeaves {
 public:
  // `columns`: the columns of the target, as events are brought to them.
  // Requires: plan.partial is set; both outlive this.
  WrittenLeaves(const CdcPlan& plan, const value::Schema& columns);

  // Appends the words of each row to `out`. `evaluated` is the query's output, `part` the same rows
  // under the target's columns. Error AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA: an upsert names an
  // unknown column (rule P2).
  Status append(const value::ColumnBatch& evaluated, const value::ColumnBatch& part,
                std::vector<uint64_t>& out) const;

 private:
  void take_from_nulls(const value::ColumnBatch& part, std::vector<uint64_t>& out) const;
  Status take_from_names(const value::ColumnBatch& evaluated, std::vector<uint64_t>& out) const;
  Status add_named(const value::ColumnBatch& evaluated, const value::Column& names, size_t row,
                   std::span<uint64_t> set) const;
  Error unknown_name(const value::ColumnBatch& evaluated, size_t row,
                     const std::string& name) const;

  const CdcPlan& plan_;
  const value::Schema& columns_;
  Leaves leaves_;
  std::vector<uint64_t> delivered_;                               // by the flow
  std::vector<uint64_t> always_;                                  // written by each upsert
  std::vector<size_t> covered_;                                   // written where they are not NULL
  std::unordered_map<std::string, std::vector<uint64_t>> named_;  // what a folded name stands for
};

// The column beside the values of a payload that holds one of the two texts below.
inline constexpr const char* kAuthorsColumn = "__lakebed_authors";

// SCD type 2: which leaves an event wrote itself; "" for all of them. Bit l of the bytes is leaf l
// of the payload's own schema. `now` turns leaves of that schema into ours.
std::string encode_written(cdc::LeafBits written, size_t leaves);
void decode_written(std::string_view bytes, const std::vector<size_t>& now,
                    std::span<uint64_t> out);

// SCD type 1: who wrote each leaf; "" where all were written at `greatest`, the entry's sequence,
// and no delete is known. Tails of sequences are put into `tails`. False: the bytes are damaged.
std::string encode_authors(const cdc::LeafAuthors& authors, const value::SequenceView& greatest);
bool decode_authors(std::string_view bytes, const value::SequenceView& greatest,
                    const std::vector<size_t>& now, cdc::LeafAuthors& out,
                    std::deque<std::string>& tails);

}  // namespace lakebed::run
