// Implicit casts: where Spark (ANSI) puts them, the resolver puts a cast node.
#pragma once

#include <string>
#include <vector>

#include "plan/functions.h"
#include "plan/tree.h"

namespace lakebed::plan {

// `node` as `type`: itself when it has that type, a typed NULL for a NULL literal, else a cast.
ExpressionPtr cast_to(const ExpressionPtr& node, const value::Type& type);

// The least common type of all, NULLs adapting; nothing when there is none.
std::optional<value::Type> common_type_of(const std::vector<ExpressionPtr>& nodes);

// DATATYPE_MISMATCH.<reason> at a span.
Error type_mismatch(const std::string& reason, std::string message, const SourceSpan& span);

}  // namespace lakebed::plan
