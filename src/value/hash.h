// Hashes of values that are kept in state files: what "equal" means between events (rule E5).
//
// The hash of a row is a sum over leaves of h(leaf, canonical value): a NULL adds nothing, so a
// column that is added or dropped changes no hash of an old row; numbers hash alike across
// widening (1 as INT, BIGINT, DOUBLE or DECIMAL(10,2) alike); -0.0 as 0.0; one NaN; DATE as the
// midnight it starts at. A leaf is known by its folded dotted path. A struct that is not NULL
// adds a mark of its own, so it differs from NULL. Arrays and maps are one leaf; maps ignore the
// order of their entries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "value/column.h"

namespace lakebed::value {

// Adds each row's hash of `column`, known as `name`, to sums[row].
// Requires: sums.size() == column.size().
void add_value_hashes(const Column& column, const std::string& name, std::vector<uint64_t>& sums);

// The 128-bit hashes of the keys, from the order codes of the key columns in that order.
// Requires: all columns are orderable and of equal length.
std::vector<Hash128> key_hashes(const std::vector<const Column*>& keys);

}  // namespace lakebed::value
