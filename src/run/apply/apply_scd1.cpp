#include <algorithm>

#include "cdc/scd1.h"
#include "run/apply/apply.h"
#include "run/apply/floor.h"

namespace lakebed::run {

namespace {

std::vector<Hash128> keys_of(const EventBatch& batch) {
  std::vector<Hash128> keys;
  keys.reserve(batch.events.size());
  for (const cdc::Event& event : batch.events) {
    if (keys.empty() || keys.back() != event.key) keys.push_back(event.key);
  }
  return keys;
}

// Gathers what the kernel decides for each key.
class Scd1Applier {
 public:
  Scd1Applier(ApplyContext& context, const EventBatch& batch) : context_(context), batch_(batch) {}

  Status run(TargetCommit& commit, cdc::Metrics& metrics);

 private:
  void use(const Hash128& key, const cdc::Scd1Decision& decision, const cdc::Entry* known);
  void forget(const Hash128& key, const value::SequenceView& sequence);
  Status forget_below_floor(const cdc::TruncateFloor& floor, const std::vector<Hash128>& keys,
                            cdc::Metrics& metrics);
  Status write_winners(TargetCommit& commit);
  void store_floor(const cdc::TruncateFloor& floor, TargetCommit& commit);

  ApplyContext& context_;
  const EventBatch& batch_;
  std::vector<state::Entry> entries_;
  std::vector<cdc::Place> removed_;
  struct Winner {
    uint32_t arrival;
    size_t entry;  // whose place is filled in once the row was written
  };
  std::vector<Winner> winners_;
  std::vector<Winner> kept_;  // whose payload is kept
};

void Scd1Applier::forget(const Hash128& key, const value::SequenceView& sequence) {
  state::Entry gone;
  gone.key = key;
  gone.sequence = sequence;
  gone.flags = state::kGoneBit;
  entries_.push_back(gone);
}

void Scd1Applier::use(const Hash128& key, const cdc::Scd1Decision& decision,
                      const cdc::Entry* known) {
  using cdc::Scd1Action;
  const bool old_row_goes = decision.action == Scd1Action::kWriteRow ||
                            decision.action == Scd1Action::kRemoveRow ||
                            decision.action == Scd1Action::kForgetRow;
  if (old_row_goes && known && !known->is_delete()) removed_.push_back(known->place);
  if (decision.action == Scd1Action::kForgetRow || decision.action == Scd1Action::kForget) {
    return forget(key, known->sequence);
  }
  if (decision.action == Scd1Action::kWriteRow) {
    winners_.push_back({decision.winner->arrival, entries_.size()});
  }
  // Rule P3: the row and who wrote what of it; of a hidden one in any case, as no table shows it.
  const bool is_hidden = decision.winner->is_delete() && !decision.winner->is_tombstone();
  if (is_hidden || (context_.authors && !decision.winner->is_delete())) {
    kept_.push_back({decision.winner->arrival, entries_.size()});
  }
  entries_.push_back(to_memory(key, cdc::scd1_entry(decision, known)));
  if (entries_.back().is_delete()) entries_.back().applied_at = context_.applied_at;
}

// Under a truncate every remembered entry is looked at once (rule T1).
Status Scd1Applier::forget_below_floor(const cdc::TruncateFloor& floor,
                                       const std::vector<Hash128>& keys, cdc::Metrics& metrics) {
  if (!floor.arrived()) return {};
  return context_.table.memory->scan_all([&](const state::Entry& entry) -> Status {
    if (!floor.removes(entry.sequence)) return {};
    if (std::binary_search(keys.begin(), keys.end(), entry.key)) return {};
    if (!entry.is_delete()) {
      removed_.push_back({entry.file, entry.row});
      ++metrics.deleted_rows;
    }
    forget(entry.key, entry.sequence);
    return {};
  });
}

Status Scd1Applier::write_winners(TargetCommit& commit) {
  // In the order of arrival: a slot a row is faster than sorting, and never larger than the rows.
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> entry_of(batch_.rows, kNone);
  for (const Winner& winner : winners_) entry_of[winner.arrival] = winner.entry;
  std::vector<uint32_t> arrivals;
  arrivals.reserve(winners_.size());
  for (size_t row = 0; row < entry_of.size(); ++row) {
    if (entry_of[row] != kNone) arrivals.push_back(static_cast<uint32_t>(row));
  }
  std::vector<cdc::Place> places;
  const bool all = arrivals.size() == batch_.rows;
  std::vector<const value::ColumnBatch*> parts;
  value::ColumnBatch gathered;
  if (all) {
    for (const value::ColumnBatch& part : batch_.parts) parts.push_back(&part);
  } else {
    gathered = batch_.gather(arrivals);
    if (gathered.rows > 0) parts.push_back(&gathered);
  }
  LAKEBED_TRY(commit.write_rows(parts, context_.schema, context_.table.snapshot.partition_columns(),
                                &places));
  for (size_t i = 0; i < arrivals.size(); ++i) {
    state::Entry& entry = entries_[entry_of[arrivals[i]]];
    entry.file = places[i].file;
    entry.row = places[i].row;
  }
  for (const Winner& kept : kept_) {
    LAKEBED_ASSIGN(entries_[kept.entry].payload,
                   keep_event(context_, batch_, kept.arrival, commit));
  }
  return {};
}

void Scd1Applier::store_floor(const cdc::TruncateFloor& floor, TargetCommit& commit) {
  if (!floor.arrived() || !floor.floor()) return;
  run::store_floor(*floor.floor(), context_.session.clock().now_us(), commit.memory());
}

Status Scd1Applier::run(TargetCommit& commit, cdc::Metrics& metrics) {
  LAKEBED_ASSIGN(const auto remembered, read_floor(*context_.table.memory));
  std::optional<value::SequenceView> floor_before;
  if (remembered) floor_before = *remembered;
  const cdc::TruncateFloor floor(floor_before, batch_.truncates);
  const std::vector<Hash128> keys = keys_of(batch_);
  entries_.reserve(keys.size());
  winners_.reserve(keys.size());
  LAKEBED_ASSIGN(const auto found, context_.table.memory->find_greatest(keys));
  size_t next = 0;
  cdc::Entry known;
  const auto find = [&](const Hash128&) -> const cdc::Entry* {
    const state::Found& answer = found[next++];
    if (!answer.found || state::is_forgotten(context_.expiry, answer.entry)) return nullptr;
    known = to_kernel(answer.entry);
    return &known;
  };
  cdc::run_scd1(
      batch_.events, floor, find,
      [this](const Hash128& key, const cdc::Scd1Decision& decision, const cdc::Entry* entry) {
        use(key, decision, entry);
      },
      metrics);
  LAKEBED_TRY(forget_below_floor(floor, keys, metrics));
  LAKEBED_TRY(write_winners(commit));
  LAKEBED_TRY(commit.remove_rows(removed_));
  if (floor.arrived()) {
    std::sort(entries_.begin(), entries_.end(),
              [](const auto& a, const auto& b) { return state::compare_entries(a, b) < 0; });
  }
  LAKEBED_TRY(commit.memory().add_entries(entries_));
  store_floor(floor, commit);
  return {};
}

}  // namespace

Status apply_scd1(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics) {
  return Scd1Applier(context, batch).run(commit, metrics);
}

}  // namespace lakebed::run
