// The makers of systems, one a file.
#pragma once

#include "systems.h"

namespace lakebed::bench {

std::unique_ptr<System> make_ours(const Workload& workload);
std::unique_ptr<System> make_duck(const std::string& name, const Workload& workload);

}  // namespace lakebed::bench
