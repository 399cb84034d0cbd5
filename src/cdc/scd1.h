// SCD type 1: the row of a key is its greatest event (rules A1, A2), decided from the one entry
// that is remembered of the key, without a look at any value.
#pragma once

#include <span>

#include "cdc/entry.h"
#include "cdc/truncate.h"

namespace lakebed::cdc {

// What to do for one key. "The old row" is the one at the known entry's place.
enum class Scd1Action : uint8_t {
  kNothing,     // neither table nor memory changes
  kRemember,    // the row stays where it is, the entry takes the winner's sequence and hashes
  kWriteRow,    // the winner's values are the row; an old row, if any, goes
  kRemoveRow,   // the old row goes, the winner is remembered as tombstone
  kTombstone,   // there was no row; the winner is remembered as tombstone
  kForgetRow,   // a truncate: the old row and its entry go
  kForget,      // a truncate: the tombstone goes, there was no row
};

struct Scd1Decision {
  Scd1Action action = Scd1Action::kNothing;
  const Event* winner = nullptr;  // set for kRemember, kWriteRow, kRemoveRow, kTombstone
};

// Decides one key from its events (sorted by sequence, arrival; may be none when the batch has
// truncates) and the entry known of it (nullptr: none). Adds to `metrics`.
Scd1Decision decide_scd1(std::span<const Event> events, const Entry* known,
                         const TruncateFloor& floor, Metrics& metrics);

// The entry to remember. Requires: the decision has a winner. After kWriteRow the caller fills in
// `place`; after kRemember it is the known entry's.
Entry scd1_entry(const Scd1Decision& decision, const Entry* known);

// Runs a whole sorted batch. `find(key)` returns the known entry of a key or nullptr, called once
// a key in ascending order (a sorted merge will do); `use(key, decision, known)` gets every
// decision but kNothing. Under a truncate the keys without events are the caller's to visit.
template <typename Find, typename Use>
void run_scd1(std::span<const Event> sorted, const TruncateFloor& floor, Find&& find, Use&& use,
              Metrics& metrics) {
  for_each_key(sorted, [&](std::span<const Event> events) {
    const Entry* known = find(events.front().key);
    const Scd1Decision decision = decide_scd1(events, known, floor, metrics);
    if (decision.action != Scd1Action::kNothing) use(events.front().key, decision, known);
  });
}

}  // namespace lakebed::cdc
