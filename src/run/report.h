// What a run tells while it works: events in the shape of the platform's event log (rule F7). The
// command line prints them; nothing else reads them back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/world.h"

namespace lakebed::run {

enum class Level : uint8_t { kInfo, kMetrics, kWarn, kError };

struct Event {
  std::string type;     // "flow_progress", "update_progress", "create_update", "dataset_definition"
  Level level = Level::kInfo;
  std::string message;  // one line for people
  std::string flow;     // "" where it belongs to no flow
  std::string dataset;
  Json details;         // {"flow_progress": {"status": ..., "metrics": {...}}}
  Json error;           // null where there is none
  int64_t time_us = 0;
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

// The event as one JSON object: the form of `run --json`.
Json event_json(const Event& event);

}  // namespace lakebed::run
