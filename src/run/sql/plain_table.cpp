#include "run/sql/plain_table.h"

#include <fmt/format.h>

#include "delta/partition.h"
#include "delta/schema.h"
#include "delta/statistics.h"
#include "run/batch/not_null.h"
#include "run/target/row_files.h"

namespace lakebed::run {

namespace {

constexpr int kRacesMax = 20;

// Writes the files, commits, and says whether the commit was won.
Result<bool> commit_rows(Session& session, Table& table, const value::Schema& schema,
                         delta::Transaction& transaction,
                         const std::vector<value::ColumnBatch>& rows) {
  RowFiles files(session, *table.store, transaction);
  std::vector<const value::ColumnBatch*> parts;
  for (const value::ColumnBatch& batch : rows) {
    LAKEBED_TRY(check_no_nulls(batch, table.name.table));
    parts.push_back(&batch);
  }
  const auto& partitions = transaction.actions().metadata
                               ? transaction.actions().metadata->partition_columns
                               : table.snapshot.partition_columns();
  LAKEBED_TRY(files.write(parts, schema, partitions, nullptr));
  LAKEBED_TRY(table.store->sync(files.written()));
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome,
                 delta::commit(session.environment(*table.store), table.snapshot, transaction));
  if (!outcome.won) files.remove_all();
  return outcome.won;
}

delta::TableDefinition definition_of(const TableName& name, const plan::CreateTable& created,
                                     const value::Schema& schema) {
  delta::TableDefinition definition;
  definition.name = name.table;
  definition.comment = created.comment.value_or("");
  definition.schema = schema;
  definition.partition_columns = created.partitioned_by;
  for (const plan::Property& property : created.properties) {
    definition.properties[property.key] = property.value;
  }
  return definition;
}

}  // namespace

Status create_plain_table(Session& session, const TableName& name, const plan::CreateTable& created,
                          const value::Schema& schema,
                          const std::vector<value::ColumnBatch>& rows) {
  LAKEBED_ASSIGN(const auto table, Table::open(session, name));
  if (table->is_ours()) {
    return update_error("TARGET_IS_MANAGED", name.text() + " is filled by flows of a pipeline");
  }
  if (table->exists() && !created.or_replace) {
    if (created.if_not_exists) return {};
    return update_error("TABLE_OR_VIEW_ALREADY_EXISTS", name.text() + " exists already");
  }
  const delta::TableDefinition definition = definition_of(name, created, schema);
  for (int races = 0; races < kRacesMax; ++races) {
    delta::TransactionInfo info;
    info.operation = created.query ? "CREATE TABLE AS SELECT" : "CREATE TABLE";
    delta::Transaction transaction(info, session.random());
    delta::TableShape shape;
    if (table->exists()) {
      LAKEBED_ASSIGN(shape, delta::replace_table(table->snapshot, definition, session.random()));
    } else {
      LAKEBED_ASSIGN(shape, delta::new_table(definition, session.clock(), session.random()));
    }
    transaction.set_protocol(shape.protocol);
    transaction.set_metadata(shape.metadata);
    for (const delta::AddFilePtr& file : table->snapshot.files()) {
      transaction.remove(*file, session.clock().now_us() / 1000);
    }
    LAKEBED_ASSIGN(const bool won, commit_rows(session, *table, shape.schema, transaction, rows));
    if (won) return {};
    LAKEBED_TRY(table->reload());
  }
  return update_error("TARGET_BUSY", name.text() + " is being written by others");
}

Status insert_rows(Session& session, const TableName& name, bool overwrite,
                   const std::vector<value::ColumnBatch>& rows) {
  LAKEBED_ASSIGN(const auto table, Table::open(session, name));
  if (table->is_ours()) {
    return update_error("TARGET_IS_MANAGED",
                        name.text() +
                            " is filled by flows of a pipeline; DML on it is not built "
                            "yet");
  }
  for (int races = 0; races < kRacesMax; ++races) {
    delta::TransactionInfo info;
    info.operation = "WRITE";
    info.parameters["mode"] = overwrite ? "Overwrite" : "Append";
    info.blind_append = !overwrite;
    delta::Transaction transaction(info, session.random());
    for (const delta::AddFilePtr& file : table->snapshot.files()) {
      if (overwrite) transaction.remove(*file, session.clock().now_us() / 1000);
    }
    LAKEBED_ASSIGN(const bool won,
                   commit_rows(session, *table, table->snapshot.schema(), transaction, rows));
    if (won) return {};
    LAKEBED_TRY(table->reload());
  }
  return update_error("TARGET_BUSY", name.text() + " is being written by others");
}

}  // namespace lakebed::run
