#include "engine/duck/convert.h"

#include <algorithm>

#include "engine/duck/api.h"

namespace lakebed::engine::duck {

namespace {

using value::Column;
using value::Int128;
using value::Kind;

bool bit_of(const uint64_t* validity, size_t row) {
  return ((validity[row / 64] >> (row % 64)) & 1U) != 0;
}

bool all_valid(const uint64_t* validity, size_t first, size_t count) {
  if (validity == nullptr) return true;
  size_t row = first;
  const size_t last = first + count;
  for (; row < last && row % 64 != 0; ++row) {
    if (!bit_of(validity, row)) return false;
  }
  for (; row + 64 <= last; row += 64) {
    if (validity[row / 64] != ~uint64_t{0}) return false;
  }
  for (; row < last; ++row) {
    if (!bit_of(validity, row)) return false;
  }
  return true;
}

// Appends validity bytes; the column's size is still the one before.
void append_validity(const uint64_t* validity, size_t first, size_t count, Column& out) {
  auto& bytes = out.raw_validity();
  if (all_valid(validity, first, count)) {
    if (!bytes.empty()) bytes.resize(out.size() + count, 1);
    return;
  }
  bytes.resize(out.size(), 1);
  bytes.resize(out.size() + count);
  uint8_t* target = bytes.data() + out.size();
  for (size_t i = 0; i < count; ++i) target[i] = bit_of(validity, first + i) ? 1 : 0;
}

void append_all_null(size_t count, Column& out) {
  for (size_t i = 0; i < count; ++i) out.append_null();
}

template <typename From, typename To>
void append_numbers(const void* data, const uint64_t* validity, size_t first, size_t count,
                    Column& out) {
  auto& bytes = out.raw_data();
  const size_t start = bytes.size();
  bytes.resize(start + count * sizeof(To));
  const From* source = static_cast<const From*>(data) + first;
  char* target = bytes.data() + start;
  if constexpr (sizeof(From) == sizeof(To)) {
    std::memcpy(target, source, count * sizeof(To));
  } else {
    for (size_t i = 0; i < count; ++i) {
      const To item = static_cast<To>(source[i]);
      std::memcpy(target + i * sizeof(To), &item, sizeof(To));
    }
  }
  if (all_valid(validity, first, count)) return;
  for (size_t i = 0; i < count; ++i) {
    if (!bit_of(validity, first + i)) std::memset(target + i * sizeof(To), 0, sizeof(To));
  }
}

void append_decimals(const void* data, const uint64_t* validity, size_t first, size_t count,
                     Column& out) {
  const int precision = out.type().precision;
  if (precision <= 4) return append_numbers<int16_t, int64_t>(data, validity, first, count, out);
  if (precision <= 9) return append_numbers<int32_t, int64_t>(data, validity, first, count, out);
  if (precision <= 18) return append_numbers<int64_t, int64_t>(data, validity, first, count, out);
  append_numbers<Int128, Int128>(data, validity, first, count, out);
}

void append_texts(const void* data, const uint64_t* validity, size_t first, size_t count,
                  Column& out) {
  const auto* texts = static_cast<const duckdb_string_t*>(data) + first;
  const bool valid = all_valid(validity, first, count);
  auto& offsets = out.raw_offsets();
  const size_t start = offsets.size();
  offsets.resize(start + count);
  uint64_t end = offsets[start - 1];
  for (size_t i = 0; i < count; ++i) {
    if (valid || bit_of(validity, first + i)) end += texts[i].value.inlined.length;
    offsets[start + i] = end;
  }
  auto& bytes = out.raw_data();
  bytes.resize(end);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t from = offsets[start + i - 1];
    const uint64_t length = offsets[start + i] - from;
    if (length == 0) continue;
    const char* text =
        length <= 12 ? texts[i].value.inlined.inlined : texts[i].value.pointer.ptr;
    std::memcpy(bytes.data() + from, text, length);
  }
}

// The children of a list: LIST's element, or MAP's key and value.
void append_children(duckdb_vector vector, size_t first, size_t count, Column& out) {
  if (count == 0) return;
  duckdb_vector child = api().list_vector_get_child(vector);
  auto& children = out.raw_children();
  if (out.type().kind == Kind::kArray) return append_vector(child, first, count, children[0]);
  append_vector(api().struct_vector_get_child(child, 0), first, count, children[0]);
  append_vector(api().struct_vector_get_child(child, 1), first, count, children[1]);
}

void append_lists(duckdb_vector vector, const void* data, const uint64_t* validity, size_t first,
                  size_t count, Column& out) {
  const auto* entries = static_cast<const duckdb_list_entry*>(data);
  auto& offsets = out.raw_offsets();
  // Neighbours that lie together in the child are taken at once.
  size_t run_start = 0;
  size_t run_count = 0;
  uint64_t end = offsets.back();
  for (size_t row = first; row < first + count; ++row) {
    const bool valid = validity == nullptr || bit_of(validity, row);
    const uint64_t length = valid ? entries[row].length : 0;
    end += length;
    offsets.push_back(end);
    if (length == 0) continue;
    if (run_count != 0 && entries[row].offset != run_start + run_count) {
      append_children(vector, run_start, run_count, out);
      run_count = 0;
    }
    if (run_count == 0) run_start = entries[row].offset;
    run_count += length;
  }
  append_children(vector, run_start, run_count, out);
}

void append_fields(duckdb_vector vector, size_t first, size_t count, Column& out) {
  auto& children = out.raw_children();
  for (size_t i = 0; i < children.size(); ++i) {
    append_vector(api().struct_vector_get_child(vector, i), first, count, children[i]);
  }
}

// Runs of rows that are, or are not, NULL; below a NULL struct every field is NULL.
void append_structs(duckdb_vector vector, const uint64_t* validity, size_t first, size_t count,
                    Column& out) {
  if (all_valid(validity, first, count)) return append_fields(vector, first, count, out);
  size_t start = first;
  for (size_t row = first; row <= first + count; ++row) {
    const bool closes = row == first + count || bit_of(validity, row) != bit_of(validity, start);
    if (!closes) continue;
    if (bit_of(validity, start)) {
      append_fields(vector, start, row - start, out);
    } else {
      for (auto& child : out.raw_children()) append_all_null(row - start, child);
    }
    start = row;
  }
}

}  // namespace

void append_vector(duckdb_vector vector, size_t first, size_t count, Column& out) {
  if (count == 0) return;
  if (out.type().kind == Kind::kVoid) return append_all_null(count, out);
  const void* data = api().vector_get_data(vector);
  const uint64_t* validity = api().vector_get_validity(vector);
  switch (out.type().kind) {
    case Kind::kString:
    case Kind::kBinary: append_texts(data, validity, first, count, out); break;
    case Kind::kDecimal: append_decimals(data, validity, first, count, out); break;
    case Kind::kArray:
    case Kind::kMap: append_lists(vector, data, validity, first, count, out); break;
    case Kind::kStruct: append_structs(vector, validity, first, count, out); break;
    default:
      switch (value::fixed_width(out.type())) {
        case 1: append_numbers<int8_t, int8_t>(data, validity, first, count, out); break;
        case 2: append_numbers<int16_t, int16_t>(data, validity, first, count, out); break;
        case 4: append_numbers<int32_t, int32_t>(data, validity, first, count, out); break;
        default: append_numbers<int64_t, int64_t>(data, validity, first, count, out); break;
      }
  }
  append_validity(validity, first, count, out);
  out.raw_set_size(out.size() + count);
}

}  // namespace lakebed::engine::duck
