#include "run/event_log/report.h"

#include "value/text.h"

namespace lakebed::run {

namespace {

const char* level_text(Level level) {
  switch (level) {
    case Level::kInfo: return "INFO";
    case Level::kMetrics: return "METRICS";
    case Level::kWarn: return "WARN";
    case Level::kError: return "ERROR";
  }
  return "";
}

}  // namespace

Event flow_event(const std::string& flow, const std::string& dataset, const std::string& status,
                 const std::string& message, const Metrics& metrics) {
  Event event;
  event.type = "flow_progress";
  event.flow = flow;
  event.dataset = dataset;
  event.message = message;
  Json progress = {{"status", status}};
  if (!metrics.empty()) {
    event.level = Level::kMetrics;
    Json counters = Json::object();
    for (const auto& [name, count] : metrics) counters[name] = count;
    progress["metrics"] = counters;
  }
  event.details = {{"flow_progress", progress}};
  return event;
}

Event record_event(const std::string& type, const std::string& message, Json detail) {
  Event event;
  event.type = type;
  event.message = message;
  event.details = Json::object();
  event.details[type] = std::move(detail);
  event.only_for_records = true;
  return event;
}

Json error_json(const std::string& code, const std::string& message) {
  return {{"fatal", true},
          {"code", code},
          {"message", message},
          {"exceptions", Json::array({{{"class_name", code}, {"message", message}}})}};
}

Json event_json(const Event& event) {
  Json origin = Json::object();
  const auto fact = [&origin](const char* name, const std::string& text) {
    if (!text.empty()) origin[name] = text;
  };
  fact("pipeline_id", event.origin.pipeline_id);
  fact("pipeline_type", event.origin.pipeline_id.empty() ? "" : "WORKSPACE");
  fact("pipeline_name", event.origin.pipeline_name);
  fact("update_id", event.origin.update_id);
  fact("dataset_name", event.dataset);
  fact("flow_name", event.flow);
  Json record = Json::object();
  if (!event.id.empty()) {
    record["id"] = event.id;
    record["sequence"] = {
        {"data_plane_id", {{"instance", event.origin.update_id}, {"seq_no", event.sequence}}}};
  }
  record["origin"] = std::move(origin);
  record["timestamp"] = value::timestamp_text(event.time_us, 'T') + "Z";
  record["message"] = event.message;
  record["level"] = level_text(event.level);
  record["maturity_level"] = "STABLE";
  record["error"] = event.error;
  record["details"] = event.details;
  record["event_type"] = event.type;
  return record;
}

}  // namespace lakebed::run
