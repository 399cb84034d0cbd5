#include "run/batch/event_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "run/batch/leaves.h"
#include "run/batch/not_null.h"
#include "value/conform.h"
#include "value/hash.h"
#include "value/order.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using value::Column;
using value::ColumnBatch;

constexpr int64_t kDelete = 1;
constexpr int64_t kTruncate = 2;

// Reads batch after batch of the evaluated query into an EventBatch.
class EventReader {
 public:
  // `version`: the sequence of every row of a snapshot (null: the query delivers sequences).
  EventReader(const CdcPlan& plan, const value::Schema& columns,
              const cdc::SequenceView* version = nullptr,
              RowsTested tested = RowsTested::kAsTheyCome)
      : plan_(plan),
        columns_(columns),
        version_(version),
        tests_(plan.expectations, plan.target, plan.flow) {
    for (const size_t key : plan.keys) {
      keys_.push_back(*value::find_field(columns, plan.selected[key].name));
    }
    if (plan.partial) written_.emplace(plan, columns);
    batch_.rows_tested = tested == RowsTested::kAsTheyCome;
  }

  Status add(ColumnBatch evaluated);
  Result<EventBatch> finish(bool sorted = true);

 private:
  Status check_not_null(const ColumnBatch& part, const Column& operations) const;
  void count_nulls(const Column& sequences, const Column& operations, const ColumnBatch& evaluated);
  cdc::SequenceView view_of(const Column& sequences, size_t row);
  void add_bitemporal(const ColumnBatch& evaluated, const std::vector<Hash128>& keys,
                      const std::vector<uint64_t>& values);
  Error refusal(const char* kind, const std::string& what) const;

  const CdcPlan& plan_;
  const value::Schema& columns_;
  const cdc::SequenceView* version_;
  std::vector<size_t> keys_;  // into columns_, in hash order
  std::optional<WrittenLeaves> written_;
  RowTests tests_;
  std::vector<bool> hidden_;  // of the part that is read, by row
  EventBatch batch_;
  uint64_t null_sequences_ = 0;
  uint64_t null_systems_ = 0;
  std::vector<uint64_t> null_keys_;
  std::string sample_;
};

void EventReader::count_nulls(const Column& sequences, const Column& operations,
                              const ColumnBatch& evaluated) {
  null_keys_.resize(keys_.size());
  const auto remember_sample = [&](size_t row) {
    if (sample_.empty()) value::append_json_row(evaluated, row, "UTC", sample_);
  };
  if (sequences.has_nulls()) {
    for (size_t row = 0; row < evaluated.rows; ++row) {
      if (!sequences.is_null(row)) continue;
      if (null_sequences_++ == 0) sample_.clear();
      remember_sample(row);
    }
  }
  if (plan_.own.system_sequence) {
    const Column& systems = evaluated.columns[*plan_.own.system_sequence];
    for (size_t row = 0; systems.has_nulls() && row < evaluated.rows; ++row) {
      if (!systems.is_null(row)) continue;
      ++null_systems_;
      remember_sample(row);
    }
  }
  if (version_) return;  // rule S3: in the key of a snapshot NULL is a value
  for (size_t i = 0; i < keys_.size(); ++i) {
    const auto at = value::find_field(evaluated.schema, columns_[keys_[i]].name);
    const Column& key = evaluated.columns[*at];
    if (!key.has_nulls()) continue;
    for (size_t row = 0; row < evaluated.rows; ++row) {
      if (!key.is_null(row) || operations.integer(row) == kTruncate) continue;
      ++null_keys_[i];
      remember_sample(row);
    }
  }
}

// Rule F12: checked on the rows that upserts would write; deletes pass. Rows of partial events are
// checked when they are whole.
Status EventReader::check_not_null(const ColumnBatch& part, const Column& operations) const {
  return check_no_nulls(part, plan_.flow,
                        [&operations](size_t row) { return operations.integer(row) == 0; });
}

cdc::SequenceView EventReader::view_of(const Column& sequences, size_t row) {
  if (version_) return *version_;
  value::SequenceCode code = value::sequence_code(sequences, row);
  if (code.tail.empty()) return {code.head, {}};
  batch_.tails.push_back(std::move(code.tail));
  return {code.head, batch_.tails.back()};
}

