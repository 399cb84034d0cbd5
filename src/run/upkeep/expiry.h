// How long a target remembers what no reader sees (rule F4): its property
// pipelines.cdc.tombstoneGCThresholdInSeconds, or the same key in the project's configuration.
#pragma once

#include <optional>

#include "run/pipeline/pipeline.h"
#include "run/project/session.h"
#include "state/state_writer.h"

namespace lakebed::run {

// The threshold in seconds; nothing: what was applied is kept for ever. The property comes before
// the configuration, pipelines.cdc before its alias pipelines.applyChanges; the value may end in
// "s". Error INVALID_PROPERTY_VALUE, blame kProject, where any of them is no number of seconds.
Result<std::optional<uint64_t>> tombstone_threshold(const Project& project, const Dataset& target);

// Seconds since 1970 by the session's clock.
uint32_t now_seconds(Session& session);

// What is old now. Nothing is for targets without a threshold.
Result<state::Expiry> expiry_of(Session& session, const Dataset& target,
                                const state::TableState& memory);

// Remembers since when entries carry the time when they were applied: older ones count as applied
// at the first commit under a threshold. (Tables without one don't pay for times.)
void note_timing(Session& session, bool expires, const state::TableState& before,
                 state::StateWriter& memory);

}  // namespace lakebed::run
