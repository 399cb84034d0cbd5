// Quarantine (rule E6): events that can't be placed (NULL sequence, NULL system sequence, NULL in a
// key) are set aside into `<target>__quarantine` instead of refusing their batch, where
// `lakebed.cdc.onInvalidEvent: quarantine` says so.
//
// The quarantine is a Delta table of ours, written just before the commit of the batch whose rows
// it takes, so nothing is lost. It is exact over crashes: each write carries the number of the
// flow's batch. A batch that is tried again, because its own commit never came, has the same number
// and takes the place of the rows that the first try set aside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/pipeline/flow_plan.h"
#include "run/target/target_table.h"

namespace lakebed::run {

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

// The number of the batch that a flow is about to commit, and the note of it in that commit.
uint64_t next_batch_number(const Table& target, const std::string& flow);
void note_batch_number(const std::string& flow, uint64_t number, state::StateWriter& memory);

// Writes the events of one batch, in a commit of the quarantine's own. `covers`: what the batch
// read. Errors: TARGET_OWNED_BY_OTHERS, TARGET_BUSY, those of store and engine.
Status write_quarantine(RunContext& context, const Dataset& target, const std::string& flow,
                        uint64_t batch_number, const std::string& covers,
                        const std::vector<InvalidEvent>& events);

// Part of a full refresh of the target: the replay sets the same events aside again.
Status reset_quarantine(RunContext& context, const Dataset& target);

}  // namespace lakebed::run
