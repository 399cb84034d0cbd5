// DuckDB's vectors and types to and from value::Columns. Flat columns are moved by memcpy.
//
// A vector of an expected Spark type is in the DuckDB type duck_type() of it, nothing else; a
// query's renderer sees to that. Where a vector's struct is NULL, its fields read NULL here,
// whatever lies below.
#pragma once

#include <duckdb.h>

#include "base/result.h"
#include "value/column.h"

namespace lakebed::engine::duck {

// Owns a logical type.
class LogicalType {
 public:
  explicit LogicalType(duckdb_logical_type type) : type_(type) {}
  LogicalType(LogicalType&& other) noexcept : type_(other.type_) { other.type_ = nullptr; }
  LogicalType& operator=(LogicalType&&) = delete;
  ~LogicalType();
  duckdb_logical_type get() const { return type_; }

 private:
  duckdb_logical_type type_;
};

// The DuckDB type that carries values of a Spark type.
LogicalType make_logical_type(const value::Type& type);

// The Spark type of a DuckDB type. `what` is named in the error UNSUPPORTED_TYPE when DuckDB's
// type has no equal (unsigned 64-bit and 128-bit integers, TIME, UUID, ENUM, ...).
Result<value::Type> type_of(duckdb_logical_type type, const std::string& what);

// True where vectors of the DuckDB type hold exactly the layout expected for the Spark type.
bool carries(duckdb_logical_type duck, const value::Type& type);

// Appends rows [first, first + count) of a flat vector to `out`.
// Requires: carries(type of the vector, out.type()).
void append_vector(duckdb_vector vector, size_t first, size_t count, value::Column& out);

// Writes rows [first, first + count) of a column to rows [at, at + count) of a vector.
void fill_vector(const value::Column& column, size_t first, size_t count, duckdb_vector vector,
                 size_t at);

}  // namespace lakebed::engine::duck
