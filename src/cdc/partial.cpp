#include "cdc/partial.h"

namespace lakebed::cdc {

std::vector<uint64_t> all_leaves(size_t leaves) {
  std::vector<uint64_t> all(leaf_words(leaves), ~uint64_t{0});
  if (leaves % 64 != 0) all.back() = (uint64_t{1} << (leaves % 64)) - 1;
  return all;
}

void count_partial_tie(const PartialEvent& event, Metrics& metrics) {
  ++metrics.tied_events;
  if (metrics.first_tied == kNoArrival) metrics.first_tied = event.arrival;
}

}  // namespace lakebed::cdc
