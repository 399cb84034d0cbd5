// What is remembered of a key between batches, and how a kernel looks at it.
//
// Every event that was not beaten at its (key, sequence) is remembered for ever as one entry:
//
//     kHead      an upsert that heads a visible row (SCD type 1: the row of the key)
//     kAbsorbed  an upsert that continues the stretch of the head before it (SCD type 2 only)
//     kDelete    a tombstone, whether or not it ended a row
//
// They lie in two ordered sets, so that every question of a kernel is one seek however deep the
// history and however long a stretch is:
//
//     kBoundaries  heads and deletes   H1 ........ H2 ..... D1 D2 .. H3
//     kAbsorbed    the rest               a a a       a a               a
//
// A row ends at the boundary after its head; its values are those of the last absorbed event
// before that boundary, else of the head.
#pragma once

#include "cdc/event.h"

namespace lakebed::cdc {

// Where a visible row lies in the Delta table, in the caller's own numbering of files.
struct Place {
  uint32_t file = 0;
  uint32_t row = 0;
  bool operator==(const Place&) const = default;
};

enum class EntryKind : uint8_t { kHead, kAbsorbed, kDelete };
enum class EntrySet : uint8_t { kBoundaries, kAbsorbed };

inline EntrySet set_of(EntryKind kind) {
  return kind == EntryKind::kAbsorbed ? EntrySet::kAbsorbed : EntrySet::kBoundaries;
}

// `payload` refers to the event's own values in the payload heap; 0 is "none kept". Only heads
// and tombstones may have none, and a head only while the visible row at `place` shows exactly the
// head's values: a kernel asks for a copy before that stops being so. (SCD type 1 keeps none but
// those of hidden rows, which later partial events may take over: rules F6, P3.) Absorbed events
// with equal values may share one payload.
struct Entry {
  SequenceView sequence;
  uint64_t value_hash = 0;    // 0 for a delete, unless it is a hidden row (rule F6)
  uint64_t tracked_hash = 0;  // 0 for a delete
  uint64_t payload = 0;
  Place place;  // kHead only
  EntryKind kind = EntryKind::kHead;

  bool is_delete() const { return kind == EntryKind::kDelete; }
  // A delete, and no upsert whose row is hidden.
  bool is_tombstone() const { return is_delete() && value_hash == 0; }
};

// Rule E5 between an event and the entry at its (key, sequence).
inline bool is_repeat(const Event& event, const Entry& entry) {
  return !event.rewrites && event.is_delete() == entry.is_delete() &&
         event.value_hash == entry.value_hash;
}

enum class Seek : uint8_t {
  kAtMost,    // greatest with sequence <= the one given
  kBelow,     // greatest with sequence <
  kAbove,     // smallest with sequence >
  kAtLeast,   // smallest with sequence >=
  kGreatest,  // greatest of all; the sequence given does not matter
};

// The remembered entries of ONE key as they were before the batch. Whoever implements it fills
// `out` and returns true, or returns false when the set has no such entry. What `out` views must
// live until the kernel's answer was used. One that can fail keeps its error for its owner and
// answers false from then on; the owner asks before it uses the kernel's answer.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool seek(EntrySet set, Seek how, const SequenceView& sequence, Entry& out) = 0;
};

}  // namespace lakebed::cdc
