#include "run/upkeep/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "delta/partition.h"
#include "run/target/target_commit.h"
#include "run/upkeep/moved_rows.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

using delta::AddFilePtr;

// One merge holds its rows in memory: these bound what it takes.
constexpr int64_t kBytesMax = 128 << 20;
constexpr int64_t kRowsMax = kRowsPerFile;
constexpr const char* kFileIndex = "__file_index";
constexpr const char* kRowIndex = "__row_index";

plan::ResolvedQuery scan_query(const value::Schema& schema) {
  auto leaf = std::make_shared<plan::Relation>();
  leaf->kind = plan::RelationKind::kLeaf;
  for (const value::Field& field : schema) {
    plan::Attribute attribute;
    attribute.id = static_cast<plan::AttributeId>(leaf->output.size() + 1);
    attribute.name = field.name;
    attribute.type = field.type;
    leaf->output.push_back(std::move(attribute));
  }
  plan::ResolvedQuery query;
  query.root = std::move(leaf);
  plan::Scan scan;
  scan.schema = schema;
  query.scans.push_back(std::move(scan));
  return query;
}

value::Schema with_row_numbers(value::Schema schema) {
  for (const char* name : {kFileIndex, kRowIndex}) {
    value::Field field;
    field.name = name;
    field.type.kind = value::Kind::kLong;
    schema.push_back(std::move(field));
  }
  return schema;
}

void note_places(const value::ColumnBatch& batch, MovedRows& out) {
  const value::Column& files = batch.columns[batch.columns.size() - 2];
  const value::Column& numbers = batch.columns.back();
  for (size_t row = 0; row < batch.rows; ++row) {
    std::vector<uint32_t>& moves = out.moves[static_cast<size_t>(files.integer(row))];
    const auto number = static_cast<size_t>(numbers.integer(row));
    if (number >= moves.size()) moves.resize(number + 1, kNowhere);
    moves[number] = out.rows++;
  }
}

Result<MovedRows> read_live(Session& session, Table& table, const std::vector<AddFilePtr>& files) {
  const value::Schema& schema = table.snapshot.schema();
  LAKEBED_ASSIGN(engine::ScanInput input,
                 delta::scan_input(*table.store, table.snapshot, files, table.vectors));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader,
                 engine->run(scan_query(with_row_numbers(schema)), {{0, std::move(input)}}));
  MovedRows out;
  out.moves.resize(files.size());
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader->next());
    if (!batch) return out;
    note_places(*batch, out);
    out.parts.push_back(value::conform_batch(*batch, schema));
  }
}

// Names that the scan makes up must not be those of columns.
bool columns_are_readable(const Table& table) {
  const value::Schema& schema = table.snapshot.schema();
  return !value::find_field(schema, kFileIndex) && !value::find_field(schema, kRowIndex);
}

void sort_by_size(std::vector<AddFilePtr>& files) {
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a->size < b->size; });
}

// The files of one partition that are worth merging now: the smallest ones, up to a file that
// outweighs all before it together. So a row moves a few times in its life, not with every merge.
std::vector<AddFilePtr> smallest_tier(std::vector<AddFilePtr> files) {
  sort_by_size(files);
  int64_t bytes = 0;
  size_t count = 0;
  for (; count < files.size(); ++count) {
    if (count > 1 && files[count]->size > bytes) break;
    bytes += files[count]->size;
  }
  files.resize(count < 2 ? 0 : count);
  return files;
}

// The smallest files of the list within the budget of one merge.
std::vector<AddFilePtr> within_budget(std::vector<AddFilePtr> files) {
  sort_by_size(files);
  int64_t bytes = 0;
  int64_t rows = 0;
  size_t count = 0;
  for (const AddFilePtr& file : files) {
    bytes += file->size;
    rows += file->physical_rows().value_or(0);
    if (bytes > kBytesMax || rows > kRowsMax) break;
    ++count;
  }
  files.resize(count);
  return files;
}

