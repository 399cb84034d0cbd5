// Rows of one Parquet file by position.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/duck/result.h"

namespace lakebed::engine::duck {

// The condition of a scan that keeps these rows. Requires: ascending, not empty, all different.
std::string rows_condition(const std::vector<uint64_t>& rows, QueryResources& resources);

// The schema with a last column that says which row of the file each row is.
value::Schema with_row_number(value::Schema schema);

// Puts rows, read in any order under with_row_number(), into the order of `rows` (repeats allowed)
// and takes the number off again. Requires: every number of `rows` was found.
value::ColumnBatch in_order(const value::ColumnBatch& found, const std::vector<uint64_t>& rows);

}  // namespace lakebed::engine::duck
