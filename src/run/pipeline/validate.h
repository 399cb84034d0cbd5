// Checks of a CDC flow that need only what the author wrote: clauses, lists, names (rules B5, P1,
// P4, T1, C4, F11). First every check with its final code, then what is not built yet.
#pragma once

#include "run/pipeline/pipeline.h"

namespace lakebed::run {

// A refusal of a clause that is recognised and checked, but not built: NOT_BUILT_YET.<CLAUSE>.
Error not_built(const std::string& clause, const std::string& what, const SourceSpan& span);

// A refusal of a clause that will not be built, with the reason: CLAUSE_NOT_SUPPORTED.<CLAUSE>.
Error refused_clause(const std::string& clause, const SourceSpan& span);

// Checks a column list. Errors: CLAUSE_NOT_SUPPORTED.IDENTITY, CLAUSE_NOT_SUPPORTED.DEFAULT,
// GENERATED_COLUMN_EXPRESSION.
Status check_columns(const std::vector<plan::ColumnDefinition>& columns);

// Checks one flow into its target.
Status check_flow(const Pipeline& pipeline, const Flow& flow);

// Checks one dataset and the set of flows that fill it.
Status check_dataset(const Pipeline& pipeline, const Dataset& dataset);

}  // namespace lakebed::run
