// Running flows: batch after batch until nothing is pending, each batch one commit.
#pragma once

#include "run/pipeline/flow_plan.h"
#include "run/target/target_table.h"
#include "run/update/progress.h"

namespace lakebed::run {

// Runs a CDC flow into its target. Where that does not exist it is made with the columns `planned`,
// those of all its flows. Rule F3 is checked before anything is touched. A lost race is no error:
// the table is read again and the flow goes on.
Status run_cdc_flow(RunContext& context, const Flow& flow, const Dataset& target,
                    const value::Schema& planned);

// An append flow, or the query of a streaming table.
struct AppendFlow {
  std::string name;
  plan::RelationPtr query;
  bool once = false;  // rule F1: reads a stream or a batch until it had rows
  SourceSpan span;
  NameScope scope;  // what the query's short names mean
};

// Runs an append flow into its target.
Status run_append_flow(RunContext& context, const AppendFlow& flow, const Dataset& target);

// CANNOT_CHANGE_DATASET_TYPE where another kind of table lies at the place of a materialized view.
Status check_view_place(const Table& table);

// Computes a materialized view anew, in one commit.
Status refresh_materialized_view(RunContext& context, const Dataset& view);

// Slices of all streaming scans of a plan that one batch reads, and the inputs for the engine.
struct BatchInput {
  std::map<uint32_t, engine::ScanInput> inputs;
  std::vector<std::pair<std::string, source::Slice>> slices;  // scan id, slice
  bool pending = false;                                       // some streaming scan has new data
  bool more = false;   // and some has further slices behind it
  bool whole = false;  // everything that is there now, once: no position is kept
  std::vector<std::string> notices;

  // What the slices cover, for messages.
  std::string covers() const;
};
Result<BatchInput> next_batch(const plan::ResolvedQuery& query, QueryCatalog& catalog,
                              FlowProgress& progress);

// The batch of a ONCE flow over a query that does not stream: all that is there.
Result<BatchInput> whole_batch(const plan::ResolvedQuery& query, QueryCatalog& catalog);

// Inputs of a query that reads everything once (no streams, or streams read as a whole).
Result<std::map<uint32_t, engine::ScanInput>> whole_inputs(const plan::ResolvedQuery& query,
                                                           QueryCatalog& catalog);

}  // namespace lakebed::run
