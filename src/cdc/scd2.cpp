// From the window of a key to the answer: rows are derived from it twice, as it was and as it is,
// by the obvious walk; what differs is removed and added. Then each entry gets its kind, its row
// and a payload. Why the window suffices: scd2_window.h.
#include "cdc/scd2.h"

#include "cdc/scd2_window.h"

namespace lakebed::cdc {

namespace {

using Node = Scd2Node;

constexpr uint32_t kNone = UINT32_MAX;  // no node

// A visible row as nodes of the window. `end` is kNone for an open row.
struct Row {
  uint32_t head = kNone;
  uint32_t last = kNone;
  uint32_t end = kNone;
};

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
  bool keeps_all = false;
  Scd2Window window;
  std::vector<Row> rows_before;
  std::vector<Row> rows_after;

  void derive_rows_before();
  void derive_rows_after();
  void compare_rows(uint32_t key, Scd2Changes& changes, Metrics& metrics);
  bool same_row(const Row& before, const Row& after);
  void add_row(uint32_t key, const Row& row, Scd2Changes& changes);
  void settle_payloads();
  ValueSource payload_of_head(const Node& head, const Row& row);
  ValueSource payload_of_absorbed(const Node& node, const Node& before) const;
  void settle_entry(uint32_t key, const Node& node, Scd2Changes& changes) const;
};

Scd2Kernel::Scd2Kernel(Payloads payloads) : work_(std::make_unique<Work>()) {
  work_->keeps_all = payloads == Payloads::kAll;
}
Scd2Kernel::~Scd2Kernel() = default;

void Scd2Kernel::run(uint32_t key, std::span<const Event> events, Cursor& cursor,
                     Scd2Changes& changes, Metrics& metrics) {
  LAKEBED_ASSERT(!events.empty());
  Work& work = *work_;
  work.window.load(events, cursor, counters_, metrics);
  if (work.window.nodes().empty()) return;
  work.derive_rows_before();
  work.derive_rows_after();
  work.compare_rows(key, changes, metrics);
  work.settle_payloads();
  for (const Node& node : work.window.nodes()) work.settle_entry(key, node, changes);
}

// ---- rows before and after -------------------------------------------------------------------

void Scd2Kernel::Work::derive_rows_before() {
  const std::vector<Node>& nodes = window.nodes();
  rows_before.clear();
  RowBuilder builder{rows_before};
  for (uint32_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].has_old) builder.visit(at, nodes[at].old.kind);
  }
}

// An event heads a row unless it follows an upsert with equal tracked values (rules B1, B3).
void Scd2Kernel::Work::derive_rows_after() {
  std::vector<Node>& nodes = window.nodes();
  rows_after.clear();
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
      const bool continues =
          builder.open && at > 0 && nodes[at - 1].tracked_hash() == node.tracked_hash();
      node.kind = continues ? EntryKind::kAbsorbed : EntryKind::kHead;
    }
    builder.visit(at, node.kind);
  }
}

bool Scd2Kernel::Work::same_row(const Row& before, const Row& after) {
  const std::vector<Node>& nodes = window.nodes();
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
      const Entry& entry = window.nodes()[old_head].old;
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
  std::vector<Node>& nodes = window.nodes();
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
ValueSource Scd2Kernel::Work::payload_of_head(const Node& head, const Row& row) {
  const bool shown = window.nodes()[row.last].value_hash() == head.value_hash();
  if (row.end != kNone && shown && !keeps_all) return {};
  return values_of(head);
}

// An absorbed event always has a payload; equal values right before it are shared (rule B2).
ValueSource Scd2Kernel::Work::payload_of_absorbed(const Node& node, const Node& before) const {
  if (node.event == nullptr) return from_entry(node.old);
  if (keeps_all) return from_event(*node.event);
  using Kind = ValueSource::Kind;
  const bool equal = before.value_hash() == node.value_hash();
  const bool kept = before.payload.kind == Kind::kHeap || before.payload.kind == Kind::kEvent;
  return equal && kept ? before.payload : from_event(*node.event);
}

void Scd2Kernel::Work::settle_payloads() {
  std::vector<Node>& nodes = window.nodes();
  size_t next_row = 0;
  for (size_t at = 0; at < nodes.size(); ++at) {
    Node& node = nodes[at];
    if (node.kind == EntryKind::kHead) {
      const Row& row = rows_after[next_row++];
      const bool rewritten = node.row != kNoRow || node.event != nullptr;
      if (rewritten) {
        node.payload = payload_of_head(node, row);
      } else if (node.old.payload != 0) {
        node.payload = from_entry(node.old);
      }
    } else if (node.kind == EntryKind::kAbsorbed) {
      node.payload = payload_of_absorbed(node, nodes[at - 1]);
    } else if (node.event != nullptr && !node.event->is_tombstone()) {
      node.payload = from_event(*node.event);  // of a hidden row (rule F6)
    }
  }
}

void Scd2Kernel::Work::settle_entry(uint32_t key, const Node& node, Scd2Changes& changes) const {
  const bool new_kind = !node.has_old || node.old.kind != node.kind;
  if (node.event == nullptr && !new_kind && node.row == kNoRow) return;
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
  put.entry.value_hash = node.value_hash();  // of a delete: 0, or that of the row it hides
  if (node.kind != EntryKind::kDelete) put.entry.tracked_hash = node.tracked_hash();
  if (node.kind == EntryKind::kHead && node.has_old) put.entry.place = node.old.place;
  changes.puts.push_back(put);
}

}  // namespace lakebed::cdc
