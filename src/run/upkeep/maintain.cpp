#include "run/upkeep/maintain.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "delta/checkpoint.h"
#include "delta/partition.h"
#include "run/target/target_commit.h"
#include "run/upkeep/compact.h"
#include "run/upkeep/expiry.h"
#include "state/pending.h"

namespace lakebed::run {

namespace {

constexpr auto kBudget = std::chrono::seconds(2);
constexpr int64_t kLeftoverAgeUs = int64_t{3600} * 1'000'000;

void warn(RunContext& context, const Table& table, const Error& error) {
  Event event = flow_event("", table.name.text(), "RUNNING",
                           "upkeep of " + table.name.text() + " failed: " + error.text());
  event.level = Level::kWarn;
  context.sink.emit(event);
}

// Merges runs and publishes the result through a commit of its own that moves no data.
Status merge_runs(RunContext& context, Table& table) {
  Session& session = context.session;
  if (!state::merge_due(*table.memory)) return {};
  if (places_rows(table)) LAKEBED_TRY(table.check_unchanged());
  delta::TransactionInfo info;
  info.operation = "MERGE STATE";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, table, info));
  const auto begin = std::chrono::steady_clock::now();
  state::MergeBudget budget;
  const bool expires = table.kind() == TargetKind::kScd1 || table.kind() == TargetKind::kScd2;
  const auto target = context.pipeline.by_name.find(table.name.key());
  if (expires && target != context.pipeline.by_name.end()) {
    LAKEBED_ASSIGN(budget.expiry,
                   expiry_of(session, context.pipeline.datasets[target->second], *table.memory));
  }
  budget.may_go_on = [begin] { return std::chrono::steady_clock::now() - begin < kBudget; };
  LAKEBED_ASSIGN(state::Merged merged,
                 state::merge(*table.memory, uuid_text(commit->transaction().uuid()), budget));
  if (merged.empty()) return {};
  LAKEBED_ASSIGN(const size_t steps, commit->memory().adopt(std::move(merged)));
  if (steps == 0) return {};
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  if (outcome.won) return {};
  commit.reset();
  return table.reload();
}

// The greatest number of runs over the base that a look-up in one set has to visit.
size_t upper_runs(const state::TableState& memory) {
  size_t most = 0;
  for (const auto& [set, runs] : memory.data().runs) {
    std::set<uint64_t> ages;
    for (const state::RunRef& ref : runs) {
      if (!ref.base) ages.insert(ref.age);
    }
    most = std::max(most, ages.size());
  }
  return most;
}

// A commit of its own is worth it where the memory weighs too much, or where look-ups have to
// visit `depth` runs. A small memory grows a few runs first.
bool merge_is_worth_a_commit(const state::TableState& memory, uint64_t depth) {
  return state::merge_urgent(memory) || upper_runs(memory) >= depth;
}

Status write_checkpoint_if_due(Session& session, Table& table) {
  if (!delta::checkpoint_is_due(table.snapshot)) return {};
  LAKEBED_TRY(delta::write_checkpoint(session.environment(*table.store), table.snapshot));
  // Now and then, and long after anyone can still be writing them: what crashes left half-written.
  const int64_t before_us = session.clock().now_us() - kLeftoverAgeUs;
  for (const char* folder : {"", "_delta_log", "_lakebed/state", "_lakebed/dv"}) {
    LAKEBED_TRY(table.store->remove_leftovers(folder, before_us));
  }
  return {};
}

Status after_update(RunContext& context, Table& table) {
  if (table.memory) LAKEBED_TRY(compact(context.session, table));
  if (table.memory && merge_is_worth_a_commit(*table.memory, table.memory->tuning().depth)) {
    LAKEBED_TRY(merge_runs(context, table));
  }
  return write_checkpoint_if_due(context.session, table);
}

// What any version of the table needs or needed, as far as its log reaches: read when first asked.
class Committed {
 public:
  Committed(Session& session, Table& table) : session_(session), table_(table) {}

  Result<bool> names(const std::string& path) {
    if (!read_) LAKEBED_TRY(read());
    if (files_.contains(path)) return true;
    for (const std::string& id : transactions_) {
      if (path.find(id) != std::string::npos) return true;
    }
    return false;
  }

 private:
  Status read();
  Status add_file(const std::string& log_path);

  Session& session_;
  Table& table_;
  bool read_ = false;
  std::set<std::string> transactions_;
  std::set<std::string> files_;
};

Status Committed::add_file(const std::string& log_path) {
  LAKEBED_ASSIGN(std::string path, delta::decode_path(log_path));
  files_.insert(std::move(path));
  return {};
}

Status Committed::read() {
  const delta::Environment environment = session_.environment(*table_.store);
  LAKEBED_ASSIGN(const auto versions,
                 delta::read_history(environment, std::numeric_limits<int64_t>::max()));
  for (const delta::VersionChanges& version : versions) {
    if (!version.actions.info || version.actions.info->transaction_id.empty()) continue;
    transactions_.insert(version.actions.info->transaction_id);
  }
  // Commits may have been cleaned up behind a checkpoint; what is live is named there.
  LAKEBED_TRY(table_.reload());
  for (const auto& [key, file] : table_.snapshot.files_by_key()) LAKEBED_TRY(add_file(file->path));
  for (const auto& [key, file] : table_.snapshot.tombstones()) LAKEBED_TRY(add_file(file.path));
  if (table_.memory) {
    for (std::string& path : table_.memory->live_files()) files_.insert(std::move(path));
  }
  read_ = true;
  return {};
}

}  // namespace

void sweep_dead(RunContext& context, Table& table) {
  if (!table.exists() || !table.memory) return;
  Committed committed(context.session, table);
  const auto swept =
      state::sweep(*table.store, {"", "_lakebed/state", "_lakebed/dv"},
                   [&committed](const std::string& path) { return committed.names(path); });
  if (!swept.ok()) warn(context, table, swept.error());
}

Status maintain_between(RunContext& context, Table& table) {
  if (!table.memory) return {};
  const uint64_t depth = 2 * table.memory->tuning().depth;
  if (!merge_is_worth_a_commit(*table.memory, depth)) return {};
  const Status done = merge_runs(context, table);
  if (!done.ok()) warn(context, table, done.error());
  return table.memory ? Status{} : table.reload();
}

Status maintain(RunContext& context, Table& table) {
  const Status done = after_update(context, table);
  if (!done.ok()) warn(context, table, done.error());
  return {};
}

}  // namespace lakebed::run
