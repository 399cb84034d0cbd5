#include "engine/duck/builtins.h"

#include <fmt/format.h>

#include "engine/duck/row_sets.h"
#include "engine/duck/scalar_udf.h"

namespace lakebed::engine::duck {

namespace {

Status array_position(duckdb_data_chunk input, duckdb_vector output) {
  const idx_t rows = api().data_chunk_get_size(input);
  duckdb_vector index_vector = api().data_chunk_get_vector(input, 0);
  duckdb_vector length_vector = api().data_chunk_get_vector(input, 1);
  const auto* indexes = static_cast<const int64_t*>(api().vector_get_data(index_vector));
  const auto* lengths = static_cast<const int64_t*>(api().vector_get_data(length_vector));
  const uint64_t* index_validity = api().vector_get_validity(index_vector);
  const uint64_t* length_validity = api().vector_get_validity(length_vector);
  auto* out = static_cast<int64_t*>(api().vector_get_data(output));
  for (idx_t i = 0; i < rows; ++i) {
    if (raw_is_null(index_validity, i) || raw_is_null(length_validity, i)) {
      raw_set_null(output, i);
      continue;
    }
    if (indexes[i] < 0 || indexes[i] >= lengths[i]) {
      return update_error("INVALID_ARRAY_INDEX",
                          fmt::format("The index {} is out of bounds. The array has {} elements. "
                                      "Use get() to tolerate an index beyond the array.",
                                      indexes[i], lengths[i]));
    }
    out[i] = indexes[i] + 1;
  }
  return {};
}

}  // namespace

Status register_builtins(Connection& connection) {
  LAKEBED_TRY(register_row_sets(connection));
  ScalarFunction position;
  position.name = "lb_array_position";
  position.arguments = {value::Kind::kLong, value::Kind::kLong};
  position.result = value::Kind::kLong;
  position.raw = array_position;
  return register_scalar(connection, {position});
}

}  // namespace lakebed::engine::duck
