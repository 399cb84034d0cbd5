// Columns of values, the form in which rows travel between rooms: source -> engine -> kernel ->
// engine. Layout is flat and simple so that a foreign format can be filled in by memcpy.
//
// Physical form of a row by kind (all little-endian, natural alignment inside `data`):
//   BOOLEAN, BYTE: 1 byte · SHORT: 2 · INT, DATE, FLOAT, INTERVAL YEAR: 4
//   LONG, DOUBLE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY: 8
//   DECIMAL: 8 bytes (int64) for precision <= 18, else 16 (Int128), the unscaled number
//   STRING, BINARY: offsets[row] .. offsets[row + 1] in `data`
//   ARRAY: offsets into children[0]; MAP: offsets into children[0] (keys), children[1] (values)
//   STRUCT: children, one a field, each as long as the column; VOID: nothing
// A null row holds zero bytes of payload (fixed width: zeroes; offsets: empty range).
// Not thread-safe for writing; reading from many threads is fine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "value/type.h"

namespace lakebed::value {

// Bytes of one fixed-width value; 0 for kinds that are not of fixed width.
size_t fixed_width(const Type& type);

class Column {
 public:
  Column() = default;
  explicit Column(Type type);

  const Type& type() const { return type_; }
  size_t size() const { return size_; }
  bool is_null(size_t row) const { return !validity_.empty() && validity_[row] == 0; }
  bool has_nulls() const;

  // Reads of one row. Requires: not null, and the kind that the name says.
  template <typename T>
  T fixed(size_t row) const {
    T out;
    std::memcpy(&out, data_.data() + row * sizeof(T), sizeof(T));
    return out;
  }
  // The unscaled number of a DECIMAL of any precision.
  Int128 decimal(size_t row) const;
  // An integer of any width, a DATE or a timestamp as a 64-bit number.
  int64_t integer(size_t row) const;
  std::string_view bytes(size_t row) const {
    return {data_.data() + offsets_[row], offsets_[row + 1] - offsets_[row]};
  }
  uint64_t begin(size_t row) const { return offsets_[row]; }
  uint64_t end(size_t row) const { return offsets_[row + 1]; }
  const std::vector<Column>& children() const { return children_; }

  // Appends of one row.
  void append_null();
  template <typename T>
  void append_fixed(T item) {
    const size_t at = data_.size();
    data_.resize(at + sizeof(T));
    std::memcpy(data_.data() + at, &item, sizeof(T));
    mark_valid();
  }
  // Appends an integer in the column's own width (BOOLEAN, integers, DATE, timestamps, intervals).
  // Requires: it fits.
  void append_integer(int64_t item);
  void append_decimal(Int128 unscaled);
  void append_bytes(std::string_view item);
  // ARRAY, MAP: call after the elements of this row were appended to the children.
  void append_list();
  // STRUCT: call after each child got its value for this row (append_null to a child is a value).
  void append_struct();
  // Appends row `row` of a column of the same type.
  void append_from(const Column& other, size_t row);
  // Appends `count` rows of `other`, from `first`. Much faster than row by row.
  void append_range(const Column& other, size_t first, size_t count);
  // Takes the rows named, in that order.
  Column gather(const std::vector<uint32_t>& rows) const;

  void reserve(size_t rows);
  // Bytes held in memory, children included.
  size_t memory_bytes() const;

  // The raw parts, for the rooms that translate to and from foreign layouts. Whoever fills them
  // leaves them consistent: offsets has size + 1 items, validity is empty or has `size` items.
  std::vector<char>& raw_data() { return data_; }
  const std::vector<char>& raw_data() const { return data_; }
  std::vector<uint64_t>& raw_offsets() { return offsets_; }
  const std::vector<uint64_t>& raw_offsets() const { return offsets_; }
  std::vector<uint8_t>& raw_validity() { return validity_; }
  const std::vector<uint8_t>& raw_validity() const { return validity_; }
  std::vector<Column>& raw_children() { return children_; }
  void raw_set_size(size_t rows) { size_ = rows; }

 private:
  void gather_bytes(const Column& from, const std::vector<uint32_t>& rows);
  void mark_valid() {
    if (!validity_.empty()) validity_.push_back(1);
    ++size_;
  }

  Type type_;
  size_t size_ = 0;
  std::vector<uint8_t> validity_;  // empty: no nulls; else 1 = valid, one byte a row
  std::vector<char> data_;
  std::vector<uint64_t> offsets_;  // kinds with offsets: size + 1 items, the first is 0
  std::vector<Column> children_;
};

// Rows of one schema, column by column. Every column has `rows` rows.
struct ColumnBatch {
  Schema schema;
  std::vector<Column> columns;
  size_t rows = 0;

  static ColumnBatch empty(Schema schema);
  void append_range(const ColumnBatch& other, size_t first, size_t count);
  size_t memory_bytes() const;
};

// Pulls batches until the end. An implementation says whether batches are large or small.
class BatchReader {
 public:
  virtual ~BatchReader() = default;
  virtual const Schema& schema() const = 0;
  // The next rows, or nothing at the end. Never an empty batch.
  virtual Result<std::optional<ColumnBatch>> next() = 0;
};

}  // namespace lakebed::value
