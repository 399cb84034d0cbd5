// The difference between a snapshot and what a target remembers, computed while the snapshot
// streams by: rows that change something are kept, of all others only the hash of the key. What is
// remembered is looked up and walked in the order of key hashes, so neither side is ever copied.
#pragma once

#include "cdc/snapshot_diff.h"
#include "run/event_batch.h"
#include "run/seen_keys.h"

namespace lakebed::run {

class SnapshotDiff : public RowSieve {
 public:
  // Requires: memory and what `version` views outlive this; SCD type 1 or 2.
  SnapshotDiff(const state::TableState& memory, TargetKind kind, cdc::SequenceView version,
               std::filesystem::path spill_folder);

  Status keep_changes(std::vector<cdc::Event>& events) override;

  // What is known when the snapshot was read to its end.
  struct Rest {
    std::vector<Hash128> absent;   // keys that it does not have: deletes (ascending)
    uint64_t rows = 0;             // of the snapshot
    uint64_t present_before = 0;   // keys that had a row
    uint64_t duplicate_keys = 0;   // keys with more than one row (rule S3)
    uint64_t duplicate_rows = 0;   // rows that they have
    Hash128 first_duplicate;
  };
  Result<Rest> finish();

 private:
  Result<std::vector<cdc::KeyState>> states_of(const std::vector<Hash128>& keys) const;
  Status walk_memory(const std::function<Status(const Hash128&, const cdc::KeyState&,
                                                bool has_row)>& visit) const;

  const state::TableState& memory_;
  TargetKind kind_;
  cdc::SequenceView version_;
  SeenKeys seen_;
};

}  // namespace lakebed::run
