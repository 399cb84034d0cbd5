// Pieces that several files of this room share and no other room needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "delta/actions.h"

namespace lakebed::delta {

// Error DELTA_LOG.DAMAGED for a file of the log.
Error log_damaged(const std::string& file, std::string_view problem);

// The time of a commit: in-commit, else commitInfo's, else `otherwise`.
int64_t commit_time_ms(const CommitActions& actions, int64_t otherwise);

// The version that added a file, as our own tag keeps it through checkpoints; -1 when it has none.
int64_t added_version_tag(const AddFile& file);
void set_added_version_tag(AddFile& file, int64_t version);

}  // namespace lakebed::delta
