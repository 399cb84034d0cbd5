// Upkeep around a flow's commits, within a budget: sweeping up after dead programs, merging of
// runs, merging of small data files, checkpoints. Nothing here changes what a reader sees, and a
// failure of it never fails the update: it is told as a warning and tried again next time.
#pragma once

#include "run/target/table.h"
#include "run/update/flow_run.h"

namespace lakebed::run {

// Before a flow's first batch: removes the files of programs that died while they wrote this
// table. Only files whose transaction no version of the table names are ever removed. Costs a
// listing of a folder where nobody died.
void sweep_dead(RunContext& context, Table& table);

// Between two batches of an update: merges runs where look-ups or the size of the memory suffer.
// Requires: no transaction on the table is open.
Status maintain_between(RunContext& context, Table& table);

// After the last batch: does what is due. Losing a race to another writer ends it silently.
Status maintain(RunContext& context, Table& table);

}  // namespace lakebed::run
