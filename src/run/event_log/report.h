// What a run tells while it works: events in the shape of the platform's event log (rule F7). The
// command line prints them, the event log keeps them (event_log.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/world.h"

namespace lakebed::run {

enum class Level : uint8_t { kInfo, kMetrics, kWarn, kError };

// Which update of which pipeline an event belongs to; set when it passes the event log.
struct Origin {
  std::string pipeline_id;
  std::string pipeline_name;
  std::string update_id;
};

struct Event {
  std::string type;  // "flow_progress", "update_progress", "create_update", "dataset_definition"
  Level level = Level::kInfo;
  std::string message;  // one line for people
  std::string flow;     // "" where it belongs to no flow
  std::string dataset;
  Json details;  // {"flow_progress": {"status": ..., "metrics": {...}}}
  Json error;    // null where there is none
  int64_t time_us = 0;
  bool only_for_records = false;  // not printed for people: the log and `run --json` have it
  std::string id;                 // this and the next ones: set when it passes the event log
  int64_t sequence = 0;           // its number in the update
  Origin origin;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const Event& event) = 0;
};

// Counters of one flow and batch, by their published names.
using Metrics = std::map<std::string, uint64_t>;

// A flow_progress event.
Event flow_event(const std::string& flow, const std::string& dataset, const std::string& status,
                 const std::string& message, const Metrics& metrics = {});

// An event of a type that has one detail of its own name, {type: detail}, for records only.
Event record_event(const std::string& type, const std::string& message, Json detail);

// The error of an event, with code and message, and as the log's column `error` has it.
Json error_json(const std::string& code, const std::string& message);

// The event as one JSON object, a record of the event log: the form of `run --json`.
Json event_json(const Event& event);

}  // namespace lakebed::run
