#include "run/quality/quarantine.h"

#include <fmt/format.h>

#include <map>

#include "base/json.h"
#include "base/names.h"
#include "base/world.h"
#include "delta/partition.h"
#include "run/batch/event_batch.h"
#include "run/upkeep/maintain.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using state::FactSection;
using value::Column;
using value::ColumnBatch;
using value::Kind;

constexpr int64_t kTruncateOperation = 2;

value::Schema quarantine_schema() {
  return {{"flow", Kind::kString, true, "", {}},
          {"reason", Kind::kString, true, "", {}},
          {"source", Kind::kString, true, "", {}},
          {"position", Kind::kLong, true, "", {}},
          {"quarantined_at", Kind::kTimestamp, true, "", {}},
          {"event", Kind::kString, true, "", {}}};
}

const char* reason_of(const CdcPlan& plan, const ColumnBatch& batch, size_t row) {
  if (batch.columns[plan.own.sequence].is_null(row)) return "NULL_SEQUENCE";
  if (plan.own.system_sequence && batch.columns[*plan.own.system_sequence].is_null(row)) {
    return "NULL_SYSTEM_SEQUENCE";
  }
  if (batch.columns[plan.own.operation].integer(row) == kTruncateOperation) return nullptr;
  for (const size_t key : plan.keys) {
    if (batch.columns[key].is_null(row)) return "NULL_KEY";
  }
  return nullptr;
}

// What the target remembers of a flow's batches: how many it has committed, and which of them was
// the last to set events aside, by the id of what it wrote then.
struct Mark {
  uint64_t number = 0;
  uint64_t wrote = 0;
  std::string id;
};

std::string mark_key(const std::string& flow) { return "batches:" + fold_case(flow); }

Result<Mark> mark_of(const Table& target, const std::string& flow) {
  Mark mark;
  if (!target.memory) return mark;
  const auto fact = target.memory->fact(FactSection::kTable, mark_key(flow));
  if (!fact) return mark;
  LAKEBED_ASSIGN(const Json json, parse_json(*fact, "STATE_DAMAGED"));
  mark.number = json.value("number", uint64_t{0});
  mark.wrote = json.value("wrote", uint64_t{0});
  mark.id = json.value("id", "");
  return mark;
}

// What the quarantine remembers of each flow: writes of which it does not know yet whether the
// target's commit came, [{"batch": n, "id": "...", "files": [...]}].
constexpr FactSection kWrites = FactSection::kPosition;
// The last full refresh of the target whose events these are.
constexpr const char* kRefreshOfTarget = "refresh_of_target";

std::string last_refresh(const Table& target) {
  return target.memory ? target.memory->fact(FactSection::kTable, kRefreshFact).value_or("") : "";
}

bool is_of(const Table& quarantine, const Table& target) {
  return quarantine.memory->fact(FactSection::kTable, kRefreshOfTarget).value_or("") ==
         last_refresh(target);
}

ColumnBatch rows_of(const std::string& flow, const std::string& covers, int64_t now_us,
                    const std::vector<InvalidEvent>& events) {
  ColumnBatch batch = ColumnBatch::empty(quarantine_schema());
  for (const InvalidEvent& event : events) {
    batch.columns[0].append_bytes(flow);
    batch.columns[1].append_bytes(event.reason);
    batch.columns[2].append_bytes(covers);
    batch.columns[3].append_integer(static_cast<int64_t>(event.position));
    batch.columns[4].append_integer(now_us);
    batch.columns[5].append_bytes(event.row);
  }
  batch.rows = events.size();
  return batch;
}

Dataset dataset_of(const Dataset& target) {
  Dataset dataset;
  dataset.name = quarantine_name(target.name);
  dataset.declaration.comment = "events that could not be placed in " + target.name.table;
  return dataset;
}

// What becomes of one write: it is the one that the target's commit names, it lost, or that commit
// has not come.
enum class Verdict : uint8_t { kStays, kGoes, kOpen };

Verdict judge(const Json& write, const Mark& mark) {
  const auto number = write.value("batch", uint64_t{0});
  if (number > mark.number) return Verdict::kOpen;
  const bool named = number == mark.wrote && write.value("id", "") == mark.id;
  return named ? Verdict::kStays : Verdict::kGoes;
}

