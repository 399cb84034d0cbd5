// The functions of DuckDB's C API (V1) that Lakebed uses, as a table of pointers filled from the
// shared library when it is first needed: a program that never runs a query never loads it.
//
// Members are called as the C functions are, without the prefix: api().query(...) is
// duckdb_query(...). Types, enums and contracts are those of duckdb.h. Nothing else in the code
// base may call a C function of DuckDB. Thread-safe once loaded.
#pragma once

#include <duckdb.h>

#include <string>

#include "base/result.h"

namespace lakebed::engine::duck {

struct Api {
  decltype(&::duckdb_library_version) library_version = nullptr;
  decltype(&::duckdb_open_ext) open_ext = nullptr;
  decltype(&::duckdb_close) close = nullptr;
  decltype(&::duckdb_connect) connect = nullptr;
  decltype(&::duckdb_disconnect) disconnect = nullptr;
  decltype(&::duckdb_interrupt) interrupt = nullptr;
  decltype(&::duckdb_create_config) create_config = nullptr;
  decltype(&::duckdb_set_config) set_config = nullptr;
  decltype(&::duckdb_destroy_config) destroy_config = nullptr;
  decltype(&::duckdb_query) query = nullptr;
  decltype(&::duckdb_destroy_result) destroy_result = nullptr;
  decltype(&::duckdb_result_error) result_error = nullptr;
  decltype(&::duckdb_result_error_type) result_error_type = nullptr;
  decltype(&::duckdb_result_statement_type) result_statement_type = nullptr;
  decltype(&::duckdb_column_count) column_count = nullptr;
  decltype(&::duckdb_column_name) column_name = nullptr;
  decltype(&::duckdb_column_logical_type) column_logical_type = nullptr;
  decltype(&::duckdb_rows_changed) rows_changed = nullptr;
  decltype(&::duckdb_prepare) prepare = nullptr;
  decltype(&::duckdb_destroy_prepare) destroy_prepare = nullptr;
  decltype(&::duckdb_prepare_error) prepare_error = nullptr;
  decltype(&::duckdb_bind_value) bind_value = nullptr;
  decltype(&::duckdb_bind_varchar_length) bind_varchar_length = nullptr;
  decltype(&::duckdb_bind_blob) bind_blob = nullptr;
  decltype(&::duckdb_bind_int64) bind_int64 = nullptr;
  decltype(&::duckdb_pending_prepared_streaming) pending_prepared_streaming = nullptr;
  decltype(&::duckdb_pending_error) pending_error = nullptr;
  decltype(&::duckdb_destroy_pending) destroy_pending = nullptr;
  decltype(&::duckdb_execute_pending) execute_pending = nullptr;
  decltype(&::duckdb_fetch_chunk) fetch_chunk = nullptr;
  decltype(&::duckdb_execute_prepared) execute_prepared = nullptr;
  decltype(&::duckdb_malloc) malloc = nullptr;
  decltype(&::duckdb_free) free = nullptr;
  decltype(&::duckdb_vector_size) vector_size = nullptr;
  decltype(&::duckdb_create_logical_type) create_logical_type = nullptr;
  decltype(&::duckdb_create_list_type) create_list_type = nullptr;
  decltype(&::duckdb_create_map_type) create_map_type = nullptr;
  decltype(&::duckdb_create_struct_type) create_struct_type = nullptr;
  decltype(&::duckdb_create_decimal_type) create_decimal_type = nullptr;
  decltype(&::duckdb_destroy_logical_type) destroy_logical_type = nullptr;
  decltype(&::duckdb_get_type_id) get_type_id = nullptr;
  decltype(&::duckdb_decimal_width) decimal_width = nullptr;
  decltype(&::duckdb_decimal_scale) decimal_scale = nullptr;
  decltype(&::duckdb_decimal_internal_type) decimal_internal_type = nullptr;
  decltype(&::duckdb_list_type_child_type) list_type_child_type = nullptr;
  decltype(&::duckdb_map_type_key_type) map_type_key_type = nullptr;
  decltype(&::duckdb_map_type_value_type) map_type_value_type = nullptr;
  decltype(&::duckdb_struct_type_child_count) struct_type_child_count = nullptr;
  decltype(&::duckdb_struct_type_child_name) struct_type_child_name = nullptr;
  decltype(&::duckdb_struct_type_child_type) struct_type_child_type = nullptr;
  decltype(&::duckdb_logical_type_get_alias) logical_type_get_alias = nullptr;
  decltype(&::duckdb_array_type_child_type) array_type_child_type = nullptr;
  decltype(&::duckdb_array_type_array_size) array_type_array_size = nullptr;
  decltype(&::duckdb_create_data_chunk) create_data_chunk = nullptr;
  decltype(&::duckdb_destroy_data_chunk) destroy_data_chunk = nullptr;
  decltype(&::duckdb_data_chunk_reset) data_chunk_reset = nullptr;
  decltype(&::duckdb_data_chunk_get_column_count) data_chunk_get_column_count = nullptr;
  decltype(&::duckdb_data_chunk_get_vector) data_chunk_get_vector = nullptr;
  decltype(&::duckdb_data_chunk_get_size) data_chunk_get_size = nullptr;
  decltype(&::duckdb_data_chunk_set_size) data_chunk_set_size = nullptr;
  decltype(&::duckdb_create_vector) create_vector = nullptr;
  decltype(&::duckdb_destroy_vector) destroy_vector = nullptr;
  decltype(&::duckdb_vector_get_column_type) vector_get_column_type = nullptr;
  decltype(&::duckdb_vector_get_data) vector_get_data = nullptr;
  decltype(&::duckdb_vector_get_validity) vector_get_validity = nullptr;
  decltype(&::duckdb_vector_ensure_validity_writable) vector_ensure_validity_writable = nullptr;
  decltype(&::duckdb_vector_assign_string_element_len) vector_assign_string_element_len = nullptr;
  decltype(&::duckdb_list_vector_get_child) list_vector_get_child = nullptr;
  decltype(&::duckdb_list_vector_get_size) list_vector_get_size = nullptr;
  decltype(&::duckdb_list_vector_set_size) list_vector_set_size = nullptr;
  decltype(&::duckdb_list_vector_reserve) list_vector_reserve = nullptr;
  decltype(&::duckdb_struct_vector_get_child) struct_vector_get_child = nullptr;
  decltype(&::duckdb_vector_copy_sel) vector_copy_sel = nullptr;
  decltype(&::duckdb_create_selection_vector) create_selection_vector = nullptr;
  decltype(&::duckdb_destroy_selection_vector) destroy_selection_vector = nullptr;
  decltype(&::duckdb_selection_vector_get_data_ptr) selection_vector_get_data_ptr = nullptr;
  decltype(&::duckdb_vector_reference_value) vector_reference_value = nullptr;
  decltype(&::duckdb_vector_reference_vector) vector_reference_vector = nullptr;
  decltype(&::duckdb_validity_set_row_invalid) validity_set_row_invalid = nullptr;
  decltype(&::duckdb_validity_set_row_valid) validity_set_row_valid = nullptr;
  decltype(&::duckdb_validity_row_is_valid) validity_row_is_valid = nullptr;
  decltype(&::duckdb_create_scalar_function) create_scalar_function = nullptr;
  decltype(&::duckdb_destroy_scalar_function) destroy_scalar_function = nullptr;
  decltype(&::duckdb_scalar_function_set_name) scalar_function_set_name = nullptr;
  decltype(&::duckdb_scalar_function_set_varargs) scalar_function_set_varargs = nullptr;
  decltype(&::duckdb_scalar_function_set_special_handling)
      scalar_function_set_special_handling = nullptr;
  decltype(&::duckdb_scalar_function_set_volatile) scalar_function_set_volatile = nullptr;
  decltype(&::duckdb_scalar_function_add_parameter) scalar_function_add_parameter = nullptr;
  decltype(&::duckdb_scalar_function_set_return_type) scalar_function_set_return_type = nullptr;
  decltype(&::duckdb_scalar_function_set_extra_info) scalar_function_set_extra_info = nullptr;
  decltype(&::duckdb_scalar_function_set_bind) scalar_function_set_bind = nullptr;
  decltype(&::duckdb_scalar_function_set_bind_data) scalar_function_set_bind_data = nullptr;
  decltype(&::duckdb_scalar_function_set_bind_data_copy)
      scalar_function_set_bind_data_copy = nullptr;
  decltype(&::duckdb_scalar_function_bind_set_error) scalar_function_bind_set_error = nullptr;
  decltype(&::duckdb_scalar_function_set_function) scalar_function_set_function = nullptr;
  decltype(&::duckdb_register_scalar_function) register_scalar_function = nullptr;
  decltype(&::duckdb_scalar_function_get_extra_info) scalar_function_get_extra_info = nullptr;
  decltype(&::duckdb_scalar_function_bind_get_extra_info)
      scalar_function_bind_get_extra_info = nullptr;
  decltype(&::duckdb_scalar_function_get_bind_data) scalar_function_get_bind_data = nullptr;
  decltype(&::duckdb_scalar_function_set_error) scalar_function_set_error = nullptr;
  decltype(&::duckdb_scalar_function_bind_get_argument_count)
      scalar_function_bind_get_argument_count = nullptr;
  decltype(&::duckdb_scalar_function_bind_get_argument) scalar_function_bind_get_argument = nullptr;
  decltype(&::duckdb_create_scalar_function_set) create_scalar_function_set = nullptr;
  decltype(&::duckdb_destroy_scalar_function_set) destroy_scalar_function_set = nullptr;
  decltype(&::duckdb_add_scalar_function_to_set) add_scalar_function_to_set = nullptr;
  decltype(&::duckdb_register_scalar_function_set) register_scalar_function_set = nullptr;
  decltype(&::duckdb_expression_return_type) expression_return_type = nullptr;
  decltype(&::duckdb_expression_is_foldable) expression_is_foldable = nullptr;
  decltype(&::duckdb_destroy_expression) destroy_expression = nullptr;
  decltype(&::duckdb_create_aggregate_function) create_aggregate_function = nullptr;
  decltype(&::duckdb_destroy_aggregate_function) destroy_aggregate_function = nullptr;
  decltype(&::duckdb_aggregate_function_set_name) aggregate_function_set_name = nullptr;
  decltype(&::duckdb_aggregate_function_add_parameter) aggregate_function_add_parameter = nullptr;
  decltype(&::duckdb_aggregate_function_set_return_type)
      aggregate_function_set_return_type = nullptr;
  decltype(&::duckdb_aggregate_function_set_functions) aggregate_function_set_functions = nullptr;
  decltype(&::duckdb_aggregate_function_set_destructor) aggregate_function_set_destructor = nullptr;
  decltype(&::duckdb_register_aggregate_function) register_aggregate_function = nullptr;
  decltype(&::duckdb_aggregate_function_set_special_handling)
      aggregate_function_set_special_handling = nullptr;
  decltype(&::duckdb_aggregate_function_set_extra_info) aggregate_function_set_extra_info = nullptr;
  decltype(&::duckdb_aggregate_function_get_extra_info) aggregate_function_get_extra_info = nullptr;
  decltype(&::duckdb_aggregate_function_set_error) aggregate_function_set_error = nullptr;
  decltype(&::duckdb_create_aggregate_function_set) create_aggregate_function_set = nullptr;
  decltype(&::duckdb_destroy_aggregate_function_set) destroy_aggregate_function_set = nullptr;
  decltype(&::duckdb_add_aggregate_function_to_set) add_aggregate_function_to_set = nullptr;
  decltype(&::duckdb_register_aggregate_function_set) register_aggregate_function_set = nullptr;
  decltype(&::duckdb_create_table_function) create_table_function = nullptr;
  decltype(&::duckdb_destroy_table_function) destroy_table_function = nullptr;
  decltype(&::duckdb_table_function_set_name) table_function_set_name = nullptr;
  decltype(&::duckdb_table_function_add_parameter) table_function_add_parameter = nullptr;
  decltype(&::duckdb_table_function_add_named_parameter)
      table_function_add_named_parameter = nullptr;
  decltype(&::duckdb_table_function_set_extra_info) table_function_set_extra_info = nullptr;
  decltype(&::duckdb_table_function_set_bind) table_function_set_bind = nullptr;
  decltype(&::duckdb_table_function_set_init) table_function_set_init = nullptr;
  decltype(&::duckdb_table_function_set_local_init) table_function_set_local_init = nullptr;
  decltype(&::duckdb_table_function_set_function) table_function_set_function = nullptr;
  decltype(&::duckdb_table_function_supports_projection_pushdown)
      table_function_supports_projection_pushdown = nullptr;
  decltype(&::duckdb_register_table_function) register_table_function = nullptr;
  decltype(&::duckdb_bind_get_extra_info) bind_get_extra_info = nullptr;
  decltype(&::duckdb_bind_add_result_column) bind_add_result_column = nullptr;
  decltype(&::duckdb_bind_get_parameter_count) bind_get_parameter_count = nullptr;
  decltype(&::duckdb_bind_get_parameter) bind_get_parameter = nullptr;
  decltype(&::duckdb_bind_set_bind_data) bind_set_bind_data = nullptr;
  decltype(&::duckdb_bind_set_cardinality) bind_set_cardinality = nullptr;
  decltype(&::duckdb_bind_set_error) bind_set_error = nullptr;
  decltype(&::duckdb_init_get_extra_info) init_get_extra_info = nullptr;
  decltype(&::duckdb_init_get_bind_data) init_get_bind_data = nullptr;
  decltype(&::duckdb_init_set_init_data) init_set_init_data = nullptr;
  decltype(&::duckdb_init_get_column_count) init_get_column_count = nullptr;
  decltype(&::duckdb_init_get_column_index) init_get_column_index = nullptr;
  decltype(&::duckdb_init_set_max_threads) init_set_max_threads = nullptr;
  decltype(&::duckdb_init_set_error) init_set_error = nullptr;
  decltype(&::duckdb_function_get_extra_info) function_get_extra_info = nullptr;
  decltype(&::duckdb_function_get_bind_data) function_get_bind_data = nullptr;
  decltype(&::duckdb_function_get_init_data) function_get_init_data = nullptr;
  decltype(&::duckdb_function_get_local_init_data) function_get_local_init_data = nullptr;
  decltype(&::duckdb_function_set_error) function_set_error = nullptr;
  decltype(&::duckdb_destroy_value) destroy_value = nullptr;
  decltype(&::duckdb_create_varchar_length) create_varchar_length = nullptr;
  decltype(&::duckdb_create_int64) create_int64 = nullptr;
  decltype(&::duckdb_create_blob) create_blob = nullptr;
  decltype(&::duckdb_get_int64) get_int64 = nullptr;
  decltype(&::duckdb_get_varchar) get_varchar = nullptr;
  decltype(&::duckdb_arrow_scan) arrow_scan = nullptr;
};

// Loads the library, once a process. It is looked for at $LAKEBED_DUCKDB (a file), beside the
// executable, under ../lib, deps/duckdb/lib and build/deps/duckdb/lib from there, and where the
// build was told that it lies. Error: ENGINE_NOT_FOUND, which names the places;
// ENGINE_VERSION when the library lacks a function or is of another version.
Status load_api();

// Requires: load_api() was successful.
const Api& api();

// The version of DuckDB that the code was written and tested for.
inline constexpr const char* kDuckVersion = "v1.5.6";

}  // namespace lakebed::engine::duck
