// The text by which Spark names a column that got no name: `sum(x)`, `(a + b)`, `a` for a cast of
// a. Made from the unresolved tree, so that implicit casts do not show.
#pragma once

#include <string>

#include "plan/tree.h"

namespace lakebed::plan {

// The name of the output column for an expression without an alias.
std::string output_name(const Expression& unresolved);

// The expression as SQL text in Spark's spelling, for names and messages.
std::string expression_text(const Expression& unresolved);

}  // namespace lakebed::plan
