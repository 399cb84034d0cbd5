// ONCE flows (rule F1): they run until they have committed once, then only after a full refresh.
//
// The mark lies in the memory of the target and comes with the commit of the flow's last batch. A
// flow that died before goes on behind what it committed: the outcome is that of running it again
// whole, since what was applied is not applied twice.
#pragma once

#include "run/pipeline/pipeline.h"
#include "state/state_writer.h"

namespace lakebed::run {

// True where the flow is a ONCE flow that has committed: it does nothing any more, whatever became
// of its definition or its source. `memory` of its target, or null.
bool is_complete(const Flow& flow, const state::TableState* memory);
bool is_complete(const std::string& flow, const state::TableState* memory);

// Marks with the commit of a batch how far a ONCE flow is. `last`: nothing is pending behind this
// batch. A flow whose source had no rows at all is not complete: it runs again.
void mark_once(const std::string& flow, bool last, bool has_rows, const state::TableState& before,
               state::StateWriter& memory);

// Marks a ONCE flow as complete.
void mark_complete(const std::string& flow, state::StateWriter& memory);

}  // namespace lakebed::run
