// The actions of a Delta log as plain data, and their JSON both ways.
//
// A commit file holds one action a line. We read every field that decides what a table is, skip
// fields and actions that we do not know (the protocol asks for that), and write only what we
// mean. Paths stay as the log spells them (URI-encoded): together with the deletion vector's id
// they are the identity of a file; path.h turns them into names. Plain values, no threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/type.h"

namespace lakebed::delta {

using TextMap = std::map<std::string, std::string>;
// Partition values by (physical) column name; nullopt is NULL.
using PartitionValues = std::map<std::string, std::optional<std::string>>;

struct Protocol {
  int reader_version = 1;
  int writer_version = 2;
  std::vector<std::string> reader_features;  // only where reader_version is 3
  std::vector<std::string> writer_features;  // only where writer_version is 7
  bool operator==(const Protocol&) const = default;
};

struct Metadata {
  std::string id;  // of the table, for ever
  std::string name;
  std::string description;
  std::string schema_string;  // JSON; schema.h reads it
  std::vector<std::string> partition_columns;
  TextMap configuration;
  int64_t created_ms = 0;
  bool operator==(const Metadata&) const = default;
};

// The descriptor of a deletion vector; deletion_vector.h reads and writes what it points to.
struct DeletionVector {
  char storage = 'u';          // 'u' relative with a uuid, 'i' inline, 'p' absolute path
  std::string path_or_inline;
  std::optional<int64_t> offset;  // of the size field in the file; none when inline
  int64_t size_bytes = 0;
  int64_t cardinality = 0;
  // What makes (path, vector) an identity: storage, text and "@offset".
  std::string unique_id() const;
  bool operator==(const DeletionVector&) const = default;
};

struct AddFile {
  std::string path;  // as in the log: relative and URI-encoded, or an absolute URI
  PartitionValues partition_values;
  int64_t size = 0;
  int64_t modified_ms = 0;
  bool data_change = true;
  std::string stats;  // JSON text, may be empty
  TextMap tags;
  std::optional<DeletionVector> vector;
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;
  std::string clustering_provider;

  // Not in the log: the version that first added this path, kept over changes of its vector, for
  // the order of a stream's first snapshot (rule F10). -1: unknown (a checkpoint lost it).
  int64_t added_version = -1;

  std::string key() const;                     // path and vector id
  std::optional<int64_t> physical_rows() const;  // numRecords of the statistics
  // Rows that a reader sees: physical rows without the vector's.
  std::optional<int64_t> live_rows() const;
};
using AddFilePtr = std::shared_ptr<const AddFile>;  // shared: snapshots of many versions hold it

struct RemoveFile {
  std::string path;
  std::optional<int64_t> deletion_ms;
  bool data_change = true;
  bool extended = true;  // extendedFileMetadata: size and partition values are known
  PartitionValues partition_values;
  std::optional<int64_t> size;
  std::string stats;
  TextMap tags;
  std::optional<DeletionVector> vector;
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;

  std::string key() const;
};

// A file of change rows (read only so far).
struct CdcFile {
  std::string path;
  PartitionValues partition_values;
  int64_t size = 0;
};

struct DomainMetadata {
  std::string domain;
  std::string configuration;
  bool removed = false;
};

struct SetTransaction {
  std::string app_id;
  int64_t version = 0;
  std::optional<int64_t> updated_ms;
};

struct CommitInfo {
  std::optional<int64_t> timestamp_ms;
  std::optional<int64_t> in_commit_ms;
  std::string operation;
  TextMap parameters;  // values as text: strings plain, all else as JSON
  TextMap metrics;
  std::string engine;
  std::string transaction_id;
  std::optional<bool> blind_append;
  // Fields of our own or of others, by name: JSON text. Written as they stand.
  TextMap other;
};

// Everything that one commit file says.
struct CommitActions {
  std::optional<CommitInfo> info;
  bool info_is_first = false;
  std::optional<Protocol> protocol;
  std::optional<Metadata> metadata;
  std::vector<AddFile> adds;
  std::vector<RemoveFile> removes;
  std::vector<CdcFile> cdc;
  std::vector<DomainMetadata> domains;
  std::vector<SetTransaction> transactions;
  std::vector<std::string> sidecars;  // names in `_delta_log/_sidecars/`; in V2 checkpoints only
};

// Reads a commit file. `file` names it in errors. Errors: DELTA_LOG.DAMAGED with file and line.
Result<CommitActions> parse_commit(std::string_view text, const std::string& file);

// The text of a commit file: commitInfo first, one action a line, ends with a line feed.
// Requires: info.
std::string render_commit(const CommitActions& actions);

// The identity of a file from its two parts.
std::string file_key(std::string_view path, const std::optional<DeletionVector>& vector);

// The remove action that ends a live file, complete (rule: all optional fields are written).
RemoveFile remove_of(const AddFile& file, int64_t now_ms, bool data_change);

}  // namespace lakebed::delta
