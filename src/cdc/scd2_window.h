// The neighbourhood of a batch's events among the remembered entries of one key: the part of the
// SCD type 2 kernel that asks the cursor. Internal to this room.
//
// For each event that changes anything it holds the boundary before it and the last event before
// it, the event after it, and, where that event's row is in question, the last event and the end
// of that row; all in one short list in order of sequence. The list has holes, yet rows that are
// derived from it before and after the batch differ exactly as the true ones do:
//   - left and right of every changed position it has the true neighbours, so whether an event
//     heads a row can be decided anew for changed events and their successors, and changes for
//     no others;
//   - of every row that can differ before and after, it has head, last event and end;
//   - other rows appear shortened, but alike before and after, and cancel out.
#pragma once

#include <span>
#include <vector>

#include "cdc/scd2.h"

namespace lakebed::cdc {

// One place of the window: what stood there, what happens there, and (filled in later by the
// kernel) what is there afterwards.
struct Scd2Node {
  Entry old;                     // its sequence is always set
  const Event* event = nullptr;  // the batch's winner at this sequence, if it changes anything
  bool has_old = false;
  EntryKind kind = EntryKind::kHead;
  uint32_t row = kNoRow;  // of a head: index into the added rows
  ValueSource payload;    // of an upsert

  const SequenceView& sequence() const { return old.sequence; }
  uint64_t value_hash() const { return event != nullptr ? event->value_hash : old.value_hash; }
  uint64_t tracked_hash() const {
    return event != nullptr ? event->tracked_hash : old.tracked_hash;
  }
};

class Scd2Window {
 public:
  // Loads the neighbourhood of one key's events (sorted by sequence, arrival; at least one).
  // Counts ties and late events. No nodes: the events change nothing.
  void load(std::span<const Event> events, Cursor& cursor, Scd2Counters& counters,
            Metrics& metrics);

  std::vector<Scd2Node>& nodes() { return nodes_; }

 private:
  // An entry that may be absent.
  struct Found {
    Entry entry;
    bool present = false;
    bool is_at(const SequenceView& sequence) const {
      return present && entry.sequence == sequence;
    }
    bool is_after(const Found& other) const {
      return present && (!other.present || entry.sequence > other.entry.sequence);
    }
  };
  // What stands at or before a position, by set.
  struct Before {
    Found boundary;
    Found absorbed;
  };
  // The stretch of time after a changed position in which nothing is remembered. Further events
  // that fall into it have the same neighbours, already loaded.
  struct Gap {
    bool known = false;
    bool ends_in_stretch = false;  // the next entry is absorbed; its row is loaded
    bool next_row_loaded = false;
    Found next;  // the entry that ends the gap; absent: nothing comes after
    bool holds(const SequenceView& sequence) const {
      return known && (!next.present || sequence < next.entry.sequence);
    }
  };

  Found seek(EntrySet set, Seek how, const SequenceView& sequence);
  bool is_late(const SequenceView& sequence) const;
  void load_sequence(std::span<const Event> same_sequence, Metrics& metrics);
  Before seek_before(const SequenceView& sequence);
  void load_before(const SequenceView& sequence, Before before);
  void load_after(const SequenceView& sequence);
  void load_next_row(const Event& winner);
  void load_last_absorbed(const Found& from, const Found& end);
  void keep(const Found& found);
  void put_in_order();

  Cursor* cursor_ = nullptr;
  Scd2Counters* counters_ = nullptr;
  Found greatest_boundary_;
  Found greatest_absorbed_;
  Gap gap_;
  std::vector<Scd2Node> nodes_;
};

}  // namespace lakebed::cdc
