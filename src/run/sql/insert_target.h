// Rows that users INSERT into a table that flows fill (rule F5).
//
// The rows and what the target remembers of them are one commit, so flows go on as if the rows had
// come to them:
//
//     append            the row is added
//     SCD type 1        key unknown to the feeds: the row stands at the lowest sequence, any event
//                       replaces it; known key: the row stands where the shown row stood (or a
//                       tombstone), just above the sequence that was applied: newer events win
//     SCD type 2        the row is an event at __START_AT, and where __END_AT is no other row's
//                       start a delete there; exactly the row as written must come out of that
//
// UPDATE, DELETE, MERGE and INSERT OVERWRITE are not for here.
#pragma once

#include <vector>

#include "run/pipeline/pipeline.h"
#include "run/target/table.h"

namespace lakebed::run {

// Inserts rows that have the table's columns in its order. `pipeline` (may be null) says how a
// target is filled that no batch was applied to yet, and when it forgets (rule F4). Errors, nothing
// written: INSERT_NOT_SUPPORTED.<kind>, INSERT_NULL_KEY, INSERT_DUPLICATE_KEY,
// INSERT_INVALID_INTERVAL, INSERT_OVERLAPS_HISTORY, NOT_NULL_CONSTRAINT_VIOLATION,
// TARGET_CHANGED_BY_OTHERS, TARGET_BUSY.
Status insert_into_target(Session& session, const Pipeline* pipeline, const TableName& name,
                          const std::vector<value::ColumnBatch>& rows);

}  // namespace lakebed::run
