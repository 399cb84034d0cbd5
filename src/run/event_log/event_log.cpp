#include "run/event_log/event_log.h"

#include <algorithm>

#include "base/hash.h"
#include "base/names.h"
#include "run/event_log/event_table.h"
#include "run/event_log/event_tail.h"

namespace lakebed::run {

namespace {

constexpr size_t kWaitingMost = 64;
constexpr uint64_t kTailBytesMost = 1 << 20;

// Whether an event must not get lost with what comes after it: an error, or a batch's figures.
bool is_weighty(const Event& event) {
  return event.level == Level::kError || event.level == Level::kMetrics;
}

}  // namespace

std::string pipeline_id(const Project& project) {
  const Hash128 hash = hash128("pipeline " + fold_case(project.name));
  Uuid uuid = {};
  for (size_t i = 0; i < 8; ++i) {
    uuid[i] = static_cast<uint8_t>(hash.high >> (8 * i));
    uuid[i + 8] = static_cast<uint8_t>(hash.low >> (8 * i));
  }
  return uuid_text(uuid);
}

EventLog::EventLog(Session& session, EventSink& next)
    : session_(session),
      next_(next),
      origin_{pipeline_id(session.project()), session.project().name,
              uuid_text(make_uuid(session.random()))} {}

void EventLog::emit(const Event& event) {
  Event record = event;
  record.id = uuid_text(make_uuid(session_.random()));
  record.sequence = ++sequence_;
  // Times rise strictly, so that ORDER BY timestamp tells the story of an update.
  record.time_us = last_us_ = std::max(session_.clock().now_us(), last_us_ + 1);
  record.origin = origin_;
  next_.emit(record);
  if (broken_) return;
  lines_ += event_json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
  lines_ += '\n';
  if (++waiting_ >= kWaitingMost || is_weighty(record)) check(write());
}

Status EventLog::write() {
  LAKEBED_ASSIGN(const auto tail, EventTail::open(event_log_folder(session_.project()), true));
  LAKEBED_TRY(tail->append(lines_));
  tail_size_ = tail->size();
  folded_s_ = tail->folded_s();
  lines_.clear();
  waiting_ = 0;
  return {};
}

void EventLog::close() {
  if (!lines_.empty() && !broken_) check(write());
  const int64_t since_s = session_.clock().now_us() / 1'000'000 - folded_s_;
  const bool due = session_.loaded_engine() != nullptr &&
                   (since_s >= kFoldSeconds || since_s < 0);  // a clock may be set back
  const bool folds = due || tail_size_ > kTailBytesMost;
  if (folds && !broken_) check(fold_events(session_));
}

void EventLog::check(const Status& done) {
  if (done.ok()) return;
  broken_ = true;
  Event warning;
  warning.type = "flow_progress";
  warning.level = Level::kWarn;
  warning.message = "the event log can't be written: " + done.error().text();
  warning.details = Json::object();
  warning.time_us = last_us_;
  next_.emit(warning);
}

}  // namespace lakebed::run
