// Rows that users write into a history (rule F5), as the events that make exactly these rows.
//
//     row [S, E)   an upsert at S and, where nothing is known at E, a delete at E
//     row [S, -)   an upsert at S
//
// What the kernel makes of them is compared with what the user wrote: a row that comes out shorter,
// merged or not at all overlaps what the history knows, and the whole INSERT is refused. The one
// row of others that may change is an open one that an open row follows: it ends there.
#pragma once

#include <map>
#include <vector>

#include "cdc/scd2.h"
#include "run/batch/event_batch.h"
#include "run/target/table.h"

namespace lakebed::run {

struct HistoryRows {
  struct Row {
    value::SequenceCode start;
    value::SequenceCode end;  // where has_end
    bool has_end = false;
    std::string text;  // for messages
  };
  EventBatch batch;
  std::map<uint32_t, Row> rows;  // by arrival

  // Error INSERT_OVERLAPS_HISTORY where the changes are not these rows.
  Status check(const cdc::Scd2Changes& changes) const;
};

// `rows` have the table's columns, time columns included. Errors: INSERT_INVALID_INTERVAL (start
// NULL, or end not after it), INSERT_DUPLICATE_KEY (two rows of a key with one start).
Result<HistoryRows> history_rows(const CdcPlan& plan, const Table& table,
                                 const std::vector<value::ColumnBatch>& rows);

}  // namespace lakebed::run
