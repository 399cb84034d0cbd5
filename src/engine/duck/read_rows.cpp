#include "engine/duck/read_rows.h"

#include <fmt/format.h>

#include <unordered_map>

#include "engine/duck/row_sets.h"

namespace lakebed::engine::duck {

namespace {

// Up to here a list of numbers is used: DuckDB skips the pages and row groups between them.
constexpr size_t kListedRows = 256;

}  // namespace

std::string rows_condition(const std::vector<uint64_t>& rows, QueryResources& resources) {
  if (rows.size() <= kListedRows) {
    return fmt::format("file_row_number IN ({})", fmt::join(rows, ", "));
  }
  auto set = std::make_shared<RowSet>(1);
  set->add(0, rows);
  auto handle = publish_row_set(std::move(set));
  resources.kept.push_back(std::move(handle.keep));
  return fmt::format(
      "file_row_number BETWEEN {} AND {} AND lb_row_listed({}, CAST(file_index AS BIGINT), "
      "CAST(file_row_number AS BIGINT))",
      rows.front(), rows.back(), handle.id);
}

value::Schema with_row_number(value::Schema schema) {
  value::Field field;
  field.name = "__row_index";
  field.type.kind = value::Kind::kLong;
  schema.push_back(std::move(field));
  return schema;
}

value::ColumnBatch in_order(const value::ColumnBatch& found, const std::vector<uint64_t>& rows) {
  std::unordered_map<uint64_t, uint32_t> places;
  places.reserve(found.rows);
  for (size_t i = 0; i < found.rows; ++i) {
    places[static_cast<uint64_t>(found.columns.back().integer(i))] = static_cast<uint32_t>(i);
  }
  std::vector<uint32_t> order;
  order.reserve(rows.size());
  for (const uint64_t row : rows) order.push_back(places.at(row));
  value::ColumnBatch out;
  out.schema = found.schema;
  out.schema.pop_back();
  out.rows = rows.size();
  for (size_t i = 0; i + 1 < found.columns.size(); ++i) {
    out.columns.push_back(found.columns[i].gather(order));
  }
  return out;
}

}  // namespace lakebed::engine::duck
