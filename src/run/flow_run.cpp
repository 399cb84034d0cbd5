#include "run/flow_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/names.h"
#include "run/apply.h"
#include "run/maintain.h"
#include "run/not_null.h"
#include "value/conform.h"
#include "value/text.h"
#include "delta/schema.h"

namespace lakebed::run {

namespace {

constexpr int kRacesMax = 20;

state::Identity identity_of(TargetKind kind) {
  return kind == TargetKind::kScd2 ? state::Identity::kKeyKindSequence : state::Identity::kKey;
}

delta::TransactionInfo update_info(const std::string& flow) {
  delta::TransactionInfo info;
  info.operation = "STREAMING UPDATE";
  info.parameters["flow"] = flow;
  return info;
}

// Rule F4: the property, its aliases, with or without a trailing s; nothing: keep for ever.
std::optional<uint64_t> tombstone_seconds(const Dataset& target) {
  for (const char* key : {"pipelines.cdc.tombstoneGCThresholdInSeconds",
                          "pipelines.applyChanges.tombstoneGCThresholdInSeconds"}) {
    auto text = target.property(key);
    if (!text) continue;
    if (!text->empty() && text->back() == 's') text->pop_back();
    return std::strtoull(text->c_str(), nullptr, 10);
  }
  return std::nullopt;
}

Status check_owner(const Table& table, TargetKind kind) {
  if (!table.exists()) return {};
  if (!table.is_ours()) {
    return update_error("TARGET_OWNED_BY_OTHERS",
                        fmt::format("{} is a table that no flow of this project made",
                                    table.name.text()))
        .with_hint("drop it, or give the streaming table another name");
  }
  const bool append_now = kind == TargetKind::kAppend;
  const bool append_before = table.kind() == TargetKind::kAppend;
  if (append_now != append_before) {
    return update_error("CANNOT_CHANGE_DATASET_TYPE",
                        fmt::format("{} was filled as {} before", table.name.text(),
                                    target_kind_text(*table.kind())))
        .with_hint("run with --full-refresh " + quote_name(table.name.table));
  }
  return {};
}

// New columns of the definition: metadata of the same commit (rule F3).
Status evolve(Session& session, Table& table, const value::Schema& schema,
              delta::Transaction& transaction) {
  LAKEBED_ASSIGN(const delta::TableShape shape,
                 delta::evolve_table(table.snapshot, schema, session.random()));
  if (!(shape.protocol == table.snapshot.protocol())) transaction.set_protocol(shape.protocol);
  if (!(shape.metadata == table.snapshot.metadata())) transaction.set_metadata(shape.metadata);
  return {};
}

Metrics published(const cdc::Metrics& metrics) {
  return {{"num_upserted_rows", metrics.upserted_rows},
          {"num_deleted_rows", metrics.deleted_rows},
          {"num_tied_events", metrics.tied_events},
          {"num_late_events", metrics.late_events},
          {"num_quarantined_rows", 0}};
}

// One CDC flow while it runs: plan, read, apply, commit, again.
class CdcRun {
 public:
  CdcRun(RunContext& context, const Flow& flow, const Dataset& target)
      : context_(context), flow_(flow), target_(target) {}

  Status run();

 private:
  enum class Step : uint8_t { kDone, kCommitted, kLost };
  Result<Step> step();
  Result<Step> run_batch(const CdcPlan& plan, BatchInput batch, FlowProgress& progress);
  Result<Step> grow_only(const value::Schema& schema);
  Status check_ties(const cdc::Metrics& metrics, const EventBatch& events) const;
  void report(const Metrics& metrics, const BatchInput& batch, int64_t version);
  void warn(const std::vector<std::string>& notices);

