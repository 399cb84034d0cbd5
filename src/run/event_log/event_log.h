// The event log while an update runs: what the update tells gets its id, its number, its time and
// its origin, goes on to the printer, and into the log (rule F7).
//
// Records go to the tail (event_tail.h) in a few appends: after every batch, every error, every 64
// records, and at the end; so a crash loses no more than the last moment, and an update with
// nothing to do pays some microseconds. An update that loaded the engine anyway folds the tail into
// the log's table at its end, once in kFoldSeconds; a long tail is folded in any case, and who
// reads the log folds it first (event_table.h). A log that can't be written is told once as a
// warning and never stops an update.
#pragma once

#include <string>

#include "run/event_log/report.h"
#include "run/project/session.h"

namespace lakebed::run {

// The id that records carry and event_log('id') takes: it depends on the pipeline's name alone.
std::string pipeline_id(const Project& project);

// A fold is a commit with a file of its own: where updates follow each other within milliseconds,
// it would cost more than what they do.
inline constexpr int64_t kFoldSeconds = 10;

class EventLog : public EventSink {
 public:
  // Requires: session and next outlive it.
  EventLog(Session& session, EventSink& next);
  void emit(const Event& event) override;
  // The end of the update: everything is in the log.
  void close();
  const std::string& update_id() const { return origin_.update_id; }

 private:
  Status write();
  void check(const Status& done);

  Session& session_;
  EventSink& next_;
  Origin origin_;
  int64_t sequence_ = 0;
  int64_t last_us_ = 0;
  std::string lines_;  // not yet in the tail
  size_t waiting_ = 0;
  uint64_t tail_size_ = 0;
  int64_t folded_s_ = 0;
  bool broken_ = false;
};

}  // namespace lakebed::run