// Brings the quarantine to what its target knows, within a commit; what is still open of each flow
// is left in `open`.
class Settlement {
 public:
  Settlement(Session& session, const Table& quarantine, const Table& target)
      : quarantine_(quarantine), target_(target), now_ms_(session.clock().now_us() / 1000) {}

  Status run(TargetCommit& commit) {
    if (!is_of(quarantine_, target_)) return start_anew(commit);
    for (const auto& [flow, fact] : quarantine_.memory->facts(kWrites)) {
      LAKEBED_ASSIGN(const Json writes, parse_json(fact, "STATE_DAMAGED"));
      LAKEBED_ASSIGN(const Mark mark, mark_of(target_, flow));
      for (const Json& write : writes) {
        const Verdict verdict = judge(write, mark);
        if (verdict == Verdict::kOpen) open[flow].push_back(write);
        if (verdict != Verdict::kGoes) continue;
        for (const Json& name : write["files"]) {
          const auto file =
              quarantine_.snapshot.find_path(delta::encode_path(name.get<std::string>()));
          if (file) commit.transaction().remove(*file, now_ms_);
        }
      }
    }
    return {};
  }

  std::map<std::string, Json> open;  // by folded name of the flow

 private:
  // The target was emptied (rule F2): its replay sets the same events aside again.
  Status start_anew(TargetCommit& commit) {
    commit.memory().set_fact(FactSection::kTable, kRefreshOfTarget, last_refresh(target_));
    for (const auto& [flow, fact] : quarantine_.memory->facts(kWrites)) {
      commit.memory().set_fact(kWrites, flow, "[]");
    }
    for (const delta::AddFilePtr& file : quarantine_.snapshot.files()) {
      commit.transaction().remove(*file, now_ms_);
    }
    return {};
  }

  const Table& quarantine_;
  const Table& target_;
  int64_t now_ms_;
};

Result<bool> is_settlement_due(const Table& quarantine, const Table& target, bool& something_open) {
  something_open = false;
  if (!is_of(quarantine, target)) return !quarantine.snapshot.files().empty();
  bool due = false;
  for (const auto& [flow, fact] : quarantine.memory->facts(kWrites)) {
    LAKEBED_ASSIGN(const Json writes, parse_json(fact, "STATE_DAMAGED"));
    LAKEBED_ASSIGN(const Mark mark, mark_of(target, flow));
    for (const Json& write : writes) {
      const Verdict verdict = judge(write, mark);
      due = due || verdict == Verdict::kGoes;
      something_open = something_open || verdict == Verdict::kOpen;
    }
  }
  return due;
}

void note_open(const Settlement& settled, const Table& quarantine, state::StateWriter& memory) {
  for (const auto& [flow, fact] : quarantine.memory->facts(kWrites)) {
    const auto open = settled.open.find(flow);
    memory.set_fact(kWrites, flow, open == settled.open.end() ? "[]" : open->second.dump());
  }
}

// One try to add the rows of a batch.
Result<bool> add_rows(RunContext& context, Table& quarantine, const Table& target,
                      const std::string& flow, const Json& write, const ColumnBatch& rows) {
  Session& session = context.session;
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(session, quarantine, update_info(flow)));
  Settlement settled(session, quarantine, target);
  LAKEBED_TRY(settled.run(*commit));
  LAKEBED_TRY(commit->write_rows({&rows}, quarantine.snapshot.schema(), {}, nullptr));
  note_open(settled, quarantine, commit->memory());
  Json writes = settled.open[fold_case(flow)];
  writes.push_back(write);
  writes.back()["files"] = commit->data_files();
  commit->memory().set_fact(kWrites, fold_case(flow), writes.dump());
  commit->transaction().info().metrics["num_output_rows"] = std::to_string(rows.rows);
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won;
}

// One try to take out what lost; true where nothing is left to do.
Result<bool> take_out_lost(RunContext& context, Table& quarantine, const Table& target,
                           bool& something_open) {
  LAKEBED_ASSIGN(const bool due, is_settlement_due(quarantine, target, something_open));
  if (!due) return true;
  delta::TransactionInfo info;
  info.operation = "SETTLE";
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(context.session, quarantine, info));
  Settlement settled(context.session, quarantine, target);
  LAKEBED_TRY(settled.run(*commit));
  if (is_of(quarantine, target)) note_open(settled, quarantine, commit->memory());
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won;
}

