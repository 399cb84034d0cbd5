#include "cdc/scd1.h"

namespace lakebed::cdc {

namespace {

// Counts the event as tied where it meets a different one at its sequence (rule E4).
void count_tie(bool repeat, const Event& event, Metrics& metrics) {
  if (repeat) return;
  ++metrics.tied_events;
  if (metrics.first_tied == kNoArrival) metrics.first_tied = event.arrival;
}

// The greatest event that the floor lets pass; the last arrival of its sequence (rule E4).
const Event* greatest_event(std::span<const Event> events, const Entry* known,
                            const TruncateFloor& floor, Metrics& metrics) {
  const Event* last = nullptr;
  for (const Event& event : events) {
    if (floor.drops(event)) continue;
    if (last != nullptr && last->sequence == event.sequence) {
      count_tie(is_repeat(*last, event), event, metrics);
    } else if (known != nullptr && known->sequence == event.sequence) {
      count_tie(is_repeat(event, *known), event, metrics);
    }
    last = &event;
  }
  return last;
}

// Late is what lies below what was known of the key, a truncate included.
uint64_t count_late(std::span<const Event> events, const Entry* known,
                    const TruncateFloor& floor) {
  uint64_t late = 0;
  for (const Event& event : events) {
    const bool below_known = known != nullptr && event.sequence < known->sequence;
    if (!below_known && !floor.is_late(event)) break;  // they ascend
    ++late;
  }
  return late;
}

// Rules A1, A2: what the winner does to the key when it counts, i.e. stands above `known`, at it
// without being its repeat, or when `known` was truncated away.
Scd1Decision decide_winner(const Event& winner, const Entry* known, Metrics& metrics) {
  const bool had_row = known != nullptr && !known->is_delete();
  if (winner.is_delete()) {
    if (!had_row) return {Scd1Action::kTombstone, &winner};
    ++metrics.deleted_rows;
    return {Scd1Action::kRemoveRow, &winner};
  }
  if (had_row && known->value_hash == winner.value_hash) return {Scd1Action::kRemember, &winner};
  ++metrics.upserted_rows;
  return {Scd1Action::kWriteRow, &winner};
}

}  // namespace

Scd1Decision decide_scd1(std::span<const Event> events, const Entry* known,
                         const TruncateFloor& floor, Metrics& metrics) {
  // What a truncate takes away no event is measured against, but its row may stay as it is where
  // the winner writes the same again. (Rule T1)
  const bool truncated = known != nullptr && floor.removes(known->sequence);
  metrics.late_events += count_late(events, known, floor);
  const Event* winner = greatest_event(events, truncated ? nullptr : known, floor, metrics);
  if (winner == nullptr) {
    if (!truncated) return {};
    if (known->is_delete()) return {Scd1Action::kForget, nullptr};
    ++metrics.deleted_rows;
    return {Scd1Action::kForgetRow, nullptr};
  }
  if (known != nullptr) {
    const auto order = winner->sequence <=> known->sequence;
    if (order < 0) return {};                                 // rule A2
    if (order == 0 && is_repeat(*winner, *known)) return {};  // rule E5
  }
  return decide_winner(*winner, known, metrics);
}

Entry scd1_entry(const Scd1Decision& decision, const Entry* known) {
  LAKEBED_ASSERT(decision.winner != nullptr);
  const Event& winner = *decision.winner;
  Entry entry;
  entry.sequence = winner.sequence;
  if (winner.is_delete()) {
    entry.kind = EntryKind::kDelete;
    entry.value_hash = winner.value_hash;
    return entry;
  }
  entry.kind = EntryKind::kHead;
  entry.value_hash = winner.value_hash;
  entry.tracked_hash = winner.tracked_hash;
  if (decision.action == Scd1Action::kRemember) entry.place = known->place;
  return entry;
}

}  // namespace lakebed::cdc
