#include "engine/duck/scalar_udf.h"

#include <fmt/format.h>

#include <memory>

#include "engine/duck/connection.h"
#include "engine/duck/convert.h"

namespace lakebed::engine::duck {

namespace {

// What DuckDB keeps with a registered function, for the life of the database.
struct Registered {
  ScalarFunction function;
  bool any = false;  // argument types are those of the vectors
};

void report(duckdb_function_info info, const Error& error) {
  const std::string text = error.code + ": " + error.message;
  api().scalar_function_set_error(info, text.c_str());
}

// Owns a copy of a vector. Fields of a struct that DuckDB hands over may be constant or shared
// underneath; copying lays them out flat.
class FlatCopy {
 public:
  FlatCopy(duckdb_vector source, size_t rows) {
    const LogicalType type(api().vector_get_column_type(source));
    copy_ = api().create_vector(type.get(), rows);
    duckdb_selection_vector all = api().create_selection_vector(rows);
    auto* indexes = api().selection_vector_get_data_ptr(all);
    for (size_t i = 0; i < rows; ++i) indexes[i] = static_cast<sel_t>(i);
    api().vector_copy_sel(source, copy_, all, rows, 0, 0);
    api().destroy_selection_vector(all);
  }
  FlatCopy(const FlatCopy&) = delete;
  FlatCopy& operator=(const FlatCopy&) = delete;
  ~FlatCopy() { api().destroy_vector(&copy_); }
  duckdb_vector get() const { return copy_; }

 private:
  duckdb_vector copy_ = nullptr;
};

Result<value::Column> argument_column(duckdb_vector vector, size_t rows,
                                      const std::string& function) {
  const LogicalType duck(api().vector_get_column_type(vector));
  LAKEBED_ASSIGN(auto type, type_of(duck.get(), "an argument of " + function));
  const bool nested = type.is_nested();
  value::Column column(std::move(type));
  if (nested) {
    const FlatCopy flat(vector, rows);
    append_vector(flat.get(), 0, rows, column);
  } else {
    append_vector(vector, 0, rows, column);
  }
  return column;
}

Status call_columns(const ScalarFunction& function, duckdb_data_chunk input,
                    duckdb_vector output) {
  const size_t rows = api().data_chunk_get_size(input);
  std::vector<value::Column> arguments;
  for (idx_t i = 0; i < api().data_chunk_get_column_count(input); ++i) {
    duckdb_vector vector = api().data_chunk_get_vector(input, i);
    LAKEBED_ASSIGN(auto column, argument_column(vector, rows, function.name));
    arguments.push_back(std::move(column));
  }
  value::Column result(function.result);
  LAKEBED_TRY(function.columns(arguments, rows, result));
  LAKEBED_ASSERT(result.size() == rows);
  fill_vector(result, 0, rows, output, 0);
  return {};
}

void run_scalar(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& registered =
      *static_cast<const Registered*>(api().scalar_function_get_extra_info(info));
  const auto& function = registered.function;
  auto status = function.raw ? function.raw(input, output) : call_columns(function, input, output);
  if (!status.ok()) report(info, status.error());
}

class Builder {
 public:
  Builder() : handle_(api().create_scalar_function()) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { api().destroy_scalar_function(&handle_); }
  duckdb_scalar_function get() const { return handle_; }

  void describe(std::unique_ptr<Registered> registered) {
    const auto& function = registered->function;
    api().scalar_function_set_name(handle_, function.name.c_str());
    for (size_t i = 0; i < function.arguments.size(); ++i) {
      const auto type = registered->any ? LogicalType(api().create_logical_type(DUCKDB_TYPE_ANY))
                                        : make_logical_type(function.arguments[i]);
      const bool repeats = function.varargs && i + 1 == function.arguments.size();
      if (repeats) {
        api().scalar_function_set_varargs(handle_, type.get());
      } else {
        api().scalar_function_add_parameter(handle_, type.get());
      }
    }
    const auto result = make_logical_type(function.result);
    api().scalar_function_set_return_type(handle_, result.get());
    api().scalar_function_set_special_handling(handle_);
    if (function.is_volatile) api().scalar_function_set_volatile(handle_);
    api().scalar_function_set_function(handle_, run_scalar);
    api().scalar_function_set_extra_info(
        handle_, registered.release(),
        [](void* kept) { delete static_cast<Registered*>(kept); });
  }

 private:
  duckdb_scalar_function handle_;
};

Status refused(const std::string& name) {
  return update_error("ENGINE_ERROR", fmt::format("DuckDB refused the function {}", name));
}

}  // namespace

Status register_scalar(Connection& connection, std::vector<ScalarFunction> overloads) {
  LAKEBED_ASSERT(!overloads.empty());
  const std::string name = overloads[0].name;
  duckdb_scalar_function_set set = api().create_scalar_function_set(name.c_str());
  bool good = true;
  for (auto& overload : overloads) {
    Builder builder;
    auto registered = std::make_unique<Registered>();
    registered->function = std::move(overload);
    builder.describe(std::move(registered));
    good = api().add_scalar_function_to_set(set, builder.get()) == DuckDBSuccess && good;
  }
  good = api().register_scalar_function_set(connection.handle(), set) == DuckDBSuccess && good;
  api().destroy_scalar_function_set(&set);
  return good ? Status() : refused(name);
}

Status register_any_scalar(Connection& connection, const std::string& name, size_t arguments,
                           bool varargs, value::Type result, ColumnFunction function) {
  auto registered = std::make_unique<Registered>();
  registered->any = true;
  registered->function.name = name;
  registered->function.arguments.resize(arguments);
  registered->function.varargs = varargs;
  registered->function.result = std::move(result);
  registered->function.columns = std::move(function);
  Builder builder;
  builder.describe(std::move(registered));
  const auto state = api().register_scalar_function(connection.handle(), builder.get());
  return state == DuckDBSuccess ? Status() : refused(name);
}

void raw_set_null(duckdb_vector output, idx_t row) {
  api().vector_ensure_validity_writable(output);
  api().validity_set_row_invalid(api().vector_get_validity(output), row);
}

void raw_set_text(duckdb_vector output, idx_t row, std::string_view text) {
  api().vector_assign_string_element_len(output, row, text.data(), text.size());
}

}  // namespace lakebed::engine::duck
