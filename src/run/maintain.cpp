#include "run/maintain.h"

#include <chrono>

#include "delta/checkpoint.h"
#include "run/target_commit.h"

namespace lakebed::run {

namespace {

constexpr auto kBudget = std::chrono::seconds(2);

// Merges runs and publishes the result through a commit of its own that moves no data.
Status merge_runs(Session& session, Table& table) {
  if (!state::merge_due(*table.memory)) return {};
  delta::TransactionInfo info;
  info.operation = "MERGE STATE";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, table, info));
  const auto begin = std::chrono::steady_clock::now();
  state::MergeBudget budget;
  budget.may_go_on = [begin] { return std::chrono::steady_clock::now() - begin < kBudget; };
  LAKEBED_ASSIGN(state::Merged merged,
                 state::merge(*table.memory, uuid_text(commit->transaction().uuid()), budget));
  if (merged.empty()) return {};
  LAKEBED_ASSIGN(const size_t steps, commit->memory().adopt(std::move(merged)));
  if (steps == 0) return {};
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won ? Status{} : table.reload();
}

Status write_checkpoint_if_due(Session& session, Table& table) {
  if (!delta::checkpoint_is_due(table.snapshot)) return {};
  return delta::write_checkpoint(session.environment(*table.store), table.snapshot);
}

Status all(RunContext& context, Table& table) {
  if (table.memory) LAKEBED_TRY(merge_runs(context.session, table));
  return write_checkpoint_if_due(context.session, table);
}

}  // namespace

Status maintain(RunContext& context, Table& table) {
  const Status done = all(context, table);
  if (done.ok()) return {};
  Event event = flow_event("", table.name.text(), "RUNNING",
                           "upkeep of " + table.name.text() + " failed: " + done.error().text());
  event.level = Level::kWarn;
  context.sink.emit(event);
  return {};
}

}  // namespace lakebed::run
