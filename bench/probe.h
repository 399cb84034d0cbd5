// What one piece of work cost: wall clock, processor, bytes, fsyncs and memory of this process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace lakebed::bench {

struct Cost {
  double wall_ms = 0;
  double cpu_ms = 0;
  uint64_t fsyncs = 0;         // of every library in the process: fsync and fdatasync
  uint64_t bytes_written = 0;  // through write()
  uint64_t anonymous_peak = 0; // greatest resident memory that is no mapped file
  uint64_t mapped_peak = 0;    // greatest resident memory of mapped files
  uint64_t rows_decoded = 0;   // ours only: rows of feeds
  uint64_t target_rows = 0;    // ours only: payload of the target that was read back

  std::string text() const;                      // one line
  static Cost parse(const std::string& line);
};

// Runs the work and measures it.
Result<Cost> measure(const std::function<Status()>& work);

}  // namespace lakebed::bench
