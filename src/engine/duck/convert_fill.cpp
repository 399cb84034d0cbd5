#include "engine/duck/api.h"
#include "engine/duck/convert.h"

namespace lakebed::engine::duck {

namespace {

using value::Column;
using value::Int128;
using value::Kind;

void fill_nulls(const Column& column, size_t first, size_t count, duckdb_vector vector,
                size_t at) {
  const bool is_void = column.type().kind == Kind::kVoid;
  if (column.raw_validity().empty() && !is_void) return;
  api().vector_ensure_validity_writable(vector);
  uint64_t* validity = api().vector_get_validity(vector);
  for (size_t i = 0; i < count; ++i) {
    if (is_void || column.is_null(first + i)) api().validity_set_row_invalid(validity, at + i);
  }
}

template <typename To>
void fill_narrowed(const Column& column, size_t first, size_t count, void* data, size_t at) {
  To* target = static_cast<To*>(data) + at;
  for (size_t i = 0; i < count; ++i) target[i] = static_cast<To>(column.fixed<int64_t>(first + i));
}

void fill_fixed(const Column& column, size_t first, size_t count, void* data, size_t at) {
  const int precision = column.type().kind == Kind::kDecimal ? column.type().precision : 0;
  if (precision > 0 && precision <= 4) {
    return fill_narrowed<int16_t>(column, first, count, data, at);
  }
  if (precision > 0 && precision <= 9) {
    return fill_narrowed<int32_t>(column, first, count, data, at);
  }
  const size_t width = value::fixed_width(column.type());
  std::memcpy(static_cast<char*>(data) + at * width, column.raw_data().data() + first * width,
              count * width);
}

void fill_texts(const Column& column, size_t first, size_t count, duckdb_vector vector,
                size_t at) {
  for (size_t i = 0; i < count; ++i) {
    if (column.is_null(first + i)) continue;
    const auto text = column.bytes(first + i);
    api().vector_assign_string_element_len(vector, at + i, text.data(), text.size());
  }
}

void fill_lists(const Column& column, size_t first, size_t count, duckdb_vector vector,
                size_t at) {
  const uint64_t before = api().list_vector_get_size(vector);
  const uint64_t start = column.begin(first);
  const uint64_t added = column.end(first + count - 1) - start;
  api().list_vector_reserve(vector, before + added);
  api().list_vector_set_size(vector, before + added);
  auto* entries = static_cast<duckdb_list_entry*>(api().vector_get_data(vector));
  for (size_t i = 0; i < count; ++i) {
    entries[at + i].offset = before + column.begin(first + i) - start;
    entries[at + i].length = column.end(first + i) - column.begin(first + i);
  }
  duckdb_vector child = api().list_vector_get_child(vector);
  const auto& children = column.children();
  if (column.type().kind == Kind::kArray) {
    return fill_vector(children[0], start, added, child, before);
  }
  fill_vector(children[0], start, added, api().struct_vector_get_child(child, 0), before);
  fill_vector(children[1], start, added, api().struct_vector_get_child(child, 1), before);
}

}  // namespace

void fill_vector(const Column& column, size_t first, size_t count, duckdb_vector vector,
                 size_t at) {
  if (count == 0) return;
  fill_nulls(column, first, count, vector, at);
  switch (column.type().kind) {
    case Kind::kVoid: return;
    case Kind::kString:
    case Kind::kBinary: return fill_texts(column, first, count, vector, at);
    case Kind::kArray:
    case Kind::kMap: return fill_lists(column, first, count, vector, at);
    case Kind::kStruct:
      for (size_t i = 0; i < column.children().size(); ++i) {
        duckdb_vector child = api().struct_vector_get_child(vector, i);
        fill_vector(column.children()[i], first, count, child, at);
      }
      return;
    default: return fill_fixed(column, first, count, api().vector_get_data(vector), at);
  }
}

}  // namespace lakebed::engine::duck
