#include "source/delta_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/world.h"
#include "delta/scan.h"
#include "delta/snapshot.h"
#include "source/delta_options.h"
#include "source/empty_reader.h"
#include "source/listing.h"

namespace lakebed::source {

using delta::AddFilePtr;
using delta::Effect;
using value::Schema;

namespace {

// Versions without data that are passed over before their passing is worth a commit of its own.
constexpr int64_t kIdleVersionsMost = 50;

// How far a stream has come.
struct DeltaPosition {
  std::string table;
  bool in_snapshot = false;  // files of the snapshot of `version` are being read
  int64_t version = -1;      // else: the last version that was read whole
  uint64_t files = 0;        // of version + 1 that were read; outside of snapshots

  std::string text() const {
    Json out = {{"kind", "delta"}, {"table", table}, {"version", version}};
    if (in_snapshot) out["snapshot"] = true;
    if (files > 0) out["files"] = files;
    return out.dump();
  }
};

Result<DeltaPosition> parse_position(const std::string& text) {
  LAKEBED_ASSIGN(const Json json, parse_json(text, "SOURCE_POSITION.DAMAGED"));
  DeltaPosition out;
  const bool whole = json.is_object() && json.contains("table") && json["table"].is_string() &&
                     json.contains("version") && json["version"].is_number_integer();
  if (!whole) {
    return update_error("SOURCE_POSITION.DAMAGED",
                        "the position of a Delta source is damaged: " + text);
  }
  out.table = json["table"].get<std::string>();
  out.version = json["version"].get<int64_t>();
  out.in_snapshot = json.value("snapshot", false);
  out.files = json.value("files", uint64_t{0});
  return out;
}

// What readers of slices need of a table; they may outlive the source.
struct Table {
  std::shared_ptr<store::Store> store;
  std::function<Result<engine::Engine*>()> engine;
  std::unique_ptr<Clock> clock = system_clock();
  std::unique_ptr<Random> random = system_random();
  delta::VectorCache vectors;

  delta::Environment environment() { return {*store, engine, *clock, *random}; }
};

using SnapshotPtr = std::shared_ptr<const delta::Snapshot>;  // slices keep theirs

Result<engine::ScanInput> scan_files(Table& table, const delta::Snapshot& snapshot,
                                     const std::vector<AddFilePtr>& files, const Schema& wanted) {
  if (files.empty()) return empty_input(wanted);
  for (const AddFilePtr& file : files) {
    ListedFile listed;
    LAKEBED_ASSIGN(listed.path, delta::file_path(*table.store, *file));
    listed.size = static_cast<uint64_t>(file->size);
    LAKEBED_TRY(check_unchanged(listed));
  }
  return delta::scan_input(*table.store, snapshot, files, table.vectors);
}

// Files that one slice takes, within its limits.
struct Take {
  uint64_t files_most;
  uint64_t bytes_most;
  std::vector<AddFilePtr> files;
  uint64_t bytes = 0;

  bool add(const AddFilePtr& file) {
    const auto size = static_cast<uint64_t>(std::max<int64_t>(file->size, 0));
    if (files.size() >= files_most || (!files.empty() && bytes + size > bytes_most)) return false;
    files.push_back(file);
    bytes += size;
    return true;
  }
};

class DeltaSource : public Source {
 public:
  explicit DeltaSource(DeltaRequest request) : request_(std::move(request)) {}

  Status open();
  const Schema& schema() const override { return schema_; }
  const Schema& hidden() const override { return hidden_; }
  Result<Slice> read_all() override;
  Result<std::optional<Slice>> next_slice(const std::string& position, SeenFiles& seen) override;
  Status refresh() override;

 private:
  Result<int64_t> version_at(int64_t time_ms, bool at_or_after);
  Result<DeltaPosition> start();
  Result<std::optional<Slice>> snapshot_slice(DeltaPosition at, SeenFiles& seen);
  Result<std::optional<Slice>> commit_slice(DeltaPosition at);
  Result<bool> counts(const delta::VersionChanges& changes) const;
  bool take_version(const delta::VersionChanges& changes, DeltaPosition& at, Take& take) const;
  Take take() const {
    return {options_.max_files, options_.max_bytes.value_or(request_.batch_bytes), {}, 0};
  }
  Slice make_slice(const SnapshotPtr& snapshot, std::vector<AddFilePtr> files) const;
  std::string seen_name(const delta::AddFile& file) const;

