// How the neighbourhood of an event is found, and what becomes of it.
//
// For each event that changes anything, the kernel loads from the cursor: the boundary before it
// and the last event before it, the event after it, and, where that event's row is in question,
// the last event and the end of that row. All loaded entries and the new events together form
// one short ordered list, the window. Rows are derived from the window twice, as it was and as it
// is, by the obvious walk; the answer is the difference.
//
// Why a window with holes gives the true difference:
//   - left and right of every changed position the window has its true neighbours, so whether an
//     event heads a row is decided anew exactly for changed events and their successors;
//   - of every row that can differ before and after, the window has head, last event and end;
//   - other rows appear shortened, but alike before and after, and cancel out.
#include "cdc/scd2.h"

#include <algorithm>

namespace lakebed::cdc {

namespace {

constexpr uint32_t kNone = UINT32_MAX;  // no node, no row

// One place of the window: what stood there, what happens there.
struct Node {
  Entry old;                     // sequence is always set
  const Event* event = nullptr;  // the batch's winner at this sequence
  bool has_old = false;
  EntryKind kind = EntryKind::kHead;  // afterwards
  uint32_t row = kNone;               // index into the changes' added rows, of a head
  ValueSource payload;                // afterwards, of an upsert

  const SequenceView& sequence() const { return old.sequence; }
  uint64_t value_hash() const { return event != nullptr ? event->value_hash : old.value_hash; }
  uint64_t tracked_hash() const {
    return event != nullptr ? event->tracked_hash : old.tracked_hash;
  }
};

// A visible row as nodes of the window. `end` is kNone for an open row.
struct Row {
  uint32_t head = kNone;
  uint32_t last = kNone;
  uint32_t end = kNone;
};

ValueSource from_event(const Event& event) {
  ValueSource source;
  source.kind = ValueSource::Kind::kEvent;
  source.arrival = event.arrival;
  return source;
}

// The remembered values of an entry: in the heap, else its own row shows them.
ValueSource from_entry(const Entry& entry) {
  ValueSource source;
  if (entry.payload != 0) {
    source.kind = ValueSource::Kind::kHeap;
    source.payload = entry.payload;
  } else {
    LAKEBED_ASSERT(entry.kind == EntryKind::kHead);
    source.kind = ValueSource::Kind::kOldRow;
    source.place = entry.place;
  }
  return source;
}

ValueSource values_of(const Node& node) {
  return node.event != nullptr ? from_event(*node.event) : from_entry(node.old);
}

}  // namespace

void Scd2Changes::clear() {
  removed.clear();
  added.clear();
  puts.clear();
  drops.clear();
}

// The steps of one key. Members keep their memory from key to key.
struct Scd2Kernel::Work {
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
  // The stretch of time after a changed position in which nothing is remembered. Further events
  // that fall into it have the same neighbours, already loaded.
  struct Gap {
    bool known = false;
    bool ends_in_stretch = false;  // the next entry is absorbed, its row is loaded
    bool next_row_loaded = false;
    Found next;  // the entry that ends the gap; absent: the gap is open
    bool holds(const SequenceView& sequence) const {
      return known && (!next.present || sequence < next.entry.sequence);
    }
  };

  Cursor* cursor = nullptr;
  Scd2Counters* counters = nullptr;
  Found greatest_boundary;
  Found greatest_absorbed;
  Gap gap;
  std::vector<Node> nodes;
  std::vector<Row> rows_before;
  std::vector<Row> rows_after;

  void begin(Cursor& key_cursor, Scd2Counters& key_counters);
  Found seek(EntrySet set, Seek how, const SequenceView& sequence);
  bool is_late(const SequenceView& sequence) const;

  void load_events(std::span<const Event> events, Metrics& metrics);
  void load_sequence(std::span<const Event> same_sequence, Metrics& metrics);
  void load_before(const SequenceView& sequence, Found boundary, Found absorbed);
  void load_after(const SequenceView& sequence);
  void load_next_row(const Event& winner);
  void load_last_absorbed(const Found& head, const Found& end);
  void keep(const Found& found);
  void order_nodes();

