// What the engine remembers of one event or row version: the unit of every state run.
//
// Entries are ordered by (key, kind, sequence). Of a SCD type 1 target each key has at most one
// live entry, its greatest event; of targets with history there is one a row version and one a
// hidden event (absorbed events, deletes), known by (key, kind, sequence). A newer run overrides
// an older one entry by entry; an entry with kGone says that the older one is no more.
// Plain values; the tail of a sequence belongs to whoever made the entry (an arena, a mapped run).
#pragma once

#include <compare>
#include <cstdint>

#include "base/hash.h"
#include "value/order.h"

namespace lakebed::state {

enum class EntryKind : uint8_t { kRow = 0, kHidden = 1 };

// How entries of a set are told apart, fixed for the life of a set.
enum class Identity : uint8_t {
  kKey,              // one entry a key: SCD type 1, seen files
  kKeyKindSequence,  // one entry a (key, kind, sequence): targets with history
};

// Bits of Entry::flags. The four high bits are the caller's own and kept as they are.
constexpr uint8_t kHiddenBit = 1;    // EntryKind::kHidden
constexpr uint8_t kDeleteBit = 2;    // the event is a delete (a tombstone)
constexpr uint8_t kGoneBit = 4;      // the older entry of this identity is dropped
constexpr uint8_t kHasPlaceBit = 8;  // file and row say where the row lies
constexpr uint8_t kUserBits = 0xF0;

constexpr uint32_t kNoFile = 0xFFFFFFFFU;

// Where a payload lies: number of the heap file in the high half, byte offset in the low one.
// 0 is "no payload": the row can be read from its place only.
using PayloadRef = uint64_t;

struct Entry {
  Hash128 key;
  value::SequenceView sequence;
  uint64_t value_hash = 0;
  uint64_t tracked_hash = 0;  // equals value_hash where all columns are tracked
  PayloadRef payload = 0;
  uint32_t file = kNoFile;  // id in FileNames, with kHasPlaceBit
  uint32_t row = 0;         // row number in the data file, with kHasPlaceBit
  uint32_t applied_at = 0;  // seconds since 1970; 0 where nobody asked for it
  uint8_t flags = 0;

  EntryKind kind() const {
    return (flags & kHiddenBit) != 0 ? EntryKind::kHidden : EntryKind::kRow;
  }
  bool is_delete() const { return (flags & kDeleteBit) != 0; }
  // A delete, and no upsert whose row is hidden.
  bool is_tombstone() const { return is_delete() && value_hash == 0; }
  bool is_gone() const { return (flags & kGoneBit) != 0; }
  bool has_place() const { return (flags & kHasPlaceBit) != 0; }
};

// The order of entries in a run.
inline std::strong_ordering compare_entries(const Entry& a, const Entry& b) {
  if (a.key != b.key) return a.key <=> b.key;
  if (a.kind() != b.kind()) return a.kind() <=> b.kind();
  return a.sequence <=> b.sequence;
}

}  // namespace lakebed::state
