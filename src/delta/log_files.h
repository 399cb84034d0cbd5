// The names in a `_delta_log` folder and what they stand for. Internal to this room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "delta/environment.h"

namespace lakebed::delta {

struct CheckpointFiles {
  std::vector<std::string> files;  // complete and in order
  bool v2 = false;                 // named with a uuid; a classic one of that version goes first
};

struct LogListing {
  std::map<int64_t, std::string> commits;             // version -> path
  std::map<int64_t, int64_t> commit_times_ms;         // of the files
  std::map<int64_t, CheckpointFiles> checkpoints;     // complete ones only
  std::optional<int64_t> newest_commit() const;
};

// Lists commits from `from` on and the checkpoints found there.
Result<LogListing> list_log(store::Store& store, int64_t from);

// The version that `_last_checkpoint` names; nothing when it is absent or damaged: it is a hint.
std::optional<int64_t> last_checkpoint_hint(store::Store& store);

}  // namespace lakebed::delta
