// From log files to snapshots: which checkpoint to begin with, which commits follow, what is
// missing or damaged.
#include <fmt/format.h>

#include <algorithm>

#include "delta/checkpoint.h"
#include "delta/internal.h"
#include "delta/log_files.h"
#include "delta/properties.h"
#include "delta/snapshot.h"

namespace lakebed::delta {
namespace {

Error not_found() {
  return update_error("DELTA_TABLE_NOT_FOUND", "The folder holds no Delta table.");
}

Error version_not_found(int64_t version) {
  return update_error("DELTA_VERSION_NOT_FOUND",
                      fmt::format("The table has no version {}, or its log was cleaned up.",
                                  version));
}

Error gap(int64_t version) {
  return update_error("DELTA_LOG.GAP",
                      fmt::format("The log misses '{}', but later files exist.",
                                  commit_file(version)))
      .with_hint("Restore the file from a copy; the table cannot be read without it.");
}

Result<CommitActions> read_commit(store::Store& store, const std::string& path) {
  LAKEBED_ASSIGN(const std::string text, store.read(path));
  return parse_commit(text, path);
}

// A listing that reaches back far enough for `version` (or the newest). The hint may be stale, or
// name a checkpoint that is gone: then everything is listed.
Result<LogListing> list_for(store::Store& store, std::optional<int64_t> version) {
  const std::optional<int64_t> hint = last_checkpoint_hint(store);
  if (hint && (!version || *hint <= *version)) {
    LAKEBED_ASSIGN(LogListing listing, list_log(store, *hint));
    if (listing.checkpoints.contains(*hint)) return listing;
  }
  return list_log(store, 0);
}

// The newest checkpoint that is not above `target`.
const std::pair<const int64_t, CheckpointFiles>* choose_checkpoint(const LogListing& listing,
                                                                   int64_t target) {
  auto after = listing.checkpoints.upper_bound(target);
  return after == listing.checkpoints.begin() ? nullptr : &*std::prev(after);
}

Status start_from(const Environment& environment, int64_t version, const CheckpointFiles& files,
                  const LogListing& listing, Snapshot& snapshot) {
  LAKEBED_ASSIGN(const CommitActions actions, read_checkpoint(environment, files.files));
  LAKEBED_TRY(snapshot.restore(actions, version, files.files.front()));
  const auto commit = listing.commits.find(version);
  if (commit == listing.commits.end()) return {};
  LAKEBED_ASSIGN(const CommitActions own, read_commit(environment.store, commit->second));
  snapshot.set_timestamp_ms(commit_time_ms(own, listing.commit_times_ms.at(version)));
  return {};
}

Status replay(const Environment& environment, const LogListing& listing, int64_t target,
              Snapshot& snapshot) {
  for (int64_t version = snapshot.version() + 1; version <= target; ++version) {
    const auto commit = listing.commits.find(version);
    if (commit == listing.commits.end()) return gap(version);
    LAKEBED_ASSIGN(const CommitActions actions, read_commit(environment.store, commit->second));
    LAKEBED_TRY(snapshot.apply(actions, version, commit->second));
    if (!actions.info || (!actions.info->in_commit_ms && !actions.info->timestamp_ms)) {
      snapshot.set_timestamp_ms(listing.commit_times_ms.at(version));
    }
  }
  return {};
}

int64_t newest_version(const LogListing& listing) {
  const int64_t commit = listing.newest_commit().value_or(-1);
  const int64_t checkpoint =
      listing.checkpoints.empty() ? -1 : listing.checkpoints.rbegin()->first;
  return std::max(commit, checkpoint);
}

}  // namespace

Result<bool> table_exists(const Environment& environment) {
  // A log of thousands of commits is listed only where its beginning is gone.
  if (environment.store.stat(commit_file(0)).ok()) return true;
  LAKEBED_ASSIGN(const LogListing listing, list_log(environment.store, 0));
  return newest_version(listing) >= 0;
}

Result<Snapshot> load(const Environment& environment, std::optional<int64_t> version) {
  LAKEBED_ASSIGN(const LogListing listing, list_for(environment.store, version));
  const int64_t newest = newest_version(listing);
  if (newest < 0) return not_found();
  const int64_t target = version.value_or(newest);
  if (target > newest || target < 0) return version_not_found(target);
  Snapshot snapshot;
  if (const auto* checkpoint = choose_checkpoint(listing, target)) {
    LAKEBED_TRY(start_from(environment, checkpoint->first, checkpoint->second, listing, snapshot));
  } else if (version && !listing.commits.empty() && target < listing.commits.begin()->first) {
    return version_not_found(target);
  }
  LAKEBED_TRY(replay(environment, listing, target, snapshot));
  LAKEBED_TRY(check_readable(snapshot.protocol(), snapshot.metadata()));
  return snapshot;
}

Result<bool> refresh(const Environment& environment, Snapshot& snapshot) {
  bool moved = false;
  while (true) {
    const std::string path = commit_file(snapshot.version() + 1);
    auto text = environment.store.read(path);
    if (!text.ok() && text.error().code == "STORE.NOT_FOUND") return moved;
    if (!text.ok()) return std::move(text).error();
    LAKEBED_ASSIGN(const CommitActions actions, parse_commit(*text, path));
    LAKEBED_TRY(snapshot.apply(actions, snapshot.version() + 1, path));
    if (actions.protocol || actions.metadata) {
      LAKEBED_TRY(check_readable(snapshot.protocol(), snapshot.metadata()));
    }
    moved = true;
  }
}

}  // namespace lakebed::delta
