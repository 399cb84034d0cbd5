// Delta tables as sources: a batch read of one version, or a stream by version (rule F10).
//
// A stream's first read is the snapshot of now, its files in the order of the version that added
// them, then path; after it the commits, version by version. The position is the table's id, the
// version, and within it how many files were read; the files of a snapshot that takes several
// slices join the flow's seen set. Commits that change or delete rows stop the stream unless
// skipChangeCommits; commits that move no data (dataChange false) never count.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "source/source.h"
#include "store/store.h"

namespace lakebed::source {

struct DeltaRequest {
  std::string name;                     // for messages: the table's name, or its path
  std::string path;                     // absolute local path of the table's folder
  std::shared_ptr<store::Store> store;  // rooted at that folder; shared: readers outlive the source
  // skipChangeCommits, ignoreChanges, ignoreDeletes, startingVersion, startingTimestamp,
  // versionAsOf, timestampAsOf, maxFilesPerTrigger, maxBytesPerTrigger in any spelling;
  // readChangeFeed is refused (NOT_BUILT_YET.CHANGE_DATA_FEED).
  std::vector<Option> options;
  bool streaming = false;
  // Reads checkpoints; may be empty, then a table that has some cannot be opened.
  std::function<Result<engine::Engine*>()> engine;
  std::string time_zone = "UTC";             // for startingTimestamp, timestampAsOf
  uint64_t batch_bytes = uint64_t{1} << 30;  // lakebed.batch.maxBytes
  SourceSpan span;
};

// Opens a table at its newest version (or versionAsOf). Errors: DELTA_TABLE_NOT_FOUND and those of
// the log; DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE, DELTA_SOURCE_TABLE_IGNORE_CHANGES,
// DELTA_SOURCE_IGNORE_DELETE from next_slice.
Result<std::unique_ptr<Source>> open_delta(const DeltaRequest& request);

}  // namespace lakebed::source
