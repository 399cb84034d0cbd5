// The function table as a page of documentation.
#pragma once

#include <string>

namespace lakebed::plan {

// docs/sql_functions.md, whole.
std::string functions_document();

}  // namespace lakebed::plan
