// What an update tells about itself as a whole: that it was asked for, what the pipeline consists
// of, and how far it is (rule F7).
#pragma once

#include <map>
#include <string>

#include "run/event_log/report.h"
#include "run/update/update.h"

namespace lakebed::run {

// user_action and create_update: what was asked for.
void tell_request(const UpdateRequest& request, EventSink& sink);

// update_progress: "INITIALIZING", "SETTING_UP_TABLES", "RESETTING", "RUNNING", "COMPLETED",
// "FAILED".
void tell_state(const std::string& state, EventSink& sink, const Error* error = nullptr);

// The flows that write a table of the project, by name: its own query's, then the others.
std::vector<std::string> flows_into(const Pipeline& pipeline, const Dataset& dataset);

// flow_progress of the flows that write the dataset, for records only: "QUEUED", "EXCLUDED".
void tell_flows(const Pipeline& pipeline, const Dataset& dataset, const std::string& status,
                EventSink& sink);

// dataset_definition and flow_definition of everything; `schemas`: TableName::key() -> columns, as
// planned, where planning came so far.
void tell_definitions(const Pipeline& pipeline, const std::map<std::string, value::Schema>& schemas,
                      EventSink& sink);

}  // namespace lakebed::run
