// The Engine interface over DuckDB: each call makes one SQL statement and runs it.
#pragma once

#include <atomic>
#include <memory>

#include "engine/duck/connection.h"
#include "engine/duck/parquet_file.h"
#include "engine/engine.h"

namespace lakebed::engine::duck {

class DuckEngine : public Engine {
 public:
  explicit DuckEngine(std::shared_ptr<Database> database) : database_(std::move(database)) {}

  Result<std::unique_ptr<value::BatchReader>> run(
      const plan::ResolvedQuery& query, const std::map<uint32_t, ScanInput>& inputs) override;
  Result<WrittenFile> write_parquet(const std::string& path, const value::Schema& schema,
                                    const std::vector<const value::ColumnBatch*>& batches,
                                    const WriteOptions& options) override;
  Result<value::Schema> parquet_schema(const std::string& path) override;
  Result<value::ColumnBatch> read_rows(const ParquetFile& file, const value::Schema& schema,
                                       const std::map<std::string, std::string>& physical,
                                       const std::vector<uint64_t>& rows) override;
  Counters counters() const override { return counters_; }
  Result<uint64_t> memory_bytes() override;

 private:
  std::shared_ptr<Database> database_;
  FooterCache footers_;
  Counters counters_;
};

}  // namespace lakebed::engine::duck
