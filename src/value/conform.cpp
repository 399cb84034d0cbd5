#include "value/conform.h"

#include <algorithm>

namespace lakebed::value {

namespace {

Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

void append_number(const Column& column, size_t row, Column& out) {
  const Type& from = column.type();
  const Type& to = out.type();
  if (to.kind == Kind::kDecimal) {
    const bool decimal = from.kind == Kind::kDecimal;
    const Int128 unscaled = decimal ? column.decimal(row) : Int128{column.integer(row)};
    out.append_decimal(unscaled * power_of_ten(to.scale - (decimal ? from.scale : 0)));
  } else if (to.kind == Kind::kDouble) {
    const double number = from.kind == Kind::kFloat ? static_cast<double>(column.fixed<float>(row))
                                                    : static_cast<double>(column.integer(row));
    out.append_fixed(number);
  } else if (from.kind == Kind::kDate && to.kind == Kind::kTimestampNtz) {
    out.append_integer(column.integer(row) * 86'400'000'000);
  } else {
    out.append_integer(column.integer(row));
  }
}

Column widen(const Column& column, const Type& to) {
  Column out(to);
  out.reserve(column.size());
  for (size_t row = 0; row < column.size(); ++row) {
    if (column.is_null(row)) {
      out.append_null();
    } else {
      append_number(column, row, out);
    }
  }
  return out;
}

// Children are replaced one by one; validity and offsets stay.
Column reshape(const Column& column, const Type& to) {
  Column out(to);
  out.raw_validity() = column.raw_validity();
  out.raw_offsets() = column.raw_offsets();
  for (size_t i = 0; i < to.fields.size(); ++i) {
    const bool by_name = to.kind == Kind::kStruct;
    const auto at =
        by_name ? find_field(column.type().fields, to.fields[i].name) : std::optional<size_t>(i);
    out.raw_children()[i] = at ? conform(column.children()[*at], to.fields[i].type)
                               : null_column(to.fields[i].type, column.size());
  }
  out.raw_set_size(column.size());
  return out;
}

}  // namespace

Column null_column(const Type& type, size_t rows) {
  Column out(type);
  for (size_t row = 0; row < rows; ++row) out.append_null();
  return out;
}

Column conform(const Column& column, const Type& to) {
  if (column.type() == to) return column;
  if (column.type().kind == Kind::kVoid) return null_column(to, column.size());
  if (to.is_nested()) return reshape(column, to);
  return widen(column, to);
}

ColumnBatch conform_batch(ColumnBatch&& batch, const Schema& schema) {
  ColumnBatch out;
  out.schema = schema;
  out.rows = batch.rows;
  for (const Field& field : schema) {
    const auto at = find_field(batch.schema, field.name);
    if (!at) {
      out.columns.push_back(null_column(field.type, batch.rows));
    } else if (batch.columns[*at].type() == field.type) {
      out.columns.push_back(std::move(batch.columns[*at]));
    } else {
      out.columns.push_back(conform(batch.columns[*at], field.type));
    }
  }
  return out;
}

ColumnBatch conform_batch(const ColumnBatch& batch, const Schema& schema) {
  ColumnBatch out;
  out.schema = schema;
  out.rows = batch.rows;
  for (const Field& field : schema) {
    const auto at = find_field(batch.schema, field.name);
    out.columns.push_back(at ? conform(batch.columns[*at], field.type)
                             : null_column(field.type, batch.rows));
  }
  return out;
}

}  // namespace lakebed::value
