#include "delta/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "delta/deletion_vector.h"
#include "delta/log_files.h"
#include "delta/partition.h"
#include "delta/properties.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

using value::Field;
using value::Kind;

constexpr const char* kReaderWriterFeatures[] = {
    "catalogManaged", "columnMapping", "deletionVectors", "timestampNtz", "typeWidening",
    "v2Checkpoint",   "vacuumProtocolCheck", "variantType"};

bool listed(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool uses_kind(const std::vector<Field>& fields, Kind kind) {
  return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
    return field.type.kind == kind || uses_kind(field.type.fields, kind);
  });
}

bool is_plain_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '-' || c == '_' || c == '.' || c == '/';
  });
}

// Collects what is wrong with one commit, seen from the snapshot before it.
class CommitCheck {
 public:
  CommitCheck(const Snapshot& before, const CommitActions& actions, std::string file, bool ours,
              std::vector<Violation>& found)
      : before_(before), actions_(actions), file_(std::move(file)), ours_(ours), found_(found) {}

  void run(bool whole_log) {
    check_info();
    check_protocol();
    check_domains();
    check_paths(whole_log);
    for (const AddFile& add : actions_.adds) check_add(add);
    for (const RemoveFile& remove : actions_.removes) check_remove(remove);
  }

 private:
  void complain(std::string message) { found_.push_back({file_, std::move(message)}); }

  const Protocol& protocol() const {
    return actions_.protocol ? *actions_.protocol : before_.protocol();
  }
  const Metadata& metadata() const {
    return actions_.metadata ? *actions_.metadata : before_.metadata();
  }

  void check_info() {
    if (!flag(metadata(), "delta.enableInCommitTimestamps")) {
      if (ours_) complain("in-commit timestamps are off");
      return;
    }
    if (!actions_.info || !actions_.info->in_commit_ms) {
      return complain("commitInfo has no inCommitTimestamp");
    }
    if (!actions_.info_is_first) complain("commitInfo is not the first action");
    if (before_.exists() && *actions_.info->in_commit_ms <= before_.timestamp_ms()) {
      complain("the in-commit timestamp does not rise");
    }
  }

  void need(const char* feature, const char* reason) {
    if (!listed(protocol().writer_features, feature)) {
      complain(fmt::format("{}, but the feature {} is not in writerFeatures", reason, feature));
    }
  }

  void check_protocol() {
    const Protocol& rules = protocol();
    if (ours_ && (rules.reader_version != 3 || rules.writer_version != 7)) {
      complain("the protocol is not (3, 7)");
    }
    for (const std::string& feature : rules.reader_features) {
      if (!listed(rules.writer_features, feature)) {
        complain(fmt::format("the reader feature {} is not in writerFeatures", feature));
      }
    }
    for (const char* feature : kReaderWriterFeatures) {
      if (listed(rules.writer_features, feature) && !listed(rules.reader_features, feature)) {
        complain(fmt::format("the feature {} is not in readerFeatures", feature));
      }
    }
    if (rules.writer_version != 7) return;
    if (flag(metadata(), "delta.enableInCommitTimestamps")) {
      need("inCommitTimestamp", "in-commit timestamps are on");
    }
    if (!actions_.domains.empty()) need("domainMetadata", "a domain is written");
    if (has_column_mapping(metadata())) need("columnMapping", "columns are mapped");
    if (actions_.metadata) check_schema();
  }

  void check_schema() {
    const auto schema = schema_from_json(metadata().schema_string);
    if (!schema.ok()) return complain(schema.error().message);
    if (uses_kind(*schema, Kind::kTimestampNtz)) need("timestampNtz", "a column is TIMESTAMP_NTZ");
    const bool mapped = has_column_mapping(metadata());
    if (!mapped && needs_column_mapping(*schema)) {
      complain("a column's name needs column mapping, which is off");
    }
    for (const Field& field : *schema) {
      if (!field.nullable) need("invariants", "a column is NOT NULL");
      if (mapped && !column_id(field)) complain("the column '" + field.name + "' has no id");
    }
    if (mapped) check_ids(*schema);
  }

  void check_ids(const value::Schema& schema) {
    std::set<int32_t> seen;
    int64_t greatest = 0;
    for (const auto& [path, id] : field_ids(schema)) {
      if (!seen.insert(id).second) complain(fmt::format("the column id {} stands twice", id));
      greatest = std::max<int64_t>(greatest, id);
    }
    const auto at = metadata().configuration.find("delta.columnMapping.maxColumnId");
    const bool known = at != metadata().configuration.end();
    if (!known || std::strtoll(at->second.c_str(), nullptr, 10) < greatest) {
      complain("delta.columnMapping.maxColumnId is below an id in use");
    }
  }

  void check_domains() {
    std::set<std::string> names;
    for (const DomainMetadata& domain : actions_.domains) {
      if (!names.insert(domain.domain).second) {
        complain(fmt::format("the domain {} stands twice", domain.domain));
      }
      if (domain.removed && !before_.domain(domain.domain)) {
        complain(fmt::format("the domain {} is removed, but was not there", domain.domain));
      }
    }
    std::set<std::string> apps;
    for (const SetTransaction& transaction : actions_.transactions) {
      if (!apps.insert(transaction.app_id).second) {
        complain(fmt::format("the application {} stands twice", transaction.app_id));
      }
    }
  }

