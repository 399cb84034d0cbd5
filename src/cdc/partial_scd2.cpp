#include "cdc/partial_scd2.h"

#include <algorithm>

namespace lakebed::cdc {

namespace {

struct Found {
  Entry entry;
  bool present = false;
};

}  // namespace

// The walk along one key. `before` and `after` are the row that holds at the position, without and
// with the batch: what differs between them is what later events may inherit anew.
struct PartialScd2::Work {
  explicit Work(size_t count) : leaves(count), all(all_leaves(count)) {}

  size_t leaves;
  std::vector<uint64_t> all;
  HistoryOfRows* history = nullptr;
  Resolved* out = nullptr;
  uint32_t key = 0;

  Found next;               // the first remembered entry at or after the position
  bool positioned = false;  // else the walk was left: before, after and next mean nothing
  Found greatest;
  std::vector<Source> before;
  std::vector<Source> after;

  // The event that stands at one sequence while others of the batch fold into it.
  enum class Standing : uint8_t { kNothing, kUpsert, kDelete };
  Standing standing = Standing::kNothing;
  std::vector<uint64_t> written;
  const Entry* unread = nullptr;  // what stood there, where its values are not at hand

  Found seek(Seek how, const SequenceView& sequence);
  void begin(HistoryOfRows& of, Resolved& answer, uint32_t number);
  void set_both(Source source);
  bool differ(size_t leaf);
  bool any_differs();
  void walk_to(const SequenceView* limit);
  void move_to(const SequenceView& sequence);
  void visit(const Entry& entry);
  void stand_on(const Entry& entry);
  bool fold(const PartialEvent& event);
  bool is_repeat_of_standing(const PartialEvent& event);
  bool inherits_anew(Source stood);
  void apply(std::span<const PartialEvent> same_sequence, Metrics& metrics);
  void emit(const SequenceView& sequence, Operation operation, bool rewrites);
};

PartialScd2::PartialScd2(size_t leaves) : work_(std::make_unique<Work>(leaves)) {}
PartialScd2::~PartialScd2() = default;

void PartialScd2::run(uint32_t key, std::span<const PartialEvent> events, HistoryOfRows& history,
                      Resolved& out, Metrics& metrics) {
  LAKEBED_ASSERT(!events.empty());
  Work& work = *work_;
  work.begin(history, out, key);
  size_t first = 0;
  while (first < events.size()) {
    size_t end = first + 1;
    while (end < events.size() && events[end].sequence == events[first].sequence) ++end;
    work.move_to(events[first].sequence);
    work.apply(events.subspan(first, end - first), metrics);
    work.walk_to(end < events.size() ? &events[end].sequence : nullptr);
    first = end;
  }
}

void PartialScd2::Work::begin(HistoryOfRows& of, Resolved& answer, uint32_t number) {
  history = &of;
  out = &answer;
  out->leaves = leaves;
  key = number;
  greatest = seek(Seek::kGreatest, {});
  next = Found();
  positioned = !greatest.present;  // before all there is nothing
  set_both(kNulls);
}

// Of both sets of entries: the later one where we look back, the earlier one where we look ahead.
Found PartialScd2::Work::seek(Seek how, const SequenceView& sequence) {
  Found boundary;
  Found absorbed;
  boundary.present = history->seek(EntrySet::kBoundaries, how, sequence, boundary.entry);
  absorbed.present = history->seek(EntrySet::kAbsorbed, how, sequence, absorbed.entry);
  if (!boundary.present) return absorbed;
  if (!absorbed.present) return boundary;
  const bool ahead = how == Seek::kAbove || how == Seek::kAtLeast;
  const bool boundary_first = boundary.entry.sequence < absorbed.entry.sequence;
  return boundary_first == ahead ? boundary : absorbed;
}

void PartialScd2::Work::set_both(Source source) {
  before.assign(leaves, source);
  after.assign(leaves, source);
}

bool PartialScd2::Work::differ(size_t leaf) {
  return before[leaf] != after[leaf] && !history->same(leaf, before[leaf], after[leaf]);
}

bool PartialScd2::Work::any_differs() {
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    if (differ(leaf)) return true;
  }
  return false;
}

// Carries what has changed over the remembered events below the limit. Where nothing differs any
// more the walk is left: what comes then stays as it is.
void PartialScd2::Work::walk_to(const SequenceView* limit) {
  while (positioned && next.present && (limit == nullptr || next.entry.sequence < *limit)) {
    if (!any_differs()) {
      positioned = false;
      return;
    }
    const Entry entry = next.entry;
    visit(entry);
    next = seek(Seek::kAbove, entry.sequence);
  }
}

