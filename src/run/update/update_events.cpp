#include "run/update/update_events.h"

#include <fmt/format.h>

#include "base/names.h"
#include "run/pipeline/flow_graph.h"

namespace lakebed::run {

namespace {

Json schema_fields(const value::Schema& schema) {
  Json fields = Json::array();
  for (const value::Field& field : schema) {
    fields.push_back({{"name", field.name}, {"data_type", fold_case(field.type.text())}});
  }
  return fields;
}

const char* dataset_type(const Dataset& dataset) {
  switch (dataset.declaration.kind) {
    case plan::DatasetKind::kStreamingTable: return "STREAMING_TABLE";
    case plan::DatasetKind::kMaterializedView: return "MATERIALIZED_VIEW";
    case plan::DatasetKind::kManagedTable: return "TABLE";
    case plan::DatasetKind::kTemporaryView:
    case plan::DatasetKind::kPersistedView: return "VIEW";
  }
  return "";
}

void tell_dataset(const Dataset& dataset, const value::Schema* schema, EventSink& sink) {
  const std::string name = dataset.name.text();
  Json detail = {{"dataset_name", name},
                 {"dataset_type", dataset_type(dataset)},
                 {"num_flows", dataset.flows.size() + (dataset.declaration.query ? 1 : 0)}};
  if (schema) detail["schema"] = schema_fields(*schema);
  if (dataset.declaration.comment) detail["comment"] = *dataset.declaration.comment;
  Json expectations = Json::array();
  for (const plan::Expectation& one : dataset.declaration.expectations) {
    expectations.push_back({{"name", one.name.name}});
  }
  if (!expectations.empty()) detail["expectations"] = std::move(expectations);
  Event event = record_event("dataset_definition",
                             fmt::format("{} is a {}", name, kind_text(dataset)), detail);
  event.dataset = name;
  sink.emit(event);
}

void tell_flow(const GraphFlow& flow, const Dataset& dataset, const value::Schema* schema,
               EventSink& sink) {
  const std::string name = dataset.name.text();
  Json inputs = Json::array();
  for (const GraphInput& input : flow.reads) inputs.push_back(input.name);
  Json detail = {{"output_dataset", name},
                 {"input_datasets", std::move(inputs)},
                 {"flow_type", flow.type},
                 {"once", flow.once},
                 {"language", "SQL"}};
  if (schema) detail["schema"] = schema_fields(*schema);
  Event event =
      record_event("flow_definition", fmt::format("flow {} fills {}", flow.name, name), detail);
  event.dataset = name;
  event.flow = flow.name;
  sink.emit(event);
}

}  // namespace

void tell_request(const UpdateRequest& request, EventSink& sink) {
  sink.emit(record_event("user_action", "an update was started", {{"action", "START"}}));
  sink.emit(record_event("create_update", "an update begins",
                         {{"cause", "USER_ACTION"},
                          {"full_refresh", request.full_refresh_all},
                          {"refresh_selection", request.refresh},
                          {"full_refresh_selection", request.full_refresh}}));
}

void tell_state(const std::string& state, EventSink& sink, const Error* error) {
  Event event = record_event("update_progress", "the update is " + state, {{"state", state}});
  if (error) {
    event.level = Level::kError;
    event.error = error_json(error->code, error->message);
    event.message += ": " + error->text();
  }
  sink.emit(event);
}

std::vector<std::string> flows_into(const Pipeline& pipeline, const Dataset& dataset) {
  std::vector<std::string> names;
  if (dataset.declaration.query) names.push_back(dataset.name.table);
  for (const size_t index : dataset.flows) names.push_back(pipeline.flows[index].name);
  return names;
}

void tell_flows(const Pipeline& pipeline, const Dataset& dataset, const std::string& status,
                EventSink& sink) {
  for (const std::string& flow : flows_into(pipeline, dataset)) {
    Event event =
        flow_event(flow, dataset.name.text(), status, fmt::format("flow {} is {}", flow, status));
    event.only_for_records = true;
    sink.emit(event);
  }
}

void tell_definitions(const Pipeline& pipeline, const std::map<std::string, value::Schema>& schemas,
                      EventSink& sink) {
  const auto schema_of = [&schemas](const Dataset& dataset) {
    const auto known = schemas.find(dataset.name.key());
    return known == schemas.end() ? nullptr : &known->second;
  };
  for (const Dataset& dataset : pipeline.datasets) {
    tell_dataset(dataset, schema_of(dataset), sink);
  }
  for (const GraphFlow& flow : flow_graph(pipeline)) {
    const Dataset& dataset = pipeline.datasets[flow.dataset];
    tell_flow(flow, dataset, schema_of(dataset), sink);
  }
}

}  // namespace lakebed::run
