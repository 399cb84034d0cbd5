#include "run/sql/insert_target.h"

#include <fmt/format.h>

#include <set>

#include "base/json.h"
#include "base/names.h"
#include "run/apply/author_memory.h"
#include "run/batch/not_null.h"
#include "run/sql/insert_history.h"
#include "run/target/generated.h"
#include "run/target/target_table.h"
#include "run/upkeep/expiry.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

// A flag of ours in entries of SCD type 1: the row is a user's, its sequence made by lift().
constexpr uint8_t kUsersRow = 0x80;

Error not_supported(const TableName& name, const std::string& kind, const std::string& why) {
  return update_error("INSERT_NOT_SUPPORTED." + kind,
                      fmt::format("rows cannot be inserted into {}: {}", name.text(), why));
}

const Dataset* dataset_of(const Pipeline* pipeline, const TableName& name) {
  if (pipeline == nullptr) return nullptr;
  const auto found = pipeline->by_name.find(name.key());
  return found == pipeline->by_name.end() ? nullptr : &pipeline->datasets[found->second];
}

// How flows fill the table, as it remembers; before the first batch, as the project says.
Result<Json> definition_of(Session& session, const Pipeline* pipeline, const Table& table) {
  const auto& known = table.memory->facts(state::FactSection::kDefinition);
  if (!known.empty()) return parse_json(known.begin()->second, "STATE_DAMAGED");
  const Dataset* dataset = dataset_of(pipeline, table.name);
  for (const size_t index : dataset ? dataset->flows : std::vector<size_t>()) {
    const Flow& flow = pipeline->flows[index];
    if (!flow.feed()) continue;
    QueryCatalog catalog(session, pipeline, nullptr);
    LAKEBED_ASSIGN(const CdcPlan plan, plan_cdc_flow(session, flow, catalog));
    return parse_json(plan.definition);
  }
  return not_supported(table.name, "UNKNOWN_KEYS",
                       "no update has filled it yet, so its keys are not known")
      .with_hint("type: lakebed run");
}

// The plan of a flow that delivers the table's own columns.
Result<CdcPlan> plan_insert(const Table& table, const Json& definition) {
  CdcPlan plan;
  plan.flow = "INSERT";
  plan.kind = *table.kind();
  plan.selected = delivered_columns(without_time_columns(table.snapshot.schema(), plan.kind));
  for (const Json& key : definition["keys"]) {
    const auto at = value::find_field(plan.selected, key.value("name", ""));
    if (!at) return update_error("STATE_MISMATCH", "a key is no column of " + table.name.text());
    plan.keys.push_back(*at);
  }
  const Json& track = definition["track"];
  const bool list = track.value("list", false);
  std::set<std::string> named;
  for (const Json& name : track["names"]) named.insert(name.get<std::string>());
  plan.tracks_all = !list && named.empty();
  for (const value::Field& field : plan.selected) {
    plan.tracked.push_back(named.contains(fold_case(field.name)) == list);
  }
  for (const size_t key : plan.keys) plan.tracked[key] = false;
  if (plan.kind == TargetKind::kScd2) {
    const auto start = value::find_field(table.snapshot.schema(), "__START_AT");
    plan.sequence_type = table.snapshot.schema()[*start].type;
  }
  return plan;
}

std::string sample(const value::ColumnBatch& batch, size_t row) {
  std::string text;
  value::append_json_row(batch, row, "UTC", text);
  return text;
}

Status check_keys(const CdcPlan& plan, const Table& table,
                  const std::vector<value::ColumnBatch>& rows) {
  for (const size_t key : plan.keys) {
    const std::string& name = plan.selected[key].name;
    const size_t column = *value::find_field(table.snapshot.schema(), name);
    for (const value::ColumnBatch& batch : rows) {
      if (!batch.columns[column].has_nulls()) continue;
      for (size_t row = 0; row < batch.rows; ++row) {
        if (!batch.columns[column].is_null(row)) continue;
        return update_error("INSERT_NULL_KEY",
                            fmt::format("key {} of {} is NULL in the row {}", quote_name(name),
                                        table.name.text(), sample(batch, row)));
      }
    }
  }
  return {};
}