// Makes `before` and `after` the row before the sequence, and `next` the first entry at or after.
void PartialScd2::Work::move_to(const SequenceView& sequence) {
  if (positioned) return;  // walk_to came as far as this
  positioned = true;
  const bool beyond = greatest.entry.sequence < sequence;
  const Found last = beyond ? greatest : seek(Seek::kBelow, sequence);
  next = beyond ? Found() : seek(Seek::kAtLeast, sequence);
  set_both(kNulls);
  if (last.present && !last.entry.is_tombstone()) set_both(history->row_of(last.entry).source);
}

// A remembered event that is not in the batch takes what it did not write from the row before it.
void PartialScd2::Work::visit(const Entry& entry) {
  stand_on(entry);
  if (standing == Standing::kDelete) return;
  if (inherits_anew(before[0])) emit(entry.sequence, Operation::kUpsert, false);
}

void PartialScd2::Work::stand_on(const Entry& entry) {
  unread = nullptr;
  if (entry.is_tombstone()) {
    standing = Standing::kDelete;
    written = all;
    set_both(kNulls);
    return;
  }
  standing = Standing::kUpsert;
  const HistoryOfRows::Row row = history->row_of(entry);
  written.assign(row.written.begin(), row.written.end());
  if (!row.at_hand) unread = &entry;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    before[leaf] = row.source;
    if (has_leaf(written, leaf)) after[leaf] = row.source;
  }
}

// True where a leaf that the standing event did not write differs from what it showed.
bool PartialScd2::Work::inherits_anew(Source stood) {
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    if (has_leaf(written, leaf) || after[leaf] == stood) continue;
    if (!history->same(leaf, after[leaf], stood)) return true;
  }
  return false;
}

// Rule E5 between an event and what has been folded at its sequence so far.
bool PartialScd2::Work::is_repeat_of_standing(const PartialEvent& event) {
  if (standing != Standing::kUpsert || !is_subset(event.written, written)) return false;
  if (unread != nullptr) return unread->value_hash == event.value_hash;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    if (!has_leaf(event.written, leaf) || after[leaf] == event.source) continue;
    if (!history->same(leaf, after[leaf], event.source)) return false;
  }
  return true;
}

// Folds one event into what stands at its sequence, in the order of arrival (rule P3); false where
// that changes nothing. A delete wrote NULL to all leaves, so nothing older shines through what is
// folded on it.
bool PartialScd2::Work::fold(const PartialEvent& event) {
  if (event.is_delete()) {
    if (standing == Standing::kDelete) return false;
    standing = Standing::kDelete;
    written = all;
    after.assign(leaves, kNulls);
    return true;
  }
  if (is_repeat_of_standing(event)) return false;
  if (standing == Standing::kNothing) written.assign(all.size(), 0);
  standing = Standing::kUpsert;
  unread = nullptr;
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    if (has_leaf(event.written, leaf)) after[leaf] = event.source;
  }
  for (size_t i = 0; i < written.size(); ++i) written[i] |= event.written[i];
  return true;
}

void PartialScd2::Work::apply(std::span<const PartialEvent> same_sequence, Metrics& metrics) {
  const SequenceView& sequence = same_sequence.front().sequence;
  if (greatest.present && sequence < greatest.entry.sequence) {
    metrics.late_events += same_sequence.size();
  }
  const bool stood = next.present && next.entry.sequence == sequence;
  const Entry old = next.entry;
  standing = Standing::kNothing;
  unread = nullptr;
  if (stood) {
    stand_on(old);
    next = seek(Seek::kAbove, sequence);
  }
  bool changed = false;
  for (const PartialEvent& event : same_sequence) {
    const bool met = standing != Standing::kNothing;
    if (!fold(event)) continue;
    changed = true;
    if (met) count_partial_tie(event, metrics);
  }
  const bool is_delete = standing == Standing::kDelete;
  if (!changed && (is_delete || !inherits_anew(before[0]))) return;
  emit(sequence, is_delete ? Operation::kDelete : Operation::kUpsert, changed);
}

void PartialScd2::Work::emit(const SequenceView& sequence, Operation operation, bool rewrites) {
  out->events.push_back({sequence, operation, rewrites && operation == Operation::kUpsert, key});
  out->sources.insert(out->sources.end(), after.begin(), after.end());
  out->written.insert(out->written.end(), written.begin(), written.end());
}

}  // namespace lakebed::cdc
