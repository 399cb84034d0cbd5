// The relational engine behind an interface: runs resolved plans, reads and writes Parquet.
// It never decides CDC semantics. `duck/` is the implementation. One Engine may be used from one
// thread at a time; it uses threads of its own inside.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/resolve.h"
#include "value/column.h"

namespace lakebed::engine {

// Stands between the names of a path into nested columns, where names themselves may have dots.
inline constexpr char kNestedName = '\x1f';

// One Parquet file of a scan.
struct ParquetFile {
  std::string path;                     // absolute local path, no scheme, no escaping
  // Row numbers that must not be read, ascending; from the deletion vector. May be null.
  std::shared_ptr<const std::vector<uint64_t>> deleted_rows;
  // Values of columns that are not in the file (partition columns), by column name: text in Delta's
  // partition value form, or null for NULL. Cast to the column's type.
  std::map<std::string, std::optional<std::string>> constants;
};

// Data of one scan of a plan. Either `files` or `reader` is used.
struct ScanInput {
  // Parquet. A column that a file lacks reads NULL; one of a narrower type is widened; nested
  // fields likewise. physical_names: column name -> name in the file, where they differ
  // (column mapping). Rows come in order of files, then of rows.
  bool is_parquet = false;
  std::vector<ParquetFile> files;
  std::map<std::string, std::string> physical_names;
  // Metadata columns of Parquet scans, when the scan's schema names them: `_metadata` and
  // "__file_index" BIGINT (index in `files`), "__row_index" BIGINT (row in the file).
  // Anything that can be pulled: JSON, memory. Called once for each use of the scan in a plan;
  // columns are in the order of `Scan::schema` of the plan.
  std::function<Result<std::unique_ptr<value::BatchReader>>()> reader;
};

struct WriteOptions {
  std::string compression = "zstd";
  int compression_level = 1;
  // Field ids by dotted column path (column mapping); empty: none are written.
  std::map<std::string, int32_t> field_ids;
  uint64_t row_group_rows = 122'880;
};

struct WrittenFile {
  uint64_t rows = 0;
  uint64_t bytes = 0;
};

struct Counters {            // since the engine was made
  uint64_t rows_decoded = 0;     // rows of the Parquet files that scans read (pruned ones too)
  uint64_t target_rows_decoded = 0;  // rows of read_rows(): payload of a target read back
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Runs a resolved query. inputs[leaf] is the data of Scan::leaf. The rows come in the order of
  // the source for plans of projections and filters over one scan. Output: the visible columns.
  // Errors of evaluation (ANSI) carry Spark's codes: DIVIDE_BY_ZERO, ARITHMETIC_OVERFLOW,
  // CAST_INVALID_INPUT, ...
  virtual Result<std::unique_ptr<value::BatchReader>> run(
      const plan::ResolvedQuery& query, const std::map<uint32_t, ScanInput>& inputs) = 0;

  // Writes one Parquet file from batches of one schema, rows in order, not fsynced.
  virtual Result<WrittenFile> write_parquet(const std::string& path, const value::Schema& schema,
                                            const std::vector<const value::ColumnBatch*>& batches,
                                            const WriteOptions& options) = 0;

  // The schema of a Parquet file, as Spark would read it.
  virtual Result<value::Schema> parquet_schema(const std::string& path) = 0;

  // Reads rows by position, in the order of `rows`, with the columns of `schema`.
  virtual Result<value::ColumnBatch> read_rows(const ParquetFile& file, const value::Schema& schema,
                                               const std::map<std::string, std::string>& physical,
                                               const std::vector<uint64_t>& rows) = 0;

  virtual Counters counters() const = 0;
  // What the engine's own buffers hold now, in bytes: what its memory limit is about.
  virtual Result<uint64_t> memory_bytes() = 0;
};

struct EngineOptions {
  uint64_t memory_limit_bytes = 0;  // 0: half of the machine
  int threads = 0;                  // 0: all cores
  std::string temp_directory;       // for spilling
  std::string time_zone = "UTC";    // session time zone
};

// Loads DuckDB on first use. Error ENGINE_NOT_FOUND names the places that were searched.
Result<std::unique_ptr<Engine>> open_duck_engine(const EngineOptions& options);

}  // namespace lakebed::engine
