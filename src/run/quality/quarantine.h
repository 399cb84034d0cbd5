// Quarantine (rule E6): events that can't be placed (NULL sequence, NULL system sequence, NULL in a
// key) are set aside into `<target>__quarantine` instead of refusing their batch, where
// `lakebed.cdc.onInvalidEvent: quarantine` says so.
//
// The quarantine is a Delta table of ours, written just before the commit of the batch whose rows
// it takes, so nothing is lost. Two tables cannot be written by one commit, so that of the target
// decides: each write has an id, the target's commit names the one that belongs to its batch, and
// what lost (its writer died before that commit, or another writer was faster) is taken out by
// whoever comes next. Until then it is left alone: no merging of files touches it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/pipeline/flow_plan.h"
#include "run/target/target_table.h"

namespace lakebed::run {

struct EventBatch;

// One event that was set aside.
struct InvalidEvent {
  const char* reason = "";  // NULL_SEQUENCE, NULL_SYSTEM_SEQUENCE, NULL_KEY: the first that holds
  uint64_t position = 0;    // which row of the batch it was, from 1
  std::string row;          // the whole source row as a JSON object
};

// The batch without its invalid events, which are appended to `out`. `rows_before`: rows of the
// flow's batch that came before this part. Requires: plan.own.source_row.
value::ColumnBatch set_aside(const CdcPlan& plan, value::ColumnBatch evaluated,
                             uint64_t rows_before, const std::string& zone,
                             std::vector<InvalidEvent>& out);

// The name of a target's quarantine.
TableName quarantine_name(const TableName& target);

// Error QUARANTINE_NAME_TAKEN where a dataset of the project has the name of a target's quarantine.
Status check_quarantine_name(const Pipeline& pipeline, const Dataset& target);

// The batch that a flow is about to commit. All outlive the call.
struct QuarantineJob {
  const Dataset& target;
  const Table& table;  // of the target, as the commit has it before itself
  const std::string& flow;
  std::string covers;  // what the batch read
};

// Counts the batch in the target's memory, and sets its invalid events aside. The last that is done
// before the target's commit. Errors: TARGET_OWNED_BY_OTHERS, TARGET_BUSY, those of store, engine.
Status note_batch(RunContext& context, const QuarantineJob& job, const EventBatch& batch,
                  state::StateWriter& memory);

// Takes out of the quarantine what the target, as it stands, says was lost; after a full refresh
// that is all. Then keeps its table up.
Status settle_quarantine(RunContext& context, const Dataset& target, const Table& table);

}  // namespace lakebed::run