// One attempt: the commit, the rows and everything that they need.
class Insert {
 public:
  Insert(Session& session, const Pipeline* pipeline, Table& table,
         const std::vector<value::ColumnBatch>& rows)
      : session_(session), pipeline_(pipeline), table_(table), rows_(rows) {}

  // True when the commit was won.
  Result<bool> run();

 private:
  Status prepare();
  Status append();
  Status insert_current();
  Status insert_history();
  value::SequenceView lift(const state::Entry& known);
  Status check_duplicates(const EventBatch& batch) const;

  Session& session_;
  const Pipeline* pipeline_;
  Table& table_;
  const std::vector<value::ColumnBatch>& rows_;
  CdcPlan plan_;
  state::Expiry expiry_;
  std::unique_ptr<TargetCommit> commit_;
  std::deque<std::string> tails_;
  cdc::Metrics metrics_;
};

Status Insert::prepare() {
  const Dataset* dataset = dataset_of(pipeline_, table_.name);
  if (dataset != nullptr) {
    LAKEBED_ASSIGN(const auto authors, author_memory(*pipeline_, *dataset, *table_.kind(), table_));
    if (authors) {
      return not_supported(table_.name, "PARTIAL_UPDATES",
                           "its flows update columns one by one, and nobody says which columns a "
                           "row of a user writes");
    }
  }
  LAKEBED_ASSIGN(const Json definition, definition_of(session_, pipeline_, table_));
  LAKEBED_ASSIGN(plan_, plan_insert(table_, definition));
  LAKEBED_TRY(check_keys(plan_, table_, rows_));
  if (dataset != nullptr) {
    LAKEBED_ASSIGN(expiry_, expiry_of(session_, *dataset, *table_.memory));
  }
  return {};
}

Status Insert::append() {
  std::vector<const value::ColumnBatch*> parts;
  for (const value::ColumnBatch& batch : rows_) parts.push_back(&batch);
  LAKEBED_TRY(commit_->write_rows(parts, table_.snapshot.schema(),
                                  table_.snapshot.partition_columns(), nullptr));
  metrics_.upserted_rows = commit_->rows_written();
  return {};
}

// Just above the sequence that was applied: below every newer event, above a repeat of that one.
// (Codes are prefix-free, so no code lies between a code and the same with a zero behind it.)
value::SequenceView Insert::lift(const state::Entry& known) {
  if ((known.flags & kUsersRow) != 0) return known.sequence;
  tails_.push_back(std::string(known.sequence.tail) + '\0');
  return {known.sequence.head, tails_.back()};
}

Status Insert::check_duplicates(const EventBatch& batch) const {
  for (size_t i = 1; i < batch.events.size(); ++i) {
    if (batch.events[i].key != batch.events[i - 1].key) continue;
    const auto at = batch.locate(batch.events[i].arrival);
    return update_error("INSERT_DUPLICATE_KEY",
                        fmt::format("two of the rows have the keys of {}; {} has one row a key",
                                    sample(batch.parts[at.part], at.row), table_.name.text()));
  }
  return {};
}

