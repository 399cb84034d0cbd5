// C++ functions inside DuckDB's expressions.
//
// Two levels: a ColumnFunction sees the arguments as value::Columns and fills a Column (simple,
// costs a conversion); a RawFunction reads and writes DuckDB's vectors itself (fast, for hot
// scalar functions). Both see NULLs and decide themselves. An Error that they return stops the
// query and reaches the engine's caller unchanged. Functions are called by many threads at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/duck/api.h"
#include "value/column.h"

namespace lakebed::engine::duck {

class Connection;

// `arguments` have `rows` rows each; `result` is empty and of the declared type: append `rows`.
using ColumnFunction = std::function<Status(const std::vector<value::Column>& arguments,
                                            size_t rows, value::Column& result)>;
// `output` takes data_chunk_get_size(input) rows. Vectors of `input` are flat.
using RawFunction = std::function<Status(duckdb_data_chunk input, duckdb_vector output)>;

struct ScalarFunction {
  std::string name;                        // as called from SQL, prefix "lb_"
  std::vector<value::Type> arguments;
  value::Type result;
  bool varargs = false;   // the last argument's type repeats, none or more times
  bool is_volatile = false;  // not to be computed once for equal arguments
  ColumnFunction columns;  // exactly one of the two
  RawFunction raw;
};

// Registers a function; several with one name and other argument types are overloads: give them
// in one call.
Status register_scalar(Connection& connection, std::vector<ScalarFunction> overloads);

// A function over arguments of any type (hashes, comparisons of maps): the columns' types are
// those of the call. Types of DuckDB that are not Spark's are an error when it is called.
Status register_any_scalar(Connection& connection, const std::string& name, size_t arguments,
                           bool varargs, value::Type result, ColumnFunction function);

// --- access to flat vectors, for RawFunction -----------------------------------------------------

inline bool raw_is_null(const uint64_t* validity, idx_t row) {
  return validity != nullptr && ((validity[row / 64] >> (row % 64)) & 1U) == 0;
}
// The bytes of a VARCHAR or BLOB value. The view lives as long as `item` does.
inline std::string_view raw_text(const duckdb_string_t& item) {
  const uint32_t length = item.value.inlined.length;
  return {length <= 12 ? item.value.inlined.inlined : item.value.pointer.ptr, length};
}
void raw_set_null(duckdb_vector output, idx_t row);
void raw_set_text(duckdb_vector output, idx_t row, std::string_view text);

}  // namespace lakebed::engine::duck
