// What a snapshot says of a key, by its version V and by what is remembered of the key (rules S1,
// M2). A snapshot is a set of rows, one a key; its difference to the state at V is a set of events,
// all at V, which then go through the ordinary kernels:
//
//     remembered        in the snapshot, equal    in the snapshot, other    absent
//     nothing           upsert                    upsert                    -
//     deleted at s<=V   upsert                    upsert                    -
//     a row at s<=V     -                         upsert                    delete
//     newer than V      -                         -                         -      (SCD type 1)
//
// "Equal" is equality of value hashes, so a column that is new counts only where it is not NULL.
// Nothing here sees values or more than one key; whoever streams the snapshot keeps the hashes of
// the keys that it saw, which is all that finding the absent ones needs.
#pragma once

#include <optional>

#include "cdc/entry.h"

namespace lakebed::cdc {

// The state of one key as of the snapshot's version.
struct KeyState {
  enum class Kind : uint8_t {
    kAbsent,  // never seen, or deleted
    kRow,     // it has a row, with these values
    kNewer,   // something later than the version decides (SCD type 1): the snapshot is silent
  };
  Kind kind = Kind::kAbsent;
  uint64_t value_hash = 0;  // kRow only
};

// SCD type 1: by the one entry of the key (null: none).
KeyState key_state_scd1(const Entry* known, const SequenceView& version);

// SCD type 2: by the stretch that contains the version; later entries, if any, stay as they are.
KeyState key_state_scd2(Cursor& cursor, const SequenceView& version);
// The same from a key's entries of both sets in ascending order, fed one by one: for a walk over
// the whole memory. Entries later than the version do not count.
class KeyStateScd2 {
 public:
  explicit KeyStateScd2(const SequenceView& version) : version_(version) {}
  void add(const Entry& entry);
  KeyState state() const;

 private:
  SequenceView version_;
  std::optional<Entry> boundary_;
  std::optional<Entry> absorbed_;
};

// Whether a row of the snapshot makes an upsert. Requires: the event has the row's value hash.
bool row_differs(const Event& row, const KeyState& state);

// Whether a key that the snapshot does not have makes a delete.
inline bool key_vanishes(const KeyState& state) { return state.kind == KeyState::Kind::kRow; }

}  // namespace lakebed::cdc
