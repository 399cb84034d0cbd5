// What an update tells about itself as a whole: that it was asked for, what the pipeline consists
// of, and how far it is (rule F7).
#pragma once

#include <map>
#include <string>

#include "run/report.h"
#include "run/update.h"

namespace lakebed::run {

// user_action and create_update: what was asked for.
void tell_request(const UpdateRequest& request, EventSink& sink);

// update_progress: "INITIALIZING", "SETTING_UP_TABLES", "RESETTING", "RUNNING", "COMPLETED",
// "FAILED".
void tell_state(const std::string& state, EventSink& sink, const Error* error = nullptr);

// dataset_definition and flow_definition of everything; `schemas`: TableName::key() -> columns, as
// planned, where planning came so far.
void tell_definitions(const Pipeline& pipeline, const NameScope& scope,
                      const std::map<std::string, value::Schema>& schemas, EventSink& sink);

}  // namespace lakebed::run
