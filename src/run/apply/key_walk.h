// Walks a target's memory key by key: what each key's state is as of a version.
#pragma once

#include <functional>

#include "cdc/snapshot_diff.h"
#include "run/target/table.h"

namespace lakebed::run {

// Visits every remembered key once, in order. `has_row`: the key has a row now, whatever it had at
// the version. Stops at the first error.
Status walk_keys(
    const state::TableState& memory, TargetKind kind, const cdc::SequenceView& version,
    const std::function<Status(const Hash128&, const cdc::KeyState&, bool has_row)>& visit);

}  // namespace lakebed::run
