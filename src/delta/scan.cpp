#include "delta/scan.h"

#include <algorithm>
#include <set>

#include "delta/partition.h"
#include "delta/schema.h"

namespace lakebed::delta {

Result<std::shared_ptr<const Bitmap>> VectorCache::get(store::Store& store,
                                                       const DeletionVector& vector) {
  std::string id = vector.unique_id();
  if (const auto known = bitmaps_.find(id); known != bitmaps_.end()) return known->second;
  LAKEBED_ASSIGN(Bitmap bitmap, read_vector(store, vector));
  auto shared = std::make_shared<const Bitmap>(std::move(bitmap));
  bitmaps_.emplace(std::move(id), shared);
  return shared;
}

void VectorCache::put(const DeletionVector& vector, std::shared_ptr<const Bitmap> rows) {
  bitmaps_[vector.unique_id()] = std::move(rows);
}

void VectorCache::keep_only(const Snapshot& snapshot) {
  std::set<std::string> used;
  for (const auto& [key, file] : snapshot.files_by_key()) {
    if (file->vector) used.insert(file->vector->unique_id());
  }
  std::erase_if(bitmaps_, [&](const auto& entry) { return !used.contains(entry.first); });
}

Result<std::string> file_path(store::Store& store, const AddFile& file) {
  Result<std::string> path = decode_path(file.path);
  if (!path.ok() || path->starts_with('/')) return path;
  return store.local_path(*path);
}

Result<engine::ParquetFile> parquet_file(store::Store& store, const Snapshot& snapshot,
                                         const AddFile& file, VectorCache& cache) {
  engine::ParquetFile out;
  LAKEBED_ASSIGN(out.path, file_path(store, file));
  if (file.vector) {
    LAKEBED_ASSIGN(const auto bitmap, cache.get(store, *file.vector));
    out.deleted_rows = std::make_shared<const std::vector<uint64_t>>(bitmap->rows());
  }
  for (const std::string& column : snapshot.partition_columns()) {
    const auto at = value::find_field(snapshot.schema(), column);
    const std::string physical = at ? physical_name(snapshot.schema()[*at]) : column;
    const auto found = file.partition_values.find(physical);
    const bool present = found != file.partition_values.end() && found->second;
    const bool null = !present || found->second->empty();
    out.constants[column] = null ? std::nullopt : found->second;
  }
  return out;
}

Result<engine::ScanInput> scan_input(store::Store& store, const Snapshot& snapshot,
                                     const std::vector<AddFilePtr>& files, VectorCache& cache) {
  engine::ScanInput input;
  input.is_parquet = true;
  input.physical_names = physical_names(snapshot.schema());
  input.files.reserve(files.size());
  for (const AddFilePtr& file : files) {
    LAKEBED_ASSIGN(engine::ParquetFile parquet, parquet_file(store, snapshot, *file, cache));
    input.files.push_back(std::move(parquet));
  }
  return input;
}

Result<engine::ScanInput> scan_input(store::Store& store, const Snapshot& snapshot,
                                     VectorCache& cache) {
  return scan_input(store, snapshot, snapshot.files(), cache);
}

}  // namespace lakebed::delta