// Events with two sequences (rule C1). Requires: batch_.rows counts this part already.
void EventReader::add_bitemporal(const ColumnBatch& evaluated, const std::vector<Hash128>& keys,
                                 const std::vector<uint64_t>& values) {
  const Column& operations = evaluated.columns[plan_.own.operation];
  const auto moment = [&](size_t column, size_t row) -> cdc::Moment {
    std::string& code = batch_.tails.emplace_back();
    value::append_order_code(evaluated.columns[column], row, code);
    return code;
  };
  const auto base = static_cast<uint32_t>(batch_.rows - keys.size());
  for (size_t row = 0; row < keys.size(); ++row) {
    cdc::BitemporalEvent event;
    event.key = keys[row];
    event.business = moment(plan_.own.sequence, row);
    event.system = moment(*plan_.own.system_sequence, row);
    event.arrival = base + static_cast<uint32_t>(row);
    if (operations.integer(row) == kDelete) {
      event.operation = cdc::Operation::kDelete;
    } else {
      event.value_hash = values[row];
    }
    if (hidden_[row]) {  // rule F6
      event.operation = cdc::Operation::kDelete;
      event.value_hash = cdc::hidden_hash(values[row]);
    }
    batch_.bitemporal.push_back(event);
  }
}

Status EventReader::add(ColumnBatch evaluated) {
  const Column& sequences = evaluated.columns[plan_.own.sequence];
  const Column& operations = evaluated.columns[plan_.own.operation];
  count_nulls(sequences, operations, evaluated);
  const bool bad = null_sequences_ > 0 || null_systems_ > 0 ||
                   std::any_of(null_keys_.begin(), null_keys_.end(), [](auto n) { return n > 0; });
  const auto base = static_cast<uint32_t>(batch_.rows);
  batch_.rows += evaluated.rows;
  if (bad) return {};  // counting goes on, nothing of it is used
  // Partial events and conditions look at the evaluated row, too.
  const bool shared = written_ || plan_.own.expectations > 0;
  ColumnBatch part = shared ? value::conform_batch(evaluated, columns_)
                            : value::conform_batch(std::move(evaluated), columns_);
  if (written_) {
    LAKEBED_TRY(written_->append(evaluated, part, batch_.written));
  } else {
    LAKEBED_TRY(check_not_null(part, operations));
  }
  hidden_.assign(part.rows, false);
  if (batch_.rows_tested) {
    tests_.judge(evaluated, plan_.own.first_expectation, hidden_,
                 [&operations](size_t row) { return operations.integer(row) == 0; });
  }
  std::vector<const Column*> keys;
  for (const size_t key : keys_) keys.push_back(&part.columns[key]);
  const std::vector<Hash128> hashes = value::key_hashes(keys);
  std::vector<uint64_t> values;
  std::vector<uint64_t> tracked;
  hash_rows(plan_, columns_, part, values, tracked);
  if (plan_.kind == TargetKind::kBitemporal) {
    add_bitemporal(evaluated, hashes, values);
    batch_.first.push_back(base);
    batch_.parts.push_back(std::move(part));
    return {};
  }
  batch_.events.reserve(batch_.events.size() + part.rows);
  for (size_t row = 0; row < part.rows; ++row) {
    const auto arrival = base + static_cast<uint32_t>(row);
    const int64_t operation = operations.integer(row);
    const cdc::SequenceView sequence = view_of(sequences, row);
    if (operation == kTruncate) {
      batch_.truncates.push_back({sequence, arrival});
      continue;
    }
    cdc::Event event{hashes[row], sequence, 0, 0, arrival, cdc::Operation::kDelete};
    if (operation != kDelete) {
      event.operation = cdc::Operation::kUpsert;
      event.value_hash = values[row];
      event.tracked_hash = plan_.tracks_all ? values[row] : tracked[row];
    }
    if (hidden_[row]) {  // rule F6: it counts as a delete does, and is known again by its hash
      event.operation = cdc::Operation::kDelete;
      event.value_hash = cdc::hidden_hash(values[row]);
    }
    batch_.events.push_back(event);
  }
  batch_.first.push_back(base);
  batch_.parts.push_back(std::move(part));
  return {};
}

