#include "run/target/table.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/names.h"

namespace lakebed::run {

namespace {

// The reference to the memory in the table's domain metadata; nothing for foreign tables.
Result<std::optional<state::ManifestRef>> memory_reference(const delta::Snapshot& snapshot) {
  const auto text = snapshot.domain(kDomain);
  if (!text) return std::optional<state::ManifestRef>{};
  LAKEBED_ASSIGN(const Json json, parse_json(*text, "STATE_MISMATCH"));
  if (!json.is_object() || !json.contains("manifest") || !json.contains("hash")) {
    return update_error("STATE_MISMATCH", "the domain metadata `lakebed` is not ours");
  }
  return std::optional(
      state::ManifestRef{json["manifest"].get<std::string>(), json["hash"].get<std::string>()});
}

}  // namespace

const char* target_kind_text(TargetKind kind) {
  switch (kind) {
    case TargetKind::kAppend: return "APPEND";
    case TargetKind::kScd1: return "SCD TYPE 1";
    case TargetKind::kScd2: return "SCD TYPE 2";
    case TargetKind::kBitemporal: return "BITEMPORAL";
    case TargetKind::kMaterializedView: return "MATERIALIZED VIEW";
  }
  return "";
}

bool is_cdc(TargetKind kind) {
  return kind == TargetKind::kScd1 || kind == TargetKind::kScd2 || kind == TargetKind::kBitemporal;
}

std::string hash_text(const Hash128& hash) { return hex64(hash.high) + hex64(hash.low); }

std::string table_fact(const std::string& table_id, TargetKind kind) {
  Json fact;
  fact["id"] = table_id;
  fact["kind"] = target_kind_text(kind);
  return fact.dump();
}

Table::Table(Session& session, TableName table_name)
    : name(std::move(table_name)), session_(session) {}

Result<std::unique_ptr<Table>> Table::open(Session& session, TableName table_name) {
  if (auto parked = session.take_parked(table_name.key())) {
    if (parked->catch_up().ok()) return parked;
  }
  std::unique_ptr<Table> table(new Table(session, std::move(table_name)));
  const std::filesystem::path folder = table_path(session.project(), table->name);
  table->store = store::local_store(folder.string());
  if (Status loaded = table->reload(); !loaded.ok()) {
    return std::move(loaded).error().within("table " + table->name.text());
  }
  return table;
}

Result<std::unique_ptr<Table>> Table::open_for_reset(Session& session, TableName table_name) {
  auto opened = open(session, table_name);
  if (opened.ok() && ((*opened)->memory || !(*opened)->exists())) return opened;
  if (opened.ok()) {
    return update_error("TARGET_OWNED_BY_OTHERS",
                        table_name.text() + " is a table that no flow of this project made");
  }
  std::unique_ptr<Table> table(new Table(session, std::move(table_name)));
  table->store = store::local_store(table_path(session.project(), table->name).string());
  LAKEBED_ASSIGN(table->snapshot, delta::load(session.environment(*table->store)));
  if (!table->snapshot.domain(kDomain)) return std::move(opened).error();
  LAKEBED_ASSIGN(table->memory, state::TableState::create(*table->store, state::Identity::kKey));
  return table;
}

Status Table::reload() {
  memory.reset();
  snapshot = delta::Snapshot();
  const delta::Environment environment = session_.environment(*store);
  LAKEBED_ASSIGN(const bool there, delta::table_exists(environment));
  if (!there) return {};
  LAKEBED_ASSIGN(snapshot, delta::load(environment));
  return open_memory();
}

void Table::park(std::unique_ptr<Table> table) {
  if (!table || !table->exists()) return;
  const auto file = table->store->stat(delta::commit_file(table->snapshot.version()));
  if (!file.ok()) return;
  table->parked_size_ = file->size;
  table->parked_at_us_ = file->modified_us;
  Session& session = table->session_;
  const std::string key = table->name.key();
  session.park(key, std::move(table));
}

Status Table::catch_up() {
  LAKEBED_ASSIGN(const auto file, store->stat(delta::commit_file(snapshot.version())));
  if (file.size != parked_size_ || file.modified_us != parked_at_us_) return reload();
  LAKEBED_ASSIGN(const bool moved, delta::refresh(session_.environment(*store), snapshot));
  if (!moved) return {};
  memory.reset();
  return open_memory();
}

Status Table::open_memory() {
  LAKEBED_ASSIGN(const auto reference, memory_reference(snapshot));
  if (!reference) return {};
  LAKEBED_ASSIGN(memory, state::TableState::open(*store, *reference));
  const auto fact = memory->fact(state::FactSection::kTable, kTableFact);
  LAKEBED_ASSIGN(const Json json, parse_json(fact.value_or("{}"), "STATE_DAMAGED"));
  if (json.value("id", "") != snapshot.table_id() || memory->table_version() > snapshot.version()) {
    return update_error("STATE_MISMATCH",
                        fmt::format("the memory {} belongs to another table or to a later version",
                                    reference->name))
        .with_hint("a table that was restored, cloned or copied needs a full refresh");
  }
  return {};
}

std::optional<TargetKind> Table::kind() const {
  if (!memory) return std::nullopt;
  const auto fact = memory->fact(state::FactSection::kTable, kTableFact);
  const auto json = parse_json(fact.value_or("{}"));
  const std::string kind_text = json.ok() ? json->value("kind", "") : "";
  for (const TargetKind kind : {TargetKind::kAppend, TargetKind::kScd1, TargetKind::kScd2,
                                TargetKind::kBitemporal, TargetKind::kMaterializedView}) {
    if (kind_text == target_kind_text(kind)) return kind;
  }
  return std::nullopt;
}

Status Table::check_unchanged() const {
  if (!memory || memory->file_set_hash() == hash_text(snapshot.file_set_hash())) return {};
  return update_error("TARGET_CHANGED_BY_OTHERS",
                      fmt::format("{} was changed by another writer after version {}; nothing was "
                                  "written",
                                  name.text(), memory->table_version()))
      .with_hint("restore that version, or run with --full-refresh " + quote_name(name.table));
}

}  // namespace lakebed::run
