// Targets that live in memory: the plainest caller that a kernel can have, and the model for the
// one that works over state files and a Delta table. A row's values, and a payload in the heap,
// are stood for by their value hash, so a value that gets lost or mixed up shows.
//
// Every application checks what the kernels promise: removed rows exist and are the key's own,
// dropped entries exist, payloads are there when asked for, no row is removed and written alike.
// What is broken is collected as text. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cdc/reference/twin.h"
#include "cdc/scd1.h"
#include "cdc/scd2.h"
#include "cdc/snapshot_diff.h"

namespace lakebed::cdc::reference {

// Owns the tail that an entry views.
struct OwnedEntry {
  value::SequenceCode sequence;
  Entry fields;  // its view is not used
  Entry view() const;
};
using OwnedSet = std::map<value::SequenceCode, OwnedEntry>;

// The visible table: rows by place.
class MemoryTable {
 public:
  using PlaceKey = std::pair<uint32_t, uint32_t>;

  void begin_batch() { ++file_; next_row_ = 0; }
  Place add(TwinRow row);
  // Nothing when no row lies there.
  std::optional<TwinRow> at(const Place& place) const;
  bool remove(const Place& place);
  std::vector<TwinRow> rows() const;  // sorted

 private:
  std::map<PlaceKey, TwinRow> rows_;
  uint32_t file_ = 0;
  uint32_t next_row_ = 0;
};

class MemoryTargetScd1 {
 public:
  // Applies one batch; arrivals are the positions in it.
  void apply(std::span<const Delivery> batch);
  std::vector<TwinRow> rows() const { return table_.rows(); }
  const Metrics& metrics() const { return metrics_; }  // of the last batch
  bool changed() const { return changed_; }            // rows or entries, in the last batch
  size_t entries() const { return entries_.size(); }
  const std::map<Hash128, OwnedEntry>& memory() const { return entries_; }
  // What a snapshot of that version is compared with, and the keys that it may lack.
  KeyState state_at(const Hash128& key, const SequenceView& version) const;
  std::vector<Hash128> keys() const;
  std::string take_faults() { return std::exchange(faults_, {}); }

 private:
  void perform(const Hash128& key, const Scd1Decision& decision);
  void fault(std::string text);

  std::map<Hash128, OwnedEntry> entries_;
  std::optional<value::SequenceCode> floor_;
  MemoryTable table_;
  Metrics metrics_;
  bool changed_ = false;
  std::string faults_;
};

class MemoryTargetScd2 {
 public:
  explicit MemoryTargetScd2(Payloads payloads = Payloads::kWhereNeeded)
      : keeps_all_(payloads == Payloads::kAll), kernel_(payloads) {}

  // Applies one batch without truncates; arrivals are the positions in it.
  void apply(std::span<const Delivery> batch);
  std::vector<TwinRow> rows() const { return table_.rows(); }
  const Metrics& metrics() const { return metrics_; }  // of the last batch
  const Scd2Changes& changes() const { return changes_; }  // sizes only: views are stale
  const Scd2Counters& counters() const { return kernel_.counters(); }
  uint64_t old_rows_read() const { return old_rows_read_; }  // sources kOldRow, of all batches
  size_t entries() const;
  // What a snapshot of that version is compared with, and the keys that it may lack. Asked of the
  // cursor and of a walk, which must agree.
  KeyState state_at(const Hash128& key, const SequenceView& version);
  std::vector<Hash128> keys() const;
  size_t heap_size() const { return heap_.size(); }
  // What is remembered of a key, until the next batch; and the note beside a payload.
  std::unique_ptr<Cursor> cursor(const Hash128& key);
  uint64_t note_of(uint64_t payload) const { return notes_.at(payload); }
  std::string take_faults() { return std::exchange(faults_, {}); }

 private:
  struct History {
    OwnedSet boundaries;
    OwnedSet absorbed;
    OwnedSet& set(EntrySet which) {
      return which == EntrySet::kBoundaries ? boundaries : absorbed;
    }
  };
  class HistoryCursor;

  uint64_t value_of(const ValueSource& source, const std::vector<Event>& by_arrival);
  void write(const std::vector<Event>& by_arrival, const std::vector<Hash128>& keys);
  void check_memory();
  void check_entry(const OwnedEntry& entry, bool row_is_open);
  void collect_garbage();
  void fault(std::string text);

  std::map<Hash128, History> histories_;
  std::map<uint64_t, uint64_t> heap_;  // payload -> value hash
  std::map<uint64_t, uint64_t> notes_;  // by payload
  std::vector<uint64_t> batch_notes_;   // by arrival
  uint64_t next_payload_ = 1;
  MemoryTable table_;
  bool keeps_all_;
  Scd2Kernel kernel_;
  Scd2Changes changes_;
  Metrics metrics_;
  uint64_t old_rows_read_ = 0;
  std::string faults_;
};

}  // namespace lakebed::cdc::reference
