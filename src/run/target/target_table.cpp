#include "run/target/target_table.h"

#include <fmt/format.h>

#include "base/names.h"
#include "delta/properties.h"
#include "delta/schema.h"

namespace lakebed::run {

namespace {

state::Identity identity_of(TargetKind kind) {
  const bool history = kind == TargetKind::kScd2 || kind == TargetKind::kBitemporal;
  return history ? state::Identity::kKeyKindSequence : state::Identity::kKey;
}

}  // namespace

delta::TransactionInfo update_info(const std::string& flow) {
  delta::TransactionInfo info;
  info.operation = "STREAMING UPDATE";
  info.parameters["flow"] = flow;
  return info;
}

Status check_owner(const Table& table, TargetKind kind) {
  if (!table.exists()) return {};
  if (!table.is_ours()) {
    return update_error(
               "TARGET_OWNED_BY_OTHERS",
               fmt::format("{} is a table that no flow of this project made", table.name.text()))
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

Status evolve(Session& session, Table& table, const value::Schema& schema,
              delta::Transaction& transaction) {
  LAKEBED_ASSIGN(const delta::TableShape shape,
                 delta::evolve_table(table.snapshot, schema, session.random()));
  if (!(shape.protocol == table.snapshot.protocol())) transaction.set_protocol(shape.protocol);
  if (!(shape.metadata == table.snapshot.metadata())) transaction.set_metadata(shape.metadata);
  return {};
}

Result<value::Schema> stored_schema(const Table& table, const delta::Transaction& transaction) {
  const auto& metadata = transaction.actions().metadata;
  if (!metadata) return table.snapshot.schema();
  return delta::schema_from_json(metadata->schema_string);
}

delta::TextMap declared_properties(const Dataset& dataset) {
  delta::TextMap properties;
  for (const plan::Property& property : dataset.declaration.properties) {
    properties[property.key] = property.value;
  }
  return properties;
}

Status check_declared_properties(const Dataset& dataset) {
  for (const plan::Property& property : dataset.declaration.properties) {
    auto checked = delta::check_properties({{property.key, property.value}});
    if (!checked.ok()) return std::move(checked).error().with_span(property.span);
  }
  return {};
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
    commit->memory().forget_everything(identity_of(kind));  // rule F2
    commit->memory().set_fact(state::FactSection::kTable, kRefreshFact,
                              uuid_text(commit->transaction().uuid()));
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

}  // namespace lakebed::run
