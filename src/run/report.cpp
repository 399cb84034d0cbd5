#include "run/report.h"

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

Json event_json(const Event& event) {
  Json origin = Json::object();
  if (!event.flow.empty()) origin["flow_name"] = event.flow;
  if (!event.dataset.empty()) origin["dataset_name"] = event.dataset;
  return {{"timestamp", value::timestamp_text(event.time_us, 'T') + "Z"},
          {"level", level_text(event.level)},
          {"event_type", event.type},
          {"origin", origin},
          {"message", event.message},
          {"details", event.details},
          {"error", event.error}};
}

}  // namespace lakebed::run
