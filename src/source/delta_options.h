// Options of Delta tables as sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "source/source.h"

namespace lakebed::source {

struct DeltaOptions {
  bool skip_changes = false;    // skipChangeCommits
  bool ignore_changes = false;  // files that a change rewrote are read as new ones
  bool ignore_deletes = false;
  bool from_latest = false;  // startingVersion => 'latest'
  std::optional<int64_t> starting_version;
  std::optional<int64_t> starting_ms;  // startingTimestamp
  std::optional<int64_t> version_as_of;
  std::optional<int64_t> as_of_ms;  // timestampAsOf
  uint64_t max_files = 1000;
  std::optional<uint64_t> max_bytes;
};

// Errors: UNKNOWN_READ_OPTION, INVALID_READ_OPTION, UNSUPPORTED_READ_OPTION,
// NOT_BUILT_YET.CHANGE_DATA_FEED.
Result<DeltaOptions> parse_delta_options(const std::vector<Option>& options,
                                         const std::string& time_zone);

}  // namespace lakebed::source