  DeltaRequest request_;
  DeltaOptions options_;
  std::shared_ptr<Table> table_;
  SnapshotPtr snapshot_;
  Schema schema_;
  Schema hidden_ = {metadata_field()};
};

Status DeltaSource::open() {
  LAKEBED_ASSIGN(options_, parse_delta_options(request_.options, request_.time_zone));
  table_ = std::make_shared<Table>();
  table_->store = request_.store;
  table_->engine = request_.engine;
  std::optional<int64_t> version = options_.version_as_of;
  if (!request_.streaming && options_.as_of_ms) {
    LAKEBED_ASSIGN(version, version_at(*options_.as_of_ms, false));
  }
  if (request_.streaming && version) {
    return project_error("UNSUPPORTED_READ_OPTION", "a stream cannot be read versionAsOf")
        .with_hint("startingVersion begins a stream at a version");
  }
  LAKEBED_ASSIGN(delta::Snapshot snapshot, delta::load(table_->environment(), version));
  snapshot_ = std::make_shared<const delta::Snapshot>(std::move(snapshot));
  schema_ = snapshot_->schema();
  return {};
}

Status DeltaSource::refresh() {
  delta::Snapshot snapshot = *snapshot_;
  LAKEBED_ASSIGN(const bool moved, delta::refresh(table_->environment(), snapshot));
  if (moved) snapshot_ = std::make_shared<const delta::Snapshot>(std::move(snapshot));
  return {};
}

// The first version at or after a time, or the last one at or before it.
Result<int64_t> DeltaSource::version_at(int64_t time_ms, bool at_or_after) {
  LAKEBED_ASSIGN(const auto history, delta::read_history(table_->environment(), INT64_MAX));
  std::optional<int64_t> out;
  for (const delta::VersionChanges& changes : history) {  // newest first
    if (at_or_after && changes.timestamp_ms >= time_ms) out = changes.version;
    if (!at_or_after && changes.timestamp_ms <= time_ms) return changes.version;
  }
  if (out) return *out;
  return update_error("DELTA_TIMESTAMP_OUT_OF_RANGE",
                      fmt::format("the table {} has no version {} the given timestamp",
                                  request_.name, at_or_after ? "at or after" : "at or before"));
}

std::string DeltaSource::seen_name(const delta::AddFile& file) const {
  return "delta:" + snapshot_->table_id() + "/" + file.key();
}

Slice DeltaSource::make_slice(const SnapshotPtr& snapshot, std::vector<AddFilePtr> files) const {
  Slice out;
  out.schema = schema_;
  out.hidden = hidden_;
  out.file_count = files.size();
  int64_t rows = 0;
  bool known = true;
  for (const AddFilePtr& file : files) {
    out.bytes += static_cast<uint64_t>(std::max<int64_t>(file->size, 0));
    const auto live = file->live_rows();
    known = known && live.has_value();
    rows += live.value_or(0);
  }
  if (known) out.rows = static_cast<uint64_t>(rows);
  out.input = [table = table_, snapshot, files = std::move(files)](const Schema& wanted) {
    return scan_files(*table, *snapshot, files, wanted);
  };
  return out;
}

Result<Slice> DeltaSource::read_all() {
  Slice out = make_slice(snapshot_, snapshot_->files());
  out.covers = fmt::format("version {}", snapshot_->version());
  return out;
}

// Where a stream without a position begins: with the snapshot of now, unless an option says else.
Result<DeltaPosition> DeltaSource::start() {
  DeltaPosition out;
  out.table = snapshot_->table_id();
  if (options_.from_latest) {
    out.version = snapshot_->version();
  } else if (options_.starting_version) {
    out.version = *options_.starting_version - 1;
  } else if (options_.starting_ms) {
    LAKEBED_ASSIGN(const int64_t first, version_at(*options_.starting_ms, true));
    out.version = first - 1;
  } else {
    out.version = snapshot_->version();
    out.in_snapshot = true;
  }
  return out;
}

Result<std::optional<Slice>> DeltaSource::next_slice(const std::string& position, SeenFiles& seen) {
  DeltaPosition at;
  if (position.empty()) {
    LAKEBED_ASSIGN(at, start());
    if (options_.from_latest) {
      // Nothing to read, but where "latest" was must be remembered.
      Slice out = make_slice(snapshot_, {});
      out.covers = fmt::format("nothing up to version {}", at.version);
      out.position = at.text();
      return std::optional(std::move(out));
    }
  } else {
    LAKEBED_ASSIGN(at, parse_position(position));
  }
  if (at.table != snapshot_->table_id()) {
    return update_error("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                        fmt::format("the stream has read the table {} with the id {}; the table "
                                    "there now has the id {}",
                                    request_.name, at.table, snapshot_->table_id()))
        .with_hint(
            "the table was dropped and made anew; a full refresh of the target reads it "
            "from its beginning");
  }
  if (at.in_snapshot) return snapshot_slice(std::move(at), seen);
  return commit_slice(std::move(at));
}

Result<std::optional<Slice>> DeltaSource::snapshot_slice(DeltaPosition at, SeenFiles& seen) {
  SnapshotPtr snapshot = snapshot_;
  if (snapshot->version() != at.version) {
    LAKEBED_ASSIGN(delta::Snapshot old, delta::load(table_->environment(), at.version));
    snapshot = std::make_shared<const delta::Snapshot>(std::move(old));
  }
  Take taken = take();
  bool more = false;
  bool resumed = false;
  for (const AddFilePtr& file : snapshot->files()) {
    LAKEBED_ASSIGN(const auto before, seen.lookup(seen_name(*file)));
    resumed = resumed || before.has_value();
    if (before) continue;
    more = !taken.add(file);
    if (more) break;
  }
  if (taken.files.empty() && !resumed && snapshot->version() == snapshot_->version()) {
    return std::optional<Slice>();  // an empty table: the snapshot is taken when it has rows
  }
  Slice out = make_slice(snapshot, taken.files);
  out.covers = fmt::format("snapshot of version {}, {} files", at.version, taken.files.size());
  out.more = more || snapshot_->version() > at.version;
  for (const AddFilePtr& file : taken.files) {
    if (!more && !resumed) break;  // one slice takes all: nothing has to be remembered
    out.files.push_back({seen_name(*file), static_cast<uint64_t>(file->size), file->modified_ms});
  }
  at.in_snapshot = more;
  out.position = at.text();
  return std::optional(std::move(out));
}

// True where the files that a version adds are rows of the stream (rule F10).
Result<bool> DeltaSource::counts(const delta::VersionChanges& changes) const {
  const Effect effect = changes.effect();
  if (effect == Effect::kAppends) return true;
  if (effect == Effect::kNone || options_.skip_changes) return false;
  if (effect == Effect::kChangesRows && options_.ignore_changes) return true;
  const bool deletes = effect == Effect::kRemovesFiles;
  if (deletes && (options_.ignore_deletes || options_.ignore_changes)) return false;
  const auto& info = changes.actions.info;
  const std::string operation =
      info && !info->operation.empty() ? " (" + info->operation + ")" : "";
  return update_error(
             deletes ? "DELTA_SOURCE_IGNORE_DELETE" : "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
             fmt::format("version {}{} of the table {} {}, and a stream reads appends only",
                         changes.version, operation, request_.name,
                         deletes ? "deleted data" : "changed or deleted rows"))
      .with_hint(
          "STREAM t WITH (skipChangeCommits) passes such versions over; or read all of it again: "
          "lakebed run --full-refresh with the table that this stream fills");
}

// Takes the files of version at.version + 1 as far as the limits go. True when it is done.
bool DeltaSource::take_version(const delta::VersionChanges& changes, DeltaPosition& at,
                               Take& take) const {
  std::vector<delta::AddFile> files = changes.new_files();
  for (size_t i = at.files; i < files.size(); ++i) {
    if (!take.add(std::make_shared<const delta::AddFile>(std::move(files[i])))) return false;
    ++at.files;
  }
  return true;
}

Result<std::optional<Slice>> DeltaSource::commit_slice(DeltaPosition at) {
  const int64_t first = at.version + 1;
  const int64_t newest = snapshot_->version();
  if (at.version > newest) {
    return update_error("DELTA_VERSION_NOT_FOUND",
                        fmt::format("the stream has read the table {} up to version {}, but its "
                                    "newest version is {}",
                                    request_.name, at.version, newest));
  }
  Take taken = take();
  bool more = false;
  while (!more && at.version < newest) {
    LAKEBED_ASSIGN(const auto changes,
                   delta::read_changes(table_->environment(), at.version + 1, at.version + 1));
    LAKEBED_ASSIGN(const bool counted, counts(changes[0]));
    more = counted && !take_version(changes[0], at, taken);
    if (more) break;
    ++at.version;
    at.files = 0;
  }
  if (taken.files.empty() && at.version - first < kIdleVersionsMost) return std::optional<Slice>();
  Slice out = make_slice(snapshot_, taken.files);
  const int64_t last = at.version + (at.files > 0 ? 1 : 0);
  out.covers = first == last ? fmt::format("version {}", first)
                             : fmt::format("versions {} to {}", first, last);
  out.position = at.text();
  out.more = more;
  return std::optional(std::move(out));
}

}  // namespace

Result<std::unique_ptr<Source>> open_delta(const DeltaRequest& request) {
  auto source = std::make_unique<DeltaSource>(request);
  auto opened = source->open();
  if (!opened.ok()) {
    opened.error().with_span(request.span);
    return std::move(opened).error();
  }
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace lakebed::source
