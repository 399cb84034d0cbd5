#include "run/update/flow_run.h"

#include <fmt/format.h>

#include "base/names.h"
#include "run/apply/author_memory.h"
#include "run/snapshot/snapshot_run.h"
#include "run/target/batch_commit.h"
#include "run/update/once.h"
#include "run/upkeep/maintain.h"

namespace lakebed::run {

namespace {

// One CDC flow over a feed while it runs: plan, read, apply, commit, again.
class CdcRun {
 public:
  CdcRun(RunContext& context, const Flow& flow, const Dataset& target, const value::Schema& planned)
      : context_(context), flow_(flow), target_(target), planned_(planned) {}

  Status run();

 private:
  enum class Step : uint8_t { kDone, kCommitted, kLast, kLost };
  Result<Step> step();
  Result<Step> run_batch(const CdcPlan& plan, const BatchInput& batch, FlowProgress& progress);
  void warn(const std::vector<std::string>& notices);

  RunContext& context_;
  const Flow& flow_;
  const Dataset& target_;
  const value::Schema& planned_;
  std::unique_ptr<Table> table_;
  value::Schema schema_;
  bool warned_ = false;
};

void CdcRun::warn(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) {
    Event event = flow_event(flow_.name, target_.name.text(), "RUNNING", notice);
    event.level = Level::kWarn;
    context_.sink.emit(event);
  }
}

Result<CdcRun::Step> CdcRun::run_batch(const CdcPlan& plan, const BatchInput& batch,
                                       FlowProgress& progress) {
  LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
  const value::Schema columns = without_time_columns(schema_, plan.kind);
  LAKEBED_ASSIGN(const auto authors, author_memory(context_.pipeline, target_, plan.kind, *table_));
  LAKEBED_ASSIGN(EventBatch events,
                 read_events(plan, *engine, batch.inputs, columns,
                             authors ? RowsTested::kWhenWhole : RowsTested::kAsTheyCome));
  if (batch.whole && events.rows == 0 && events.invalid.empty()) return Step::kDone;
  const bool has_rows = events.rows > 0 || !events.invalid.empty();
  LAKEBED_TRY(count_views(context_.session, context_.pipeline, flow_.feed()->source, flow_.scope,
                          &progress, flow_.name, events.quality));
  LAKEBED_TRY(drop_below_snapshot(*table_, events));
  BatchJob job{context_, *table_, target_, plan, schema_, batch.covers(), {}};
  job.note = [&](TargetCommit& commit) -> Status {
    for (const auto& [scan, slice] : batch.slices) progress.advance(scan, slice, commit.memory());
    if (flow_.body.once) {
      mark_once(flow_.name, !batch.more, has_rows, *table_->memory, commit.memory());
    }
    if (!plan.own.source_row) return {};
    return note_batch(context_, {target_, *table_, flow_.name, batch.covers()}, events,
                      commit.memory());
  };
  LAKEBED_ASSIGN(const auto version, commit_batch(job, events));
  if (!version) return Step::kLost;
  return batch.more ? Step::kCommitted : Step::kLast;
}

Result<CdcRun::Step> CdcRun::step() {
  Session& session = context_.session;
  if (is_complete(flow_, table_->memory.get())) return Step::kDone;
  FlowProgress progress(session.project(), table_->memory.get(), flow_.name);
  QueryCatalog catalog(session, &context_.pipeline, &progress);
  catalog.set_scope(flow_.scope);
  LAKEBED_ASSIGN(const CdcPlan plan, plan_cdc_flow(session, flow_, catalog));
  if (!warned_) warn(plan.warnings);
  warned_ = true;
  LAKEBED_TRY(check_owner(*table_, plan.kind));
  LAKEBED_TRY(table_->check_unchanged());
  if (table_->memory) LAKEBED_TRY(check_drift(plan, *table_->memory, target_));
  const bool there = table_->exists();
  LAKEBED_ASSIGN(schema_,
                 target_schema(plan, target_, there ? &table_->snapshot.schema() : nullptr));
  if (!there) {
    LAKEBED_TRY(create_target(context_, *table_, target_, planned_, plan.kind));
    return Step::kCommitted;
  }
  LAKEBED_ASSIGN(const BatchInput batch, plan.streaming ? next_batch(plan.query, catalog, progress)
                                                        : whole_batch(plan.query, catalog));
  warn(batch.notices);
  if (!batch.pending) {
    if (schema_ == table_->snapshot.schema()) return Step::kDone;
    LAKEBED_ASSIGN(const bool won, commit_columns(context_, *table_, target_, plan.kind, schema_));
    return won ? Step::kDone : Step::kLost;
  }
  return run_batch(plan, batch, progress);
}

Status CdcRun::run() {
  LAKEBED_ASSIGN(table_, Table::open(context_.session, target_.name));
  sweep_dead(context_, *table_);
  int races = 0;
  bool committed = false;
  while (true) {
    LAKEBED_ASSIGN(const Step done, step());
    if (done == Step::kDone) break;
    committed = committed || done == Step::kCommitted || done == Step::kLast;
    if (done == Step::kLast) break;
    if (done == Step::kCommitted) {
      races = 0;
      LAKEBED_TRY(maintain_between(context_, *table_));
      continue;
    }
    if (++races > kRacesMax) {
      return update_error("TARGET_BUSY", fmt::format("another writer of {} was faster {} times",
                                                     target_.name.text(), races));
    }
    LAKEBED_TRY(table_->reload());
  }
  if (committed) LAKEBED_TRY(maintain(context_, *table_));
  if (context_.session.project().quarantine && table_->memory) {
    LAKEBED_TRY(settle_quarantine(context_, target_, *table_));
  }
  Table::park(std::move(table_));
  return {};
}

}  // namespace

Status run_cdc_flow(RunContext& context, const Flow& flow, const Dataset& target,
                    const value::Schema& planned) {
  return CdcRun(context, flow, target, planned).run();
}

}  // namespace lakebed::run
