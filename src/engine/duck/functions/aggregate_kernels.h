// Kernels over the gathered values of an aggregate: argument 0 is the ARRAY of all values.
#pragma once

#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

Status compact_row(const Row& row, value::Column& out, const KernelContext& context);
Status last_present_row(const Row& row, value::Column& out, const KernelContext& context);
Status percentile_row(const Row& row, value::Column& out, const KernelContext& context);
Status percentile_approx_row(const Row& row, value::Column& out, const KernelContext& context);
Status median_row(const Row& row, value::Column& out, const KernelContext& context);
Status mode_row(const Row& row, value::Column& out, const KernelContext& context);
Status skewness_row(const Row& row, value::Column& out, const KernelContext& context);
Status kurtosis_row(const Row& row, value::Column& out, const KernelContext& context);
Status regr_r2_row(const Row& row, value::Column& out, const KernelContext& context);
Status corr_row(const Row& row, value::Column& out, const KernelContext& context);

}  // namespace lakebed::engine::duck
