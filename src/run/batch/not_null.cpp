#include "run/batch/not_null.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "delta/schema.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using value::Column;

// The first NULL where none may be, as a dotted path; "" where all is well.
std::string null_path(const value::Field& field, const Column& column, size_t row) {
  if (column.is_null(row)) return field.nullable ? "" : field.name;
  if (field.type.kind == value::Kind::kStruct) {
    for (size_t i = 0; i < field.type.fields.size(); ++i) {
      const std::string inner = null_path(field.type.fields[i], column.children()[i], row);
      if (!inner.empty()) return field.name + "." + inner;
    }
  } else if (field.type.kind == value::Kind::kArray || field.type.kind == value::Kind::kMap) {
    for (size_t i = 0; i < field.type.fields.size(); ++i) {
      for (uint64_t at = column.begin(row); at < column.end(row); ++at) {
        const std::string inner = null_path(field.type.fields[i], column.children()[i], at);
        if (!inner.empty()) return field.name + "." + inner;
      }
    }
  }
  return "";
}

bool may_refuse_null(const value::Field& field) {
  if (!field.nullable) return true;
  const bool map = field.type.kind == value::Kind::kMap;  // keys are never NULL anyway
  const auto begin = field.type.fields.begin() + (map ? 1 : 0);
  return std::any_of(begin, field.type.fields.end(), may_refuse_null);
}

}  // namespace

Status check_no_nulls(const value::ColumnBatch& batch, const std::string& flow,
                      const std::function<bool(size_t row)>& counts) {
  for (size_t i = 0; i < batch.schema.size(); ++i) {
    if (!may_refuse_null(batch.schema[i])) continue;
    if (!delta::generation_expression(batch.schema[i]).empty()) continue;  // not filled yet
    for (size_t row = 0; row < batch.rows; ++row) {
      if (counts && !counts(row)) continue;
      const std::string path = null_path(batch.schema[i], batch.columns[i], row);
      if (path.empty()) continue;
      std::string sample;
      value::append_json_row(batch, row, "UTC", sample);
      return update_error("NOT_NULL_CONSTRAINT_VIOLATION",
                          fmt::format("flow {} delivers NULL for the NOT NULL column {}: {}",
                                      quote_name(flow), path, sample));
    }
  }
  return {};
}

}  // namespace lakebed::run
