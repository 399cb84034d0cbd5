#include "run/target/batch_commit.h"

#include <fmt/format.h>

#include "base/names.h"
#include "run/apply/author_memory.h"
#include "run/upkeep/expiry.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

Metrics published(const cdc::Metrics& metrics, const EventBatch& events) {
  return {{"num_upserted_rows", metrics.upserted_rows},
          {"num_deleted_rows", metrics.deleted_rows},
          {"num_tied_events", metrics.tied_events},
          {"num_late_events", metrics.late_events},
          {"num_quarantined_rows", events.invalid.size()}};
}

// lakebed.cdc.onSequenceTie: fail (rule E4).
Status check_ties(const BatchJob& job, const cdc::Metrics& metrics, const EventBatch& events) {
  if (!job.context.session.project().fail_on_tie || metrics.tied_events == 0) return {};
  std::string sample;
  if (metrics.first_tied < events.rows) {  // a delete of a snapshot has no row
    const auto at = events.locate(metrics.first_tied);
    value::append_json_row(events.parts[at.part], at.row, job.context.session.project().time_zone,
                           sample);
  }
  return update_error("AUTOCDC_MICROBATCH_VALIDATION.SEQUENCE_TIE",
                      fmt::format("flow {}: {} events meet a different event at their key and "
                                  "sequence; the batch is refused, for example {}",
                                  quote_name(job.plan.flow), metrics.tied_events, sample));
}

void report(const BatchJob& job, const Metrics& metrics, const DataQuality& quality,
            int64_t version) {
  Event event = flow_event(job.plan.flow, job.target.name.text(), "RUNNING",
                           fmt::format("{}: {} rows upserted, {} deleted (version {}; {})",
                                       job.plan.flow, metrics.at("num_upserted_rows"),
                                       metrics.at("num_deleted_rows"), version, job.covers),
                           metrics);
  add_quality(quality, event);
  job.context.sink.emit(event);
}

// Rows are written under the schema as the table has it: with its column mapping.
Result<ApplyContext> apply_context(const BatchJob& job, TargetCommit& commit) {
  Session& session = job.context.session;
  LAKEBED_ASSIGN(value::Schema stored, stored_schema(job.table, commit.transaction()));
  LAKEBED_ASSIGN(auto authors,
                 author_memory(job.context.pipeline, job.target, job.plan.kind, job.table));
  LAKEBED_ASSIGN(const state::Expiry expiry, expiry_of(session, job.target, *job.table.memory));
  note_timing(session, expiry.on(), *job.table.memory, commit.memory());
  return ApplyContext{session,
                      job.table,
                      job.plan,
                      std::move(stored),
                      without_time_columns(job.schema, job.plan.kind),
                      expiry.on() ? now_seconds(session) : 0,
                      std::move(authors),
                      expiry,
                      {}};
}

}  // namespace

Result<std::optional<int64_t>> commit_batch(const BatchJob& job, const EventBatch& events) {
  Session& session = job.context.session;
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, job.table, update_info(job.plan.flow)));
  LAKEBED_TRY(evolve(session, job.table, job.schema, commit->transaction()));
  LAKEBED_ASSIGN(ApplyContext apply, apply_context(job, *commit));
  cdc::Metrics metrics;
  metrics.late_events = events.below_floor;
  DataQuality quality = events.quality;
  LAKEBED_TRY(apply_events(apply, events, *commit, metrics, quality));
  if (apply.authors) remember_authors(*apply.authors, commit->memory());
  LAKEBED_TRY(check_ties(job, metrics, events));
  LAKEBED_TRY(job.note(*commit));
  commit->memory().set_fact(state::FactSection::kDefinition, fold_case(job.plan.flow),
                            job.plan.definition);
  const Metrics counters = published(metrics, events);
  for (const auto& [name, count] : counters) {
    commit->transaction().info().metrics[name] = std::to_string(count);
  }
  add_quality(quality, commit->transaction().info());
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  if (!outcome.won) return std::optional<int64_t>{};
  report(job, counters, quality, outcome.version);
  return std::optional(outcome.version);
}

Result<bool> commit_columns(RunContext& context, Table& table, const Dataset& target,
                            TargetKind kind, const value::Schema& schema) {
  delta::TransactionInfo info;
  info.operation = "ADD COLUMNS";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(context.session, table, info));
  LAKEBED_TRY(evolve(context.session, table, schema, commit->transaction()));
  if (!commit->transaction().actions().metadata) return true;
  LAKEBED_ASSIGN(const auto authors, author_memory(context.pipeline, target, kind, table));
  if (authors) remember_authors(*authors, commit->memory());
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won;
}

}  // namespace lakebed::run