Error EventReader::refusal(const char* kind, const std::string& what) const {
  return update_error(std::string("AUTOCDC_MICROBATCH_VALIDATION.") + kind,
                      fmt::format("flow {}: {} of {} rows; the batch is refused, for example {}",
                                  quote_name(plan_.flow), what, batch_.rows, sample_));
}

// Rule E6: in this order. As no sequence is NULL, no row that is shown begins at NULL (rule B6).
Result<EventBatch> EventReader::finish(bool sorted) {
  if (null_sequences_ > 0) {
    return refusal("NULL_SEQUENCE", fmt::format("SEQUENCE BY is NULL in {}", null_sequences_));
  }
  if (null_systems_ > 0) {
    return refusal("NULL_SYSTEM_SEQUENCE",
                   fmt::format("SYSTEM SEQUENCE BY is NULL in {}", null_systems_));
  }
  std::string counts;
  for (size_t i = 0; i < null_keys_.size(); ++i) {
    if (null_keys_[i] == 0) continue;
    if (!counts.empty()) counts += " and ";
    counts +=
        fmt::format("key {} is NULL in {}", quote_name(columns_[keys_[i]].name), null_keys_[i]);
  }
  if (!counts.empty()) return refusal("NULL_KEY", counts);
  if (batch_.rows_tested) {
    LAKEBED_TRY(tests_.verdict());
    batch_.quality = tests_.quality();
  }
  if (sorted) cdc::sort_events(batch_.events);
  std::stable_sort(batch_.bitemporal.begin(), batch_.bitemporal.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  return std::move(batch_);
}

// Rows of a snapshot that are hashed, looked up and sieved at a time: enough for look-ups in key
// order to be near each other, few enough to be small beside the engine's own memory.
constexpr size_t kSnapshotChunkRows = 128 * 1024;

// A snapshot's query has no columns of our own: all rows are upserts, and their sequence is given.
void add_operations(ColumnBatch& evaluated) {
  Column upserts{value::Type(value::Kind::kInt)};
  upserts.raw_data().assign(evaluated.rows * sizeof(int32_t), 0);
  upserts.raw_set_size(evaluated.rows);
  evaluated.schema.push_back({"__lakebed_operation", value::Kind::kInt, true, "", {}});
  evaluated.columns.push_back(std::move(upserts));
}

// Moves the rows that have an event, and the events, behind what was kept before.
void append_kept(EventBatch chunk, EventBatch& kept) {
  const auto base = static_cast<uint32_t>(kept.rows);
  kept.quality.add(chunk.quality);
  if (chunk.events.size() == chunk.rows) {
    for (size_t i = 0; i < chunk.parts.size(); ++i) {
      kept.first.push_back(base + chunk.first[i]);
      kept.parts.push_back(std::move(chunk.parts[i]));
    }
    for (cdc::Event& event : chunk.events) event.arrival += base;
    kept.rows += chunk.rows;
  } else if (!chunk.events.empty()) {
    std::vector<uint32_t> arrivals;
    for (cdc::Event& event : chunk.events) {
      arrivals.push_back(event.arrival);
      event.arrival = base + static_cast<uint32_t>(arrivals.size()) - 1;
    }
    kept.first.push_back(base);
    kept.parts.push_back(chunk.gather(arrivals));
    kept.rows += arrivals.size();
  }
  kept.events.insert(kept.events.end(), chunk.events.begin(), chunk.events.end());
}

}  // namespace

void hash_rows(const CdcPlan& plan, const value::Schema& columns, const ColumnBatch& part,
               std::vector<uint64_t>& values, std::vector<uint64_t>& tracked) {
  values.assign(part.rows, 0);
  if (!plan.tracks_all) tracked.assign(part.rows, 0);
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto at = value::find_field(plan.selected, columns[i].name);
    if (at && std::find(plan.keys.begin(), plan.keys.end(), *at) != plan.keys.end()) continue;
    value::add_value_hashes(part.columns[i], columns[i].name, values);
    if (plan.tracks_all) continue;
    if (at ? bool{plan.tracked[*at]} : plan.tracks_others) {
      value::add_value_hashes(part.columns[i], columns[i].name, tracked);
    }
  }
}