  RunContext& context_;
  const Flow& flow_;
  const Dataset& target_;
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

void CdcRun::report(const Metrics& metrics, const BatchInput& batch, int64_t version) {
  std::string covers;
  for (const auto& [scan, slice] : batch.slices) {
    covers += (covers.empty() ? "" : "; ") + slice.covers;
  }
  context_.sink.emit(flow_event(
      flow_.name, target_.name.text(), "RUNNING",
      fmt::format("{}: {} rows upserted, {} deleted (version {}; {})", flow_.name,
                  metrics.at("num_upserted_rows"), metrics.at("num_deleted_rows"), version, covers),
      metrics));
}

// lakebed.cdc.onSequenceTie: fail (rule E4).
Status CdcRun::check_ties(const cdc::Metrics& metrics, const EventBatch& events) const {
  if (!context_.session.project().fail_on_tie || metrics.tied_events == 0) return {};
  std::string sample;
  if (metrics.first_tied != cdc::kNoArrival) {
    const auto at = events.locate(metrics.first_tied);
    value::append_json_row(events.parts[at.part], at.row, context_.session.project().time_zone,
                           sample);
  }
  return update_error("AUTOCDC_MICROBATCH_VALIDATION.SEQUENCE_TIE",
                      fmt::format("flow {}: {} events meet a different event at their key and "
                                  "sequence; the batch is refused, for example {}",
                                  quote_name(flow_.name), metrics.tied_events, sample));
}

Result<CdcRun::Step> CdcRun::grow_only(const value::Schema& schema) {
  delta::TransactionInfo info;
  info.operation = "ADD COLUMNS";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(context_.session, *table_, info));
  LAKEBED_TRY(evolve(context_.session, *table_, schema, commit->transaction()));
  if (!commit->transaction().actions().metadata) return Step::kDone;
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won ? Step::kDone : Step::kLost;
}

Result<CdcRun::Step> CdcRun::run_batch(const CdcPlan& plan, BatchInput batch,
                                       FlowProgress& progress) {
  value::Schema columns = schema_;
  if (plan.kind == TargetKind::kScd2) {
    std::erase_if(columns, [](const value::Field& field) {
      return same_name(field.name, "__START_AT") || same_name(field.name, "__END_AT");
    });
  }
  LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
  LAKEBED_ASSIGN(const EventBatch events, read_events(plan, *engine, batch.inputs, columns));
  LAKEBED_ASSIGN(auto commit,
                 TargetCommit::begin(context_.session, *table_, update_info(flow_.name)));
  LAKEBED_TRY(evolve(context_.session, *table_, schema_, commit->transaction()));
  const bool expires = tombstone_seconds(target_).has_value();
  const auto now = static_cast<uint32_t>(context_.session.clock().now_us() / 1'000'000);
  // Rows are written under the schema as the table has it: with its column mapping.
  ApplyContext apply{context_.session, *table_, plan, schema_, columns, expires ? now : 0};
  if (commit->transaction().actions().metadata) {
    LAKEBED_ASSIGN(apply.schema, delta::schema_from_json(
                                     commit->transaction().actions().metadata->schema_string));
  } else {
    apply.schema = table_->snapshot.schema();
  }
  cdc::Metrics metrics;
  LAKEBED_TRY(plan.kind == TargetKind::kScd2 ? apply_scd2(apply, events, *commit, metrics)
                                             : apply_scd1(apply, events, *commit, metrics));
  LAKEBED_TRY(check_ties(metrics, events));
  for (const auto& [scan, slice] : batch.slices) progress.advance(scan, slice, commit->memory());
  commit->memory().set_fact(state::FactSection::kDefinition, fold_case(flow_.name),
                            plan.definition);
  const Metrics counters = published(metrics);
  for (const auto& [name, count] : counters) {
    commit->transaction().info().metrics[name] = std::to_string(count);
  }
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  if (!outcome.won) return Step::kLost;
  report(counters, batch, outcome.version);
  return Step::kCommitted;
}

Result<CdcRun::Step> CdcRun::step() {
  Session& session = context_.session;
  FlowProgress progress(session.project(), table_->memory.get(), flow_.name);
  QueryCatalog catalog(session, &context_.pipeline, &progress);
  LAKEBED_ASSIGN(const CdcPlan plan, plan_cdc_flow(session, flow_, catalog));
  if (!warned_) warn(plan.warnings);
  warned_ = true;
  LAKEBED_TRY(check_owner(*table_, plan.kind));
  LAKEBED_TRY(table_->check_unchanged());
  if (table_->memory) {
    const auto remembered =
        table_->memory->fact(state::FactSection::kDefinition, fold_case(flow_.name));
    if (remembered) LAKEBED_TRY(check_drift(plan, *remembered, target_));
  }
  const bool there = table_->exists();
  LAKEBED_ASSIGN(schema_,
                 target_schema(plan, target_, there ? &table_->snapshot.schema() : nullptr));
  if (!there) {
    LAKEBED_TRY(create_target(context_, *table_, target_, schema_, plan.kind));
    return Step::kCommitted;
  }
  LAKEBED_ASSIGN(BatchInput batch, next_batch(plan.query, catalog, progress));
  warn(batch.notices);
  if (!batch.pending) {
    if (schema_ == table_->snapshot.schema()) return Step::kDone;
    return grow_only(schema_);
  }
  return run_batch(plan, std::move(batch), progress);
}

Status CdcRun::run() {
  LAKEBED_ASSIGN(table_, Table::open(context_.session, target_.name));
  sweep_dead(context_, *table_);
  int races = 0;
  bool committed = false;
  while (true) {
    LAKEBED_ASSIGN(const Step done, step());
    if (done == Step::kDone) break;
    if (done == Step::kCommitted) {
      committed = true;
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
  if (!committed) return {};
  return maintain(context_, *table_);
}

// A streaming table filled by a query: each batch's rows are appended.
class AppendRun {
 public:
  AppendRun(RunContext& context, const std::string& name, const plan::RelationPtr& query,
            const SourceSpan& span, const Dataset& target)
      : context_(context), name_(name), query_(query), span_(span), target_(target) {}

  Status run();

 private:
  Result<bool> step(bool& lost);
  Result<value::Schema> wanted_schema(const plan::ResolvedQuery& query) const;
  Result<bool> append(const plan::ResolvedQuery& query, const BatchInput& batch,
                      const value::Schema& schema, FlowProgress& progress, bool& lost);

  RunContext& context_;
  const std::string& name_;
  const plan::RelationPtr& query_;
  const SourceSpan& span_;
  const Dataset& target_;
  std::unique_ptr<Table> table_;
};

Result<value::Schema> AppendRun::wanted_schema(const plan::ResolvedQuery& query) const {
  value::Schema declared;
  for (const auto& item : target_.declaration.columns) declared.push_back(item.field);
  value::Schema delivered = query.schema();
  for (value::Field& field : delivered) field.nullable = true;
  if (!table_->exists()) return declared.empty() ? delivered : merge_schemas(declared, delivered);
  LAKEBED_ASSIGN(const value::Schema merged, merge_schemas(table_->snapshot.schema(), declared));
  return merge_schemas(merged, delivered);
}

Result<bool> AppendRun::append(const plan::ResolvedQuery& query, const BatchInput& batch,
                               const value::Schema& schema, FlowProgress& progress, bool& lost) {
  LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(query, batch.inputs));
  LAKEBED_ASSIGN(auto commit,
                 TargetCommit::begin(context_.session, *table_, update_info(name_)));
  LAKEBED_TRY(evolve(context_.session, *table_, schema, commit->transaction()));
  value::Schema stored = table_->snapshot.schema();
  if (commit->transaction().actions().metadata) {
    LAKEBED_ASSIGN(stored, delta::schema_from_json(
                               commit->transaction().actions().metadata->schema_string));
  }
  std::vector<value::ColumnBatch> rows;
  while (true) {
    LAKEBED_ASSIGN(auto next, reader->next());
    if (!next) break;
    rows.push_back(value::conform_batch(*next, stored));
    LAKEBED_TRY(check_no_nulls(rows.back(), name_));
  }
  std::vector<const value::ColumnBatch*> parts;
  for (const auto& part : rows) parts.push_back(&part);
  LAKEBED_TRY(commit->write_rows(parts, stored, table_->snapshot.partition_columns(), nullptr));
  for (const auto& [scan, slice] : batch.slices) progress.advance(scan, slice, commit->memory());
  commit->transaction().info().metrics["num_output_rows"] =
      std::to_string(commit->rows_written());
  const Metrics counters = {{"num_output_rows", commit->rows_written()}};
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  lost = !outcome.won;
  if (outcome.won) {
    context_.sink.emit(flow_event(name_, target_.name.text(), "RUNNING",
                                  fmt::format("{}: {} rows appended (version {})", name_,
                                              counters.at("num_output_rows"), outcome.version),
                                  counters));
  }
  return true;
}

Result<bool> AppendRun::step(bool& lost) {
  Session& session = context_.session;
  FlowProgress progress(session.project(), table_->memory.get(), name_);
  QueryCatalog catalog(session, &context_.pipeline, &progress);
  plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery query, plan::resolve_query(query_, catalog, options));
  if (!query.streaming) {
    return project_error("INVALID_FLOW_QUERY_TYPE",
                         fmt::format("the query that fills the streaming table {} does not stream",
                                     target_.name.text()),
                         span_)
        .with_hint("read with STREAM, or declare a materialized view");
  }
  LAKEBED_TRY(check_owner(*table_, TargetKind::kAppend));
  LAKEBED_ASSIGN(const value::Schema schema, wanted_schema(query));
  if (!table_->exists()) {
    LAKEBED_TRY(create_target(context_, *table_, target_, schema, TargetKind::kAppend));
    return true;
  }
  LAKEBED_ASSIGN(const BatchInput batch, next_batch(query, catalog, progress));
  if (!batch.pending) return false;
  return append(query, batch, schema, progress, lost);
}

Status AppendRun::run() {
  LAKEBED_ASSIGN(table_, Table::open(context_.session, target_.name));
  sweep_dead(context_, *table_);
  int races = 0;
  while (true) {
    bool lost = false;
    LAKEBED_ASSIGN(const bool more, step(lost));
    if (!more) break;
    if (!lost) {
      LAKEBED_TRY(maintain_between(context_, *table_));
      continue;
    }
    if (++races > kRacesMax) {
      return update_error("TARGET_BUSY", target_.name.text() + " is being written by others");
    }
    LAKEBED_TRY(table_->reload());
  }
  return maintain(context_, *table_);
}

}  // namespace

delta::TextMap declared_properties(const Dataset& dataset) {
  delta::TextMap properties;
  for (const plan::Property& property : dataset.declaration.properties) {
    properties[property.key] = property.value;
  }
  return properties;
}

Status create_target(RunContext& context, Table& table, const Dataset& target,
                     const value::Schema& schema, TargetKind kind) {
  delta::TableDefinition definition;
  definition.name = target.name.table;
  definition.comment = target.declaration.comment.value_or("");
  definition.schema = schema;
  definition.partition_columns = target.declaration.partitioned_by;
  definition.properties = declared_properties(target);
  Session& session = context.session;
  LAKEBED_ASSIGN(const delta::TableShape shape,
                 delta::new_table(definition, session.clock(), session.random()));
  LAKEBED_ASSIGN(table.memory, state::TableState::create(*table.store, identity_of(kind)));
  delta::TransactionInfo info;
  info.operation = "CREATE TABLE";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, table, info));
  commit->transaction().set_protocol(shape.protocol);
  commit->transaction().set_metadata(shape.metadata);
  commit->memory().set_fact(state::FactSection::kTable, kTableFact,
                            table_fact(shape.metadata.id, kind));
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  if (outcome.won) return {};
  commit.reset();
  return table.reload();  // another run of the project made it first
}

