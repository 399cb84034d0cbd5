#include "run/target_commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "delta/partition.h"
#include "delta/schema.h"
#include "delta/statistics.h"

namespace lakebed::run {

namespace {

using value::ColumnBatch;

std::string hash_text(const Hash128& hash) { return hex64(hash.high) + hex64(hash.low); }

// Where a row of the batches goes: its partition, as the values' texts.
using PartitionKey = std::vector<std::optional<std::string>>;

struct RowGroup {
  delta::PartitionValues values;
  ColumnBatch rows;             // gathered; empty where the whole batches are one group
  std::vector<size_t> numbers;  // of the rows, counted over all batches
};

ColumnBatch gather_rows(const ColumnBatch& batch, const std::vector<uint32_t>& rows) {
  ColumnBatch out;
  out.schema = batch.schema;
  out.rows = rows.size();
  for (const value::Column& column : batch.columns) out.columns.push_back(column.gather(rows));
  return out;
}

// Splits rows by the values of the partition columns, groups in the order of their first row.
std::vector<RowGroup> split_by_partition(const std::vector<const ColumnBatch*>& batches,
                                         const value::Schema& schema,
                                         const std::vector<std::string>& partitions) {
  std::map<PartitionKey, size_t> known;
  std::vector<RowGroup> groups;
  size_t number = 0;
  for (const ColumnBatch* batch : batches) {
    std::map<size_t, std::vector<uint32_t>> rows_of;
    for (size_t row = 0; row < batch->rows; ++row) {
      PartitionKey key;
      for (const std::string& name : partitions) {
        const size_t at = *value::find_field(schema, name);
        key.push_back(delta::partition_text(batch->columns[at], row));
      }
      const auto [at, is_new] = known.try_emplace(key, groups.size());
      if (is_new) {
        groups.emplace_back();
        groups.back().rows = ColumnBatch::empty(schema);
        for (size_t i = 0; i < partitions.size(); ++i) {
          const value::Field& field = schema[*value::find_field(schema, partitions[i])];
          groups.back().values[delta::physical_name(field)] = key[i];
        }
      }
      rows_of[at->second].push_back(static_cast<uint32_t>(row));
      groups[at->second].numbers.push_back(number++);
    }
    for (const auto& [group, rows] : rows_of) {
      groups[group].rows.append_range(gather_rows(*batch, rows), 0, rows.size());
    }
  }
  return groups;
}

// The columns that the file holds: all but the partition columns.
ColumnBatch file_columns(const ColumnBatch& batch, const std::vector<std::string>& partitions) {
  ColumnBatch out;
  out.rows = batch.rows;
  for (size_t i = 0; i < batch.schema.size(); ++i) {
    const bool partition = std::find(partitions.begin(), partitions.end(),
                                     batch.schema[i].name) != partitions.end();
    if (partition) continue;
    out.schema.push_back(batch.schema[i]);
    out.columns.push_back(batch.columns[i]);
  }
  return out;
}

}  // namespace

TargetCommit::TargetCommit(Session& session, Table& table, delta::TransactionInfo info)
    : session_(session),
      table_(table),
      transaction_(std::move(info), session.random()),
      id_(uuid_text(transaction_.uuid())),
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
  for (const std::string& path : written_) (void)table_.store->remove(path);
}

Status TargetCommit::write_file(const std::vector<const ColumnBatch*>& batches,
                                const value::Schema& schema, const delta::PartitionValues& values,
                                const std::vector<std::string>& partitions, uint32_t& file_id) {
  const std::string name = fmt::format("part-{:05}-{}.zstd.parquet", files_++, id_);
  LAKEBED_ASSIGN(const std::string local, table_.store->local_path(name));
  LAKEBED_ASSIGN(engine::Engine * engine, session_.engine());
  written_.push_back(name);
  const value::Schema physical = delta::physical_schema(schema);
  std::vector<ColumnBatch> stripped;
  std::vector<const ColumnBatch*> inputs = batches;
  value::Schema file_schema = physical;
  if (!partitions.empty()) {
    stripped.reserve(batches.size());
    for (const ColumnBatch* batch : batches) stripped.push_back(file_columns(*batch, partitions));
    inputs.clear();
    for (const ColumnBatch& batch : stripped) inputs.push_back(&batch);
    file_schema = delta::physical_schema(stripped.front().schema);
  }
  engine::WriteOptions options;
  options.field_ids = delta::field_ids(schema);
  LAKEBED_ASSIGN(const engine::WrittenFile written,
                 engine->write_parquet(local, file_schema, inputs, options));
  delta::AddFile add;
  add.path = delta::encode_path(name);
  add.partition_values = values;
  add.size = static_cast<int64_t>(written.bytes);
  add.modified_ms = session_.clock().now_us() / 1000;
  add.data_change = data_change_;
  delta::StatisticsOptions statistics;
  statistics.partition_columns = partitions;
  add.stats = delta::statistics_json(schema, batches, statistics);
  transaction_.add(std::move(add));
  rows_written_ += written.rows;
  bytes_written_ += written.bytes;
  file_id = table_.memory->files().id(name);
  return {};
}

Status TargetCommit::write_rows(const std::vector<const ColumnBatch*>& batches,
                                const value::Schema& schema,
                                const std::vector<std::string>& partitions,
                                std::vector<cdc::Place>* places) {
  size_t rows = 0;
  for (const ColumnBatch* batch : batches) rows += batch->rows;
  if (places) places->resize(rows);
  if (rows == 0) return {};
  uint32_t file = 0;
  if (partitions.empty() && rows <= kRowsPerFile) {
    LAKEBED_TRY(write_file(batches, schema, {}, {}, file));
    for (size_t i = 0; places && i < rows; ++i) (*places)[i] = {file, static_cast<uint32_t>(i)};
    return {};
  }
  if (partitions.empty()) {
    std::vector<const ColumnBatch*> chunk;
    size_t begin = 0;
    size_t count = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
      chunk.push_back(batches[i]);
      count += batches[i]->rows;
      if (count < kRowsPerFile && i + 1 < batches.size()) continue;
      LAKEBED_TRY(write_file(chunk, schema, {}, {}, file));
      for (size_t row = 0; places && row < count; ++row) {
        (*places)[begin + row] = {file, static_cast<uint32_t>(row)};
      }
      begin += count;
      count = 0;
      chunk.clear();
    }
    return {};
  }
  for (const RowGroup& group : split_by_partition(batches, schema, partitions)) {
    LAKEBED_TRY(write_file({&group.rows}, schema, group.values, partitions, file));
    for (size_t row = 0; places && row < group.numbers.size(); ++row) {
      (*places)[group.numbers[row]] = {file, static_cast<uint32_t>(row)};
    }
  }
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
  bytes_written_ += vector_file_.bytes().size();
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
  std::vector<std::string> to_sync = written_;
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