  void check_paths(bool whole_log) {
    std::set<std::string> removed;
    std::set<std::string> removed_keys;
    for (const RemoveFile& remove : actions_.removes) {
      removed_keys.insert(remove.key());
      if (!removed.insert(remove.path).second) {
        complain(fmt::format("'{}' is removed twice", remove.path));
      }
      if (whole_log && !before_.files_by_key().contains(remove.key())) {
        complain(fmt::format("'{}' is removed, but not live under that vector", remove.path));
      }
    }
    std::set<std::string> added;
    for (const AddFile& add : actions_.adds) {
      if (!added.insert(add.path).second) {
        complain(fmt::format("'{}' is added twice", add.path));
      }
      const AddFilePtr live = before_.find_path(add.path);
      if (live && live->key() != add.key() && !removed_keys.contains(live->key())) {
        complain(fmt::format("'{}' is live under another vector, which is not removed", add.path));
      }
    }
  }

  void check_add(const AddFile& add) {
    const auto rows = add.physical_rows();
    if (!rows && (ours_ || add.vector)) complain("'" + add.path + "' has no numRecords");
    if (add.vector) {
      if (!listed(protocol().reader_features, "deletionVectors")) {
        complain("a vector is used, but the feature deletionVectors is not in readerFeatures");
      }
      if (rows && add.vector->cardinality >= *rows) {
        complain("'" + add.path + "' has a vector that covers all of its rows");
      }
      if (add.stats.find("\"tightBounds\":true") != std::string::npos) {
        complain("'" + add.path + "' has a vector and tight bounds");
      }
    }
    if (ours_ && !is_plain_path(add.path)) complain("'" + add.path + "' is no plain path");
    if (add.partition_values.size() != metadata().partition_columns.size()) {
      complain("'" + add.path + "' has the wrong number of partition values");
    }
  }

  void check_remove(const RemoveFile& remove) {
    if (!ours_) return;
    if (!remove.deletion_ms || !remove.extended || !remove.size) {
      complain("the remove of '" + remove.path + "' is not complete");
    }
  }

  const Snapshot& before_;
  const CommitActions& actions_;
  std::string file_;
  bool ours_;
  std::vector<Violation>& found_;
};

// The files and vectors that the newest version stands on.
Status check_files(const Environment& environment, const Snapshot& snapshot,
                   const CheckOptions& options, std::vector<Violation>& found) {
  for (const auto& [key, file] : snapshot.files_by_key()) {
    const Result<std::string> decoded = decode_path(file->path);
    if (!decoded.ok()) {
      found.push_back({file->path, decoded.error().message});
      continue;
    }
    const std::string& path = *decoded;
    if (path.front() == '/') continue;  // outside of the table's own folder
    const auto info = environment.store.stat(path);
    if (!info.ok()) {
      found.push_back({path, "the data file is missing"});
      continue;
    }
    if (static_cast<int64_t>(info->size) != file->size) {
      found.push_back({path, fmt::format("the log says {} bytes, the file has {}", file->size,
                                         info->size)});
    }
    const int64_t rows = file->physical_rows().value_or(-1);
    if (options.count_rows) {
      LAKEBED_ASSIGN(const uint64_t counted, options.count_rows(path));
      if (static_cast<int64_t>(counted) != rows) {
        found.push_back({path, fmt::format("numRecords is {}, the file has {}", rows, counted)});
      }
    }
    if (!file->vector) continue;
    const auto bitmap = read_vector(environment.store, *file->vector);
    if (!bitmap.ok()) {
      found.push_back({path, bitmap.error().message});
      continue;
    }
    const std::vector<uint64_t> hidden = bitmap->rows();
    if (rows >= 0 && !hidden.empty() && hidden.back() >= static_cast<uint64_t>(rows)) {
      found.push_back({path, "the vector hides a row that the file does not have"});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Violation>> check_table(const Environment& environment,
                                           const CheckOptions& options) {
  LAKEBED_ASSIGN(const LogListing listing, list_log(environment.store, 0));
  Snapshot snapshot;
  const bool whole_log = !listing.commits.empty() && listing.commits.begin()->first == 0;
  if (!whole_log) {
    if (listing.checkpoints.empty()) return load(environment).error();
    LAKEBED_ASSIGN(snapshot, load(environment, listing.checkpoints.begin()->first));
  }
  std::vector<Violation> found;
  for (const auto& [version, path] : listing.commits) {
    if (version <= snapshot.version()) continue;
    if (version != snapshot.version() + 1) {
      found.push_back({path, "the commit before it is missing"});
      return found;
    }
    LAKEBED_ASSIGN(const std::string text, environment.store.read(path));
    LAKEBED_ASSIGN(const CommitActions actions, parse_commit(text, path));
    CommitCheck(snapshot, actions, path, options.ours, found).run(true);
    LAKEBED_TRY(snapshot.apply(actions, version, path));
  }
  LAKEBED_TRY(check_files(environment, snapshot, options, found));
  return found;
}

}  // namespace lakebed::delta
