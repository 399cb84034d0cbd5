#include "cdc/reference/partial_twin.h"

namespace lakebed::cdc::reference {

namespace {

// What was said at one sequence of a key, folded in the order of arrival.
struct Said {
  bool is_delete = false;
  std::map<size_t, uint32_t> leaves;  // what it wrote itself
};
using History = std::map<SequenceView, Said>;

void fold(const PartialDelivery& delivery, History& history) {
  const auto [at, fresh] = history.try_emplace(delivery.sequence);
  Said& said = at->second;
  if (delivery.operation == Operation::kDelete) {
    said = {true, {}};
    return;
  }
  if (said.is_delete) {
    for (size_t leaf = 0; leaf < delivery.row.size(); ++leaf) said.leaves[leaf] = 0;
  }
  said.is_delete = false;
  for (size_t leaf = 0; leaf < delivery.row.size(); ++leaf) {
    if (has_leaf(delivery.written, leaf)) said.leaves[leaf] = delivery.row[leaf];
  }
}

}  // namespace

uint64_t hash_of(const LeafRow& row, size_t tracked) {
  uint64_t hash = 17;
  for (size_t leaf = 0; leaf < tracked && leaf < row.size(); ++leaf) {
    hash = hash_combine(hash, row[leaf]);
  }
  return hash;
}

std::vector<Delivery> whole_events(std::span<const PartialDelivery> deliveries, size_t tracked,
                                   const RowPredicate& hides) {
  std::map<Hash128, History> keys;
  std::optional<SequenceView> floor;
  size_t leaves = 0;
  for (const PartialDelivery& delivery : deliveries) {
    if (delivery.is_truncate) {
      for (auto& [key, history] : keys) {
        history.erase(history.begin(), history.upper_bound(delivery.sequence));
      }
      if (!floor || delivery.sequence > *floor) floor = delivery.sequence;
      continue;
    }
    leaves = delivery.row.size();
    if (floor && delivery.sequence < *floor) continue;
    fold(delivery, keys[delivery.key]);
  }
  std::vector<Delivery> out;
  for (const auto& [key, history] : keys) {
    LeafRow row(leaves, 0);
    for (const auto& [sequence, said] : history) {
      if (said.is_delete) row.assign(leaves, 0);
      for (const auto& [leaf, value] : said.leaves) row[leaf] = value;
      Delivery whole;
      whole.event.key = key;
      whole.event.sequence = sequence;
      const bool shown = !said.is_delete && !(hides && hides(row));
      whole.event.operation = shown ? Operation::kUpsert : Operation::kDelete;
      whole.event.value_hash = hash_of(row, leaves);
      whole.event.tracked_hash = hash_of(row, tracked);
      out.push_back(whole);
    }
  }
  return out;
}

}  // namespace lakebed::cdc::reference
