#include "run/event_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "run/not_null.h"
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
  EventReader(const CdcPlan& plan, const value::Schema& columns) : plan_(plan), columns_(columns) {
    for (const size_t key : plan.keys) {
      keys_.push_back(*value::find_field(columns, plan.selected[key].name));
    }
  }

  Status add(ColumnBatch evaluated);
  Result<EventBatch> finish();

 private:
  Status check_not_null(const ColumnBatch& part, const Column& operations) const;
  void count_nulls(const ColumnBatch& part, const Column& sequences, const Column& operations,
                   const ColumnBatch& evaluated);
  void hash_rows(const ColumnBatch& part, std::vector<uint64_t>& values,
                 std::vector<uint64_t>& tracked) const;
  bool is_key(size_t column) const {
    return std::find(keys_.begin(), keys_.end(), column) != keys_.end();
  }
  cdc::SequenceView view_of(const Column& sequences, size_t row);
  Error refusal(const char* kind, const std::string& what) const;

  const CdcPlan& plan_;
  const value::Schema& columns_;
  std::vector<size_t> keys_;  // into columns_, in hash order
  EventBatch batch_;
  uint64_t null_sequences_ = 0;
  std::vector<uint64_t> null_keys_;
  std::string sample_;
};

void EventReader::count_nulls(const ColumnBatch& part, const Column& sequences,
                              const Column& operations, const ColumnBatch& evaluated) {
  null_keys_.resize(keys_.size());
  const auto remember_sample = [&](size_t row) {
    if (sample_.empty()) value::append_json_row(evaluated, row, "UTC", sample_);
  };
  if (sequences.has_nulls()) {
    for (size_t row = 0; row < part.rows; ++row) {
      if (!sequences.is_null(row)) continue;
      if (null_sequences_++ == 0) sample_.clear();
      remember_sample(row);
    }
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    const Column& key = part.columns[keys_[i]];
    if (!key.has_nulls()) continue;
    for (size_t row = 0; row < part.rows; ++row) {
      if (!key.is_null(row) || operations.integer(row) == kTruncate) continue;
      ++null_keys_[i];
      remember_sample(row);
    }
  }
}

// Rule F12: checked on the rows that upserts would write; deletes pass.
Status EventReader::check_not_null(const ColumnBatch& part, const Column& operations) const {
  return check_no_nulls(part, plan_.flow,
                        [&operations](size_t row) { return operations.integer(row) == 0; });
}

void EventReader::hash_rows(const ColumnBatch& part, std::vector<uint64_t>& values,
                            std::vector<uint64_t>& tracked) const {
  values.assign(part.rows, 0);
  if (!plan_.tracks_all) tracked.assign(part.rows, 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (is_key(i)) continue;
    value::add_value_hashes(part.columns[i], columns_[i].name, values);
    if (plan_.tracks_all) continue;
    // A column that this flow does not deliver is NULL here and adds nothing.
    const auto at = value::find_field(plan_.selected, columns_[i].name);
    if (at && plan_.tracked[*at]) {
      value::add_value_hashes(part.columns[i], columns_[i].name, tracked);
    }
  }
}

cdc::SequenceView EventReader::view_of(const Column& sequences, size_t row) {
  value::SequenceCode code = value::sequence_code(sequences, row);
  if (code.tail.empty()) return {code.head, {}};
  batch_.tails.push_back(std::move(code.tail));
  return {code.head, batch_.tails.back()};
}

Status EventReader::add(ColumnBatch evaluated) {
  const Column& sequences = evaluated.columns[plan_.own.sequence];
  const Column& operations = evaluated.columns[plan_.own.operation];
  ColumnBatch part = value::conform_batch(evaluated, columns_);
  const size_t sequence_nulls_before = null_sequences_;
  count_nulls(part, sequences, operations, evaluated);
  const bool bad = null_sequences_ > sequence_nulls_before ||
                   std::any_of(null_keys_.begin(), null_keys_.end(), [](auto n) { return n > 0; });
  const auto base = static_cast<uint32_t>(batch_.rows);
  batch_.rows += part.rows;
  if (bad) return {};  // counting goes on, nothing of it is used
  LAKEBED_TRY(check_not_null(part, operations));
  std::vector<const Column*> keys;
  for (const size_t key : keys_) keys.push_back(&part.columns[key]);
  const std::vector<Hash128> hashes = value::key_hashes(keys);
  std::vector<uint64_t> values;
  std::vector<uint64_t> tracked;
  hash_rows(part, values, tracked);
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
Result<EventBatch> EventReader::finish() {
  if (null_sequences_ > 0) {
    return refusal("NULL_SEQUENCE", fmt::format("SEQUENCE BY is NULL in {}", null_sequences_));
  }
  std::string counts;
  for (size_t i = 0; i < null_keys_.size(); ++i) {
    if (null_keys_[i] == 0) continue;
    if (!counts.empty()) counts += " and ";
    counts += fmt::format("key {} is NULL in {}", quote_name(columns_[keys_[i]].name),
                          null_keys_[i]);
  }
  if (!counts.empty()) return refusal("NULL_KEY", counts);
  cdc::sort_events(batch_.events);
  return std::move(batch_);
}

}  // namespace

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
                               const value::Schema& columns) {
  LAKEBED_ASSIGN(const auto reader, engine.run(plan.query, inputs));
  EventReader events(plan, columns);
  while (true) {
    LAKEBED_ASSIGN(auto evaluated, reader->next());
    if (!evaluated) break;
    LAKEBED_TRY(events.add(std::move(*evaluated)));
  }
  return events.finish();
}

}  // namespace lakebed::run
