// Makes the small pieces of unresolved trees that flows, expectations and statements are put
// together from.
#pragma once

#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

// A column by its name, of one part.
ExpressionPtr make_column(const std::string& name, const SourceSpan& span = {});
// child AS name, CAST(child AS type): they stand where the child stands.
ExpressionPtr make_alias(ExpressionPtr child, const std::string& name);
ExpressionPtr make_cast(ExpressionPtr child, const value::Type& type);
// NULL of a type.
ExpressionPtr make_null(const value::Type& type, const SourceSpan& span = {});
// (query) AS name (columns...).
RelationPtr make_renamed(RelationPtr query, const std::string& name,
                         std::vector<std::string> columns, const SourceSpan& span);

}  // namespace lakebed::plan
