// The slow and obvious twin of partial updates (rules P3, T2): from all events ever delivered, in
// the order of their arrival, to events that say everything. The twins of the SCD types take them
// from there.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "cdc/partial.h"
#include "cdc/reference/twin.h"

namespace lakebed::cdc::reference {

// The values of a row, one a leaf; 0 is NULL.
using LeafRow = std::vector<uint32_t>;

// A feed's item: an event that writes some leaves of its row, or a truncate.
struct PartialDelivery {
  Hash128 key;
  SequenceView sequence;
  Operation operation = Operation::kUpsert;
  bool is_truncate = false;
  std::vector<uint64_t> written;
  LeafRow row;
};

// What a row is known by where values are hashes; `tracked` counts the first leaves that open
// versions.
uint64_t hash_of(const LeafRow& row, size_t tracked);

// One whole event a key and sequence that stands, in order of key and sequence. Views point into
// the sequences of `in_order_of_arrival`.
// Rows that `hides` says yes to are hidden (rule F6); none where it is empty.
using RowPredicate = std::function<bool(const LeafRow&)>;
std::vector<Delivery> whole_events(std::span<const PartialDelivery> in_order_of_arrival,
                                   size_t tracked, const RowPredicate& hides = {});

}  // namespace lakebed::cdc::reference
