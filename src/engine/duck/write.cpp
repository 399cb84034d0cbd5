#include "engine/duck/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/duck/functions/render.h"
#include "engine/duck/scan.h"

namespace lakebed::engine::duck {

namespace {

using value::Kind;
using value::Type;

// DuckDB passes vectors of this many rows; row groups are whole vectors.
constexpr uint64_t kVectorRows = 2048;
// Below this, a second thread costs more than it saves.
constexpr uint64_t kRowsWorthAThread = 8 * kVectorRows;

Status check_type(const Type& type, const std::string& path) {
  const bool storable = type.kind != Kind::kVoid && type.kind != Kind::kIntervalYearMonth &&
                        type.kind != Kind::kIntervalDayTime;
  if (!storable) {
    return update_error("UNSUPPORTED_TYPE", fmt::format("column {} of type {} cannot be stored",
                                                        path, type.text()));
  }
  for (const auto& field : type.fields) {
    LAKEBED_TRY(check_type(field.type, path + "." + field.name));
  }
  return {};
}

// {a: 1, s: {__duckdb_field_id: 2, b: 3}}, of the paths that have an id.
std::string field_ids_of(const value::Schema& fields, const std::string& prefix,
                         const std::map<std::string, int32_t>& ids) {
  std::string out;
  for (const auto& field : fields) {
    const std::string path = prefix.empty() ? field.name : prefix + "." + field.name;
    const auto found = ids.find(path);
    const std::string below = field_ids_of(field.type.fields, path, ids);
    if (found == ids.end() && below.empty()) continue;
    std::string item = found == ids.end() ? "" : std::to_string(found->second);
    if (!below.empty()) {
      const std::string own = item.empty() ? "" : "__duckdb_field_id: " + item + ", ";
      item = "{" + own + below + "}";
    }
    out += (out.empty() ? "" : ", ") + quote_identifier(field.name) + ": " + item;
  }
  return out;
}

// Every thread gets a row group, also when there are few rows.
uint64_t rows_of_group(uint64_t rows, int threads, const WriteOptions& options) {
  const uint64_t workers = std::clamp<uint64_t>(rows / kRowsWorthAThread, 1,
                                                static_cast<uint64_t>(threads));
  const uint64_t share = (rows + workers - 1) / workers;
  const uint64_t whole = (share + kVectorRows - 1) / kVectorRows * kVectorRows;
  return std::max(kVectorRows, std::min(whole, options.row_group_rows));
}

std::string copy_statement(const std::string& view, const std::string& path,
                           const value::Schema& schema, const WriteOptions& options,
                           uint64_t group_rows) {
  std::string sql = fmt::format(
      "COPY (SELECT * FROM {}) TO {} (FORMAT parquet, COMPRESSION {}, ROW_GROUP_SIZE {}, "
      "PRESERVE_ORDER true, OVERWRITE_OR_IGNORE true, PER_THREAD_OUTPUT false",
      view, quote_text(path), quote_text(options.compression), group_rows);
  if (options.compression == "zstd") {
    sql += fmt::format(", COMPRESSION_LEVEL {}", options.compression_level);
  }
  const auto ids = field_ids_of(schema, "", options.field_ids);
  if (!ids.empty()) sql += ", FIELD_IDS {" + ids + "}";
  return sql + ")";
}

// Slices of at most one row group, batch by batch, none across two batches.
ArrowSource::Next slices_of(const std::vector<const value::ColumnBatch*>& batches,
                            uint64_t group_rows) {
  struct Place {
    size_t batch = 0;
    size_t row = 0;
  };
  auto place = std::make_shared<Place>();
  return [batches, group_rows, place]() -> Result<std::optional<ColumnSlice>> {
    while (place->batch < batches.size() && place->row == batches[place->batch]->rows) {
      ++place->batch;
      place->row = 0;
    }
    if (place->batch == batches.size()) return std::optional<ColumnSlice>();
    const auto& batch = *batches[place->batch];
    ColumnSlice slice;
    for (const auto& column : batch.columns) slice.columns.push_back(&column);
    slice.first = place->row;
    slice.count = std::min<size_t>(group_rows, batch.rows - place->row);
    place->row += slice.count;
    return std::optional<ColumnSlice>(std::move(slice));
  };
}

}  // namespace

Result<WrittenFile> write_parquet(Database& database, const std::string& path,
                                  const value::Schema& schema,
                                  const std::vector<const value::ColumnBatch*>& batches,
                                  const WriteOptions& options) {
  for (const auto& field : schema) LAKEBED_TRY(check_type(field.type, field.name));
  uint64_t rows = 0;
  for (const auto* batch : batches) rows += batch->rows;
  const uint64_t group_rows = rows_of_group(rows, database.threads(), options);
  LAKEBED_ASSIGN(auto view, ScanView::open(database.shared_from_this(), schema,
                                           slices_of(batches, group_rows)));
  LAKEBED_ASSIGN(auto connection, database.connect());
  auto written =
      connection->execute(copy_statement(view->name(), path, schema, options, group_rows));
  if (!written.ok()) return std::move(written).error().within("file " + path);
  WrittenFile out;
  out.rows = *written;
  std::error_code failed;
  out.bytes = std::filesystem::file_size(path, failed);
  if (failed) return update_error("FILE_ERROR", "no file " + path + ": " + failed.message());
  return out;
}

}  // namespace lakebed::engine::duck
