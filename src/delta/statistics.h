// Exact statistics of the rows of one data file, as the log carries them.
//
// numRecords, and per leaf column nullCount and true bounds: strings cut to 32 characters (a
// maximum gets a tie-breaker above it, or is left out), timestamps floored to milliseconds
// (readers widen maxima by the rest of the millisecond), decimals with all digits, no bounds where
// a NaN is present, -0.0 as minimum and 0.0 as maximum of zeros. Readers skip files by these
// numbers: a wrong one loses rows. Pure; fast (one pass over each column).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/column.h"

namespace lakebed::delta {

struct StatisticsOptions {
  size_t leaf_columns = 32;                    // delta.dataSkippingNumIndexedCols; SIZE_MAX: all
  std::vector<std::string> partition_columns;  // have no statistics
};

// The JSON text. `schema` is the table's schema (its column mapping gives the physical names);
// the batches hold its columns in that order.
std::string statistics_json(const value::Schema& schema,
                            const std::vector<const value::ColumnBatch*>& batches,
                            const StatisticsOptions& options = {});

// numRecords alone, for rows whose columns are not at hand.
std::string statistics_of_count(uint64_t rows);

// The same statistics once a vector hides rows: tightBounds false, all else as it was.
std::string loosen_statistics(std::string_view statistics);

// numRecords, or nothing where the text has none.
std::optional<int64_t> statistics_rows(std::string_view statistics);

}  // namespace lakebed::delta
