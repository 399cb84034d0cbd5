#include "run/sql/insert_history.h"

#include <fmt/format.h>

#include <set>

#include "value/order.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using value::ColumnBatch;

Error overlaps(const HistoryRows::Row& row) {
  return update_error("INSERT_OVERLAPS_HISTORY",
                      fmt::format("the row {} overlaps another row of its key, or a delete that is "
                                  "remembered ends it",
                                  row.text))
      .with_hint("rows of a key may not overlap; end the row where the next one starts");
}

// Reads the interval of one row.
Result<HistoryRows::Row> read_row(const ColumnBatch& batch, size_t row, size_t start, size_t end) {
  HistoryRows::Row out;
  value::append_json_row(batch, row, "UTC", out.text);
  if (batch.columns[start].is_null(row)) {
    return update_error("INSERT_INVALID_INTERVAL",
                        fmt::format("__START_AT is NULL in the row {}", out.text));
  }
  out.start = value::sequence_code(batch.columns[start], row);
  out.has_end = !batch.columns[end].is_null(row);
  if (!out.has_end) return out;
  out.end = value::sequence_code(batch.columns[end], row);
  if (out.start < out.end) return out;
  return update_error("INSERT_INVALID_INTERVAL",
                      fmt::format("__END_AT is not after __START_AT in the row {}", out.text));
}

// The rows without their ends, and their starts last: what events_of_rows wants.
ColumnBatch without_ends(const ColumnBatch& batch, const value::Schema& columns, size_t start) {
  ColumnBatch out;
  out.rows = batch.rows;
  for (const value::Field& field : columns) {
    out.schema.push_back(field);
    out.columns.push_back(batch.columns[*value::find_field(batch.schema, field.name)]);
  }
  out.schema.push_back(batch.schema[start]);
  out.columns.push_back(batch.columns[start]);
  return out;
}

// Rule F5: adds the deletes that end rows where nothing else is known to.
Status add_ends(const Table& table, HistoryRows& history) {
  std::set<std::pair<Hash128, value::SequenceCode>> starts;
  EventBatch& batch = history.batch;
  for (const cdc::Event& event : batch.events) {
    const HistoryRows::Row& row = history.rows.at(event.arrival);
    if (starts.emplace(event.key, row.start).second) continue;
    return update_error("INSERT_DUPLICATE_KEY",
                        fmt::format("two of the rows have the keys and the start of {}", row.text));
  }
  state::Cursor cursor(*table.memory);
  const size_t upserts = batch.events.size();
  auto arrival = static_cast<uint32_t>(batch.rows);
  for (size_t i = 0; i < upserts; ++i) {
    const cdc::Event event = batch.events[i];
    const HistoryRows::Row& row = history.rows.at(event.arrival);
    if (!row.has_end || starts.contains({event.key, row.end})) continue;
    LAKEBED_ASSIGN(const bool known, cursor.seek(event.key));
    if (known) {
      LAKEBED_ASSIGN(const auto at, cursor.at_most(state::EntryKind::kRow, row.end));
      if (at && at->sequence == value::SequenceView(row.end)) continue;
    }
    cdc::Event end{event.key, row.end, 0, 0, arrival++, cdc::Operation::kDelete};
    batch.events.push_back(end);
  }
  cdc::sort_events(batch.events);
  return {};
}

}  // namespace

Status HistoryRows::check(const cdc::Scd2Changes& changes) const {
  std::map<uint32_t, const cdc::AddedRow*> made;
  std::set<std::pair<uint32_t, value::SequenceCode>> open;  // keys and starts of open rows
  std::vector<const cdc::AddedRow*> others;
  for (const cdc::AddedRow& added : changes.added) {
    const bool mine = added.values.kind == cdc::ValueSource::Kind::kEvent;
    if (!mine) {
      others.push_back(&added);
      continue;
    }
    made[added.values.arrival] = &added;
    if (!added.has_end) open.emplace(added.key, added.start.own());
  }
  for (const auto& [arrival, row] : rows) {
    const auto at = made.find(arrival);
    if (at == made.end()) return overlaps(row);
    const cdc::AddedRow& added = *at->second;
    const bool same = added.start == value::SequenceView(row.start) &&
                      added.has_end == row.has_end &&
                      (!row.has_end || added.end == value::SequenceView(row.end));
    if (!same) return overlaps(row);
  }
  // Other rows that change are open ones that end where an open row starts.
  for (const cdc::AddedRow* added : others) {
    const bool ends = added->has_end && open.contains({added->key, added->end.own()});
    if (!ends) return overlaps(rows.begin()->second);
  }
  if (changes.removed.size() != others.size()) return overlaps(rows.begin()->second);
  return {};
}

Result<HistoryRows> history_rows(const CdcPlan& plan, const Table& table,
                                 const std::vector<ColumnBatch>& rows) {
  const value::Schema& schema = table.snapshot.schema();
  const size_t start = *value::find_field(schema, "__START_AT");
  const size_t end = *value::find_field(schema, "__END_AT");
  HistoryRows history;
  std::vector<ColumnBatch> parts;
  uint32_t arrival = 0;
  for (const ColumnBatch& batch : rows) {
    for (size_t row = 0; row < batch.rows; ++row) {
      LAKEBED_ASSIGN(history.rows[arrival++], read_row(batch, row, start, end));
    }
    parts.push_back(without_ends(batch, plan.selected, start));
  }
  LAKEBED_ASSIGN(history.batch, events_of_rows(plan, plan.selected, parts, nullptr));
  LAKEBED_TRY(add_ends(table, history));
  return history;
}

}  // namespace lakebed::run
