#include "run/event_log/event_table.h"

#include "delta/checkpoint.h"
#include "delta/partition.h"
#include "delta/table.h"
#include "run/event_log/event_compact.h"
#include "run/event_log/event_rows.h"
#include "run/event_log/event_tail.h"
#include "run/target/row_files.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kApplication = "lakebed.events";
constexpr int kRacesMax = 20;

Status describe_table(Session& session, const delta::Snapshot& snapshot,
                      delta::Transaction& transaction) {
  if (snapshot.exists()) return {};
  delta::TableDefinition definition;
  definition.name = "event_log";
  definition.comment = "What the updates of the pipeline did";
  definition.schema = event_schema();
  LAKEBED_ASSIGN(const delta::TableShape shape,
                 delta::new_table(definition, session.clock(), session.random()));
  transaction.set_protocol(shape.protocol);
  transaction.set_metadata(shape.metadata);
  return {};
}

// One try. True when it was won.
Result<bool> commit_rows(Session& session, store::Store& store, delta::Snapshot& snapshot,
                         const value::ColumnBatch& rows, int64_t generation) {
  delta::TransactionInfo info;
  info.operation = "WRITE";
  info.parameters["mode"] = "Append";
  info.blind_append = true;
  delta::Transaction transaction(info, session.random());
  LAKEBED_TRY(describe_table(session, snapshot, transaction));
  transaction.set_transaction(kApplication, generation, session.clock().now_us() / 1000);
  RowFiles files(session, store, transaction);
  LAKEBED_TRY(files.write({&rows}, event_schema(), {}, nullptr));
  LAKEBED_TRY(store.sync(files.written()));
  const delta::Environment environment = session.environment(store);
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome,
                 delta::commit(environment, snapshot, transaction));
  if (!outcome.won) files.remove_all();
  return outcome.won;
}

Result<delta::Snapshot> load_table(const delta::Environment& environment) {
  LAKEBED_ASSIGN(const bool there, delta::table_exists(environment));
  if (!there) return delta::Snapshot();
  return delta::load(environment);
}

Status fold(Session& session, EventTail& tail) {
  LAKEBED_ASSIGN(const std::string lines, tail.read());
  const value::ColumnBatch rows = event_rows(lines);
  if (rows.rows == 0) return {};
  const auto store = store::local_store(event_log_folder(session.project()).string());
  const delta::Environment environment = session.environment(*store);
  for (int races = 0; races < kRacesMax; ++races) {
    LAKEBED_ASSIGN(delta::Snapshot snapshot, load_table(environment));
    const int64_t now_s = session.clock().now_us() / 1'000'000;
    if (snapshot.transaction(kApplication).value_or(0) >= tail.generation()) {
      return tail.clear(now_s);
    }
    LAKEBED_ASSIGN(const bool won, commit_rows(session, *store, snapshot, rows, tail.generation()));
    if (!won) continue;
    LAKEBED_TRY(tail.clear(now_s));
    LAKEBED_TRY(compact_events(session, *store, snapshot));
    if (!delta::checkpoint_is_due(snapshot)) return {};
    return delta::write_checkpoint(environment, snapshot);
  }
  return update_error("EVENT_LOG_BUSY", "the table of the event log is being written by others");
}

}  // namespace

fs::path event_log_folder(const Project& project) { return project.storage / "system" / "events"; }

bool has_events(const Project& project) {
  std::error_code ignored;
  const fs::path folder = event_log_folder(project);
  return fs::exists(folder / "_delta_log", ignored) || fs::exists(folder / kTailFile, ignored);
}

Status fold_events(Session& session) {
  LAKEBED_ASSIGN(const auto tail, EventTail::open(event_log_folder(session.project()), false));
  return tail ? fold(session, *tail) : Status{};
}

}  // namespace lakebed::run