  void derive_rows_before();
  void derive_rows_after();
  void compare_rows(uint32_t key, Scd2Changes& changes, Metrics& metrics);
  bool same_row(const Row& before, const Row& after) const;
  void add_row(uint32_t key, const Row& row, Scd2Changes& changes);
  void settle_entries(uint32_t key, Scd2Changes& changes);
  void settle_payloads();
  void settle_entry(uint32_t key, const Node& node, Scd2Changes& changes) const;
  ValueSource payload_of_head(const Node& head, const Row& row) const;
  ValueSource payload_of_absorbed(const Node& node, const Node& before) const;
};

Scd2Kernel::Scd2Kernel() : work_(std::make_unique<Work>()) {}
Scd2Kernel::~Scd2Kernel() = default;

void Scd2Kernel::run(uint32_t key, std::span<const Event> events, Cursor& cursor,
                     Scd2Changes& changes, Metrics& metrics) {
  LAKEBED_ASSERT(!events.empty());
  Work& work = *work_;
  work.begin(cursor, counters_);
  work.load_events(events, metrics);
  if (work.nodes.empty()) return;
  work.order_nodes();
  work.derive_rows_before();
  work.derive_rows_after();
  work.compare_rows(key, changes, metrics);
  work.settle_payloads();
  work.settle_entries(key, changes);
}

// ---- the window ----------------------------------------------------------------------------

void Scd2Kernel::Work::begin(Cursor& key_cursor, Scd2Counters& key_counters) {
  cursor = &key_cursor;
  counters = &key_counters;
  nodes.clear();
  rows_before.clear();
  rows_after.clear();
  gap = Gap();
  greatest_boundary = seek(EntrySet::kBoundaries, Seek::kGreatest, {});
  greatest_absorbed = Found();
  // The first entry of a key is a boundary always, so a new key costs one seek.
  if (greatest_boundary.present) {
    greatest_absorbed = seek(EntrySet::kAbsorbed, Seek::kGreatest, {});
  }
}

Scd2Kernel::Work::Found Scd2Kernel::Work::seek(EntrySet set, Seek how,
                                               const SequenceView& sequence) {
  Found found;
  ++counters->seeks;
  found.present = cursor->seek(set, how, sequence, found.entry);
  if (found.present) ++counters->entries_read;
  return found;
}

bool Scd2Kernel::Work::is_late(const SequenceView& sequence) const {
  return (greatest_boundary.present && sequence < greatest_boundary.entry.sequence) ||
         (greatest_absorbed.present && sequence < greatest_absorbed.entry.sequence);
}

void Scd2Kernel::Work::load_events(std::span<const Event> events, Metrics& metrics) {
  const Hash128 key = events.front().key;
  size_t begin = 0;
  while (begin < events.size()) {
    LAKEBED_ASSERT(events[begin].key == key);
    size_t end = begin + 1;
    while (end < events.size() && events[end].sequence == events[begin].sequence) ++end;
    load_sequence(events.subspan(begin, end - begin), metrics);
    begin = end;
  }
}

// Loads what the last arrival at one sequence may touch; nothing where it repeats what stands
// there (rules E4, E5).
void Scd2Kernel::Work::load_sequence(std::span<const Event> same_sequence, Metrics& metrics) {
  const Event& winner = same_sequence.back();
  const SequenceView& sequence = winner.sequence;
  if (is_late(sequence)) metrics.late_events += same_sequence.size();

  Found stood;
  Found boundary;
  Found absorbed;
  const bool in_gap = gap.holds(sequence);
  if (!in_gap) {
    const bool newest = (!greatest_boundary.present ||
                         greatest_boundary.entry.sequence < sequence) &&
                        (!greatest_absorbed.present ||
                         greatest_absorbed.entry.sequence < sequence);
    boundary = newest ? greatest_boundary : seek(EntrySet::kBoundaries, Seek::kAtMost, sequence);
    absorbed = newest || !greatest_absorbed.present
                   ? greatest_absorbed
                   : seek(EntrySet::kAbsorbed, Seek::kAtMost, sequence);
    if (boundary.is_at(sequence)) stood = boundary;
    if (absorbed.is_at(sequence)) stood = absorbed;
  }

  const Event* before = nullptr;
  for (const Event& event : same_sequence) {
    const bool meets = before != nullptr || stood.present;
    const bool repeat = before != nullptr ? is_repeat(*before, event)
                                          : stood.present && is_repeat(event, stood.entry);
    if (meets && !repeat) {
      ++metrics.tied_events;
      if (metrics.first_tied == kNoArrival) metrics.first_tied = event.arrival;
    }
    before = &event;
  }
  if (stood.present && is_repeat(winner, stood.entry)) return;

  Node node;
  node.old = stood.entry;
  node.old.sequence = sequence;
  node.has_old = stood.present;
  node.event = &winner;
  nodes.push_back(node);
  if (!in_gap) {
    load_before(sequence, boundary, absorbed);
    load_after(sequence);
  }
  load_next_row(winner);
}

// The boundary before the position and the last event of its row before the position.
void Scd2Kernel::Work::load_before(const SequenceView& sequence, Found boundary,
                                   Found absorbed) {
  if (boundary.is_at(sequence)) boundary = seek(EntrySet::kBoundaries, Seek::kBelow, sequence);
  if (absorbed.is_at(sequence)) absorbed = seek(EntrySet::kAbsorbed, Seek::kBelow, sequence);
  keep(boundary);
  if (absorbed.is_after(boundary)) keep(absorbed);
}

// The entry after the position; where that is an absorbed one, its row to the end as well: the
// row is about to be cut in two, and its right part needs end and values.
void Scd2Kernel::Work::load_after(const SequenceView& sequence) {
  gap = Gap();
  gap.known = true;
  if (!is_late(sequence)) return;
  const Found boundary = seek(EntrySet::kBoundaries, Seek::kAbove, sequence);
  Found absorbed;
  if (greatest_absorbed.present && greatest_absorbed.entry.sequence > sequence) {
    absorbed = seek(EntrySet::kAbsorbed, Seek::kAbove, sequence);
  }
  keep(boundary);
  gap.next = boundary;
  const bool in_stretch = absorbed.present && !absorbed.is_after(boundary);
  if (!absorbed.present || (boundary.present && !in_stretch)) return;
  gap.next = absorbed;
  gap.ends_in_stretch = true;
  keep(absorbed);
  load_last_absorbed(absorbed, boundary);
}

// A row that begins right after an upsert with equal tracked values is swallowed by its stretch:
// then its last event and its end are needed.
void Scd2Kernel::Work::load_next_row(const Event& winner) {
  if (gap.next_row_loaded || gap.ends_in_stretch || !gap.next.present) return;
  const Entry& next = gap.next.entry;
  if (winner.is_delete() || next.is_delete()) return;
  if (winner.tracked_hash != next.tracked_hash) return;
  gap.next_row_loaded = true;
  Found end;
  if (next.sequence < greatest_boundary.entry.sequence) {
    end = seek(EntrySet::kBoundaries, Seek::kAbove, next.sequence);
  }
  keep(end);
  load_last_absorbed(gap.next, end);
}

// The last absorbed event of a row of which `from` is some event and `end` the boundary after.
void Scd2Kernel::Work::load_last_absorbed(const Found& from, const Found& end) {
  Found last = greatest_absorbed;
  const bool beyond = last.present && end.present && last.entry.sequence > end.entry.sequence;
  if (beyond) last = seek(EntrySet::kAbsorbed, Seek::kBelow, end.entry.sequence);
  if (last.is_after(from)) keep(last);
}

void Scd2Kernel::Work::keep(const Found& found) {
  if (!found.present) return;
  Node node;
  node.old = found.entry;
  node.has_old = true;
  nodes.push_back(node);
}

// Sorts the window; one node a sequence, with the event where one of the copies has it.
void Scd2Kernel::Work::order_nodes() {
  const auto before = [](const Node& a, const Node& b) { return a.sequence() < b.sequence(); };
  if (!std::is_sorted(nodes.begin(), nodes.end(), before)) {
    std::sort(nodes.begin(), nodes.end(), before);
  }
  size_t kept = 0;
  for (size_t at = 1; at < nodes.size(); ++at) {
    if (nodes[at].sequence() == nodes[kept].sequence()) {
      if (nodes[kept].event == nullptr) nodes[kept].event = nodes[at].event;
    } else {
      nodes[++kept] = nodes[at];
    }
  }
  nodes.resize(kept + 1);
}

// ---- rows before and after -------------------------------------------------------------------

namespace {

// Builds rows from a walk over nodes in order (rule B1).
struct RowBuilder {
  std::vector<Row>& rows;
  bool open = false;

