// Upkeep after a flow's commits, within a budget: merging of runs, merging of small data files,
// checkpoints, sweeping up after dead programs. Nothing here changes what a reader sees, and a
// failure of it never fails the update: it is told as a warning and tried again next time.
#pragma once

#include "run/flow_run.h"
#include "run/table.h"

namespace lakebed::run {

// Small data files of a target are merged beyond this number.
inline constexpr size_t kSmallFilesMax = 32;

// Does what is due. Losing a race to another writer ends it silently.
Status maintain(RunContext& context, Table& table);

}  // namespace lakebed::run
