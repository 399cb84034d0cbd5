// `lakebed init NAME`: a project with a CDC example that runs offline at once.
#pragma once

#include <string>

#include "base/result.h"

namespace lakebed::run {

// Makes the folder with specification, pipeline file and feed. Errors: PROJECT_EXISTS where the
// folder holds something, STORE.IO.
Status init_project(const std::string& name);

}  // namespace lakebed::run
