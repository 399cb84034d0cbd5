#include "engine/duck/read_rows.h"

#include <fmt/format.h>

#include <algorithm>

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

value::ColumnBatch in_order(const value::ColumnBatch& found,
                            const std::vector<uint64_t>& ascending,
                            const std::vector<uint64_t>& rows) {
  std::vector<uint32_t> places;
  places.reserve(rows.size());
  for (const uint64_t row : rows) {
    const auto at = std::lower_bound(ascending.begin(), ascending.end(), row);
    places.push_back(static_cast<uint32_t>(at - ascending.begin()));
  }
  value::ColumnBatch out;
  out.schema = found.schema;
  out.rows = rows.size();
  for (const auto& column : found.columns) out.columns.push_back(column.gather(places));
  return out;
}

}  // namespace lakebed::engine::duck