  void end_at(uint32_t node) {
    if (open) rows.back().end = node;
    open = false;
  }
  void visit(uint32_t node, EntryKind kind) {
    if (kind == EntryKind::kAbsorbed) {
      LAKEBED_ASSERT(open);
      rows.back().last = node;
      return;
    }
    end_at(node);
    if (kind == EntryKind::kDelete) return;
    rows.push_back({node, node, kNone});
    open = true;
  }
};

}  // namespace

void Scd2Kernel::Work::derive_rows_before() {
  RowBuilder builder{rows_before};
  for (uint32_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].has_old) builder.visit(at, nodes[at].old.kind);
  }
}

// An event heads a row unless it follows an upsert with equal tracked values (rules B1, B3).
void Scd2Kernel::Work::derive_rows_after() {
  RowBuilder builder{rows_after};
  for (uint32_t at = 0; at < nodes.size(); ++at) {
    Node& node = nodes[at];
    const bool is_delete = node.event != nullptr ? node.event->is_delete() : node.old.is_delete();
    const bool in_question = node.event != nullptr || (at > 0 && nodes[at - 1].event != nullptr);
    if (is_delete) {
      node.kind = EntryKind::kDelete;
    } else if (!in_question) {
      node.kind = node.old.kind;
    } else {
      const bool continues = builder.open && at > 0 &&
                             nodes[at - 1].tracked_hash() == node.tracked_hash();
      node.kind = continues ? EntryKind::kAbsorbed : EntryKind::kHead;
    }
    builder.visit(at, node.kind);
  }
}

