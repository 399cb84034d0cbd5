// Applying a batch of events to a target: from the kernel's decisions to rows and memory of one
// commit. One function a kind of target; both are deterministic and touch nothing but `commit`.
#pragma once

#include <functional>
#include <optional>

#include "cdc/event.h"
#include "cdc/scd2.h"
#include "run/batch/event_batch.h"
#include "run/target/target_commit.h"
#include "state/expiry.h"

namespace lakebed::run {

// What a target remembers besides where a flow of it has partial updates, or ever had (rule P3):
// who wrote which leaf of a row, in each payload.
struct AuthorMemory {
  // The columns of the target when it began to: events from before have written just these.
  value::Schema before;
  bool is_new = false;  // it begins with this commit
};

struct ApplyContext {
  Session& session;
  Table& table;
  const CdcPlan& plan;
  value::Schema schema;     // the table's columns after this commit, time columns included
  value::Schema columns;    // without the time columns: those of the events
  uint32_t applied_at = 0;  // seconds since 1970 for tombstones, 0 where they never expire (F4)
  std::optional<AuthorMemory> authors = {};
  state::Expiry expiry = {};  // what is forgotten by now (F4)
  // Asked before anything is written whether the changes of a history may be made (F5).
  std::function<Status(const cdc::Scd2Changes&)> check = {};
};

// Applies the events to a target of the plan's kind; partial ones are made whole before, and what
// their rows meet of the target's expectations is added to `quality`.
Status apply_events(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                    cdc::Metrics& metrics, DataQuality& quality);
// SCD type 1 (rules A1, A2, T1).
Status apply_scd1(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics);
// SCD type 2 (rules B1 to B6).
Status apply_scd2(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics);

// Bitemporal (rules C1 to C3).
Status apply_bitemporal(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                        cdc::Metrics& metrics);

// Turns partial events into whole ones by what the memory knows (rules P1 to P3, T2): at most one
// event a key and sequence, those of remembered events whose row changes with them included.
// Counts late and tied events. Requires: context.authors. Errors: NOT_NULL_CONSTRAINT_VIOLATION,
// those of memory and engine.
Result<EventBatch> resolve_partial(ApplyContext& context, const EventBatch& batch,
                                   cdc::Metrics& metrics);

// Keeps the values of a row in the payload heap, with what the memory keeps beside them where it
// remembers authors.
Result<uint64_t> keep_event(ApplyContext& context, const EventBatch& batch, uint32_t arrival,
                            TargetCommit& commit);
Result<uint64_t> keep_row(ApplyContext& context, const std::vector<value::Column>& columns,
                          size_t row, const std::string& authors, TargetCommit& commit);
// The columns of payloads.
value::Schema payload_columns(const ApplyContext& context);

// Conversions between what kernels and memory call an entry.
cdc::Entry to_kernel(const state::Entry& entry);
state::Entry to_memory(const Hash128& key, const cdc::Entry& entry);

}  // namespace lakebed::run
