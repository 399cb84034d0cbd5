// A file of statements: notebook cells, the cut into statements, and `${name}`.
#pragma once

#include "sql/parse.h"

namespace lakebed::sql {

// What parse_script does, with errors as Failure.
std::vector<plan::Statement> parse_file(const SourceText& source, Parameters parameters);

}  // namespace lakebed::sql