EventBatch::Location EventBatch::locate(uint32_t arrival) const {
  const auto after = std::upper_bound(first.begin(), first.end(), arrival);
  const auto part = static_cast<size_t>(after - first.begin()) - 1;
  return {part, arrival - first[part]};
}

value::ColumnBatch EventBatch::gather(const std::vector<uint32_t>& arrivals) const {
  value::ColumnBatch out = ColumnBatch::empty(parts.empty() ? value::Schema{} : parts[0].schema);
  size_t at = 0;
  for (size_t part = 0; part < parts.size() && at < arrivals.size(); ++part) {
    const uint64_t end = uint64_t{first[part]} + parts[part].rows;
    std::vector<uint32_t> taken;
    for (; at < arrivals.size() && arrivals[at] < end; ++at) {
      taken.push_back(arrivals[at] - first[part]);
    }
    if (taken.empty()) continue;
    for (size_t i = 0; i < out.columns.size(); ++i) {
      Column gathered = parts[part].columns[i].gather(taken);
      if (out.rows == 0) {
        out.columns[i] = std::move(gathered);
      } else {
        out.columns[i].append_range(gathered, 0, taken.size());
      }
    }
    out.rows += taken.size();
  }
  return out;
}

Result<EventBatch> read_events(const CdcPlan& plan, engine::Engine& engine,
                               const std::map<uint32_t, engine::ScanInput>& inputs,
                               const value::Schema& columns, RowsTested tested) {
  LAKEBED_ASSIGN(const auto reader, engine.run(plan.query, inputs));
  EventReader events(plan, columns, nullptr, tested);
  std::vector<InvalidEvent> invalid;
  uint64_t rows = 0;
  while (true) {
    LAKEBED_ASSIGN(auto evaluated, reader->next());
    if (!evaluated) break;
    const uint64_t part = evaluated->rows;
    if (plan.own.source_row) {
      *evaluated = set_aside(plan, std::move(*evaluated), rows, "UTC", invalid);
    }
    rows += part;
    LAKEBED_TRY(events.add(std::move(*evaluated)));
  }
  LAKEBED_ASSIGN(EventBatch batch, events.finish());
  batch.invalid = std::move(invalid);
  return batch;
}

Result<EventBatch> read_snapshot(const CdcPlan& plan, engine::Engine& engine,
                                 const std::map<uint32_t, engine::ScanInput>& inputs,
                                 const value::Schema& columns, cdc::SequenceView version,
                                 RowSieve& sieve) {
  LAKEBED_ASSIGN(const auto reader, engine.run(plan.query, inputs));
  EventBatch kept;
  for (bool more = true; more;) {
    EventReader chunk(plan, columns, &version);
    for (size_t rows = 0; more && rows < kSnapshotChunkRows;) {
      LAKEBED_ASSIGN(auto evaluated, reader->next());
      more = evaluated.has_value();
      if (!more) break;
      rows += evaluated->rows;
      add_operations(*evaluated);
      LAKEBED_TRY(chunk.add(std::move(*evaluated)));
    }
    LAKEBED_ASSIGN(EventBatch events, chunk.finish(false));
    LAKEBED_TRY(sieve.keep_changes(events.events));
    append_kept(std::move(events), kept);
  }
  cdc::sort_events(kept.events);
  return kept;
}

Result<EventBatch> events_of_rows(CdcPlan plan, const value::Schema& columns,
                                  const std::vector<value::ColumnBatch>& rows,
                                  const cdc::SequenceView* sequence) {
  plan.own.sequence = sequence ? 0 : columns.size();
  plan.own.operation = sequence ? columns.size() : columns.size() + 1;
  EventReader events(plan, columns, sequence);
  for (value::ColumnBatch batch : rows) {
    add_operations(batch);
    LAKEBED_TRY(events.add(std::move(batch)));
  }
  return events.finish();
}

}  // namespace lakebed::run
