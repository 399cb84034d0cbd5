// A strict checker of a table's log against the protocol, for tests and `lakebed check`: finds what
// lenient readers let pass. Reads every commit from the oldest one on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "delta/environment.h"
#include "delta/snapshot.h"

namespace lakebed::delta {

struct Violation {
  std::string file;     // log file, data file or vector file
  std::string message;
};

struct CheckOptions {
  // Rows of a data file, by its path in the store: compares numRecords. Empty: not compared.
  std::function<Result<uint64_t>(const std::string& path)> count_rows;
  bool ours = true;  // also what we promise beyond the protocol (in-commit timestamps, numRecords)
};

// Everything that is wrong; empty when the table is sound. An error only where the log cannot be
// read at all.
Result<std::vector<Violation>> check_table(const Environment& environment,
                                           const CheckOptions& options = {});

}  // namespace lakebed::delta
