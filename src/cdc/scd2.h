// SCD type 2: the history of a key as rows, kept right under late, repeated and tied events by
// looking only at the neighbourhood of each event (rules B1, B2, B3).
//
//     events    u1  u1  u2  d   d   u2 ...
//     rows      [ 1     )[ 2 )       [ 2
//
// All events of a key in one batch are applied together, so what comes out is the NET change:
// no row is written twice, and a row that is equal before and after is not touched.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cdc/entry.h"

namespace lakebed::cdc {

// Where the values of a row or of a kept payload come from.
struct ValueSource {
  enum class Kind : uint8_t {
    kNone,    // nothing to keep (payload 0): a delete, or the head of a closed row that shows it
    kEvent,   // the payload of the batch's event `arrival`
    kHeap,    // the remembered payload `payload`
    kOldRow,  // the visible row at `place`, which this same answer may remove
  };
  Kind kind = Kind::kNone;
  uint32_t arrival = kNoArrival;
  uint64_t payload = 0;
  Place place;
  bool operator==(const ValueSource&) const = default;
};

inline constexpr uint32_t kNoRow = UINT32_MAX;

// A visible row to write: [start, end) or open.
struct AddedRow {
  SequenceView start;
  SequenceView end;  // where has_end
  bool has_end = false;
  ValueSource values;
  uint32_t key = 0;  // which key of the batch: the number given to run()
};

struct RemovedRow {
  Place place;
  SequenceView start;
};

// Puts `entry` into its set (set_of(entry.kind)); it replaces an entry of the same set and
// sequence. `payload` says what to keep as the event's own values; entry.payload is set already
// where the source is kHeap, else the caller sets it (0 for kNone). Several puts may name one
// arrival: they have equal values and share one payload. `row`: index into `added` of the row
// whose place the caller fills in; kNoRow: entry.place is right as it is.
struct PutEntry {
  Entry entry;
  ValueSource payload;
  uint32_t row = kNoRow;
  uint32_t key = 0;
};

// Takes the entry of that set and sequence away.
struct DroppedEntry {
  EntrySet set = EntrySet::kBoundaries;
  SequenceView sequence;
  uint32_t key = 0;
};

// What changes, key after key in the order of the calls; a caller with many keys drains and clears
// it now and then. A (set, sequence) of a key is put or dropped, never both: an entry that changes
// its set is dropped from one and put into the other. All views and sources speak of the time
// before: read what they ask for before anything is removed.
struct Scd2Changes {
  std::vector<RemovedRow> removed;
  std::vector<AddedRow> added;
  std::vector<PutEntry> puts;
  std::vector<DroppedEntry> drops;

  bool empty() const {
    return removed.empty() && added.empty() && puts.empty() && drops.empty();
  }
  void clear();
};

// How much memory was looked at: gated in tests (a constant number of seeks an event).
struct Scd2Counters {
  uint64_t seeks = 0;
  uint64_t entries_read = 0;
};

// What a payload is kept for.
enum class Payloads : uint8_t {
  kWhereNeeded,  // values that no row shows
  kAll,          // each upsert has one of its own: it also holds who wrote what (rule P3)
};

// Keeps its working memory between keys; use one a thread.
class Scd2Kernel {
 public:
  explicit Scd2Kernel(Payloads payloads = Payloads::kWhereNeeded);
  ~Scd2Kernel();
  Scd2Kernel(const Scd2Kernel&) = delete;
  Scd2Kernel& operator=(const Scd2Kernel&) = delete;

  // Applies the events of one key (sorted by sequence, arrival; at least one) over what `cursor`
  // knows of it and appends what changes to `changes`, marked with the number `key`. Views in
  // `changes` point into what events and cursor view.
  void run(uint32_t key, std::span<const Event> events, Cursor& cursor, Scd2Changes& changes,
           Metrics& metrics);

  const Scd2Counters& counters() const { return counters_; }

 private:
  struct Work;
  std::unique_ptr<Work> work_;
  Scd2Counters counters_;
};

}  // namespace lakebed::cdc