Status reset_table(RunContext& context, const Dataset& target, const value::Schema& schema,
                   TargetKind kind) {
  Session& session = context.session;
  for (int races = 0; races <= kRacesMax; ++races) {
    LAKEBED_ASSIGN(const auto table, Table::open_for_reset(session, target.name));
    if (!table->exists()) return {};
    delta::TableDefinition definition;
    definition.name = target.name.table;
    definition.comment = target.declaration.comment.value_or("");
    definition.schema = schema;
    definition.partition_columns = target.declaration.partitioned_by;
    definition.properties = declared_properties(target);
    LAKEBED_ASSIGN(const delta::TableShape shape,
                   delta::replace_table(table->snapshot, definition, session.random()));
    delta::TransactionInfo info;
    info.operation = "FULL REFRESH";
    LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, *table, info));
    commit->memory().forget_everything(identity_of(kind));
    const int64_t now_ms = session.clock().now_us() / 1000;
    for (const delta::AddFilePtr& file : table->snapshot.files()) {
      commit->transaction().remove(*file, now_ms);
    }
    commit->transaction().set_protocol(shape.protocol);
    commit->transaction().set_metadata(shape.metadata);
    commit->memory().set_fact(state::FactSection::kTable, kTableFact,
                              table_fact(shape.metadata.id, kind));
    LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
    if (outcome.won) return {};
  }
  return update_error("TARGET_BUSY", target.name.text() + " is being written by others");
}

Status run_cdc_flow(RunContext& context, const Flow& flow, const Dataset& target) {
  return CdcRun(context, flow, target).run();
}

Status run_append_flow(RunContext& context, const std::string& name, const plan::RelationPtr& query,
                       const SourceSpan& span, const Dataset& target) {
  return AppendRun(context, name, query, span, target).run();
}

}  // namespace lakebed::run
