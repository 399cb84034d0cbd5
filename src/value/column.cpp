#include "value/column.h"

#include <algorithm>

namespace lakebed::value {

namespace {

bool has_offsets(const Type& type) {
  return type.kind == Kind::kString || type.kind == Kind::kBinary || type.kind == Kind::kArray ||
         type.kind == Kind::kMap;
}

}  // namespace

size_t fixed_width(const Type& type) {
  switch (type.kind) {
    case Kind::kBoolean:
    case Kind::kByte: return 1;
    case Kind::kShort: return 2;
    case Kind::kInt:
    case Kind::kDate:
    case Kind::kFloat:
    case Kind::kIntervalYearMonth: return 4;
    case Kind::kLong:
    case Kind::kDouble:
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
    case Kind::kIntervalDayTime: return 8;
    case Kind::kDecimal: return type.precision <= 18 ? 8 : 16;
    default: return 0;
  }
}

Column::Column(Type type) : type_(std::move(type)) {
  if (has_offsets(type_)) offsets_.push_back(0);
  for (const Field& field : type_.fields) children_.emplace_back(field.type);
}

bool Column::has_nulls() const {
  return std::find(validity_.begin(), validity_.end(), 0) != validity_.end();
}

Int128 Column::decimal(size_t row) const {
  return type_.precision <= 18 ? Int128{fixed<int64_t>(row)} : fixed<Int128>(row);
}

int64_t Column::integer(size_t row) const {
  switch (fixed_width(type_)) {
    case 1: return fixed<int8_t>(row);
    case 2: return fixed<int16_t>(row);
    case 4: return fixed<int32_t>(row);
    default: return fixed<int64_t>(row);
  }
}

void Column::append_null() {
  if (validity_.empty()) validity_.assign(size_, 1);
  validity_.push_back(0);
  ++size_;
  if (const size_t width = fixed_width(type_)) data_.resize(data_.size() + width);
  if (has_offsets(type_)) offsets_.push_back(offsets_.back());
  if (type_.kind == Kind::kStruct) {
    for (Column& child : children_) child.append_null();
  }
}

void Column::append_integer(int64_t item) {
  switch (fixed_width(type_)) {
    case 1: return append_fixed(static_cast<int8_t>(item));
    case 2: return append_fixed(static_cast<int16_t>(item));
    case 4: return append_fixed(static_cast<int32_t>(item));
    default: return append_fixed(item);
  }
}

void Column::append_decimal(Int128 unscaled) {
  if (type_.precision <= 18) {
    append_fixed(static_cast<int64_t>(unscaled));
  } else {
    append_fixed(unscaled);
  }
}

void Column::append_bytes(std::string_view item) {
  data_.insert(data_.end(), item.begin(), item.end());
  offsets_.push_back(data_.size());
  mark_valid();
}

void Column::append_list() {
  offsets_.push_back(children_[0].size());
  mark_valid();
}

void Column::append_struct() { mark_valid(); }

void Column::append_from(const Column& other, size_t row) { append_range(other, row, 1); }

void Column::append_range(const Column& other, size_t first, size_t count) {
  if (count == 0) return;
  if (!other.validity_.empty() || !validity_.empty()) {
    if (validity_.empty()) validity_.assign(size_, 1);
    if (other.validity_.empty()) {
      validity_.insert(validity_.end(), count, 1);
    } else {
      const auto from = other.validity_.begin() + static_cast<std::ptrdiff_t>(first);
      validity_.insert(validity_.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
  }
  if (const size_t width = fixed_width(type_)) {
    const char* from = other.data_.data() + first * width;
    data_.insert(data_.end(), from, from + count * width);
  } else if (has_offsets(type_)) {
    const uint64_t begin = other.offsets_[first];
    const uint64_t end = other.offsets_[first + count];
    const uint64_t shift = offsets_.back() - begin;
    for (size_t i = first + 1; i <= first + count; ++i) {
      offsets_.push_back(other.offsets_[i] + shift);
    }
    if (children_.empty()) {
      data_.insert(data_.end(), other.data_.data() + begin, other.data_.data() + end);
    } else {
      for (size_t i = 0; i < children_.size(); ++i) {
        children_[i].append_range(other.children_[i], begin, end - begin);
      }
    }
  } else {
    for (size_t i = 0; i < children_.size(); ++i) {
      children_[i].append_range(other.children_[i], first, count);
    }
  }
  size_ += count;
}

// Offsets and bytes of the rows of a column of texts.
void Column::gather_bytes(const Column& from, const std::vector<uint32_t>& rows) {
  offsets_.resize(rows.size() + 1);
  uint64_t end = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    end += from.offsets_[rows[i] + 1] - from.offsets_[rows[i]];
    offsets_[i + 1] = end;
  }
  if (end == 0) return;  // nothing but empty texts: there are no bytes to point at
  data_.resize(end);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(data_.data() + offsets_[i], from.data_.data() + from.offsets_[rows[i]],
                offsets_[i + 1] - offsets_[i]);
  }
}

Column Column::gather(const std::vector<uint32_t>& rows) const {
  Column out(type_);
  const size_t width = fixed_width(type_);
  if (width == 0 && (!has_offsets(type_) || !children_.empty())) {
    out.reserve(rows.size());
    for (const uint32_t row : rows) out.append_from(*this, row);
    return out;
  }
  if (width == 0) {
    out.gather_bytes(*this, rows);
  } else {
    out.data_.resize(rows.size() * width);
    char* to = out.data_.data();
    for (const uint32_t row : rows) {
      std::memcpy(to, data_.data() + row * width, width);
      to += width;
    }
  }
  if (!validity_.empty()) {
    out.validity_.reserve(rows.size());
    for (const uint32_t row : rows) out.validity_.push_back(validity_[row]);
  }
  out.size_ = rows.size();
  return out;
}

void Column::reserve(size_t rows) {
  if (const size_t width = fixed_width(type_)) data_.reserve(rows * width);
  if (has_offsets(type_)) offsets_.reserve(rows + 1);
}

size_t Column::memory_bytes() const {
  size_t bytes = validity_.capacity() + data_.capacity() + offsets_.capacity() * sizeof(uint64_t);
  for (const Column& child : children_) bytes += child.memory_bytes();
  return bytes;
}

ColumnBatch ColumnBatch::empty(Schema schema) {
  ColumnBatch batch;
  batch.schema = std::move(schema);
  for (const Field& field : batch.schema) batch.columns.emplace_back(field.type);
  return batch;
}

void ColumnBatch::append_range(const ColumnBatch& other, size_t first, size_t count) {
  LAKEBED_ASSERT(columns.size() == other.columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].append_range(other.columns[i], first, count);
  }
  rows += count;
}

size_t ColumnBatch::memory_bytes() const {
  size_t bytes = 0;
  for (const Column& column : columns) bytes += column.memory_bytes();
  return bytes;
}

}  // namespace lakebed::value
