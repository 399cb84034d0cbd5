// Versions one by one, as streams and DESCRIBE HISTORY read them.
#include <fmt/format.h>

#include <algorithm>

#include "delta/internal.h"
#include "delta/log_files.h"
#include "delta/snapshot.h"

namespace lakebed::delta {
namespace {

Result<VersionChanges> read_version(store::Store& store, int64_t version,
                                    const std::string& path) {
  auto text = store.read(path);
  if (!text.ok() && text.error().code == "STORE.NOT_FOUND") {
    return update_error("DELTA_VERSION_NOT_FOUND",
                        fmt::format("The log has no version {}: it was cleaned up, or the version "
                                    "does not exist.",
                                    version));
  }
  if (!text.ok()) return std::move(text).error();
  VersionChanges changes;
  changes.version = version;
  LAKEBED_ASSIGN(changes.actions, parse_commit(*text, path));
  changes.timestamp_ms = commit_time_ms(changes.actions, -1);
  if (changes.timestamp_ms < 0) {
    LAKEBED_ASSIGN(const store::ObjectInfo info, store.stat(path));
    changes.timestamp_ms = info.modified_us / 1000;
  }
  return changes;
}

}  // namespace

// Rule F10: what moves no data (`dataChange` false) never counts.
Effect VersionChanges::effect() const {
  const bool adds = std::any_of(actions.adds.begin(), actions.adds.end(),
                                [](const AddFile& file) { return file.data_change; });
  const bool removes = std::any_of(actions.removes.begin(), actions.removes.end(),
                                   [](const RemoveFile& file) { return file.data_change; });
  if (adds && removes) return Effect::kChangesRows;
  if (removes) return Effect::kRemovesFiles;
  return adds ? Effect::kAppends : Effect::kNone;
}

std::vector<AddFile> VersionChanges::new_files() const {
  std::vector<AddFile> files;
  for (const AddFile& file : actions.adds) {
    if (!file.data_change) continue;
    files.push_back(file);
    files.back().added_version = version;
  }
  std::sort(files.begin(), files.end(),
            [](const AddFile& a, const AddFile& b) { return a.path < b.path; });
  return files;
}

Result<std::vector<VersionChanges>> read_changes(const Environment& environment, int64_t from,
                                                 int64_t to) {
  std::vector<VersionChanges> all;
  for (int64_t version = from; version <= to; ++version) {
    LAKEBED_ASSIGN(VersionChanges changes,
                   read_version(environment.store, version, commit_file(version)));
    all.push_back(std::move(changes));
  }
  return all;
}

Result<std::vector<VersionChanges>> read_history(const Environment& environment, int64_t limit) {
  LAKEBED_ASSIGN(const LogListing listing, list_log(environment.store, 0));
  std::vector<VersionChanges> all;
  for (auto at = listing.commits.rbegin(); at != listing.commits.rend(); ++at) {
    if (static_cast<int64_t>(all.size()) >= limit) break;
    LAKEBED_ASSIGN(VersionChanges changes,
                   read_version(environment.store, at->first, at->second));
    all.push_back(std::move(changes));
  }
  return all;
}

}  // namespace lakebed::delta
