// Bitemporal targets (rules C1 to C3): the kernel's view of the memory, its decisions as rows and
// entries.
//
// The memory holds two kinds of entries, both ordered by a pair of moments: hidden entries are the
// events, (business, system), each with its payload; row entries are the beliefs, (start, system
// start), each with its place and the payload of an event that has its values. A pair is one
// sequence of the memory: the two order codes, one after the other, then for a belief its ends,
// then the lengths (docs/storage.md). Codes are prefix-free, so pairs compare as their moments do.
#include <deque>
#include <unordered_map>

#include "base/names.h"
#include "cdc/bitemporal.h"
#include "run/apply/apply.h"
#include "run/batch/old_values.h"
#include "run/batch/pair_code.h"
#include "state/row_codec.h"
#include "value/order.h"

namespace lakebed::run {

namespace {

using cdc::Belief;
using cdc::Moment;
using value::Column;
using value::ColumnBatch;

// An error of the memory is kept for later: the kernel sees "nothing there", and its answer is not
// used.
class PairCursor : public cdc::BitemporalCursor {
 public:
  explicit PairCursor(const state::TableState& memory) : cursor_(memory) {}

  Status move_to(const Hash128& key) {
    codes_.clear();
    LAKEBED_ASSIGN(known_, cursor_.seek(key));
    return {};
  }
  Status status() const { return status_; }

  bool event(cdc::Seek how, Moment business, Moment system, cdc::BusinessEvent& out) override {
    const auto entry = ask(state::EntryKind::kHidden, how, business, system);
    if (!entry) return false;
    codes_.push_back(pair_bytes(entry->sequence));
    const PairCode pair = read_pair(codes_.back());
    out = {pair.first, pair.second, entry->value_hash, {}, entry->is_delete()};
    if (!entry->is_delete()) out.values = heap_source(*entry);
    return true;
  }

  bool belief(cdc::Seek how, Moment start, Moment system_start, Belief& out) override {
    const auto entry = ask(state::EntryKind::kRow, how, start, system_start);
    if (!entry) return false;
    codes_.push_back(pair_bytes(entry->sequence));
    const PairCode pair = read_pair(codes_.back());
    out.start = pair.first;
    out.system_start = pair.second;
    out.end = pair.first_end;
    out.system_end = pair.second_end;
    out.value_hash = entry->value_hash;
    out.values = heap_source(*entry);
    out.place = {entry->file, entry->row};
    return true;
  }

 private:
  static cdc::ValueSource heap_source(const state::Entry& entry) {
    return {cdc::ValueSource::Kind::kHeap, cdc::kNoArrival, entry.payload, {}};
  }

  std::optional<state::Entry> ask(state::EntryKind kind, cdc::Seek how, Moment first,
                                  Moment second) {
    if (!known_ || !status_.ok()) return std::nullopt;
    auto found = answer(kind, how, first, second);
    if (found.ok()) return *found;
    status_ = std::move(found).error();
    return std::nullopt;
  }

  Result<std::optional<state::Entry>> answer(state::EntryKind kind, cdc::Seek how, Moment first,
                                             Moment second) {
    if (how == cdc::Seek::kGreatest) return cursor_.greatest(kind);
    const bool behind = how == cdc::Seek::kAtMost || how == cdc::Seek::kAbove;
    const value::SequenceCode bound =
        pair_bound(first, second, behind ? PairEdge::kBehind : PairEdge::kBefore);
    const bool down = how == cdc::Seek::kAtMost || how == cdc::Seek::kBelow;
    return down ? cursor_.below(kind, bound) : cursor_.above(kind, bound);
  }

  state::Cursor cursor_;
  bool known_ = false;
  Status status_;
  std::deque<std::string> codes_;  // of the key, what moments point into
};

class BitemporalApplier {
 public:
  BitemporalApplier(ApplyContext& context, const EventBatch& batch)
      : context_(context), batch_(batch), old_(context, context.columns) {}

  Status run(TargetCommit& commit, cdc::Metrics& metrics);

 private:
  Status decide(cdc::Metrics& metrics);
  void own_moments(size_t first_event, size_t first_belief);
  Moment own(Moment code);
  void own(Belief& belief);
  Status write_rows(TargetCommit& commit);
  ColumnBatch with_times(ColumnBatch values, const std::vector<size_t>& changes) const;
  Result<uint64_t> payload_of(const cdc::ValueSource& values, TargetCommit& commit);
  Status remember(TargetCommit& commit);

