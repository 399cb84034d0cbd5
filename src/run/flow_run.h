// Running flows: batch after batch until nothing is pending, each batch one commit.
#pragma once

#include "run/flow_plan.h"
#include "run/progress.h"
#include "run/report.h"

namespace lakebed::run {

struct RunContext {
  Session& session;
  const Pipeline& pipeline;
  EventSink& sink;
};

// Runs a CDC flow into its target, which is made where it does not exist. Rule F3 is checked before
// anything is touched. A lost race is no error: the table is read again and the flow goes on.
Status run_cdc_flow(RunContext& context, const Flow& flow, const Dataset& target);

// Runs an append flow (or the query of a streaming table) into its target.
Status run_append_flow(RunContext& context, const std::string& name, const plan::RelationPtr& query,
                       const SourceSpan& span, const Dataset& target);

// Computes a materialized view anew, in one commit.
Status refresh_materialized_view(RunContext& context, const Dataset& view);

// Full refresh (rule F2): empties the table and forgets what it remembers, in one commit, with the
// schema of the current definition. The flows then replay into it. No table: nothing to do.
Status reset_table(RunContext& context, const Dataset& target, const value::Schema& schema,
                   TargetKind kind);

// Slices of all streaming scans of a plan that one batch reads, and the inputs for the engine.
struct BatchInput {
  std::map<uint32_t, engine::ScanInput> inputs;
  std::vector<std::pair<std::string, source::Slice>> slices;  // scan id, slice
  bool pending = false;  // some streaming scan has new data
  std::vector<std::string> notices;
};
Result<BatchInput> next_batch(const plan::ResolvedQuery& query, QueryCatalog& catalog,
                              FlowProgress& progress);

// Inputs of a query that reads everything once (no streams, or streams read as a whole).
Result<std::map<uint32_t, engine::ScanInput>> whole_inputs(const plan::ResolvedQuery& query,
                                                           QueryCatalog& catalog);

// Makes the target where it does not exist, as an empty table that remembers what it is.
Status create_target(RunContext& context, Table& table, const Dataset& target,
                     const value::Schema& schema, TargetKind kind);

// The properties of a declaration as Delta's table properties.
delta::TextMap declared_properties(const Dataset& dataset);

}  // namespace lakebed::run
