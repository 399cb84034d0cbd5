#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/names.h"
#include "cdc/scd2.h"
#include "delta/partition.h"
#include "delta/schema.h"
#include "run/apply.h"
#include "state/row_codec.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

using value::Column;
using value::ColumnBatch;

// The kernel's view of one key in the memory. An error of the memory is kept for later: the
// kernel sees "nothing there", and its answer is not used.
class MemoryCursor : public cdc::Cursor {
 public:
  explicit MemoryCursor(const state::TableState& memory) : cursor_(memory) {}

  Status move_to(const Hash128& key) {
    LAKEBED_ASSIGN(known_, cursor_.seek(key));
    return {};
  }

  bool seek(cdc::EntrySet set, cdc::Seek how, const value::SequenceView& sequence,
            cdc::Entry& out) override {
    if (!known_ || !status_.ok()) return false;
    const auto kind =
        set == cdc::EntrySet::kAbsorbed ? state::EntryKind::kHidden : state::EntryKind::kRow;
    auto found = ask(kind, how, sequence);
    if (!found.ok()) {
      status_ = std::move(found).error();
      return false;
    }
    if (!found->has_value()) return false;
    out = to_kernel(**found);
    return true;
  }

  Status status() const { return status_; }

 private:
  Result<std::optional<state::Entry>> ask(state::EntryKind kind, cdc::Seek how,
                                          const value::SequenceView& sequence) {
    switch (how) {
      case cdc::Seek::kAtMost: return cursor_.at_most(kind, sequence);
      case cdc::Seek::kBelow: return cursor_.below(kind, sequence);
      case cdc::Seek::kAbove: return cursor_.above(kind, sequence);
      case cdc::Seek::kAtLeast: return cursor_.at_least(kind, sequence);
      case cdc::Seek::kGreatest: return cursor_.greatest(kind);
    }
    return std::optional<state::Entry>{};
  }

  state::Cursor cursor_;
  bool known_ = false;
  Status status_;
};

// Values of rows that are not in the batch: from the heap, or read back from their place.
class OldValues {
 public:
  OldValues(ApplyContext& context) : context_(context) {}  // NOLINT: short-lived

  Status add_heap(uint64_t payload, ColumnBatch& out);
  // Rows at these places, in their order.
  Result<ColumnBatch> read_places(const std::vector<cdc::Place>& places);

 private:
  Result<const state::RowReader*> reader(uint32_t schema_id);

  ApplyContext& context_;
  std::map<uint32_t, state::RowReader> readers_;
};

Result<const state::RowReader*> OldValues::reader(uint32_t schema_id) {
  const auto known = readers_.find(schema_id);
  if (known != readers_.end()) return &known->second;
  LAKEBED_ASSIGN(const value::Schema stored, context_.table.memory->schema(schema_id));
  LAKEBED_ASSIGN(state::RowReader made, state::RowReader::make(stored, context_.columns));
  return &readers_.emplace(schema_id, std::move(made)).first->second;
}

Status OldValues::add_heap(uint64_t payload, ColumnBatch& out) {
  LAKEBED_ASSIGN(const auto stored, context_.table.memory->payload(payload));
  LAKEBED_ASSIGN(const state::RowReader* row_reader, reader(stored.schema_id));
  LAKEBED_TRY(row_reader->append(stored.row, out.columns));
  ++out.rows;
  return {};
}

Result<ColumnBatch> OldValues::read_places(const std::vector<cdc::Place>& places) {
  Table& table = context_.table;
  std::map<uint32_t, std::vector<size_t>> by_file;
  for (size_t i = 0; i < places.size(); ++i) by_file[places[i].file].push_back(i);
  ColumnBatch found = ColumnBatch::empty(context_.columns);
  std::vector<uint32_t> position(places.size());
  for (const auto& [file, wanted] : by_file) {
    const std::string& name = table.memory->files().name(file);
    const delta::AddFilePtr live = table.snapshot.find_path(delta::encode_path(name));
    if (!live) {
      return update_error("STATE_MISMATCH",
                          "the memory places a row in " + name + ", which is no live file");
    }
    LAKEBED_ASSIGN(engine::ParquetFile parquet,
                   delta::parquet_file(*table.store, table.snapshot, *live, table.vectors));
    parquet.deleted_rows = nullptr;  // positions count all rows of the file
    std::vector<uint64_t> rows;
    for (const size_t i : wanted) {
      position[i] = static_cast<uint32_t>(found.rows + rows.size());
      rows.push_back(places[i].row);
    }
    LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
    LAKEBED_ASSIGN(const ColumnBatch read,
                   engine->read_rows(parquet, context_.columns,
                                     delta::physical_names(table.snapshot.schema()), rows));
    found.append_range(read, 0, read.rows);
  }
  ColumnBatch out;
  out.schema = context_.columns;
  out.rows = places.size();
  for (const Column& column : found.columns) out.columns.push_back(column.gather(position));
  return out;
}

class Scd2Applier {
 public:
  Scd2Applier(ApplyContext& context, const EventBatch& batch)
      : context_(context), batch_(batch), old_(context) {}

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
  std::vector<cdc::Place> places_;  // of the added rows
  ColumnBatch old_rows_;            // read back from the table
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> old_row_at_;
  std::unordered_map<uint32_t, uint64_t> kept_;  // arrival -> payload
};

Status Scd2Applier::decide(cdc::Metrics& metrics) {
  cursor_ = std::make_unique<MemoryCursor>(*context_.table.memory);
  cdc::Scd2Kernel kernel;
  Status status;
  cdc::for_each_key(batch_.events, [&](std::span<const cdc::Event> events) {
    if (!status.ok()) return;
    status = cursor_->move_to(events.front().key);
    if (!status.ok()) return;
    kernel.run(static_cast<uint32_t>(keys_.size()), events, *cursor_, changes_, metrics);
    status = cursor_->status();
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
    LAKEBED_TRY(old_.add_heap(changes_.added[i].values.payload, heap));
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
  std::string row;
  if (source.kind == Kind::kEvent) {
    const auto known = kept_.find(source.arrival);
    if (known != kept_.end()) return known->second;
    const EventBatch::Location at = batch_.locate(source.arrival);
    state::append_row(batch_.parts[at.part].columns, at.row, row);
  } else {
    const uint32_t number = old_row_at_.at({source.place.file, source.place.row});
    state::append_row(old_rows_.columns, number, row);
  }
  const uint32_t schema_id = commit.memory().schema_id(context_.columns);
  LAKEBED_ASSIGN(const uint64_t payload, commit.memory().append_payload(schema_id, row));
  if (source.kind == Kind::kEvent) kept_[source.arrival] = payload;
  return payload;
}

Status Scd2Applier::remember(TargetCommit& commit) {
  std::vector<state::Entry> entries;
  entries.reserve(changes_.puts.size() + changes_.drops.size());
  for (const cdc::PutEntry& put : changes_.puts) {
    cdc::Entry entry = put.entry;
    LAKEBED_ASSIGN(entry.payload, keep_payload(put.payload, commit));
    if (put.row != cdc::kNoRow) entry.place = places_[put.row];
    entries.push_back(to_memory(keys_[put.key], entry));
    if (entry.is_delete()) entries.back().applied_at = context_.applied_at;
  }
  for (const cdc::DroppedEntry& drop : changes_.drops) {
    state::Entry gone;
    gone.key = keys_[drop.key];
    gone.sequence = drop.sequence;
    gone.flags = state::kGoneBit;
    if (drop.set == cdc::EntrySet::kAbsorbed) gone.flags |= state::kHiddenBit;
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
