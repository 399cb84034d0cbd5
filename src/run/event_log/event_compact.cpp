#include "run/event_log/event_compact.h"

#include "delta/partition.h"
#include "delta/scan.h"
#include "run/event_log/event_rows.h"
#include "run/event_log/event_table.h"
#include "run/target/row_files.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

using delta::AddFilePtr;

constexpr int64_t kSmallBytes = 8 << 20;
constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;
constexpr int64_t kRemovedDays = 7;  // readers of older versions have gone on by then

plan::ResolvedQuery scan_of(const value::Schema& schema) {
  auto leaf = std::make_shared<plan::Relation>();
  leaf->kind = plan::RelationKind::kLeaf;
  for (const value::Field& field : schema) {
    plan::Attribute attribute;
    attribute.id = static_cast<plan::AttributeId>(leaf->output.size() + 1);
    attribute.name = field.name;
    attribute.type = field.type;
    leaf->output.push_back(std::move(attribute));
  }
  plan::ResolvedQuery query;
  query.root = std::move(leaf);
  plan::Scan scan;
  scan.schema = schema;
  query.scans.push_back(std::move(scan));
  return query;
}

Result<std::vector<value::ColumnBatch>> read_files(Session& session, store::Store& store,
                                                   const delta::Snapshot& snapshot,
                                                   const std::vector<AddFilePtr>& files) {
  delta::VectorCache vectors;
  LAKEBED_ASSIGN(engine::ScanInput input, delta::scan_input(store, snapshot, files, vectors));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader,
                 engine->run(scan_of(snapshot.schema()), {{0, std::move(input)}}));
  std::vector<value::ColumnBatch> rows;
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader->next());
    if (!batch) return rows;
    rows.push_back(value::conform_batch(*batch, snapshot.schema()));
  }
}

struct Due {
  std::vector<AddFilePtr> old;
  std::vector<AddFilePtr> small;
};

Due due_files(const delta::Snapshot& snapshot, int64_t now_ms) {
  Due due;
  for (const AddFilePtr& file : snapshot.files()) {
    if (file->modified_ms < now_ms - kEventDays * kDayMs) {
      due.old.push_back(file);
    } else if (file->size < kSmallBytes) {
      due.small.push_back(file);
    }
  }
  if (due.small.size() <= kSmallEventFilesMax) due.small.clear();
  return due;
}

Status rewrite(Session& session, store::Store& store, delta::Snapshot& snapshot, const Due& due) {
  delta::TransactionInfo info;
  info.operation = "OPTIMIZE";
  delta::Transaction transaction(info, session.random());
  const int64_t now_ms = session.clock().now_us() / 1000;
  RowFiles files(session, store, transaction);
  files.data_change(false);
  if (!due.small.empty()) {
    LAKEBED_ASSIGN(const auto rows, read_files(session, store, snapshot, due.small));
    std::vector<const value::ColumnBatch*> parts;
    for (const value::ColumnBatch& part : rows) parts.push_back(&part);
    LAKEBED_TRY(files.write(parts, snapshot.schema(), {}, nullptr));
  }
  for (const AddFilePtr& file : due.small) transaction.remove(*file, now_ms, false);
  // Records that are forgotten are no news: streams over the log pass this over.
  for (const AddFilePtr& file : due.old) transaction.remove(*file, now_ms, false);
  LAKEBED_TRY(store.sync(files.written()));
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome,
                 delta::commit(session.environment(store), snapshot, transaction));
  if (outcome.won) return {};
  files.remove_all();
  LAKEBED_ASSIGN(const bool moved, delta::refresh(session.environment(store), snapshot));
  LAKEBED_ASSERT(moved);
  return {};
}

Status delete_removed(store::Store& store, const delta::Snapshot& snapshot, int64_t now_ms) {
  for (const auto& [key, file] : snapshot.tombstones()) {
    if (file.deletion_ms.value_or(now_ms) > now_ms - kRemovedDays * kDayMs) continue;
    LAKEBED_ASSIGN(const std::string path, delta::decode_path(file.path));
    LAKEBED_TRY(store.remove(path));
  }
  return {};
}

}  // namespace

Status compact_events(Session& session, store::Store& store, delta::Snapshot& snapshot) {
  const int64_t now_ms = session.clock().now_us() / 1000;
  const Due due = due_files(snapshot, now_ms);
  if (due.old.empty() && due.small.empty()) return {};
  LAKEBED_TRY(rewrite(session, store, snapshot, due));
  return delete_removed(store, snapshot, now_ms);
}

}  // namespace lakebed::run
