// The names of all functions that the engine computes; for the test that it and the plan's table
// agree.
#pragma once

#include <string>
#include <vector>

namespace lakebed::engine::duck {

std::vector<std::string> rendered_names();

}  // namespace lakebed::engine::duck
