// The floor that truncates leave under a target (rule T1), as its memory keeps it.
#pragma once

#include <optional>

#include "cdc/truncate.h"
#include "state/state_writer.h"

namespace lakebed::run {

Result<std::optional<value::SequenceCode>> read_floor(const state::TableState& memory);
void store_floor(const value::SequenceView& floor, int64_t applied_at_us,
                 state::StateWriter& memory);

}  // namespace lakebed::run
