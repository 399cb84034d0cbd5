// Whether a target remembers who wrote what (rule P3): only where a flow of it has partial updates,
// or ever had; then until a full refresh, since what was written once stays written.
#pragma once

#include "run/apply/apply.h"
#include "run/pipeline/pipeline.h"

namespace lakebed::run {

// Nothing: the target does not. Requires: the table is ours.
Result<std::optional<AuthorMemory>> author_memory(const Pipeline& pipeline, const Dataset& target,
                                                  TargetKind kind, const Table& table);
// Notes it in the commit that begins to.
void remember_authors(const AuthorMemory& authors, state::StateWriter& memory);

}  // namespace lakebed::run
