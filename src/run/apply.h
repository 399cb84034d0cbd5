// Applying a batch of events to a target: from the kernel's decisions to rows and memory of one
// commit. One function a kind of target; both are deterministic and touch nothing but `commit`.
#pragma once

#include "cdc/event.h"
#include "run/event_batch.h"
#include "run/target_commit.h"

namespace lakebed::run {

struct ApplyContext {
  Session& session;
  Table& table;
  const CdcPlan& plan;
  value::Schema schema;   // the table's columns after this commit, time columns included
  value::Schema columns;  // without the time columns: those of the events
  uint32_t applied_at = 0;  // seconds since 1970 for tombstones, 0 where they never expire (F4)
};

// Applies the events to a target of the plan's kind.
Status apply_events(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                    cdc::Metrics& metrics);
// SCD type 1 (rules A1, A2, T1).
Status apply_scd1(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics);
// SCD type 2 (rules B1 to B6).
Status apply_scd2(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                  cdc::Metrics& metrics);

// Bitemporal (rules C1 to C3).
Status apply_bitemporal(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                        cdc::Metrics& metrics);

// Conversions between what kernels and memory call an entry.
cdc::Entry to_kernel(const state::Entry& entry);
state::Entry to_memory(const Hash128& key, const cdc::Entry& entry);

}  // namespace lakebed::run
