#include "cdc/scd2_window.h"

#include <algorithm>

namespace lakebed::cdc {

namespace {

// Counts the events that meet a different one (rule E4). `stood`: the entry at their sequence.
void count_ties(std::span<const Event> same_sequence, const Entry* stood, Metrics& metrics) {
  const Event* before = nullptr;
  for (const Event& event : same_sequence) {
    const bool repeat = before != nullptr ? is_repeat(*before, event)
                                          : stood == nullptr || is_repeat(event, *stood);
    if (!repeat) {
      ++metrics.tied_events;
      if (metrics.first_tied == kNoArrival) metrics.first_tied = event.arrival;
    }
    before = &event;
  }
}

}  // namespace

void Scd2Window::load(std::span<const Event> events, Cursor& cursor, Scd2Counters& counters,
                      Metrics& metrics) {
  cursor_ = &cursor;
  counters_ = &counters;
  nodes_.clear();
  gap_ = Gap();
  greatest_boundary_ = seek(EntrySet::kBoundaries, Seek::kGreatest, {});
  greatest_absorbed_ = Found();
  // The first entry of a key is always a boundary, so a new key costs one seek.
  if (greatest_boundary_.present) {
    greatest_absorbed_ = seek(EntrySet::kAbsorbed, Seek::kGreatest, {});
  }
  const Hash128 key = events.front().key;
  size_t begin = 0;
  while (begin < events.size()) {
    LAKEBED_ASSERT(events[begin].key == key);  // law 8
    size_t end = begin + 1;
    while (end < events.size() && events[end].sequence == events[begin].sequence) ++end;
    load_sequence(events.subspan(begin, end - begin), metrics);
    begin = end;
  }
  put_in_order();
}

Scd2Window::Found Scd2Window::seek(EntrySet set, Seek how, const SequenceView& sequence) {
  Found found;
  ++counters_->seeks;
  found.present = cursor_->seek(set, how, sequence, found.entry);
  if (found.present) ++counters_->entries_read;
  return found;
}

bool Scd2Window::is_late(const SequenceView& sequence) const {
  return (greatest_boundary_.present && sequence < greatest_boundary_.entry.sequence) ||
         (greatest_absorbed_.present && sequence < greatest_absorbed_.entry.sequence);
}

// Loads what the last arrival at one sequence may touch; nothing where it repeats what stands
// there (rules E4, E5).
void Scd2Window::load_sequence(std::span<const Event> same_sequence, Metrics& metrics) {
  const Event& winner = same_sequence.back();
  const SequenceView& sequence = winner.sequence;
  if (is_late(sequence)) metrics.late_events += same_sequence.size();
  const bool in_gap = gap_.holds(sequence);
  const Before before = in_gap ? Before() : seek_before(sequence);
  const Entry* stood = nullptr;
  if (before.boundary.is_at(sequence)) stood = &before.boundary.entry;
  if (before.absorbed.is_at(sequence)) stood = &before.absorbed.entry;
  count_ties(same_sequence, stood, metrics);
  if (stood != nullptr && is_repeat(winner, *stood)) return;

  Scd2Node& node = nodes_.emplace_back();
  node.event = &winner;
  node.has_old = stood != nullptr;
  if (node.has_old) node.old = *stood;
  node.old.sequence = sequence;
  if (!in_gap) {
    load_before(sequence, before);
    load_after(sequence);
  }
  load_next_row(winner);
}

Scd2Window::Before Scd2Window::seek_before(const SequenceView& sequence) {
  Before before{greatest_boundary_, greatest_absorbed_};
  if (before.boundary.present && before.boundary.entry.sequence > sequence) {
    before.boundary = seek(EntrySet::kBoundaries, Seek::kAtMost, sequence);
  }
  if (before.absorbed.present && before.absorbed.entry.sequence > sequence) {
    before.absorbed = seek(EntrySet::kAbsorbed, Seek::kAtMost, sequence);
  }
  return before;
}

// The boundary before the position and the last event of its row before the position.
void Scd2Window::load_before(const SequenceView& sequence, Before before) {
  if (before.boundary.is_at(sequence)) {
    before.boundary = seek(EntrySet::kBoundaries, Seek::kBelow, sequence);
  }
  if (before.absorbed.is_at(sequence)) {
    before.absorbed = seek(EntrySet::kAbsorbed, Seek::kBelow, sequence);
  }
  keep(before.boundary);
  if (before.absorbed.is_after(before.boundary)) keep(before.absorbed);
}

// The entry after the position; where that is an absorbed one, its row to the end as well: the
// row is about to be cut in two, and its right part needs end and values.
void Scd2Window::load_after(const SequenceView& sequence) {
  gap_ = Gap();
  gap_.known = true;
  Found boundary;
  Found absorbed;
  if (greatest_boundary_.present && greatest_boundary_.entry.sequence > sequence) {
    boundary = seek(EntrySet::kBoundaries, Seek::kAbove, sequence);
  }
  if (greatest_absorbed_.present && greatest_absorbed_.entry.sequence > sequence) {
    absorbed = seek(EntrySet::kAbsorbed, Seek::kAbove, sequence);
  }
  keep(boundary);
  gap_.next = boundary;
  if (!absorbed.present || (boundary.present && absorbed.is_after(boundary))) return;
  gap_.next = absorbed;
  gap_.ends_in_stretch = true;
  keep(absorbed);
  load_last_absorbed(absorbed, boundary);
}

// A row that begins right after an upsert with equal tracked values is swallowed by its stretch:
// then its last event and its end are needed.
void Scd2Window::load_next_row(const Event& winner) {
  if (gap_.next_row_loaded || gap_.ends_in_stretch || !gap_.next.present) return;
  const Entry& next = gap_.next.entry;
  if (winner.is_delete() || next.is_delete()) return;
  if (winner.tracked_hash != next.tracked_hash) return;
  gap_.next_row_loaded = true;
  Found end;
  if (next.sequence < greatest_boundary_.entry.sequence) {
    end = seek(EntrySet::kBoundaries, Seek::kAbove, next.sequence);
  }
  keep(end);
  load_last_absorbed(gap_.next, end);
}

// The last event of a row, where it is absorbed: `from` is some event of the row, `end` the
// boundary after it.
void Scd2Window::load_last_absorbed(const Found& from, const Found& end) {
  Found last = greatest_absorbed_;
  const bool beyond = last.present && end.present && last.entry.sequence > end.entry.sequence;
  if (beyond) last = seek(EntrySet::kAbsorbed, Seek::kBelow, end.entry.sequence);
  if (last.is_after(from)) keep(last);
}

void Scd2Window::keep(const Found& found) {
  if (!found.present) return;
  Scd2Node& node = nodes_.emplace_back();
  node.old = found.entry;
  node.has_old = true;
}

// Sorts the window; one node a sequence, with the event where one of the copies has it.
void Scd2Window::put_in_order() {
  if (nodes_.size() < 2) return;
  std::sort(nodes_.begin(), nodes_.end(), [](const Scd2Node& a, const Scd2Node& b) {
    return a.sequence() < b.sequence();
  });
  size_t kept = 0;
  for (size_t at = 1; at < nodes_.size(); ++at) {
    if (nodes_[at].sequence() != nodes_[kept].sequence()) {
      nodes_[++kept] = nodes_[at];
    } else if (nodes_[kept].event == nullptr) {
      nodes_[kept].event = nodes_[at].event;
    }
  }
  nodes_.resize(kept + 1);
}

}  // namespace lakebed::cdc
