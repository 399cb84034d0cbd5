#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/names.h"
#include "cdc/scd2.h"
#include "run/apply/apply.h"
#include "run/apply/memory_cursor.h"
#include "run/batch/old_values.h"
#include "state/row_codec.h"

namespace lakebed::run {

namespace {

using value::Column;
using value::ColumnBatch;

class Scd2Applier {
 public:
  Scd2Applier(ApplyContext& context, const EventBatch& batch)
      : context_(context), batch_(batch), old_(context, context.columns) {}

  Status run(TargetCommit& commit, cdc::Metrics& metrics);

 private:
  Status decide(cdc::Metrics& metrics);
  Status read_old_rows();
  Status write_added(TargetCommit& commit);
  Result<uint64_t> keep_payload(const cdc::ValueSource& source, TargetCommit& commit);
  Status remember(TargetCommit& commit);
  ColumnBatch with_times(ColumnBatch values, const std::vector<size_t>& rows) const;

  ApplyContext& context_;
  const EventBatch& batch_;
  OldValues old_;
  std::unique_ptr<MemoryCursor> cursor_;  // views of entries point into the memory, not into it
  cdc::Scd2Changes changes_;
  std::vector<Hash128> keys_;
  std::vector<state::Entry> forgotten_;
  std::vector<cdc::Place> places_;  // of the added rows
  ColumnBatch old_rows_;            // read back from the table
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> old_row_at_;
  std::unordered_map<uint32_t, uint64_t> kept_;  // arrival -> payload
};

Status Scd2Applier::decide(cdc::Metrics& metrics) {
  cursor_ = std::make_unique<MemoryCursor>(*context_.table.memory, context_.expiry);
  // Rule P3: who wrote what lies beside the values.
  cdc::Scd2Kernel kernel(context_.authors ? cdc::Payloads::kAll : cdc::Payloads::kWhereNeeded);
  Status status;
  cdc::for_each_key(batch_.events, [&](std::span<const cdc::Event> events) {
    if (!status.ok()) return;
    status = cursor_->move_to(events.front().key);
    if (!status.ok()) return;
    const size_t puts = changes_.puts.size();
    kernel.run(static_cast<uint32_t>(keys_.size()), events, *cursor_, changes_, metrics);
    status = cursor_->status();
    // Rule F4: what the key was judged without must not count again.
    const auto& old = cursor_->passed_over();
    if (changes_.puts.size() > puts) forgotten_.insert(forgotten_.end(), old.begin(), old.end());
    keys_.push_back(events.front().key);
  });
  return status;
}

// Rows whose values are neither in the batch nor in the heap: closed ones that a late event meets.
Status Scd2Applier::read_old_rows() {
  std::vector<cdc::Place> wanted;
  const auto want = [&](const cdc::ValueSource& source) {
    if (source.kind != cdc::ValueSource::Kind::kOldRow) return;
    const auto number = static_cast<uint32_t>(wanted.size());
    const std::pair key(source.place.file, source.place.row);
    if (old_row_at_.emplace(key, number).second) wanted.push_back(source.place);
  };
  for (const cdc::AddedRow& row : changes_.added) want(row.values);
  for (const cdc::PutEntry& put : changes_.puts) want(put.payload);
  if (wanted.empty()) return {};
  LAKEBED_ASSIGN(old_rows_, old_.read_places(wanted));
  return {};
}

// Adds __START_AT and __END_AT (rule B4) and brings the columns into the table's order.
ColumnBatch Scd2Applier::with_times(ColumnBatch values, const std::vector<size_t>& rows) const {
  Column start(context_.plan.sequence_type);
  Column end(context_.plan.sequence_type);
  for (const size_t row : rows) {
    const cdc::AddedRow& added = changes_.added[row];
    value::decode_sequence(added.start.own(), start);
    if (added.has_end) {
      value::decode_sequence(added.end.own(), end);
    } else {
      end.append_null();
    }
  }
  ColumnBatch out;
  out.schema = context_.schema;
  out.rows = rows.size();
  size_t next = 0;
  for (const value::Field& field : context_.schema) {
    if (same_name(field.name, "__START_AT")) {
      out.columns.push_back(std::move(start));
    } else if (same_name(field.name, "__END_AT")) {
      out.columns.push_back(std::move(end));
    } else {
      out.columns.push_back(std::move(values.columns[next++]));
    }
  }
  return out;
}

Status Scd2Applier::write_added(TargetCommit& commit) {
  using Kind = cdc::ValueSource::Kind;
  std::vector<size_t> from_events;
  std::vector<size_t> from_heap;
  std::vector<size_t> from_table;
  for (size_t i = 0; i < changes_.added.size(); ++i) {
    const Kind kind = changes_.added[i].values.kind;
    (kind == Kind::kEvent  ? from_events
     : kind == Kind::kHeap ? from_heap
                           : from_table)
        .push_back(i);
  }
  std::stable_sort(from_events.begin(), from_events.end(), [this](size_t a, size_t b) {
    return changes_.added[a].values.arrival < changes_.added[b].values.arrival;
  });
  std::vector<uint32_t> arrivals;
  for (const size_t i : from_events) arrivals.push_back(changes_.added[i].values.arrival);
  ColumnBatch heap = ColumnBatch::empty(context_.columns);
  for (const size_t i : from_heap) {
    LAKEBED_TRY(old_.add_heap(changes_.added[i].values.payload, heap.columns));
    ++heap.rows;
  }
  std::vector<uint32_t> old_numbers;
  for (const size_t i : from_table) {
    const cdc::Place& place = changes_.added[i].values.place;
    old_numbers.push_back(old_row_at_.at({place.file, place.row}));
  }
  std::vector<ColumnBatch> batches;
  std::vector<size_t> order;
  const auto add = [&](ColumnBatch values, const std::vector<size_t>& rows) {
    if (rows.empty()) return;
    batches.push_back(with_times(std::move(values), rows));
    order.insert(order.end(), rows.begin(), rows.end());
  };
  add(batch_.gather(arrivals), from_events);
  add(std::move(heap), from_heap);
  if (!from_table.empty()) {
    ColumnBatch table_rows;
    for (const Column& column : old_rows_.columns) {
      table_rows.columns.push_back(column.gather(old_numbers));
    }
    add(std::move(table_rows), from_table);
  }
  std::vector<const ColumnBatch*> inputs;
  for (const ColumnBatch& batch : batches) inputs.push_back(&batch);
  std::vector<cdc::Place> written;
  LAKEBED_TRY(commit.write_rows(inputs, context_.schema,
                                context_.table.snapshot.partition_columns(), &written));
  places_.resize(changes_.added.size());
  for (size_t i = 0; i < order.size(); ++i) places_[order[i]] = written[i];
  return {};
}

Result<uint64_t> Scd2Applier::keep_payload(const cdc::ValueSource& source, TargetCommit& commit) {
  using Kind = cdc::ValueSource::Kind;
  if (source.kind == Kind::kNone) return uint64_t{0};
  if (source.kind == Kind::kHeap) return source.payload;
  if (source.kind == Kind::kEvent) {
    const auto known = kept_.find(source.arrival);
    if (known != kept_.end()) return known->second;
    LAKEBED_ASSIGN(const uint64_t payload, keep_event(context_, batch_, source.arrival, commit));
    kept_[source.arrival] = payload;
    return payload;
  }
  const uint32_t number = old_row_at_.at({source.place.file, source.place.row});
  return keep_row(context_, old_rows_.columns, number, batch_.authors_before, commit);
}

Status Scd2Applier::remember(TargetCommit& commit) {
  std::vector<state::Entry> entries;
  entries.reserve(changes_.puts.size() + changes_.drops.size());
  for (const cdc::PutEntry& put : changes_.puts) {
    cdc::Entry entry = put.entry;
    LAKEBED_ASSIGN(entry.payload, keep_payload(put.payload, commit));
    if (put.row != cdc::kNoRow) entry.place = places_[put.row];
    entries.push_back(to_memory(keys_[put.key], entry));
    if (entry.kind != cdc::EntryKind::kHead) entries.back().applied_at = context_.applied_at;
  }
  for (const cdc::DroppedEntry& drop : changes_.drops) {
    state::Entry gone;
    gone.key = keys_[drop.key];
    gone.sequence = drop.sequence;
    gone.flags = state::kGoneBit;
    if (drop.set == cdc::EntrySet::kAbsorbed) gone.flags |= state::kHiddenBit;
    entries.push_back(gone);
  }
  for (const state::Entry& old : forgotten_) {
    state::Entry gone;
    gone.key = old.key;
    gone.sequence = old.sequence;
    gone.flags = static_cast<uint8_t>(state::kGoneBit | (old.flags & state::kHiddenBit));
    entries.push_back(gone);
  }
  // Puts stand before drops here, so a stable sort keeps the put of an identity in front.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return state::compare_entries(a, b) < 0; });
  const auto same = [](const state::Entry& a, const state::Entry& b) {
    return state::compare_entries(a, b) == 0;
  };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  return commit.memory().add_entries(entries);
}

Status Scd2Applier::run(TargetCommit& commit, cdc::Metrics& metrics) {
  LAKEBED_TRY(decide(metrics));
  if (context_.check) LAKEBED_TRY(context_.check(changes_));
  LAKEBED_TRY(read_old_rows());
  LAKEBED_TRY(write_added(commit));
  std::vector<cdc::Place> removed;
  for (const cdc::RemovedRow& row : changes_.removed) removed.push_back(row.place);
  LAKEBED_TRY(commit.remove_rows(removed));
  return remember(commit);
}

}  // namespace

Status apply_scd2(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics) {
  return Scd2Applier(context, batch).run(commit, metrics);
}

}  // namespace lakebed::run
