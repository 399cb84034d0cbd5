// Snapshot and feed flows into one target: one ordering domain, and what has to hold for it
// (rule M1). Whatever can be seen without types is checked when the project is read, the rest when
// its flows are planned.
#pragma once

#include "run/pipeline/flow_plan.h"

namespace lakebed::run {

// A target with a snapshot flow and at least one feed flow.
bool is_combined(const Pipeline& pipeline, const Dataset& dataset);

// Errors, each APPLY_CHANGES_FROM_SNAPSHOT_ERROR. and: MULTIPLE_QUERIES_FOR_TABLE (a second
// snapshot flow, with or without feeds), INTEROP_SCD_TYPE_NOT_SUPPORTED, INTEROP_KEYS_MISMATCH,
// INTEROP_EXPECTATIONS_NOT_SUPPORTED, INTEROP_IGNORE_NULL_UNSUPPORTED.
Status check_combined(const Pipeline& pipeline, const Dataset& dataset);

// The same for what planning found. `plans`: of the CDC flows of the target that are not complete.
// Errors likewise: INTEROP_SEQUENCE_TYPE_MISMATCH, INTEROP_RESERVED_COLUMN_NAME.
Status check_combined_plans(const Pipeline& pipeline, const Dataset& dataset,
                            const std::vector<CdcPlan>& plans, const value::Schema& schema);

// Error INTEROP_CONTINUOUS_NOT_SUPPORTED where a target of the project is combined.
Status check_continuous(const Pipeline& pipeline);

}  // namespace lakebed::run
