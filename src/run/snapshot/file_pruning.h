// Leaves files out of a read whose query keeps none of their rows: conditions over `_metadata` are
// decided once a file instead of once a row. A folder of nightly exports is then read one file a
// night, however many lie there.
#pragma once

#include "plan/resolve.h"
#include "source/source.h"

namespace lakebed::run {

// The conditions right above the scan `leaf` that look at nothing but the scan's `_metadata` (and
// at subqueries of their own); null where there are none.
plan::ExpressionPtr file_condition(const plan::ResolvedQuery& query, const plan::Scan& scan);

// What a read of `source` needs, given such a condition: everything where the subqueries of the
// condition ask for scans that `inputs` lacks. Errors: those of the engine.
Result<source::Slice> read_chosen(source::Source& source, const plan::ResolvedQuery& query,
                                  const plan::Scan& scan, const plan::ExpressionPtr& condition,
                                  const std::map<uint32_t, engine::ScanInput>& inputs,
                                  engine::Engine& engine);

}  // namespace lakebed::run
