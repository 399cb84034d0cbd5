#include <fmt/format.h>

#include "delta/schema.h"
#include "run/batch/not_null.h"
#include "run/quality/expectations.h"
#include "run/target/generated.h"
#include "run/target/target_commit.h"
#include "run/update/flow_run.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

struct Computed {
  value::Schema schema;
  std::vector<value::ColumnBatch> rows;
  DataQuality quality;
};

Result<Computed> compute(RunContext& context, const Dataset& view) {
  Session& session = context.session;
  QueryCatalog catalog(session, &context.pipeline, nullptr);
  catalog.set_scope(view.scope);
  plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery query,
                 resolve_with_expectations(view.declaration.query, view, catalog, options));
  if (query.streaming) {
    return project_error(
               "INVALID_FLOW_QUERY_TYPE",
               fmt::format("the query of the materialized view {} streams", view.name.text()),
               view.declaration.span)
        .with_hint("read without STREAM, or declare a streaming table");
  }
  Computed computed;
  computed.schema = query.schema();
  computed.schema.resize(computed.schema.size() - view.declaration.expectations.size());
  for (value::Field& field : computed.schema) field.nullable = true;
  if (!view.declaration.columns.empty()) {
    LAKEBED_ASSIGN(computed.schema, merge_schemas(declared_schema(view.declaration.columns),
                                                  computed.schema, kDeclared));
  }
  LAKEBED_ASSIGN(const auto inputs, whole_inputs(query, catalog));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(query, inputs));
  RowTests tests(view.declaration.expectations, view.name.text(), view.name.table);
  while (true) {
    LAKEBED_ASSIGN(auto next, reader->next());
    if (!next) break;
    computed.rows.push_back(
        value::conform_batch(sift(std::move(*next), view, tests), computed.schema));
    LAKEBED_TRY(check_no_nulls(computed.rows.back(), view.name.table));
  }
  LAKEBED_TRY(tests.verdict());
  computed.quality = tests.quality();
  LAKEBED_TRY(count_views(session, context.pipeline, view.declaration.query, view.scope, nullptr,
                          view.name.table, computed.quality));
  return computed;
}

delta::TableDefinition definition_of(const Dataset& view, const value::Schema& schema) {
  delta::TableDefinition definition;
  definition.name = view.name.table;
  definition.comment = view.declaration.comment.value_or("");
  definition.schema = schema;
  definition.partition_columns = view.declaration.partitioned_by;
  definition.properties = declared_properties(view);
  return definition;
}

// Replaces all rows and the schema in one commit. True when the commit was won.
Result<bool> replace_rows(Session& session, Table& table, const Dataset& view,
                          const Computed& computed) {
  const delta::TableDefinition definition = definition_of(view, computed.schema);
  delta::TableShape shape;
  if (table.exists()) {
    LAKEBED_ASSIGN(shape, delta::replace_table(table.snapshot, definition, session.random()));
  } else {
    LAKEBED_ASSIGN(shape, delta::new_table(definition, session.clock(), session.random()));
    LAKEBED_ASSIGN(table.memory, state::TableState::create(*table.store, state::Identity::kKey));
  }
  delta::TransactionInfo info;
  info.operation = "REFRESH MATERIALIZED VIEW";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, table, info));
  const int64_t now_ms = session.clock().now_us() / 1000;
  for (const delta::AddFilePtr& file : table.snapshot.files()) {
    commit->transaction().remove(*file, now_ms);
  }
  if (!table.exists() || !(shape.protocol == table.snapshot.protocol())) {
    commit->transaction().set_protocol(shape.protocol);
  }
  if (!table.exists() || !(shape.metadata == table.snapshot.metadata())) {
    commit->transaction().set_metadata(shape.metadata);
  }
  commit->memory().set_fact(state::FactSection::kTable, kTableFact,
                            table_fact(shape.metadata.id, TargetKind::kMaterializedView));
  std::vector<const value::ColumnBatch*> parts;
  for (const value::ColumnBatch& batch : computed.rows) parts.push_back(&batch);
  LAKEBED_TRY(commit->write_rows(parts, shape.schema, definition.partition_columns, nullptr));
  commit->transaction().info().metrics["num_output_rows"] = std::to_string(commit->rows_written());
  add_quality(computed.quality, commit->transaction().info());
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won;
}

}  // namespace

Status check_view_place(const Table& table) {
  if (!table.exists() || table.kind() == TargetKind::kMaterializedView) return {};
  return update_error("CANNOT_CHANGE_DATASET_TYPE",
                      fmt::format("{} is a table that is no materialized view of this project",
                                  table.name.text()))
      .with_hint("drop it, or give the materialized view another name");
}

Status refresh_materialized_view(RunContext& context, const Dataset& view) {
  LAKEBED_ASSIGN(const Computed computed, compute(context, view));
  uint64_t rows = 0;
  for (const value::ColumnBatch& batch : computed.rows) rows += batch.rows;
  LAKEBED_ASSIGN(const auto table, Table::open(context.session, view.name));
  LAKEBED_TRY(check_view_place(*table));
  for (int races = 0; races < 20; ++races) {
    LAKEBED_ASSIGN(const bool won, replace_rows(context.session, *table, view, computed));
    if (!won) {
      LAKEBED_TRY(table->reload());
      continue;
    }
    Event event = flow_event(
        view.name.table, view.name.text(), "RUNNING",
        fmt::format("{}: {} rows (version {})", view.name.table, rows, table->snapshot.version()),
        {{"num_output_rows", rows}});
    add_quality(computed.quality, event);
    context.sink.emit(event);
    return {};
  }
  return update_error("TARGET_BUSY", view.name.text() + " is being written by others");
}

}  // namespace lakebed::run
