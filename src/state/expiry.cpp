#include "state/expiry.h"

namespace lakebed::state {

Result<bool> ExpiringCursor::seek(const Hash128& key) {
  passed_over_.clear();
  return cursor_.seek(key);
}

ExpiringCursor::Answer ExpiringCursor::at_most(EntryKind kind, value::SequenceView s) {
  return skip_down(kind, cursor_.at_most(kind, s));
}
ExpiringCursor::Answer ExpiringCursor::below(EntryKind kind, value::SequenceView s) {
  return skip_down(kind, cursor_.below(kind, s));
}
ExpiringCursor::Answer ExpiringCursor::greatest(EntryKind kind) {
  return skip_down(kind, cursor_.greatest(kind));
}
ExpiringCursor::Answer ExpiringCursor::at_least(EntryKind kind, value::SequenceView s) {
  return skip_up(kind, cursor_.at_least(kind, s));
}
ExpiringCursor::Answer ExpiringCursor::above(EntryKind kind, value::SequenceView s) {
  return skip_up(kind, cursor_.above(kind, s));
}

ExpiringCursor::Answer ExpiringCursor::skip_down(EntryKind kind, Answer found) {
  if (!expiry_.on()) return found;
  while (found.ok() && found->has_value()) {
    const Entry entry = **found;
    LAKEBED_ASSIGN(const bool forgotten, forgets(entry));
    if (!forgotten) break;
    passed_over_.push_back(entry);
    found = cursor_.below(kind, entry.sequence);
  }
  return found;
}

ExpiringCursor::Answer ExpiringCursor::skip_up(EntryKind kind, Answer found) {
  if (!expiry_.on()) return found;
  while (found.ok() && found->has_value()) {
    const Entry entry = **found;
    LAKEBED_ASSIGN(const bool forgotten, forgets(entry));
    if (!forgotten) break;
    passed_over_.push_back(entry);
    found = cursor_.above(kind, entry.sequence);
  }
  return found;
}

// Rule F4: heads never go, hidden or not (rule F6), deletes unless they end a row.
Result<bool> ExpiringCursor::forgets(const Entry& entry) {
  if (!expiry_.is_old(entry)) return false;
  if (entry.kind() == EntryKind::kHidden) return forgets_absorbed(entry);
  if (!entry.is_tombstone()) return false;
  LAKEBED_ASSIGN(const auto before, cursor_.below(EntryKind::kRow, entry.sequence));
  return !before.has_value() || before->is_tombstone();
}

// The last absorbed event of a row gives it its values: it may go where what stays gives the same.
Result<bool> ExpiringCursor::forgets_absorbed(const Entry& entry) {
  LAKEBED_ASSIGN(const auto end, cursor_.above(EntryKind::kRow, entry.sequence));
  LAKEBED_ASSIGN(const auto next, cursor_.above(EntryKind::kHidden, entry.sequence));
  const bool is_last = !next.has_value() || (end.has_value() && next->sequence > end->sequence);
  if (!is_last) return true;
  LAKEBED_ASSIGN(const auto head, cursor_.below(EntryKind::kRow, entry.sequence));
  if (!head.has_value() || head->is_delete()) return true;
  std::vector<Entry> between;
  uint64_t shown = head->value_hash;
  LAKEBED_ASSIGN(auto before, cursor_.below(EntryKind::kHidden, entry.sequence));
  while (before.has_value() && before->sequence > head->sequence) {
    if (!expiry_.is_old(*before)) {
      shown = before->value_hash;
      break;
    }
    between.push_back(*before);
    LAKEBED_ASSIGN(before, cursor_.below(EntryKind::kHidden, before->sequence));
  }
  if (shown != entry.value_hash) return false;
  // They must go with it: none of them may become the last of the row.
  passed_over_.insert(passed_over_.end(), between.begin(), between.end());
  return true;
}

// True where no boundary lies between the pending entry and this one of the same key.
bool ForgettingPass::same_stretch(const Entry& entry) {
  while (next_boundary_ < boundaries_.size() && boundaries_[next_boundary_] < pending_->sequence) {
    ++next_boundary_;
  }
  return next_boundary_ == boundaries_.size() || boundaries_[next_boundary_] > entry.sequence;
}

void ForgettingPass::take(const Entry& entry, std::vector<Entry>& ready) {
  if (identity_ == Identity::kKey) {
    if (!is_forgotten(expiry_, entry)) ready.push_back(entry);
    return;
  }
  if (!key_ || *key_ != entry.key) {
    finish(ready);
    key_ = entry.key;
  }
  if (entry.kind() == EntryKind::kHidden) {
    if (pending_) {
      const bool goes = expiry_.is_old(*pending_) && same_stretch(entry);
      if (!goes) ready.push_back(*pending_);
    }
    pending_ = entry;
    return;
  }
  const bool goes = is_forgotten(expiry_, entry) && !after_row_;
  after_row_ = !entry.is_tombstone();
  boundaries_.push_back(entry.sequence);
  if (!goes) ready.push_back(entry);
}

void ForgettingPass::finish(std::vector<Entry>& ready) {
  if (pending_) ready.push_back(*pending_);
  pending_.reset();
  boundaries_.clear();
  next_boundary_ = 0;
  after_row_ = false;
  key_.reset();
}

}  // namespace lakebed::state
