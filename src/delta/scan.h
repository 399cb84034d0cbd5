// From a snapshot to what the engine scans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "delta/deletion_vector.h"
#include "delta/snapshot.h"
#include "engine/engine.h"

namespace lakebed::delta {

// Bitmaps by the vector's unique id: read once, kept by the caller as long as it likes.
class VectorCache {
 public:
  // The bitmap of a vector, from memory or from the store.
  Result<std::shared_ptr<const Bitmap>> get(store::Store& store, const DeletionVector& vector);
  // Remembers a bitmap that was just written.
  void put(const DeletionVector& vector, std::shared_ptr<const Bitmap> rows);
  // Forgets all that `snapshot` does not use.
  void keep_only(const Snapshot& snapshot);

 private:
  std::unordered_map<std::string, std::shared_ptr<const Bitmap>> bitmaps_;
};

// The absolute local path of a data file of the table.
Result<std::string> file_path(store::Store& store, const AddFile& file);

// One file for the engine: path, deleted rows, partition constants under logical names.
Result<engine::ParquetFile> parquet_file(store::Store& store, const Snapshot& snapshot,
                                         const AddFile& file, VectorCache& cache);

// A scan over `files` (or over all live files in stream order), columns by their logical names.
Result<engine::ScanInput> scan_input(store::Store& store, const Snapshot& snapshot,
                                     VectorCache& cache);
Result<engine::ScanInput> scan_input(store::Store& store, const Snapshot& snapshot,
                                     const std::vector<AddFilePtr>& files, VectorCache& cache);

}  // namespace lakebed::delta
