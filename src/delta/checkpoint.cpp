#include "delta/checkpoint.h"

#include <fmt/format.h>

#include "base/json.h"
#include "delta/checkpoint_rows.h"
#include "delta/internal.h"
#include "delta/properties.h"

namespace lakebed::delta {
namespace {

constexpr int64_t kDayMs = 86'400'000;

Result<engine::Engine*> engine_of(const Environment& environment, const std::string& file) {
  if (!environment.engine) {
    return update_error("DELTA_CHECKPOINT.NO_ENGINE",
                        fmt::format("'{}' cannot be read or written without the engine.", file));
  }
  return environment.engine();
}

// A query that yields the file's rows as they are.
plan::ResolvedQuery scan_query(const value::Schema& schema) {
  auto leaf = std::make_shared<plan::Relation>();
  leaf->kind = plan::RelationKind::kLeaf;
  plan::AttributeId next = 1;
  for (const value::Field& field : schema) {
    plan::Attribute attribute;
    attribute.id = next++;
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

Error damaged(const std::string& file, const Error& cause) {
  return update_error("DELTA_CHECKPOINT.DAMAGED",
                      fmt::format("The checkpoint '{}' cannot be read: {}", file, cause.message))
      .with_hint("Restore the file from a copy; if the whole log is there, remove the checkpoint.");
}

Status read_rows(engine::Engine& engine, const std::string& local, const std::string& file,
                 CommitActions& actions) {
  engine::ScanInput input;
  input.is_parquet = true;
  input.files.push_back({local, nullptr, {}});
  auto reader = engine.run(scan_query(checkpoint_read_schema()), {{0, input}});
  if (!reader.ok()) return damaged(file, reader.error());
  while (true) {
    auto batch = (*reader)->next();
    if (!batch.ok()) return damaged(file, batch.error());
    if (!batch->has_value()) return {};
    LAKEBED_TRY(read_checkpoint_rows(**batch, file, actions));
  }
}

Status read_file(const Environment& environment, const std::string& file,
                 CommitActions& actions) {
  if (file.ends_with(".json")) {
    LAKEBED_ASSIGN(const std::string text, environment.store.read(file));
    LAKEBED_ASSIGN(actions, parse_commit(text, file));
    return {};
  }
  LAKEBED_TRY(environment.store.stat(file));
  LAKEBED_ASSIGN(engine::Engine * engine, engine_of(environment, file));
  LAKEBED_ASSIGN(const std::string local, environment.store.local_path(file));
  return read_rows(*engine, local, file, actions);
}

// Everything that a checkpoint of the snapshot holds.
CommitActions actions_of(const Snapshot& snapshot, int64_t now_ms) {
  CommitActions actions;
  actions.protocol = snapshot.protocol();
  actions.metadata = snapshot.metadata();
  for (const auto& [app, transaction] : snapshot.transactions()) {
    actions.transactions.push_back(transaction);
  }
  for (const auto& [domain, configuration] : snapshot.domains()) {
    actions.domains.push_back({domain, configuration, false});
  }
  for (const auto& [key, file] : snapshot.files_by_key()) {
    actions.adds.push_back(*file);
    if (file->added_version >= 0) {
      set_added_version_tag(actions.adds.back(), file->added_version);
    }
  }
  int64_t retention = 7 * kDayMs;
  const TextMap& configuration = snapshot.metadata().configuration;
  const auto property = configuration.find("delta.deletedFileRetentionDuration");
  if (property != configuration.end()) {
    const auto parsed = parse_interval_ms(property->second);
    if (parsed.ok()) retention = *parsed;
  }
  for (const auto& [key, remove] : snapshot.tombstones()) {
    if (remove.deletion_ms.value_or(0) >= now_ms - retention) actions.removes.push_back(remove);
  }
  return actions;
}

Status write_hint(store::Store& store, int64_t version, size_t rows, size_t adds, size_t bytes) {
  const std::string path = "_delta_log/_last_checkpoint";
  LAKEBED_TRY(store.put(
      path, fmt::format("{{\"version\":{},\"size\":{},\"sizeInBytes\":{},\"numOfAddFiles\":{}}}",
                        version, rows, bytes, adds)));
  return store.sync({path});
}

}  // namespace

bool checkpoint_is_due(const Snapshot& snapshot, int64_t every) {
  return snapshot.version() - std::max<int64_t>(snapshot.checkpoint_version(), 0) >= every;
}

Status write_checkpoint(const Environment& environment, Snapshot& snapshot) {
  const int64_t now_ms = environment.clock.now_us() / 1000;
  const CommitActions actions = actions_of(snapshot, now_ms);
  const value::ColumnBatch batch = checkpoint_rows(actions);
  const std::string final_name =
      fmt::format("_delta_log/{:020}.checkpoint.parquet", snapshot.version());
  // The engine writes a file of its own; the name in the log appears at once and whole.
  const std::string temporary =
      fmt::format("_lakebed/tmp/checkpoint-{}.parquet", uuid_text(make_uuid(environment.random)));
  LAKEBED_ASSIGN(engine::Engine * engine, engine_of(environment, final_name));
  LAKEBED_ASSIGN(const std::string local, environment.store.local_path(temporary));
  LAKEBED_TRY(engine->write_parquet(local, checkpoint_schema(), {&batch}, {}));
  auto bytes = environment.store.read(temporary);
  LAKEBED_TRY(environment.store.remove(temporary));
  if (!bytes.ok()) return std::move(bytes).error();
  LAKEBED_TRY(environment.store.put_if_absent(final_name, *bytes));
  LAKEBED_TRY(write_hint(environment.store, snapshot.version(), batch.rows, actions.adds.size(),
                         bytes->size()));
  snapshot.set_checkpoint_version(snapshot.version());
  return {};
}

Result<CommitActions> read_checkpoint(const Environment& environment,
                                      const std::vector<std::string>& files) {
  CommitActions actions;
  for (const std::string& file : files) LAKEBED_TRY(read_file(environment, file, actions));
  const std::vector<std::string> sidecars = std::move(actions.sidecars);
  actions.sidecars.clear();
  for (const std::string& name : sidecars) {
    LAKEBED_TRY(read_file(environment, "_delta_log/_sidecars/" + name, actions));
  }
  return actions;
}

}  // namespace lakebed::delta
