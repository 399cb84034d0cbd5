// Running a snapshot flow: one snapshot after another until none is there, each one commit.
#pragma once

#include "run/batch/event_batch.h"
#include "run/snapshot/snapshot_source.h"
#include "run/target/target_table.h"

namespace lakebed::run {

// Runs a snapshot flow into its target, which is made where it does not exist (rules S1 to S5, M2).
// Versions already taken stay taken when a later one is refused. A ONCE flow takes what is pending
// and is done when it has committed once (rule F1).
Status run_snapshot_flow(RunContext& context, const Flow& flow, const Dataset& target);

// What a target remembers of the flow against its definition now (rules F3, S2). Errors: those of
// check_drift and check_version_column.
Status check_remembered(const Flow& flow, const Dataset& target, const SnapshotShape& shape,
                        const Table& table);

// Rule S4: a snapshot without a version can only be the first thing that a target sees. Error
// AUTO_CDC_FROM_SNAPSHOT_NON_EMPTY_TARGET_WITHOUT_VERSION.
Status check_unversioned(const Flow& flow, const Dataset& target, const Table& table);

// Rule M2: takes the events of a feed out that lie at or below the version of the last snapshot,
// where one was taken into this target.
Status drop_below_snapshot(const Table& table, EventBatch& events);

}  // namespace lakebed::run
