// Rows of one Parquet file by position.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/duck/result.h"

namespace lakebed::engine::duck {

// The condition of a scan that keeps these rows. Requires: ascending, not empty, all different.
std::string rows_condition(const std::vector<uint64_t>& rows, QueryResources& resources);

// Puts rows that were read in ascending order into the order of `rows` (repeats allowed).
value::ColumnBatch in_order(const value::ColumnBatch& found, const std::vector<uint64_t>& ascending,
                            const std::vector<uint64_t>& rows);

}  // namespace lakebed::engine::duck
