// C++ functions that the renderer of relations itself needs.
#pragma once

#include "base/result.h"

namespace lakebed::engine::duck {

class Connection;

// lb_row_listed (row_sets.h) and lb_array_position(index from 0, length) -> position from 1;
// the error INVALID_ARRAY_INDEX where the array has no such element, NULL for a NULL.
Status register_builtins(Connection& connection);

}  // namespace lakebed::engine::duck
