// Arithmetic of every type that has it, with Spark's errors.
#pragma once

#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

// The kernel of + - * / div % mod pmod negative abs. Works on the types that the plan's table
// gives: numbers of one type, two DECIMALs, dates and timestamps with days or intervals.
RowFunction arithmetic_row(std::string_view name);

// concat(ARRAY...).
Status concat_arrays_row(const Row& row, value::Column& out, const KernelContext& context);

Error arithmetic_overflow(std::string_view what);

}  // namespace lakebed::engine::duck