// Rule F5, SCD type 1.
Status Insert::insert_current() {
  const value::SequenceView lowest;
  LAKEBED_ASSIGN(const EventBatch batch, events_of_rows(plan_, plan_.selected, rows_, &lowest));
  LAKEBED_TRY(check_duplicates(batch));
  std::vector<const value::ColumnBatch*> parts;
  for (const value::ColumnBatch& part : batch.parts) parts.push_back(&part);
  std::vector<cdc::Place> places;
  LAKEBED_TRY(commit_->write_rows(parts, table_.snapshot.schema(),
                                  table_.snapshot.partition_columns(), &places));
  std::vector<Hash128> keys;
  for (const cdc::Event& event : batch.events) keys.push_back(event.key);
  LAKEBED_ASSIGN(const auto found, table_.memory->find_greatest(keys));
  std::vector<cdc::Place> removed;
  for (size_t i = 0; i < batch.events.size(); ++i) {
    const cdc::Event& event = batch.events[i];
    const bool known = found[i].found && !state::is_forgotten(expiry_, found[i].entry);
    state::Entry entry;
    entry.key = event.key;
    entry.sequence = known ? lift(found[i].entry) : lowest;
    entry.value_hash = event.value_hash;
    entry.tracked_hash = event.tracked_hash;
    entry.flags = state::kHasPlaceBit | kUsersRow;
    entry.file = places[event.arrival].file;
    entry.row = places[event.arrival].row;
    if (known && found[i].entry.has_place()) {
      removed.push_back({found[i].entry.file, found[i].entry.row});
    }
    LAKEBED_TRY(commit_->memory().add_entry(entry));
  }
  metrics_.upserted_rows = batch.rows;
  return commit_->remove_rows(removed);
}

// Rule F5, SCD type 2.
Status Insert::insert_history() {
  LAKEBED_ASSIGN(HistoryRows history, history_rows(plan_, table_, rows_));
  ApplyContext context{session_,
                       table_,
                       plan_,
                       table_.snapshot.schema(),
                       plan_.selected,
                       expiry_.on() ? now_seconds(session_) : 0,
                       {},
                       expiry_,
                       {}};
  context.check = [&](const cdc::Scd2Changes& changes) { return history.check(changes); };
  return apply_scd2(context, history.batch, *commit_, metrics_);
}

Result<bool> Insert::run() {
  LAKEBED_TRY(table_.check_unchanged());
  delta::TransactionInfo info;
  info.operation = "WRITE";
  info.parameters["mode"] = "Append";
  const TargetKind kind = *table_.kind();
  if (is_cdc(kind)) LAKEBED_TRY(prepare());
  for (const value::ColumnBatch& batch : rows_) {
    LAKEBED_TRY(check_no_nulls(batch, table_.name.table));
  }
  LAKEBED_ASSIGN(commit_, TargetCommit::begin(session_, table_, info));
  if (kind == TargetKind::kAppend) LAKEBED_TRY(append());
  if (kind == TargetKind::kScd1) LAKEBED_TRY(insert_current());
  if (kind == TargetKind::kScd2) LAKEBED_TRY(insert_history());
  auto& metrics = commit_->transaction().info().metrics;
  metrics["num_upserted_rows"] = std::to_string(metrics_.upserted_rows);
  metrics["num_deleted_rows"] = std::to_string(metrics_.deleted_rows);
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit_->finish());
  return outcome.won;
}

}  // namespace

Status insert_into_target(Session& session, const Pipeline* pipeline, const TableName& name,
                          const std::vector<value::ColumnBatch>& rows) {
  LAKEBED_ASSIGN(const auto table, Table::open(session, name));
  const auto kind = table->kind();
  if (kind == TargetKind::kMaterializedView) {
    return not_supported(name, "MATERIALIZED_VIEW", "its query says what it holds");
  }
  if (kind != TargetKind::kAppend && kind != TargetKind::kScd1 && kind != TargetKind::kScd2) {
    return not_supported(name, "BITEMPORAL",
                         "when a row of a user became known is not for the user to say");
  }
  for (int races = 0; races <= kRacesMax; ++races) {
    LAKEBED_ASSIGN(const bool won, Insert(session, pipeline, *table, rows).run());
    if (won) return {};
    LAKEBED_TRY(table->reload());
  }
  return update_error("TARGET_BUSY", name.text() + " is being written by others");
}

}  // namespace lakebed::run
