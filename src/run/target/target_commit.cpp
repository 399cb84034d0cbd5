#include "run/target/target_commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "delta/partition.h"

namespace lakebed::run {

TargetCommit::TargetCommit(Session& session, Table& table, delta::TransactionInfo info)
    : session_(session),
      table_(table),
      transaction_(std::move(info), session.random()),
      id_(uuid_text(transaction_.uuid())),
      files_(session, *table.store, transaction_),
      vector_file_(transaction_.uuid()) {}

Result<std::unique_ptr<TargetCommit>> TargetCommit::begin(Session& session, Table& table,
                                                          delta::TransactionInfo info) {
  std::unique_ptr<TargetCommit> commit(new TargetCommit(session, table, std::move(info)));
  LAKEBED_ASSIGN(commit->pending_, state::Pending::create(*table.store, commit->id_));
  commit->writer_ = std::make_unique<state::StateWriter>(*table.memory, commit->id_);
  return commit;
}

TargetCommit::~TargetCommit() {
  if (!finished_) remove_written();
  if (pending_) (void)pending_->close();
}

void TargetCommit::remove_written() {
  files_.remove_all();
  for (const std::string& path : written_) (void)table_.store->remove(path);
}

Status TargetCommit::write_rows(const std::vector<const value::ColumnBatch*>& batches,
                                const value::Schema& schema,
                                const std::vector<std::string>& partitions,
                                std::vector<cdc::Place>* places) {
  std::vector<RowPlace> written;
  LAKEBED_TRY(files_.write(batches, schema, partitions, places ? &written : nullptr));
  if (!places) return {};
  std::vector<uint32_t> ids;
  for (const std::string& name : files_.written()) ids.push_back(table_.memory->files().id(name));
  places->clear();
  places->reserve(written.size());
  for (const RowPlace& place : written) places->push_back({ids[place.file], place.row});
  return {};
}

Status TargetCommit::remove_rows(const std::vector<cdc::Place>& places) {
  std::map<uint32_t, std::vector<uint64_t>> by_file;
  for (const cdc::Place& place : places) by_file[place.file].push_back(place.row);
  const int64_t now_ms = session_.clock().now_us() / 1000;
  for (auto& [file, rows] : by_file) {
    const std::string& name = table_.memory->files().name(file);
    const delta::AddFilePtr live = table_.snapshot.find_path(delta::encode_path(name));
    if (!live) {
      return update_error("STATE_MISMATCH",
                          fmt::format("the memory places rows in {}, which is no live file", name));
    }
    std::sort(rows.begin(), rows.end());
    auto bitmap = std::make_shared<delta::Bitmap>();  // shared with the cache of vectors
    if (live->vector) {
      LAKEBED_ASSIGN(const auto before, table_.vectors.get(*table_.store, *live->vector));
      *bitmap = delta::Bitmap(*before);
    }
    bitmap->add_many(rows);
    const auto physical = live->physical_rows();
    if (physical && bitmap->cardinality() == static_cast<uint64_t>(*physical)) {
      transaction_.remove(*live, now_ms, data_change_);
      continue;
    }
    const delta::DeletionVector vector = vector_file_.append(*bitmap);
    LAKEBED_TRY(transaction_.replace_vector(*live, vector, now_ms, data_change_));
    table_.vectors.put(vector, bitmap);
  }
  return {};
}

Status TargetCommit::write_vectors() {
  if (vector_file_.empty()) return {};
  written_.push_back(vector_file_.path());
  return table_.store->put(vector_file_.path(), vector_file_.bytes());
}

Result<Hash128> TargetCommit::file_set_after() const {
  delta::Snapshot after = table_.snapshot;
  LAKEBED_TRY(after.apply(transaction_.actions(), table_.snapshot.version() + 1, "this commit"));
  return after.file_set_hash();
}

Result<delta::CommitOutcome> TargetCommit::finish() {
  LAKEBED_TRY(write_vectors());
  LAKEBED_ASSIGN(const Hash128 files, file_set_after());
  LAKEBED_ASSIGN(state::Finished memory,
                 writer_->finish(table_.snapshot.version() + 1, hash_text(files)));
  written_.insert(written_.end(), memory.written.begin(), memory.written.end());
  std::vector<std::string> to_sync = files_.written();
  to_sync.insert(to_sync.end(), written_.begin(), written_.end());
  LAKEBED_TRY(table_.store->sync(to_sync));
  const Json domain = {{"manifest", memory.manifest.name}, {"hash", memory.manifest.hash}};
  transaction_.set_domain(kDomain, domain.dump());
  const delta::Environment environment = session_.environment(*table_.store);
  auto committed = delta::commit(environment, table_.snapshot, transaction_);
  if (!committed.ok()) {
    // Unclear: the commit may be there, so its files must stay.
    finished_ = committed.error().code == "DELTA_COMMIT.UNCLEAR";
    return std::move(committed).error();
  }
  if (!committed->won) return std::move(committed).value();
  finished_ = true;
  LAKEBED_TRY(table_.memory->apply(std::move(memory)));
  return std::move(committed).value();
}

}  // namespace lakebed::run
