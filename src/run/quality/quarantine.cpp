#include "run/quality/quarantine.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/json.h"
#include "base/names.h"
#include "delta/partition.h"
#include "run/upkeep/compact.h"
#include "run/upkeep/maintain.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

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

// What the quarantine remembers of a flow: the number of the batch written last, and its files.
struct LastWrite {
  uint64_t batch_number = 0;
  std::vector<std::string> files;
};

Result<LastWrite> last_write(const Table& table, const std::string& flow) {
  LastWrite last;
  const auto fact = table.memory->fact(state::FactSection::kPosition, fold_case(flow));
  if (!fact) return last;
  LAKEBED_ASSIGN(const Json json, parse_json(*fact, "STATE_DAMAGED"));
  last.batch_number = json.value("batch", uint64_t{0});
  for (const Json& file : json["files"]) last.files.push_back(file.get<std::string>());
  return last;
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

// Takes out what an earlier try of this batch wrote, puts in what this one sets aside.
Result<bool> replace_rows(RunContext& context, Table& table, const std::string& flow,
                          uint64_t batch_number, const ColumnBatch& rows) {
  LAKEBED_ASSIGN(const LastWrite last, last_write(table, flow));
  LAKEBED_ASSIGN(auto commit, TargetCommit::begin(context.session, table, update_info(flow)));
  if (last.batch_number == batch_number) {
    const int64_t now_ms = context.session.clock().now_us() / 1000;
    for (const std::string& name : last.files) {
      const delta::AddFilePtr file = table.snapshot.find_path(delta::encode_path(name));
      if (file) commit->transaction().remove(*file, now_ms);
    }
  }
  LAKEBED_TRY(commit->write_rows({&rows}, table.snapshot.schema(), {}, nullptr));
  const Json fact = {{"batch", batch_number}, {"files", commit->data_files()}};
  commit->memory().set_fact(state::FactSection::kPosition, fold_case(flow), fact.dump());
  commit->transaction().info().metrics["num_output_rows"] = std::to_string(rows.rows);
  LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
  return outcome.won;
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

uint64_t next_batch_number(const Table& target, const std::string& flow) {
  if (!target.memory) return 1;
  const auto fact = target.memory->fact(state::FactSection::kTable, "batches:" + fold_case(flow));
  return fact ? std::strtoull(fact->c_str(), nullptr, 10) + 1 : 1;
}

void note_batch_number(const std::string& flow, uint64_t number, state::StateWriter& memory) {
  memory.set_fact(state::FactSection::kTable, "batches:" + fold_case(flow), std::to_string(number));
}

// Where rule E6 sets aside instead of refusing.
Status write_quarantine(RunContext& context, const Dataset& target, const std::string& flow,
                        uint64_t batch_number, const std::string& covers,
                        const std::vector<InvalidEvent>& events) {
  const Dataset dataset = dataset_of(target);
  const int64_t now_us = context.session.clock().now_us();
  const ColumnBatch rows = rows_of(flow, covers, now_us, events);
  LAKEBED_ASSIGN(auto table, Table::open(context.session, dataset.name));
  LAKEBED_TRY(check_owner(*table, TargetKind::kAppend));
  if (!table->exists()) {
    LAKEBED_TRY(create_target(context, *table, dataset, quarantine_schema(), TargetKind::kAppend));
  }
  for (int races = 0; races <= kRacesMax; ++races) {
    LAKEBED_ASSIGN(const bool won, replace_rows(context, *table, flow, batch_number, rows));
    if (won) {
      Table::park(std::move(table));
      return {};
    }
    LAKEBED_TRY(table->reload());
  }
  return update_error("TARGET_BUSY", dataset.name.text() + " is being written by others");
}

Status reset_quarantine(RunContext& context, const Dataset& target) {
  const Dataset dataset = dataset_of(target);
  LAKEBED_ASSIGN(auto table, Table::open(context.session, dataset.name));
  if (!table->exists() || table->kind() != TargetKind::kAppend) return {};
  Table::park(std::move(table));
  return reset_table(context, dataset, quarantine_schema(), TargetKind::kAppend);
}

}  // namespace lakebed::run
