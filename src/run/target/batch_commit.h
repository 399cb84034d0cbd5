// One batch of events into its CDC target as one commit: new columns, rows, memory, progress and
// metrics together. Every kind of CDC flow ends here, wherever its events come from.
#pragma once

#include <functional>

#include "run/batch/event_batch.h"
#include "run/target/target_table.h"

namespace lakebed::run {

// What a batch is applied with. Requires: all outlive the call.
struct BatchJob {
  RunContext& context;
  Table& table;
  const Dataset& target;
  const CdcPlan& plan;
  const value::Schema& schema;  // the target's columns after this commit (target_schema)
  std::string covers;           // what the batch read, for the message
  // Records progress (positions, versions, marks) in the memory of the same commit.
  std::function<Status(TargetCommit&)> note;
};

// Applies the events and commits. Nothing: another writer was faster, the caller reloads the table
// and goes again. Errors: AUTOCDC_MICROBATCH_VALIDATION.SEQUENCE_TIE (rule E4), STATE_MISMATCH, and
// those of engine and store; nothing is visible then.
Result<std::optional<int64_t>> commit_batch(const BatchJob& job, const EventBatch& events);

// Only the columns of the definition, where the table lacks some; from here on who wrote them is
// remembered, where the target asks for it (rule P3). False: another writer was faster.
Result<bool> commit_columns(RunContext& context, Table& table, const Dataset& target,
                            TargetKind kind, const value::Schema& schema);

}  // namespace lakebed::run
