// One update of a pipeline: plan everything, then run flows in the order of their data (F13).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "run/update/flow_run.h"

namespace lakebed::run {

struct UpdateRequest {
  std::vector<std::string> refresh;  // names of datasets; empty: all
  std::vector<std::string> full_refresh;
  bool full_refresh_all = false;
  bool continuous = false;  // not built; says what can never run that way (rule M1)
};

// A dataset in the order in which it is updated, with its schema as planned.
struct PlannedDataset {
  size_t dataset = 0;  // index into Pipeline::datasets
  value::Schema schema;
  std::vector<std::string> reads;  // TableName::key() of datasets that it reads
};

struct UpdatePlan {
  std::vector<PlannedDataset> order;
  std::vector<std::string> warnings;
};

// Resolves and checks every dataset and flow, touching nothing. Errors: PIPELINE_CYCLE and those
// of flow_plan.h and resolution; drift (rule F3) is found as well where tables exist.
// `resets`: keys of datasets that will be fully refreshed: their tables do not matter.
Result<UpdatePlan> plan_update(Session& session, const Pipeline& pipeline,
                               const std::set<std::string>& resets);

// What a dry run does: reads the project, plans, checks.
Result<UpdatePlan> dry_run(Session& session, EventSink& sink);

// Runs one update. Returns an error only for what stops it as a whole; flows that fail are told to
// the sink, stop what reads their target, and are named in the result (rule F13).
struct UpdateResult {
  std::vector<std::string> failed_flows;
  std::vector<Error> errors;
};
Result<UpdateResult> run_update(Session& session, const UpdateRequest& request, EventSink& sink);

}  // namespace lakebed::run
