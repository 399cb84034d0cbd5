// `lakebed events`: the event log of the project, oldest record first.
#pragma once

#include <string>

#include "run/project/session.h"

namespace lakebed::cli {

// Prints the records of one update (its id, or "last"), or of all. For people: a line a record,
// without the definitions; `json`: every record as `run --json` prints it. Returns the exit code.
int print_events(run::Session& session, const std::string& update, bool json);

}  // namespace lakebed::cli