  ApplyContext& context_;
  const EventBatch& batch_;
  OldValues old_;
  cdc::BitemporalChanges changes_;
  std::vector<Hash128> keys_;
  std::deque<std::string> moments_;
  std::vector<cdc::Place> places_;               // by index of the change, where it has a row
  std::unordered_map<uint32_t, uint64_t> kept_;  // arrival -> payload
};

Moment BitemporalApplier::own(Moment code) { return moments_.emplace_back(code); }

void BitemporalApplier::own(Belief& belief) {
  belief.start = own(belief.start);
  belief.system_start = own(belief.system_start);
  if (belief.end) belief.end = own(*belief.end);
  if (belief.system_end) belief.system_end = own(*belief.system_end);
}

// What the cursor of one key showed is gone with the next key: only what changes is kept.
void BitemporalApplier::own_moments(size_t first_event, size_t first_belief) {
  for (size_t i = first_event; i < changes_.events.size(); ++i) {
    changes_.events[i].event.business = own(changes_.events[i].event.business);
    changes_.events[i].event.system = own(changes_.events[i].event.system);
  }
  for (size_t i = first_belief; i < changes_.beliefs.size(); ++i) {
    if (changes_.beliefs[i].before) own(*changes_.beliefs[i].before);
    if (changes_.beliefs[i].after) own(*changes_.beliefs[i].after);
  }
}

Status BitemporalApplier::decide(cdc::Metrics& metrics) {
  PairCursor cursor(*context_.table.memory);
  cdc::BitemporalKernel kernel;
  const std::vector<cdc::BitemporalEvent>& events = batch_.bitemporal;
  changes_.events.reserve(events.size());
  changes_.beliefs.reserve(2 * events.size());  // the row that ends and the one that begins
  for (size_t begin = 0; begin < events.size();) {
    size_t end = begin + 1;
    while (end < events.size() && events[end].key == events[begin].key) ++end;
    LAKEBED_TRY(cursor.move_to(events[begin].key));
    const size_t first_event = changes_.events.size();
    const size_t first_belief = changes_.beliefs.size();
    kernel.run(static_cast<uint32_t>(keys_.size()), std::span(events).subspan(begin, end - begin),
               cursor, changes_, metrics);
    LAKEBED_TRY(cursor.status());
    own_moments(first_event, first_belief);
    keys_.push_back(events[begin].key);
    begin = end;
  }
  return {};
}

// Adds the four time columns (rule C1) and brings the columns into the table's order.
ColumnBatch BitemporalApplier::with_times(ColumnBatch values,
                                          const std::vector<size_t>& changes) const {
  const auto times = [&](const value::Type& type, auto&& moment_of) {
    Column column(type);
    for (const size_t change : changes) {
      const std::optional<Moment> code = moment_of(*changes_.beliefs[change].after);
      if (code) {
        value::decode_order_code(*code, column);
      } else {
        column.append_null();
      }
    }
    return column;
  };
  using Optional = std::optional<Moment>;
  const value::Type& business = context_.plan.sequence_type;
  const value::Type& system = context_.plan.system_type;
  ColumnBatch out;
  out.schema = context_.schema;
  out.rows = changes.size();
  size_t next = 0;
  for (const value::Field& field : context_.schema) {
    if (same_name(field.name, "__START_AT")) {
      out.columns.push_back(times(business, [](const Belief& b) { return Optional(b.start); }));
    } else if (same_name(field.name, "__END_AT")) {
      out.columns.push_back(times(business, [](const Belief& b) { return b.end; }));
    } else if (same_name(field.name, "__SYSTEM_START_AT")) {
      out.columns.push_back(
          times(system, [](const Belief& b) { return Optional(b.system_start); }));
    } else if (same_name(field.name, "__SYSTEM_END_AT")) {
      out.columns.push_back(times(system, [](const Belief& b) { return b.system_end; }));
    } else {
      out.columns.push_back(std::move(values.columns[next++]));
    }
  }
  return out;
}

Status BitemporalApplier::write_rows(TargetCommit& commit) {
  std::vector<size_t> from_events;
  std::vector<size_t> from_heap;
  for (size_t i = 0; i < changes_.beliefs.size(); ++i) {
    const auto& after = changes_.beliefs[i].after;
    if (!after) continue;
    const bool event = after->values.kind == cdc::ValueSource::Kind::kEvent;
    (event ? from_events : from_heap).push_back(i);
  }
  const auto arrival_of = [this](size_t change) {
    return changes_.beliefs[change].after->values.arrival;
  };
  std::stable_sort(from_events.begin(), from_events.end(),
                   [&](size_t a, size_t b) { return arrival_of(a) < arrival_of(b); });
  std::vector<uint32_t> arrivals;
  for (const size_t change : from_events) arrivals.push_back(arrival_of(change));
  ColumnBatch heap = ColumnBatch::empty(context_.columns);
  for (const size_t change : from_heap) {
    LAKEBED_TRY(old_.add_heap(changes_.beliefs[change].after->values.payload, heap.columns));
    ++heap.rows;
  }
  std::vector<ColumnBatch> batches;
  std::vector<size_t> order;
  const auto add = [&](ColumnBatch values, const std::vector<size_t>& changes) {
    if (changes.empty()) return;
    batches.push_back(with_times(std::move(values), changes));
    order.insert(order.end(), changes.begin(), changes.end());
  };
  add(batch_.gather(arrivals), from_events);
  add(std::move(heap), from_heap);
  std::vector<const ColumnBatch*> inputs;
  for (const ColumnBatch& batch : batches) inputs.push_back(&batch);
  std::vector<cdc::Place> written;
  LAKEBED_TRY(commit.write_rows(inputs, context_.schema,
                                context_.table.snapshot.partition_columns(), &written));
  places_.resize(changes_.beliefs.size());
  for (size_t i = 0; i < order.size(); ++i) places_[order[i]] = written[i];
  return {};
}

Result<uint64_t> BitemporalApplier::payload_of(const cdc::ValueSource& values,
                                               TargetCommit& commit) {
  using Kind = cdc::ValueSource::Kind;
  if (values.kind == Kind::kHeap) return values.payload;
  if (values.kind != Kind::kEvent) return uint64_t{0};
  const auto known = kept_.find(values.arrival);
  if (known != kept_.end()) return known->second;
  const EventBatch::Location at = batch_.locate(values.arrival);
  std::string row;
  state::append_row(batch_.parts[at.part].columns, at.row, row);
  const uint32_t schema_id = commit.memory().schema_id(context_.columns);
  LAKEBED_ASSIGN(const uint64_t payload, commit.memory().append_payload(schema_id, row));
  kept_[values.arrival] = payload;
  return payload;
}

// Events and beliefs as entries. A belief whose end changes is another entry: the old one goes.
Status BitemporalApplier::remember(TargetCommit& commit) {
  std::vector<state::Entry> entries;
  entries.reserve(changes_.events.size() + 2 * changes_.beliefs.size());
  std::deque<value::SequenceCode> codes;
  const auto add = [&](uint32_t key, value::SequenceCode code, uint8_t flags) -> state::Entry& {
    state::Entry entry;
    entry.key = keys_[key];
    codes.push_back(std::move(code));
    entry.sequence = codes.back();
    entry.flags = flags;
    entries.push_back(entry);
    return entries.back();
  };
  for (const auto& [event, key] : changes_.events) {
    const uint8_t flags = event.deletes ? state::kHiddenBit | state::kDeleteBit : state::kHiddenBit;
    state::Entry& entry = add(key, pair_code(event.business, event.system), flags);
    entry.value_hash = event.value_hash;
    entry.tracked_hash = event.value_hash;
    LAKEBED_ASSIGN(entry.payload, payload_of(event.values, commit));
  }
  const auto code_of = [](const Belief& belief) {
    return pair_code(belief.start, belief.system_start, belief.end, belief.system_end);
  };
  for (size_t i = 0; i < changes_.beliefs.size(); ++i) {
    const auto& [before, after, key] = changes_.beliefs[i];
    if (before && (!after || code_of(*before) != code_of(*after))) {
      add(key, code_of(*before), state::kGoneBit);
    }
    if (!after) continue;
    state::Entry& entry = add(key, code_of(*after), state::kHasPlaceBit);
    entry.value_hash = after->value_hash;
    entry.tracked_hash = after->value_hash;
    entry.file = places_[i].file;
    entry.row = places_[i].row;
    LAKEBED_ASSIGN(entry.payload, payload_of(after->values, commit));
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return state::compare_entries(a, b) < 0; });
  return commit.memory().add_entries(entries);
}

Status BitemporalApplier::run(TargetCommit& commit, cdc::Metrics& metrics) {
  LAKEBED_TRY(decide(metrics));
  LAKEBED_TRY(write_rows(commit));
  std::vector<cdc::Place> removed;
  for (const auto& change : changes_.beliefs) {
    if (change.before) removed.push_back(change.before->place);
  }
  LAKEBED_TRY(commit.remove_rows(removed));
  return remember(commit);
}

}  // namespace

Status apply_bitemporal(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                        cdc::Metrics& metrics) {
  return BitemporalApplier(context, batch).run(commit, metrics);
}

}  // namespace lakebed::run
