// What one piece of work cost: wall clock, processor, bytes, fsyncs and memory of this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace lakebed::bench {

struct Cost {
  double wall_ms = 0;
  double cpu_ms = 0;
  // Until the batch was durable and visible: without the upkeep that ours does afterwards.
  double commit_wall_ms = 0;
  double commit_cpu_ms = 0;
  uint64_t fsyncs = 0;          // of every library in the process: fsync and fdatasync
  uint64_t bytes_written = 0;   // through write()
  uint64_t anonymous_peak = 0;  // greatest resident memory that is no mapped file
  uint64_t mapped_peak = 0;     // greatest resident memory of mapped files
  uint64_t duckdb_bytes = 0;    // what DuckDB's own buffers hold when the batch is done
  uint64_t rows_decoded = 0;    // ours only: rows of feeds
  uint64_t target_rows = 0;     // ours only: payload of the target that was read back

  std::string text() const;  // one line
  static Cost parse(const std::string& line);
};

// A moment: what had been spent by then.
struct Moment {
  std::chrono::steady_clock::time_point wall;
  double cpu_ms = 0;
};
Moment now();

// Runs the work and measures it. `committed` (null: when the work ends) is set by the work at the
// moment of its commit.
Result<Cost> measure(const std::function<Status()>& work, const Moment* committed = nullptr);

}  // namespace lakebed::bench