void set_metrics(const std::vector<AddFilePtr>& files, const TargetCommit& commit,
                 delta::TransactionInfo& info) {
  int64_t bytes = 0;
  for (const AddFilePtr& file : files) bytes += file->size;
  info.metrics["numRemovedFiles"] = std::to_string(files.size());
  info.metrics["numRemovedBytes"] = std::to_string(bytes);
  info.metrics["num_moved_rows"] = std::to_string(commit.rows_written());
}

Status fill_commit(Session& session, Table& table, const std::vector<AddFilePtr>& files,
                   TargetCommit& commit) {
  LAKEBED_ASSIGN(const MovedRows live, read_live(session, table, files));
  std::vector<const value::ColumnBatch*> parts;
  for (const value::ColumnBatch& part : live.parts) parts.push_back(&part);
  commit.data_change(false);
  std::vector<cdc::Place> places;
  LAKEBED_TRY(commit.write_rows(parts, table.snapshot.schema(), table.snapshot.partition_columns(),
                                &places));
  const int64_t now_ms = session.clock().now_us() / 1000;
  MovedFiles merged;
  for (size_t i = 0; i < files.size(); ++i) {
    LAKEBED_ASSIGN(const std::string name, delta::decode_path(files[i]->path));
    merged[table.memory->files().id(name)] = i;
    commit.transaction().remove(*files[i], now_ms, false);
  }
  set_metrics(files, commit, commit.transaction().info());
  if (!places_rows(table)) return {};
  return replace_places(table, commit, live, merged, places);
}

}  // namespace

bool places_rows(const Table& table) {
  const auto kind = table.kind();
  return kind && is_cdc(*kind);
}

std::vector<AddFilePtr> small_files(const Table& table) {
  std::map<delta::PartitionValues, std::vector<AddFilePtr>> groups;
  size_t small = 0;
  for (const AddFilePtr& file : table.snapshot.files()) {
    if (file->size >= kSmallFileBytes || !file->physical_rows()) continue;
    groups[file->partition_values].push_back(file);
    ++small;
  }
  // What counts is how many files a merge would save; a file a partition is the least there is.
  if (small - groups.size() < kSmallFilesMax) return {};
  std::vector<AddFilePtr> all;
  std::vector<AddFilePtr> tier;
  size_t saved = 0;
  for (const auto& [values, files] : groups) {
    if (files.size() < 2) continue;
    all.insert(all.end(), files.begin(), files.end());
    const std::vector<AddFilePtr> smallest = smallest_tier(files);
    tier.insert(tier.end(), smallest.begin(), smallest.end());
    saved += smallest.size() - std::min<size_t>(smallest.size(), 1);
  }
  // Many partitions of a few files each: only merging all of them helps.
  const std::vector<AddFilePtr> chosen =
      within_budget(saved < kSmallFilesMax / 2 ? std::move(all) : std::move(tier));
  std::vector<AddFilePtr> ordered;
  for (const AddFilePtr& file : table.snapshot.files()) {
    if (std::find(chosen.begin(), chosen.end(), file) != chosen.end()) ordered.push_back(file);
  }
  return ordered.size() < 2 ? std::vector<AddFilePtr>{} : ordered;
}

Result<bool> compact(Session& session, Table& table) {
  if (!columns_are_readable(table)) return false;
  const std::vector<AddFilePtr> files = small_files(table);
  if (files.empty()) return false;
  if (places_rows(table)) LAKEBED_TRY(table.check_unchanged());
  delta::TransactionInfo info;
  info.operation = "OPTIMIZE";
  info.parameters["auto"] = "true";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, table, info));
  LAKEBED_TRY(fill_commit(session, table, files, *commit));
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  if (outcome.won) return true;
  commit.reset();
  LAKEBED_TRY(table.reload());
  return false;
}

}  // namespace lakebed::run
