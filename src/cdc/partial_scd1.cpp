#include "cdc/partial_scd1.h"

#include <algorithm>

namespace lakebed::cdc {

// The state before the batch, with what the truncates of the batch take away of it. (Rule T2)
void PartialScd1::begin(const KnownRow* known, const TruncateFloor& floor) {
  authors_.clear();
  row_.assign(leaves_, kNulls);
  present_ = known != nullptr && !floor.removes(known->entry.sequence);
  deleted_ = present_ && known->entry.is_tombstone();
  changed_ = false;
  unread_ = nullptr;
  authors_.author.assign(leaves_, 0);
  if (!present_) return;
  greatest_ = known->entry.sequence;
  if (deleted_) {
    authors_.floor = greatest_;
    return;
  }
  authors_ = known->authors;
  if (!known->at_hand) unread_ = known;
  for (size_t leaf = 0; leaf < leaves_; ++leaf) {
    uint32_t& author = authors_.author[leaf];
    if (author != 0 && floor.removes(authors_.sequences[author - 1])) {
      author = 0;
      changed_ = true;
    }
    if (author != 0) row_[leaf] = known->source;
  }
}

// True where something that is known was said at just this sequence.
bool PartialScd1::stands_at(const SequenceView& sequence) const {
  if (!present_) return false;
  if (greatest_ == sequence || (authors_.floor && *authors_.floor == sequence)) return true;
  return std::any_of(authors_.author.begin(), authors_.author.end(), [&](uint32_t author) {
    return author != 0 && authors_.sequences[author - 1] == sequence;
  });
}

// A delete takes back what was written up to it; it is the state where nothing is newer. (Rule P3)
bool PartialScd1::fold_delete(const PartialEvent& event) {
  if (below_floor(event.sequence)) return false;
  bool changed = false;
  for (size_t leaf = 0; leaf < leaves_; ++leaf) {
    uint32_t& author = authors_.author[leaf];
    if (author == 0 || authors_.sequences[author - 1] > event.sequence) continue;
    author = 0;
    row_[leaf] = kNulls;
    changed = true;
  }
  if (!authors_.floor || *authors_.floor < event.sequence) {
    authors_.floor = event.sequence;
    changed = true;
  }
  if (!present_ || event.sequence >= greatest_) {
    changed = changed || !present_ || !deleted_ || greatest_ != event.sequence;
    present_ = true;
    deleted_ = true;
    greatest_ = event.sequence;
  }
  return changed;
}

bool PartialScd1::write_leaf(size_t leaf, const PartialEvent& event, uint32_t author) {
  const uint32_t old = authors_.author[leaf];
  if (old != 0) {
    const SequenceView& written = authors_.sequences[old - 1];
    if (written > event.sequence) return false;
    const bool same_event = row_[leaf] == event.source;
    if (written == event.sequence &&
        (same_event || values_->same(leaf, row_[leaf], event.source))) {
      return false;
    }
  }
  authors_.author[leaf] = author;
  row_[leaf] = event.source;
  return true;
}

bool PartialScd1::fold_upsert(const PartialEvent& event) {
  if (below_floor(event.sequence)) return false;
  const bool is_greatest = !present_ || event.sequence >= greatest_;
  // Rule E5 against a row that is not at hand.
  if (unread_ != nullptr && present_ && event.sequence == greatest_ && !deleted_ &&
      unread_->entry.value_hash == event.value_hash) {
    return false;
  }
  bool changed = !present_ || (is_greatest && (deleted_ || greatest_ != event.sequence));
  authors_.sequences.push_back(event.sequence);
  const auto author = static_cast<uint32_t>(authors_.sequences.size());
  for (size_t leaf = 0; leaf < leaves_; ++leaf) {
    if (has_leaf(event.written, leaf) && write_leaf(leaf, event, author)) changed = true;
  }
  if (is_greatest) {
    present_ = true;
    deleted_ = false;
    greatest_ = event.sequence;
  }
  return changed;
}

bool PartialScd1::fold(const PartialEvent& event) {
  const bool changed = event.is_delete() ? fold_delete(event) : fold_upsert(event);
  // What stood there unread has been folded on: an event equal to it is no repeat any more.
  if (changed && event.sequence == greatest_) unread_ = nullptr;
  return changed;
}

bool PartialScd1::run(uint32_t key, std::span<const PartialEvent> events, const KnownRow* known,
                      const TruncateFloor& floor, LeafValues& values, Resolved& out,
                      Metrics& metrics) {
  values_ = &values;
  begin(known, floor);
  const SequenceView* before = nullptr;
  for (const PartialEvent& event : events) {
    const bool below_known = known != nullptr && event.sequence < known->entry.sequence;
    if (below_known || floor.is_late(event.sequence)) ++metrics.late_events;
    if (floor.drops(event.sequence, event.arrival)) continue;
    const bool met = (before != nullptr && *before == event.sequence) || stands_at(event.sequence);
    before = &event.sequence;
    if (!fold(event)) continue;
    changed_ = true;
    if (met) count_partial_tie(event, metrics);
  }
  if (!changed_) return false;
  LAKEBED_ASSERT(present_);
  out.leaves = leaves_;
  out.events.push_back(
      {greatest_, deleted_ ? Operation::kDelete : Operation::kUpsert, !deleted_, key});
  out.sources.insert(out.sources.end(), row_.begin(), row_.end());
  return true;
}

}  // namespace lakebed::cdc
