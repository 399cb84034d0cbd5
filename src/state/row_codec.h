// Rows as bytes: how payloads lie in the heap, so that one row is read without decoding others.
//
// A row is: validity bits (one a field, least significant bit first, rounded up to bytes), then
// the fields that are not null, in order. Fixed-width values as in value::Column (little-endian);
// STRING and BINARY: length (varint), bytes; STRUCT: a row; ARRAY: count (varint), validity bits,
// elements; MAP: count, then keys and values each like the elements of an array.
// A row does not say its schema: the heap record around it carries a schema id.
// Objects are cheap to make and not thread-safe while a batch is written or read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value/column.h"

namespace lakebed::state {

// Appends row `row` of the columns. Requires: columns of equal length.
void append_row(const std::vector<value::Column>& columns, size_t row, std::string& out);
// The same with one more field behind them, of type BINARY.
void append_row(const std::vector<value::Column>& columns, size_t row, std::string_view last,
                std::string& out);

// Reads rows written under `stored` into columns of `wanted`: fields are matched by name without
// case, fields that were not stored are NULL, stored fields that are not wanted are skipped, types
// may have been widened since (value::can_widen), inside structs, arrays and maps too.
class RowReader {
 public:
  // Error STATE_SCHEMA_MISMATCH where a stored type does not widen to the wanted one.
  static Result<RowReader> make(const value::Schema& stored, const value::Schema& wanted);

  // Appends the row to each of `columns` (made for `wanted`). Error STATE_DAMAGED where the bytes
  // are no row of the stored schema; the columns are then unusable.
  Status append(std::string_view row, std::vector<value::Column>& columns) const;

  // How one stored field is read; an implementation detail that tests need not know.
  struct Step {
    value::Type stored;
    value::Type wanted;
    std::optional<size_t> target;   // index among the wanted fields; nothing: skipped
    std::vector<Step> children;     // fields of a struct, element, key and value
    std::vector<size_t> absent;     // struct: wanted fields that were not stored
  };

 private:
  Step root_;  // the row as a struct
};

// A schema as JSON text and back, as manifests keep it: names and types, nothing else.
std::string schema_to_json(const value::Schema& schema);
Result<value::Schema> schema_from_json(std::string_view text);

}  // namespace lakebed::state
