// V1 checkpoints: the whole state of a version as one Parquet file, through the engine.
//
// Written after commits, off their path; read where the log before them may be gone. The hint file
// `_last_checkpoint` is never trusted, only used to list less.
#pragma once

#include "delta/snapshot.h"

namespace lakebed::delta {

// True where `snapshot` is `every` or more versions past its last checkpoint.
bool checkpoint_is_due(const Snapshot& snapshot, int64_t every = 100);

// Writes the checkpoint of snapshot.version() and the hint, durably. Tombstones older than
// delta.deletedFileRetentionDuration (7 days) are left out. An existing checkpoint is fine.
// `snapshot` must be the state of exactly its version.
Status write_checkpoint(const Environment& environment, Snapshot& snapshot);

// Reads a checkpoint: classic, multi-part (its files in order) or V2 with its sidecars. Errors:
// DELTA_CHECKPOINT.DAMAGED naming the file, DELTA_CHECKPOINT.NO_ENGINE.
Result<CommitActions> read_checkpoint(const Environment& environment,
                                      const std::vector<std::string>& files);

}  // namespace lakebed::delta
