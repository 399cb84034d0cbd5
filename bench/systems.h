// The systems that are compared: ours, and what others would do with the same feed files.
//
// Each lives in a process of its own (worker.h), is loaded once and then gets batch after batch.
// Differences that favour the others: none keeps tombstones or a memory of sequences beside the
// table; the DuckDB peers write their own format, which no other program reads.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "generator.h"
#include "probe.h"

namespace lakebed::bench {

struct Workload {
  std::string folder;  // where feeds and tables lie; made anew
  Shape shape;
  bool json = false;       // feed of changes as JSON lines, else Parquet
  bool history = false;    // SCD type 2
  bool snapshots = false;  // each batch is a whole copy of the table
};

// Feed file of a batch: change-000001.parquet or .json; parts of the initial table: load-*.
std::string feed_path(const Workload& workload, uint64_t batch);

class System {
 public:
  virtual ~System() = default;
  // Fills the table from load/*.parquet.
  virtual Status load() = 0;
  // Applies the feed file of a batch, until it is durable.
  virtual Result<Cost> apply(uint64_t batch) = 0;
  // The checksum of the rows that are current, as Checksum::text(); "" where there is no table.
  virtual Result<std::string> check() = 0;
};

// "ours", "merge" (DuckDB's MERGE INTO), "delete+insert" (DuckDB, sorted, one transaction),
// "LB1" (DuckDB sorts the feed and writes it as one Parquet file), "LB3" (three times its rows),
// "LB5" (durable commit of as many bytes as `apply` is told), "decode" and "LB4" (read a copy; hash
// it, too), "feed" (writes the feed files: apply makes a batch's file).
std::unique_ptr<System> make_system(const std::string& name, const Workload& workload);

}  // namespace lakebed::bench
