// Checks a resolved tree against the contract that stands in plan/resolve.h.
#pragma once

#include <string>

#include "plan/resolve.h"

namespace lakebed::plan {

// The first breach of the contract in words, or "".
std::string contract_breach(const ResolvedQuery& query);

}  // namespace lakebed::plan
