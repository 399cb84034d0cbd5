// Append flows: each batch's rows are added to the table.
#include <fmt/format.h>

#include <algorithm>

#include "run/batch/not_null.h"
#include "run/quality/expectations.h"
#include "run/target/generated.h"
#include "run/update/flow_run.h"
#include "run/update/once.h"
#include "run/upkeep/maintain.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

// A streaming table filled by a query: each batch's rows are appended.
class AppendRun {
 public:
  AppendRun(RunContext& context, const AppendFlow& flow, const Dataset& target)
      : context_(context), flow_(flow), target_(target) {}

  Status run();

 private:
  Result<bool> step(bool& lost);
  Result<value::Schema> wanted_schema(const plan::ResolvedQuery& query) const;
  Result<bool> append(const plan::ResolvedQuery& query, const BatchInput& batch,
                      const value::Schema& schema, FlowProgress& progress, bool& lost);

  RunContext& context_;
  const AppendFlow& flow_;
  const Dataset& target_;
  std::unique_ptr<Table> table_;
};

Result<value::Schema> AppendRun::wanted_schema(const plan::ResolvedQuery& query) const {
  const value::Schema declared = declared_schema(target_.declaration.columns);
  value::Schema delivered = query.schema();
  delivered.resize(delivered.size() - target_.declaration.expectations.size());
  for (value::Field& field : delivered) field.nullable = true;
  if (!declared.empty()) {
    LAKEBED_ASSIGN(delivered, merge_schemas(declared, delivered, kDeclared));
  }
  if (!table_->exists()) return delivered;
  LAKEBED_ASSIGN(const value::Schema merged, merge_schemas(table_->snapshot.schema(), declared));
  return merge_schemas(merged, delivered);
}

Result<bool> AppendRun::append(const plan::ResolvedQuery& query, const BatchInput& batch,
                               const value::Schema& schema, FlowProgress& progress, bool& lost) {
  LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(query, batch.inputs));
  LAKEBED_ASSIGN(auto commit,
                 TargetCommit::begin(context_.session, *table_, update_info(flow_.name)));
  LAKEBED_TRY(evolve(context_.session, *table_, schema, commit->transaction()));
  LAKEBED_ASSIGN(const value::Schema stored, stored_schema(*table_, commit->transaction()));
  std::vector<value::ColumnBatch> rows;
  RowTests tests(target_.declaration.expectations, target_.name.text(), flow_.name);
  while (true) {
    LAKEBED_ASSIGN(auto next, reader->next());
    if (!next) break;
    rows.push_back(value::conform_batch(sift(std::move(*next), target_, tests), stored));
    LAKEBED_TRY(check_no_nulls(rows.back(), flow_.name));
  }
  LAKEBED_TRY(tests.verdict());
  DataQuality quality = tests.quality();
  LAKEBED_TRY(count_views(context_.session, context_.pipeline, flow_.query, target_.scope,
                          &progress, flow_.name, quality));
  std::vector<const value::ColumnBatch*> parts;
  for (const auto& part : rows) parts.push_back(&part);
  const bool has_rows =
      std::any_of(rows.begin(), rows.end(), [](const auto& part) { return part.rows > 0; });
  if (batch.whole && !has_rows) return false;
  LAKEBED_TRY(commit->write_rows(parts, stored, table_->snapshot.partition_columns(), nullptr));
  for (const auto& [scan, slice] : batch.slices) progress.advance(scan, slice, commit->memory());
  if (flow_.once) {
    mark_once(flow_.name, !batch.more, has_rows, *table_->memory, commit->memory());
  }
  commit->transaction().info().metrics["num_output_rows"] = std::to_string(commit->rows_written());
  add_quality(quality, commit->transaction().info());
  const Metrics counters = {{"num_output_rows", commit->rows_written()}};
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  lost = !outcome.won;
  if (outcome.won) {
    Event event = flow_event(flow_.name, target_.name.text(), "RUNNING",
                             fmt::format("{}: {} rows appended (version {})", flow_.name,
                                         counters.at("num_output_rows"), outcome.version),
                             counters);
    add_quality(quality, event);
    context_.sink.emit(event);
  }
  return lost || batch.more;
}

Result<bool> AppendRun::step(bool& lost) {
  Session& session = context_.session;
  if (flow_.once && is_complete(flow_.name, table_->memory.get())) return false;
  FlowProgress progress(session.project(), table_->memory.get(), flow_.name);
  QueryCatalog catalog(session, &context_.pipeline, &progress);
  catalog.set_scope(flow_.scope);
  plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery query,
                 resolve_with_expectations(flow_.query, target_, catalog, options));
  if (!query.streaming && !flow_.once) {
    return project_error("INVALID_FLOW_QUERY_TYPE",
                         fmt::format("the query that fills the streaming table {} does not stream",
                                     target_.name.text()),
                         flow_.span)
        .with_hint("read with STREAM, or declare a materialized view");
  }
  LAKEBED_TRY(check_owner(*table_, TargetKind::kAppend));
  LAKEBED_ASSIGN(const value::Schema schema, wanted_schema(query));
  if (!table_->exists()) {
    LAKEBED_TRY(create_target(context_, *table_, target_, schema, TargetKind::kAppend));
    return true;
  }
  LAKEBED_ASSIGN(const BatchInput batch, query.streaming ? next_batch(query, catalog, progress)
                                                         : whole_batch(query, catalog));
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
  LAKEBED_TRY(maintain(context_, *table_));
  Table::park(std::move(table_));
  return {};
}

}  // namespace

Status run_append_flow(RunContext& context, const AppendFlow& flow, const Dataset& target) {
  return AppendRun(context, flow, target).run();
}

}  // namespace lakebed::run
