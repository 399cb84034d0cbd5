// The slow and obvious twins of snapshots: a snapshot is nothing but a set of rows at a version,
// and what a table must show follows from all snapshots and events that ever came (rules S1, M2).
#pragma once

#include <map>
#include <span>
#include <vector>

#include "cdc/reference/twin.h"

namespace lakebed::cdc::reference {

// One thing that arrived: a batch of a feed, or a snapshot.
struct Arrival {
  std::vector<Delivery> batch;          // a feed's
  bool is_snapshot = false;
  SequenceView version;
  std::map<Hash128, uint64_t> rows;     // value hash by key
  std::map<Hash128, uint64_t> tracked;  // tracked hash by key
};

// SCD type 1: the newest snapshot's rows at its version, and above it all that the feeds ever
// brought; what lies at or below it does not count. Requires: versions ascend.
std::vector<TwinRow> combined_rows(std::span<const Arrival> arrivals);

// SCD type 2: every snapshot as a feed of its own: all its rows as upserts, and a delete for each
// key that has a row at its version and is not in it.
std::vector<TwinRow> snapshot_history(std::span<const Arrival> arrivals);

}  // namespace lakebed::cdc::reference