// Where rule E6 sets aside instead of refusing. The id of what was written.
Result<std::string> write_quarantine(RunContext& context, const QuarantineJob& job, uint64_t number,
                                     const std::vector<InvalidEvent>& events) {
  const Dataset dataset = dataset_of(job.target);
  const std::string id = uuid_text(make_uuid(context.session.random()));
  const ColumnBatch rows = rows_of(job.flow, job.covers, context.session.clock().now_us(), events);
  LAKEBED_ASSIGN(auto table, Table::open(context.session, dataset.name));
  LAKEBED_TRY(check_owner(*table, TargetKind::kAppend));
  if (!table->exists()) {
    LAKEBED_TRY(create_target(context, *table, dataset, quarantine_schema(), TargetKind::kAppend));
  }
  const Json write = {{"batch", number}, {"id", id}};
  for (int races = 0; races <= kRacesMax; ++races) {
    LAKEBED_ASSIGN(const bool won, add_rows(context, *table, job.table, job.flow, write, rows));
    if (won) {
      Table::park(std::move(table));
      return id;
    }
    LAKEBED_TRY(table->reload());
  }
  return update_error("TARGET_BUSY", dataset.name.text() + " is being written by others");
}

}  // namespace

ColumnBatch set_aside(const CdcPlan& plan, ColumnBatch evaluated, uint64_t rows_before,
                      const std::string& zone, std::vector<InvalidEvent>& out) {
  std::vector<uint32_t> valid;
  for (size_t row = 0; row < evaluated.rows; ++row) {
    const char* reason = reason_of(plan, evaluated, row);
    if (!reason) {
      valid.push_back(static_cast<uint32_t>(row));
      continue;
    }
    InvalidEvent event;
    event.reason = reason;
    event.position = rows_before + row + 1;
    value::append_json(evaluated.columns[*plan.own.source_row], row, zone, event.row);
    out.push_back(std::move(event));
  }
  if (valid.size() == evaluated.rows) return evaluated;
  for (Column& column : evaluated.columns) column = column.gather(valid);
  evaluated.rows = valid.size();
  return evaluated;
}

TableName quarantine_name(const TableName& target) {
  TableName name = target;
  name.table += "__quarantine";
  return name;
}

Status check_quarantine_name(const Pipeline& pipeline, const Dataset& target) {
  const TableName name = quarantine_name(target.name);
  const auto taken = pipeline.by_name.find(name.key());
  if (taken == pipeline.by_name.end()) return {};
  return project_error("QUARANTINE_NAME_TAKEN",
                       fmt::format("{} has the name of the quarantine of {}", name.text(),
                                   target.name.text()),
                       pipeline.datasets[taken->second].declaration.span)
      .with_hint("give it another name, or leave lakebed.cdc.onInvalidEvent at fail");
}

Status note_batch(RunContext& context, const QuarantineJob& job, const EventBatch& batch,
                  state::StateWriter& memory) {
  LAKEBED_ASSIGN(Mark mark, mark_of(job.table, job.flow));
  ++mark.number;
  if (!batch.invalid.empty()) {
    mark.wrote = mark.number;
    LAKEBED_ASSIGN(mark.id, write_quarantine(context, job, mark.number, batch.invalid));
  }
  const Json fact = {{"number", mark.number}, {"wrote", mark.wrote}, {"id", mark.id}};
  memory.set_fact(FactSection::kTable, mark_key(job.flow), fact.dump());
  return {};
}

Status settle_quarantine(RunContext& context, const Dataset& target, const Table& table) {
  LAKEBED_ASSIGN(auto quarantine, Table::open(context.session, quarantine_name(target.name)));
  if (!quarantine->exists() || quarantine->kind() != TargetKind::kAppend) return {};
  bool something_open = false;
  for (int races = 0; races <= kRacesMax; ++races) {
    LAKEBED_ASSIGN(const bool done, take_out_lost(context, *quarantine, table, something_open));
    if (done) break;
    LAKEBED_TRY(quarantine->reload());
  }
  // Files that may have to go again must not be merged with others.
  if (!something_open) LAKEBED_TRY(maintain(context, *quarantine));
  Table::park(std::move(quarantine));
  return {};
}

}  // namespace lakebed::run
