#include "cdc/snapshot_diff.h"

namespace lakebed::cdc {

namespace {

KeyState row_of(const Entry& entry) { return {KeyState::Kind::kRow, entry.value_hash}; }

}  // namespace

KeyState key_state_scd1(const Entry* known, const SequenceView& version) {
  if (!known) return {};
  if (known->sequence > version) return {KeyState::Kind::kNewer, 0};
  return known->is_tombstone() ? KeyState{} : row_of(*known);
}

KeyState key_state_scd2(Cursor& cursor, const SequenceView& version) {
  Entry boundary;
  if (!cursor.seek(EntrySet::kBoundaries, Seek::kAtMost, version, boundary)) return {};
  if (boundary.is_tombstone()) return {};
  Entry absorbed;
  const bool continued = cursor.seek(EntrySet::kAbsorbed, Seek::kAtMost, version, absorbed) &&
                         absorbed.sequence > boundary.sequence;
  return row_of(continued ? absorbed : boundary);
}

void KeyStateScd2::add(const Entry& entry) {
  if (entry.sequence > version_) return;
  (set_of(entry.kind) == EntrySet::kBoundaries ? boundary_ : absorbed_) = entry;
}

KeyState KeyStateScd2::state() const {
  if (!boundary_ || boundary_->is_tombstone()) return {};
  const bool continued = absorbed_ && absorbed_->sequence > boundary_->sequence;
  return row_of(continued ? *absorbed_ : *boundary_);
}

// Rule S1: new, or any value different (NULL equals NULL: it adds nothing to the hash).
bool row_differs(const Event& row, const KeyState& state) {
  switch (state.kind) {
    case KeyState::Kind::kAbsent: return true;
    case KeyState::Kind::kRow: return row.value_hash != state.value_hash;
    case KeyState::Kind::kNewer: return false;
  }
  return true;
}

}  // namespace lakebed::cdc
