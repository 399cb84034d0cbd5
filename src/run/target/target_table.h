// The table of a target: made, grown, emptied. Whoever fills it (feeds, snapshots, queries) shares
// these steps; each is one commit or part of the caller's.
#pragma once

#include "run/event_log/report.h"
#include "run/pipeline/flow_plan.h"
#include "run/target/target_commit.h"

namespace lakebed::run {

struct RunContext {
  Session& session;
  const Pipeline& pipeline;
  EventSink& sink;
};

// How often a flow tries again after another writer was faster.
inline constexpr int kRacesMax = 20;

// What a commit of a flow says of itself in the table's history.
delta::TransactionInfo update_info(const std::string& flow);

// Errors TARGET_OWNED_BY_OTHERS, CANNOT_CHANGE_DATASET_TYPE: the table is not one that a flow of
// this kind may fill.
Status check_owner(const Table& table, TargetKind kind);

// New columns of the definition: metadata of the same commit (rule F3).
Status evolve(Session& session, Table& table, const value::Schema& schema,
              delta::Transaction& transaction);

// The columns as the table has them after this commit, with their column mapping.
Result<value::Schema> stored_schema(const Table& table, const delta::Transaction& transaction);

// Makes the target where it does not exist, as an empty table that remembers what it is.
Status create_target(RunContext& context, Table& table, const Dataset& target,
                     const value::Schema& schema, TargetKind kind);

// Full refresh (rule F2): empties the table and forgets what it remembers, in one commit, with the
// schema of the current definition. The flows then replay into it. No table: nothing to do.
Status reset_table(RunContext& context, const Dataset& target, const value::Schema& schema,
                   TargetKind kind);

// The properties of a declaration as Delta's table properties.
delta::TextMap declared_properties(const Dataset& dataset);
// Checks each of them where it stands in its file. Errors: those of delta::check_properties.
Status check_declared_properties(const Dataset& dataset);

}  // namespace lakebed::run
