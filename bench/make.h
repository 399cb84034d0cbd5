// The makers of systems, one a file.
#pragma once

#include "systems.h"

namespace lakebed::bench {

std::unique_ptr<System> make_ours(const Workload& workload);
// `hashes`: "LB4", else "decode".
std::unique_ptr<System> make_decode(bool hashes, const Workload& workload);
// The pipeline file of ours that takes whole copies.
std::string snapshot_pipeline(const Workload& workload);
std::unique_ptr<System> make_duck(const std::string& name, const Workload& workload);

}  // namespace lakebed::bench
