// The tail of the event log: records of updates that the log's table does not hold yet, JSON, one a
// line, in a file beside it. Appending a line costs microseconds and needs no engine; folding the
// tail into the table (event_table.h) is one Parquet file and one commit.
//
// Programs that run at the same time share the tail: each takes a lock of the operating system for
// the moment of an append, or for the time of a fold. A line that a dying program cut off is left
// out by readers and ended by the next writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lakebed::run {

class EventTail {
 public:
  // Opens (and, with `create`, makes) the tail in `folder` and takes its lock; waits for others.
  // Null where there is none. Error EVENT_LOG_IO.
  static Result<std::unique_ptr<EventTail>> open(const std::filesystem::path& folder, bool create);
  ~EventTail();
  EventTail(const EventTail&) = delete;
  EventTail& operator=(const EventTail&) = delete;

  uint64_t size() const { return size_; }
  // Which fold will take what is here; rises with each clear().
  int64_t generation() const { return generation_; }
  // When the fold before was, in seconds since 1970; 0: there was none.
  int64_t folded_s() const { return folded_s_; }
  // Adds whole lines, each ended by a newline.
  Status append(std::string_view lines);
  // All lines, the header left out.
  Result<std::string> read() const;
  // Begins the next generation, empty, after a fold at `now_s`.
  Status clear(int64_t now_s);

 private:
  explicit EventTail(int file) : file_(file) {}
  Status begin(int64_t generation, int64_t folded_s);
  Status read_header();

  int file_;
  uint64_t size_ = 0;
  int64_t generation_ = 0;
  int64_t folded_s_ = 0;
};

// The file that an update's records wait in, below the log's folder.
inline constexpr const char* kTailFile = "_lakebed/tail.jsonl";

}  // namespace lakebed::run
