// The table of the event log (rule F7): a plain Delta table under the project's `storage`, in the
// folder system/events, for every reader of Delta tables. Records reach it from the tail
// (event_tail.h), which it is joined with before we read it.
//
// A fold is one commit: the tail's records as one file, and the number of the fold as the table's
// application transaction, so that a death between the commit and the emptying of the tail doubles
// nothing. Files stay few: small ones are merged, files of records that are older than
// kEventDays are removed, with their bytes a week later.
#pragma once

#include <filesystem>

#include "delta/snapshot.h"
#include "run/project/session.h"

namespace lakebed::run {

// Records are kept at least this long.
inline constexpr int64_t kEventDays = 90;

// The folder of the table.
std::filesystem::path event_log_folder(const Project& project);

// True where anything was logged yet.
bool has_events(const Project& project);

// Moves the tail into the table, making the table where there is none. Nothing to move: nothing is
// written. Errors: those of the store and the log, EVENT_LOG_IO, EVENT_LOG_BUSY; the tail then
// stays as it is.
Status fold_events(Session& session);

}  // namespace lakebed::run
