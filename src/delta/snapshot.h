// A table at one version: what replaying its log gives.
//
// Load once, then refresh() or commit(): both move the snapshot forward by reading only the commits
// that are new. Copies are cheap enough to keep (files are shared), but a snapshot of a table with
// many files should be moved. Not thread-safe for changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "delta/actions.h"
#include "delta/environment.h"

namespace lakebed::delta {

class Snapshot {
 public:
  // A table that does not exist yet: version -1. commit() of a new_table() makes version 0.
  Snapshot() = default;

  bool exists() const { return version_ >= 0; }
  int64_t version() const { return version_; }
  const Protocol& protocol() const { return protocol_; }
  const Metadata& metadata() const { return metadata_; }
  const std::string& table_id() const { return metadata_.id; }
  const value::Schema& schema() const { return schema_; }
  const std::vector<std::string>& partition_columns() const { return metadata_.partition_columns; }

  // The live files by key; and in the order in which a stream reads them first (rule F10): the
  // version that added the file, then its path.
  const std::map<std::string, AddFilePtr>& files_by_key() const { return files_; }
  std::vector<AddFilePtr> files() const;
  size_t file_count() const { return files_.size(); }
  // The live file of that path (as the log spells it), or null.
  AddFilePtr find_path(const std::string& path) const;
  int64_t total_bytes() const { return total_bytes_; }
  // Rows that readers see, where every file's statistics tell.
  std::optional<int64_t> total_rows() const;
  // Removed files, until they expire (for checkpoints and vacuum).
  const std::map<std::string, RemoveFile>& tombstones() const { return tombstones_; }

  // Configuration of a domain; nothing when absent or removed.
  std::optional<std::string> domain(const std::string& name) const;
  const std::map<std::string, std::string>& domains() const { return domains_; }
  std::optional<int64_t> transaction(const std::string& app_id) const;
  const std::map<std::string, SetTransaction>& transactions() const { return transactions_; }

  // The in-commit timestamp of this version, or what stands for it.
  int64_t timestamp_ms() const { return timestamp_ms_; }
  // A hash of the set of live files (paths and vector ids); the order plays no part. Kept up to
  // date as files come and go.
  Hash128 file_set_hash() const { return file_set_hash_; }
  // The version of the checkpoint that loading began with; -1 for none.
  int64_t checkpoint_version() const { return checkpoint_version_; }
  void set_checkpoint_version(int64_t version) { checkpoint_version_ = version; }

  // Applies the actions of version() + 1. Error DELTA_LOG.DAMAGED (a first version without
  // protocol or metadata, a schema that cannot be read) naming `file`.
  Status apply(const CommitActions& actions, int64_t version, const std::string& file);
  // Starts from the content of a checkpoint; its time stands in the commit of that version.
  Status restore(const CommitActions& actions, int64_t version, const std::string& file);
  void set_timestamp_ms(int64_t time_ms) { timestamp_ms_ = time_ms; }

 private:
  void insert(AddFile file);
  void erase(const std::string& key);
  Status set_metadata(const Metadata& metadata, const std::string& file);
  void apply_small(const CommitActions& actions);

  int64_t version_ = -1;
  Protocol protocol_;
  Metadata metadata_;
  value::Schema schema_;
  std::map<std::string, AddFilePtr> files_;
  std::map<std::string, RemoveFile> tombstones_;
  std::map<std::string, std::string> domains_;
  std::map<std::string, SetTransaction> transactions_;
  int64_t timestamp_ms_ = 0;
  int64_t total_bytes_ = 0;
  Hash128 file_set_hash_;
  int64_t checkpoint_version_ = -1;
};

// True where `_delta_log` holds a commit or a checkpoint.
Result<bool> table_exists(const Environment& environment);

// Loads the newest version, or `version`. Errors: DELTA_TABLE_NOT_FOUND, DELTA_VERSION_NOT_FOUND,
// DELTA_LOG.DAMAGED and DELTA_LOG.GAP naming the file, DELTA_CHECKPOINT.DAMAGED,
// DELTA_UNSUPPORTED_READER_FEATURE, DELTA_UNSUPPORTED_PROTOCOL.
Result<Snapshot> load(const Environment& environment, std::optional<int64_t> version = {});

// Reads the commits after snapshot.version(), if there are any, and moves the snapshot to the
// newest. True when it moved. After an error the snapshot must be loaded anew.
Result<bool> refresh(const Environment& environment, Snapshot& snapshot);

// What a version did to the rows of the table, as a stream sees it (rule F10).
enum class Effect : uint8_t {
  kNone,         // moved no data: progress, metadata, OPTIMIZE
  kAppends,      // only new files
  kRemovesFiles,  // only removes whole files
  kChangesRows,  // removes and adds: updates, deletes, overwrites
};

// One version as the log tells it.
struct VersionChanges {
  int64_t version = 0;
  int64_t timestamp_ms = 0;  // in-commit, or the time of commitInfo, or of the file
  CommitActions actions;
  Effect effect() const;
  // The files with new rows (dataChange), by path.
  std::vector<AddFile> new_files() const;
};

// The versions from..to, both included. Errors as load(); DELTA_VERSION_NOT_FOUND where the log
// of `from` was cleaned up or `to` does not exist.
Result<std::vector<VersionChanges>> read_changes(const Environment& environment, int64_t from,
                                                 int64_t to);
// The same, newest first, at most `limit`, as far as the log reaches: for DESCRIBE HISTORY.
Result<std::vector<VersionChanges>> read_history(const Environment& environment, int64_t limit);

// "_delta_log/00000000000000000007.json"
std::string commit_file(int64_t version);

}  // namespace lakebed::delta
