// The rows that a chunk of partial events is resolved from: those of the events, remembered ones
// from the heap, and, for rows from before the target remembered authors, from the table. Each has
// a number (cdc::Source); whole rows are then put together leaf by leaf.
#pragma once

#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "run/batch/leaves.h"
#include "run/batch/old_values.h"

namespace lakebed::run {

class RowPool : public cdc::LeafValues {
 public:
  // Requires: both outlive this; context.authors.
  RowPool(ApplyContext& context, const Leaves& leaves);

  // Forgets all rows and takes in those of these arrivals. Requires: ascending.
  void begin(const EventBatch& batch, const std::vector<uint32_t>& arrivals);
  cdc::Source of_event(size_t rank) const { return static_cast<cdc::Source>(rank + 1); }

  // A remembered row, what the memory keeps beside it, and what the leaves of its schema are now.
  struct Kept {
    cdc::Source source = cdc::kNulls;
    std::string_view authors;  // until the next row is added
    const std::vector<size_t>* leaves = nullptr;
  };
  Result<Kept> add_payload(uint64_t payload);
  // A row that read_places() will read; same() knows nothing of its values before.
  Kept add_place(const cdc::Place& place);
  Status read_places();

  bool same(size_t leaf, cdc::Source left, cdc::Source right) override;
  // The rows of resolved events, in their order. A struct whose leaves are all NULL is NULL.
  value::ColumnBatch build(const cdc::Resolved& resolved) const;

 private:
  static constexpr cdc::Source kFirstPlace = 0x80000000U;
  const std::vector<size_t>* leaves_of(uint32_t schema_id, const value::Schema& schema);
  bool is_null(size_t leaf, cdc::Source source) const;
  value::Column gather_leaf(const cdc::Resolved& resolved, size_t leaf) const;
  value::Column build_column(const value::Type& type, const cdc::Resolved& resolved,
                             size_t& leaf) const;

  ApplyContext& context_;
  const Leaves& leaves_;
  OldValues old_;
  std::vector<value::Column> columns_;  // of the target, then the one of authors
  size_t rows_ = 0;
  std::vector<cdc::Place> places_;
  size_t first_place_ = 0;                           // the row of places_[0], once they were read
  std::vector<size_t> before_;                       // leaves of rows at places
  std::vector<bool> has_before_;                     // by leaf: rows at places wrote it
  std::map<uint32_t, std::vector<size_t>> matched_;  // by schema of payloads
};

}  // namespace lakebed::run