bool Scd2Kernel::Work::same_row(const Row& before, const Row& after) const {
  return before.head == after.head && before.end == after.end &&
         nodes[before.last].old.value_hash == nodes[after.last].value_hash();
}

void Scd2Kernel::Work::compare_rows(uint32_t key, Scd2Changes& changes, Metrics& metrics) {
  size_t before = 0;
  size_t after = 0;
  const auto head = [](const std::vector<Row>& rows, size_t at) {
    return at < rows.size() ? rows[at].head : kNone;
  };
  while (before < rows_before.size() || after < rows_after.size()) {
    const uint32_t old_head = head(rows_before, before);
    const uint32_t new_head = head(rows_after, after);
    const bool both = old_head == new_head;
    if (both && same_row(rows_before[before], rows_after[after])) {
      ++before;
      ++after;
      continue;
    }
    if (old_head <= new_head) {
      const Entry& entry = nodes[old_head].old;
      changes.removed.push_back({entry.place, entry.sequence});
      if (!both) ++metrics.deleted_rows;
      ++before;
    }
    if (new_head <= old_head) {
      add_row(key, rows_after[after], changes);
      ++metrics.upserted_rows;
      ++after;
    }
  }
}

void Scd2Kernel::Work::add_row(uint32_t key, const Row& row, Scd2Changes& changes) {
  AddedRow added;
  added.start = nodes[row.head].sequence();
  added.has_end = row.end != kNone;
  if (added.has_end) added.end = nodes[row.end].sequence();
  added.values = values_of(nodes[row.last]);
  added.key = key;
  nodes[row.head].row = static_cast<uint32_t>(changes.added.size());
  changes.added.push_back(added);
}

// ---- memory after ----------------------------------------------------------------------------

// A closed row that shows its head's own values is their copy: none is kept beside it. Otherwise
// one is, taken from the row that showed them where none was kept before.
ValueSource Scd2Kernel::Work::payload_of_head(const Node& head, const Row& row) const {
  const bool shown = nodes[row.last].value_hash() == head.value_hash();
  if (row.end != kNone && shown) return {};
  return values_of(head);
}

// An absorbed event always has a payload; equal values right before it are shared (rule B2).
ValueSource Scd2Kernel::Work::payload_of_absorbed(const Node& node, const Node& before) const {
  if (node.event == nullptr) return from_entry(node.old);
  using Kind = ValueSource::Kind;
  const bool equal = before.value_hash() == node.value_hash();
  const bool kept = before.payload.kind == Kind::kHeap || before.payload.kind == Kind::kEvent;
  return equal && kept ? before.payload : from_event(*node.event);
}

void Scd2Kernel::Work::settle_payloads() {
  size_t next_row = 0;
  for (size_t at = 0; at < nodes.size(); ++at) {
    Node& node = nodes[at];
    if (node.kind == EntryKind::kHead) {
      const Row& row = rows_after[next_row++];
      const bool rewritten = node.row != kNone || node.event != nullptr;
      if (rewritten) {
        node.payload = payload_of_head(node, row);
      } else if (node.old.payload != 0) {
        node.payload = from_entry(node.old);
      }
    } else if (node.kind == EntryKind::kAbsorbed) {
      node.payload = payload_of_absorbed(node, nodes[at - 1]);
    }
  }
}

void Scd2Kernel::Work::settle_entries(uint32_t key, Scd2Changes& changes) {
  for (const Node& node : nodes) settle_entry(key, node, changes);
}

void Scd2Kernel::Work::settle_entry(uint32_t key, const Node& node, Scd2Changes& changes) const {
  const bool new_kind = !node.has_old || node.old.kind != node.kind;
  if (node.event == nullptr && !new_kind && node.row == kNone) return;
  if (node.has_old && set_of(node.old.kind) != set_of(node.kind)) {
    changes.drops.push_back({set_of(node.old.kind), node.sequence(), key});
  }
  PutEntry put;
  put.key = key;
  put.row = node.row;
  put.payload = node.payload;
  put.entry.sequence = node.sequence();
  put.entry.kind = node.kind;
  put.entry.payload = node.payload.payload;
  if (node.kind != EntryKind::kDelete) {
    put.entry.value_hash = node.value_hash();
    put.entry.tracked_hash = node.tracked_hash();
  }
  if (node.kind == EntryKind::kHead && node.has_old) put.entry.place = node.old.place;
  changes.puts.push_back(put);
}

}  // namespace lakebed::cdc
