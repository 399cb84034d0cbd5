// Upkeep of the event log's table: few files, none of forgotten records.
#pragma once

#include "delta/snapshot.h"
#include "run/project/session.h"

namespace lakebed::run {

// Small files of the log are merged beyond this number.
inline constexpr size_t kSmallEventFilesMax = 24;

// Merges small files and removes those that are too old, by one commit, where that is due; then
// deletes the bytes of files that were removed a week ago. A lost race ends it silently. The
// snapshot is the newest one after it. Errors: those of the store, the log and the engine.
Status compact_events(Session& session, store::Store& store, delta::Snapshot& snapshot);

}  // namespace lakebed::run
