// The state of many keys as of a snapshot's version, asked for while the snapshot streams by.
//
// Small memories are walked once into an index (25 bytes a key that has a row), in which every key
// of the snapshot is found by one or two looks and marked; large ones are searched where they lie,
// and the keys that were seen are kept in sorted runs on the disk.
#pragma once

#include "cdc/snapshot_diff.h"
#include "run/snapshot/seen_keys.h"
#include "run/target/table.h"

namespace lakebed::run {

// A memory of no more entries is walked into an index: 400 MB at most.
inline constexpr uint64_t kIndexedEntries = 16'000'000;

class KeyStates {
 public:
  virtual ~KeyStates() = default;

  // The states of these keys, in their order; each is noted as one row of the snapshot.
  virtual Status see(const std::vector<Hash128>& keys, std::vector<cdc::KeyState>& states) = 0;

  // What is known when the snapshot was read to its end.
  struct Rest {
    std::vector<Hash128> absent;  // keys with a row that the snapshot does not have (ascending)
    uint64_t rows = 0;            // of the snapshot
    uint64_t present_before = 0;  // keys that had a row, hidden or not
    uint64_t duplicate_keys = 0;  // keys with more than one row (rule S3)
    uint64_t duplicate_rows = 0;  // rows that they have
    Hash128 first_duplicate;
  };
  virtual Result<Rest> finish() = 0;
};

// Requires: memory and what `version` views outlive the answer; SCD type 1 or 2. A memory of more
// than `indexed` entries is searched instead of walked.
Result<std::unique_ptr<KeyStates>> key_states(const state::TableState& memory, TargetKind kind,
                                              cdc::SequenceView version,
                                              std::filesystem::path spill_folder,
                                              uint64_t indexed = kIndexedEntries);

}  // namespace lakebed::run
