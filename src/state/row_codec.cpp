#include "state/row_codec.h"

#include <fmt/core.h>

#include <functional>

#include "state/bytes.h"

namespace lakebed::state {

using value::Column;
using value::Field;
using value::Int128;
using value::Kind;
using value::Type;

namespace {

// Sets the bits of the items that are not null: bit i of the bytes at `at`.
template <typename IsNull>
void append_validity(size_t items, IsNull is_null, std::string& out) {
  const size_t at = out.size();
  out.resize(at + (items + 7) / 8);
  for (size_t i = 0; i < items; ++i) {
    if (is_null(i)) continue;
    out[at + i / 8] = static_cast<char>(static_cast<uint8_t>(out[at + i / 8]) | (1U << (i % 8)));
  }
}

bool is_valid(std::string_view bytes, size_t at, size_t item) {
  return (static_cast<uint8_t>(bytes[at + item / 8]) >> (item % 8) & 1U) != 0;
}

void append_value(const Column& column, size_t row, std::string& out);

void append_fields(const std::vector<Column>& columns, size_t row, std::string& out) {
  append_validity(columns.size(), [&](size_t i) { return columns[i].is_null(row); }, out);
  for (const Column& column : columns) {
    if (!column.is_null(row)) append_value(column, row, out);
  }
}

void append_items(const Column& items, uint64_t begin, uint64_t end, std::string& out) {
  append_validity(end - begin, [&](size_t i) { return items.is_null(begin + i); }, out);
  for (uint64_t i = begin; i < end; ++i) {
    if (!items.is_null(i)) append_value(items, i, out);
  }
}

void append_value(const Column& column, size_t row, std::string& out) {
  switch (column.type().kind) {
    case Kind::kVoid: return;
    case Kind::kString:
    case Kind::kBinary: {
      const std::string_view bytes = column.bytes(row);
      append_varint(out, bytes.size());
      out.append(bytes);
      return;
    }
    case Kind::kStruct: return append_fields(column.children(), row, out);
    case Kind::kArray:
    case Kind::kMap:
      append_varint(out, column.end(row) - column.begin(row));
      for (const Column& items : column.children()) {
        append_items(items, column.begin(row), column.end(row), out);
      }
      return;
    default: {
      const size_t width = value::fixed_width(column.type());
      out.append(column.raw_data().data() + row * width, width);
    }
  }
}

// One row being read: its bytes and where we are.
struct Reading {
  std::string_view bytes;
  size_t at = 0;
  bool take(size_t count, size_t& where) {
    if (count > bytes.size() - at) return false;
    where = at;
    at += count;
    return true;
  }
};

bool read_value(const RowReader::Step& step, Reading& in, Column* out);

// Reads items behind their validity bits, by the step and into the column that `pick` names.
bool read_items(size_t count, Reading& in,
                const std::function<std::pair<const RowReader::Step*, Column*>(size_t)>& pick) {
  size_t bits = 0;
  if (!in.take((count + 7) / 8, bits)) return false;
  for (size_t i = 0; i < count; ++i) {
    const auto [step, column] = pick(i);
    if (is_valid(in.bytes, bits, i)) {
      if (!read_value(*step, in, column)) return false;
    } else if (column != nullptr) {
      column->append_null();
    }
  }
  return true;
}

bool read_fields(const RowReader::Step& step, Reading& in, std::vector<Column>* columns) {
  const bool read = read_items(step.children.size(), in, [&](size_t i) {
    const RowReader::Step& child = step.children[i];
    const bool wanted = columns != nullptr && child.target.has_value();
    return std::pair(&child, wanted ? &(*columns)[*child.target] : nullptr);
  });
  if (!read) return false;
  if (columns != nullptr) {
    for (const size_t absent : step.absent) (*columns)[absent].append_null();
  }
  return true;
}

bool read_collection(const RowReader::Step& step, Reading& in, Column* out) {
  uint64_t count = 0;
  if (!read_varint(in.bytes, in.at, count) || count / 8 > in.bytes.size()) return false;
  for (size_t part = 0; part < step.children.size(); ++part) {
    Column* items = out == nullptr ? nullptr : &out->raw_children()[part];
    const bool read =
        read_items(count, in, [&](size_t) { return std::pair(&step.children[part], items); });
    if (!read) return false;
  }
  if (out != nullptr) out->append_list();
  return true;
}

Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

int64_t load_integer(const char* at, size_t width) {
  switch (width) {
    case 1: return load_number<int8_t>(at);
    case 2: return load_number<int16_t>(at);
    case 4: return load_number<int32_t>(at);
    default: return load_number<int64_t>(at);
  }
}

// A number of another type than the wanted one, which it fits in (value::can_widen).
void append_widened(const Type& stored, const Type& wanted, const char* at, Column& out) {
  const size_t width = value::fixed_width(stored);
  if (stored.kind == Kind::kFloat) return out.append_fixed(double{load_number<float>(at)});
  if (stored.kind == Kind::kDecimal) {
    const Int128 number = width == 8 ? Int128{load_number<int64_t>(at)} : load_number<Int128>(at);
    return out.append_decimal(number * power_of_ten(wanted.scale - stored.scale));
  }
  const int64_t number = load_integer(at, width);
  if (wanted.kind == Kind::kDouble) return out.append_fixed(static_cast<double>(number));
  if (wanted.kind == Kind::kDecimal) {
    return out.append_decimal(Int128{number} * power_of_ten(wanted.scale));
  }
  constexpr int64_t kDayUs = int64_t{86400} * 1000000;
  out.append_integer(stored.kind == Kind::kDate ? number * kDayUs : number);
}

bool read_fixed(const RowReader::Step& step, Reading& in, Column* out) {
  size_t where = 0;
  const size_t width = value::fixed_width(step.stored);
  if (!in.take(width, where)) return false;
  if (out == nullptr) return true;
  const char* at = in.bytes.data() + where;
  if (step.stored.kind != step.wanted.kind || step.stored.scale != step.wanted.scale ||
      width != value::fixed_width(step.wanted)) {
    append_widened(step.stored, step.wanted, at, *out);
    return true;
  }
  switch (width) {
    case 1: out->append_fixed(load_number<int8_t>(at)); break;
    case 2: out->append_fixed(load_number<int16_t>(at)); break;
    case 4: out->append_fixed(load_number<int32_t>(at)); break;
    case 8: out->append_fixed(load_number<int64_t>(at)); break;
    default: out->append_fixed(load_number<Int128>(at));
  }
  return true;
}

bool read_value(const RowReader::Step& step, Reading& in, Column* out) {
  switch (step.stored.kind) {
    case Kind::kVoid:
      if (out != nullptr) out->append_null();
      return true;
    case Kind::kString:
    case Kind::kBinary: {
      uint64_t length = 0;
      size_t where = 0;
      if (!read_varint(in.bytes, in.at, length) || !in.take(length, where)) return false;
      if (out != nullptr) out->append_bytes(in.bytes.substr(where, length));
      return true;
    }
    case Kind::kStruct: {
      if (!read_fields(step, in, out == nullptr ? nullptr : &out->raw_children())) return false;
      if (out != nullptr) out->append_struct();
      return true;
    }
    case Kind::kArray:
    case Kind::kMap: return read_collection(step, in, out);
    default: return read_fixed(step, in, out);
  }
}

Error does_not_widen(const std::string& path, const Type& stored, const Type& wanted) {
  return update_error("STATE_SCHEMA_MISMATCH",
                      fmt::format("column {} is kept as {}, which does not widen to {}", path,
                                  stored.text(), wanted.text()));
}

Result<RowReader::Step> make_step(const std::string& path, const Type& stored, const Type* wanted);

// Matches fields by name; `wanted` null: everything is skipped.
Result<RowReader::Step> make_struct_step(const std::string& path, const value::Schema& stored,
                                         const value::Schema* wanted) {
  RowReader::Step step;
  step.stored = Type(Kind::kStruct);
  step.wanted = step.stored;
  std::vector<bool> stored_targets(wanted == nullptr ? 0 : wanted->size());
  for (const Field& field : stored) {
    const auto target = wanted == nullptr ? std::nullopt : value::find_field(*wanted, field.name);
    LAKEBED_ASSIGN(RowReader::Step child,
                   make_step(path + "." + field.name, field.type,
                             target.has_value() ? &(*wanted)[*target].type : nullptr));
    child.target = target;
    if (target.has_value()) stored_targets[*target] = true;
    step.children.push_back(std::move(child));
  }
  for (size_t i = 0; i < stored_targets.size(); ++i) {
    if (!stored_targets[i]) step.absent.push_back(i);
  }
  return step;
}

Result<RowReader::Step> make_step(const std::string& path, const Type& stored, const Type* wanted) {
  const bool same_kind = wanted != nullptr && wanted->kind == stored.kind;
  if (stored.kind == Kind::kStruct && (same_kind || wanted == nullptr)) {
    return make_struct_step(path, stored.fields, same_kind ? &wanted->fields : nullptr);
  }
  RowReader::Step step;
  step.stored = stored;
  step.wanted = wanted == nullptr ? stored : *wanted;
  if (stored.kind == Kind::kArray || stored.kind == Kind::kMap) {
    if (wanted != nullptr && !same_kind) return does_not_widen(path, stored, *wanted);
    for (size_t i = 0; i < stored.fields.size(); ++i) {
      LAKEBED_ASSIGN(RowReader::Step child,
                     make_step(path + "." + stored.fields[i].name, stored.fields[i].type,
                               wanted == nullptr ? nullptr : &wanted->fields[i].type));
      step.children.push_back(std::move(child));
    }
    return step;
  }
  const bool fits = wanted == nullptr || stored.kind == Kind::kVoid ||
                    value::can_widen(stored, *wanted);
  if (!fits) return does_not_widen(path, stored, *wanted);
  return step;
}

}  // namespace

void append_row(const std::vector<Column>& columns, size_t row, std::string_view last,
                std::string& out) {
  const auto is_null = [&](size_t i) { return i < columns.size() && columns[i].is_null(row); };
  append_validity(columns.size() + 1, is_null, out);
  for (const Column& column : columns) {
    if (!column.is_null(row)) append_value(column, row, out);
  }
  append_varint(out, last.size());
  out.append(last);
}

void append_row(const std::vector<Column>& columns, size_t row, std::string& out) {
  append_fields(columns, row, out);
}

Result<RowReader> RowReader::make(const value::Schema& stored, const value::Schema& wanted) {
  RowReader reader;
  LAKEBED_ASSIGN(reader.root_, make_struct_step("row", stored, &wanted));
  return reader;
}

Status RowReader::append(std::string_view row, std::vector<Column>& columns) const {
  Reading in{row};
  if (!read_fields(root_, in, &columns) || in.at != row.size()) {
    return update_error("STATE_DAMAGED", "a kept row is not of the schema that it names");
  }
  return {};
}

}  // namespace lakebed::state
