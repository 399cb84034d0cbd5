// Forgetting by age (rule F4): tombstones and absorbed events that were applied long ago.
//
// What may go is only what no visible row needs:
//
//     delete    unless it ends a row: then the row's end says it for ever
//     absorbed  unless its values are the ones that the row shows and nothing that stays has them
//
// Whether something is forgotten depends on the memory and the clock, never on merging: look-ups
// pass old entries over by the same rule by which merges leave them behind, and a batch that
// builds on a forgotten entry's absence drops it for good. Pure but for the memory that is read.
#pragma once

#include <optional>
#include <vector>

#include "state/table_state.h"

namespace lakebed::state {

// All times in seconds since 1970.
struct Expiry {
  uint32_t forget_before = 0;  // what was applied earlier is old; 0: nothing ever is
  uint32_t unknown_at = 0;     // when entries without a time of their own count as applied

  bool on() const { return forget_before != 0; }
  bool is_old(const Entry& entry) const {
    const uint32_t applied_at = entry.applied_at != 0 ? entry.applied_at : unknown_at;
    return applied_at < forget_before;
  }
};

// True for an entry that is forgotten where it is the only one of its key (Identity::kKey).
inline bool is_forgotten(const Expiry& expiry, const Entry& entry) {
  return expiry.on() && entry.is_tombstone() && expiry.is_old(entry);
}

// A cursor over what is not forgotten; the contract of each question is Cursor's.
class ExpiringCursor {
 public:
  ExpiringCursor(const TableState& state, const Expiry& expiry) : cursor_(state), expiry_(expiry) {}

  Result<bool> seek(const Hash128& key);
  Result<std::optional<Entry>> at_most(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> below(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> greatest(EntryKind kind);
  Result<std::optional<Entry>> at_least(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> above(EntryKind kind, value::SequenceView s);

  // The entries of the key that answers passed over. Whoever changes the key must drop them, or a
  // row that is new could make them count again. May name one twice.
  const std::vector<Entry>& passed_over() const { return passed_over_; }

 private:
  using Answer = Result<std::optional<Entry>>;
  Answer skip_down(EntryKind kind, Answer found);
  Answer skip_up(EntryKind kind, Answer found);
  Result<bool> forgets(const Entry& entry);
  Result<bool> forgets_absorbed(const Entry& entry);

  Cursor cursor_;
  Expiry expiry_;
  std::vector<Entry> passed_over_;
};

// Forgets while all entries of a set pass by in order, as a merge into the base sees them. An
// absorbed event that is the last of its row stays here: look-ups judge it.
class ForgettingPass {
 public:
  ForgettingPass(const Expiry& expiry, Identity identity) : expiry_(expiry), identity_(identity) {}

  // Takes an entry; `ready` gets those that stay, in order. Entries that say kGone must not come.
  void take(const Entry& entry, std::vector<Entry>& ready);
  void finish(std::vector<Entry>& ready);

 private:
  bool same_stretch(const Entry& entry);

  Expiry expiry_;
  Identity identity_;
  std::optional<Hash128> key_;
  std::vector<value::SequenceView> boundaries_;  // of the key
  size_t next_boundary_ = 0;
  bool after_row_ = false;        // the boundary before is a row's start
  std::optional<Entry> pending_;  // an absorbed event that may be the last of its row
};

}  // namespace lakebed::state
