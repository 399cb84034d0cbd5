// How values compare: Spark's order and equality, and byte codes that keep the order (rule E3).
//
// A code is a byte string such that comparing codes by bytes compares the values: NULL lowest,
// NaN greatest and equal to itself, -0.0 equal to 0.0, strings by bytes, structs and arrays
// field by field. Codes are prefix-free, so codes of several columns may be put one after
// another, and two values are equal exactly when their codes are. Codes are written to disk.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "value/column.h"

namespace lakebed::value {

// Appends the code of one row. Requires: is_orderable(column.type()).
//   NULL: 00 · others: 01 and then
//   BOOLEAN, integers, DATE, timestamps, intervals, DECIMAL: big-endian, sign bit flipped,
//   in the value's own width · FLOAT, DOUBLE: IEEE bits made monotone
//   STRING, BINARY: bytes with 00 as 00 FF, closed by 00 00
//   ARRAY: 01 code for each element, closed by 00 · STRUCT: the codes of its fields
void append_order_code(const Column& column, size_t row, std::string& out);

// Reads one code and appends its value to `out`. Returns the bytes used.
// Requires: the bytes were made by append_order_code for the type of `out`.
size_t decode_order_code(std::string_view code, Column& out);

// The value's code, cut into an 8-byte head (big-endian, zero-padded) and the rest, so that most
// comparisons are one integer comparison. For a type of at most 8 bytes the NULL marker is left
// out and `tail` is empty. Requires: the row is not NULL (a STRUCT of NULL fields is not NULL).
struct SequenceCode {
  uint64_t head = 0;
  std::string tail;
  auto operator<=>(const SequenceCode&) const = default;
};
// The same without owning the tail: what kernels and state pass around by the million. The tail's
// bytes belong to whoever made the view (an arena, a mapped file) and must outlive it.
struct SequenceView {
  uint64_t head = 0;
  std::string_view tail;
  SequenceView() = default;
  SequenceView(uint64_t h, std::string_view t) : head(h), tail(t) {}
  SequenceView(const SequenceCode& code) : head(code.head), tail(code.tail) {}  // NOLINT: view
  SequenceCode own() const { return {head, std::string(tail)}; }
  friend bool operator==(const SequenceView& a, const SequenceView& b) {
    return a.head == b.head && a.tail == b.tail;
  }
  friend std::strong_ordering operator<=>(const SequenceView& a, const SequenceView& b) {
    if (a.head != b.head) return a.head <=> b.head;
    const int order = a.tail.compare(b.tail);
    return order <=> 0;
  }
};
// True where codes of the type have no tail.
bool has_short_code(const Type& type);
SequenceCode sequence_code(const Column& column, size_t row);
// Appends the value of a sequence code to `out`.
void decode_sequence(const SequenceCode& code, Column& out);

// Spark's equality of two rows (NULL equals NULL, -0.0 equals 0.0, NaN equals NaN; maps: same
// entries in any order). Requires: same types.
bool same_value(const Column& left, size_t left_row, const Column& right, size_t right_row);

}  // namespace lakebed::value
