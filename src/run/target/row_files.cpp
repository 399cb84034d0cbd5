#include "run/target/row_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "delta/partition.h"
#include "delta/schema.h"
#include "delta/statistics.h"
#include "run/target/generated.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

using value::ColumnBatch;

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

// The rows as the file holds them. A partition column stands in the file, too: the log's value is
// what counts, but some readers take a file without the column for one without the value. So NULL
// in the log (empty text is none there) is NULL in the file.
ColumnBatch file_columns(const ColumnBatch& batch, const delta::PartitionValues& values,
                         const std::vector<std::string>& partitions) {
  ColumnBatch out = batch;
  for (const std::string& name : partitions) {
    const size_t at = *value::find_field(batch.schema, name);
    const value::Field& field = batch.schema[at];
    if (values.at(delta::physical_name(field))) continue;
    out.columns[at] = value::null_column(field.type, batch.rows);
  }
  return out;
}

}  // namespace

Status RowFiles::write_file(const std::vector<const ColumnBatch*>& batches,
                            const value::Schema& schema, const delta::PartitionValues& values,
                            const std::vector<std::string>& partitions) {
  const std::string name =
      fmt::format("part-{:05}-{}.zstd.parquet", written_.size(), uuid_text(transaction_.uuid()));
  LAKEBED_ASSIGN(const std::string local, store_.local_path(name));
  LAKEBED_ASSIGN(engine::Engine * engine, session_.engine());
  written_.push_back(name);
  std::vector<ColumnBatch> rows;
  std::vector<const ColumnBatch*> inputs = batches;
  if (!partitions.empty()) {
    rows.reserve(batches.size());
    for (size_t i = 0; i < batches.size(); ++i) {
      rows.push_back(file_columns(*batches[i], values, partitions));
      inputs[i] = &rows[i];
    }
  }
  engine::WriteOptions options;
  options.field_ids = delta::field_ids(schema);
  LAKEBED_ASSIGN(const engine::WrittenFile written,
                 engine->write_parquet(local, delta::physical_schema(schema), inputs, options));
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
  rows_ += written.rows;
  bytes_ += written.bytes;
  return {};
}

Status RowFiles::write(const std::vector<const ColumnBatch*>& batches, const value::Schema& schema,
                       const std::vector<std::string>& partitions, std::vector<RowPlace>* places) {
  if (!data_change_ || delivered_columns(schema).size() == schema.size()) {
    return write_filled(batches, schema, partitions, places);
  }
  LAKEBED_ASSIGN(const auto filled, fill_generated(session_, batches, schema));
  std::vector<const ColumnBatch*> parts;
  for (const ColumnBatch& batch : filled) parts.push_back(&batch);
  return write_filled(parts, schema, partitions, places);
}

Status RowFiles::write_filled(const std::vector<const ColumnBatch*>& batches,
                              const value::Schema& schema,
                              const std::vector<std::string>& partitions,
                              std::vector<RowPlace>* places) {
  size_t rows = 0;
  for (const ColumnBatch* batch : batches) rows += batch->rows;
  if (places) places->resize(rows);
  if (rows == 0) return {};
  auto file = static_cast<uint32_t>(written_.size());
  if (partitions.empty() && rows <= kRowsPerFile) {
    LAKEBED_TRY(write_file(batches, schema, {}, {}));
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
      LAKEBED_TRY(write_file(chunk, schema, {}, {}));
      for (size_t row = 0; places && row < count; ++row) {
        (*places)[begin + row] = {file, static_cast<uint32_t>(row)};
      }
      ++file;
      begin += count;
      count = 0;
      chunk.clear();
    }
    return {};
  }
  for (const RowGroup& group : split_by_partition(batches, schema, partitions)) {
    LAKEBED_TRY(write_file({&group.rows}, schema, group.values, partitions));
    for (size_t row = 0; places && row < group.numbers.size(); ++row) {
      (*places)[group.numbers[row]] = {file, static_cast<uint32_t>(row)};
    }
    ++file;
  }
  return {};
}

void RowFiles::remove_all() {
  for (const std::string& path : written_) (void)store_.remove(path);
}

}  // namespace lakebed::run
