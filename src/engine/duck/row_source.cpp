#include "engine/duck/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/duck/api.h"
#include "engine/duck/convert.h"

namespace lakebed::engine::duck {

// What a scan needs of its source while it runs.
struct RowSource::State {
  std::unique_ptr<value::BatchReader> reader;
  ReaderColumns columns;
  value::Schema schema;  // of the relation
  value::ColumnBatch batch;
  size_t at = 0;          // next row of the batch
  uint64_t rows_before = 0;
  std::optional<Error> failure;

  // Makes sure that a row is at hand; false at the end or after an error.
  bool pull() {
    while (at == batch.rows) {
      rows_before += batch.rows;
      auto next = reader->next();
      if (!next.ok()) {
        failure = std::move(next).error();
        return false;
      }
      if (!next->has_value()) return false;
      batch = std::move(**next);
      at = 0;
    }
    return true;
  }
};

namespace {

// Sources by number. DuckDB's functions get numbers only, so they must find them here.
struct Registry {
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<RowSource::State>> sources;
  int64_t next_id = 1;
};

Registry& registry() {
  static Registry the_registry;
  return the_registry;
}

using StatePointer = std::shared_ptr<RowSource::State>;

struct ScanState {
  StatePointer source;
  std::vector<size_t> columns;  // of the relation, in the order that DuckDB asks for
};

void delete_bind(void* data) { delete static_cast<StatePointer*>(data); }
void delete_scan(void* data) { delete static_cast<ScanState*>(data); }

void bind_rows(duckdb_bind_info info) {
  duckdb_value number = api().bind_get_parameter(info, 0);
  const int64_t id = api().get_int64(number);
  api().destroy_value(&number);
  StatePointer source;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().sources.find(id);
    if (found != registry().sources.end()) source = found->second;
  }
  if (!source) return api().bind_set_error(info, "lakebed_rows: no such source");
  for (const value::Field& field : source->schema) {
    const LogicalType type = make_logical_type(field.type);
    api().bind_add_result_column(info, field.name.c_str(), type.get());
  }
  api().bind_set_bind_data(info, new StatePointer(std::move(source)), delete_bind);
}

void init_rows(duckdb_init_info info) {
  auto scan = std::make_unique<ScanState>();
  scan->source = *static_cast<StatePointer*>(api().init_get_bind_data(info));
  const idx_t count = api().init_get_column_count(info);
  for (idx_t i = 0; i < count; ++i) {
    scan->columns.push_back(api().init_get_column_index(info, i));
  }
  api().init_set_max_threads(info, 1);
  api().init_set_init_data(info, scan.release(), delete_scan);
}

// The file (always 0) and the number of a row, for the order of results.
void fill_ordinals(const RowSource::State& source, size_t which, size_t count,
                   duckdb_vector vector) {
  auto* numbers = static_cast<int64_t*>(api().vector_get_data(vector));
  for (size_t i = 0; i < count; ++i) {
    numbers[i] = which == 0 ? 0 : static_cast<int64_t>(source.rows_before + source.at + i);
  }
}

void next_rows(duckdb_function_info info, duckdb_data_chunk chunk) {
  auto* scan = static_cast<ScanState*>(api().function_get_init_data(info));
  RowSource::State& source = *scan->source;
  if (!source.pull()) {
    if (source.failure) api().function_set_error(info, source.failure->text().c_str());
    api().data_chunk_set_size(chunk, 0);
    return;
  }
  const size_t count = std::min<size_t>(api().vector_size(), source.batch.rows - source.at);
  for (size_t i = 0; i < scan->columns.size(); ++i) {
    const size_t column = scan->columns[i];
    if (column >= source.schema.size()) continue;  // a row number that nobody looks at
    duckdb_vector vector = api().data_chunk_get_vector(chunk, i);
    const size_t plain = source.columns.indexes.size();
    if (column >= plain) {
      fill_ordinals(source, column - plain, count, vector);
    } else {
      fill_vector(source.batch.columns[source.columns.indexes[column]], source.at, count, vector,
                  0);
    }
  }
  source.at += count;
  api().data_chunk_set_size(chunk, count);
}

// Registers the function once a database.
Status register_rows(Database& database) {
  if (!database.note_function("lakebed_rows")) return {};
  LAKEBED_ASSIGN(const auto connection, database.connect());
  duckdb_table_function function = api().create_table_function();
  api().table_function_set_name(function, "lakebed_rows");
  const LogicalType number = make_logical_type(value::Kind::kLong);
  api().table_function_add_parameter(function, number.get());
  api().table_function_set_bind(function, bind_rows);
  api().table_function_set_init(function, init_rows);
  api().table_function_set_function(function, next_rows);
  api().table_function_supports_projection_pushdown(function, true);
  const auto state = api().register_table_function(connection->handle(), function);
  api().destroy_table_function(&function);
  if (state == DuckDBError) return update_error("ENGINE_ERROR", "DuckDB did not take lakebed_rows");
  return {};
}

}  // namespace

Result<std::unique_ptr<RowSource>> RowSource::open(Database& database,
                                                   std::unique_ptr<value::BatchReader> reader,
                                                   const ReaderColumns& columns) {
  LAKEBED_TRY(register_rows(database));
  std::unique_ptr<RowSource> source(new RowSource());
  source->state_ = std::make_shared<State>();
  for (size_t i = 0; i < columns.indexes.size(); ++i) {
    value::Field field = reader->schema()[columns.indexes[i]];
    field.name = columns.names[i];
    source->state_->schema.push_back(std::move(field));
  }
  for (const std::string& name : columns.ordinals) {
    source->state_->schema.push_back({name, value::Kind::kLong, false, "", {}});
  }
  source->state_->reader = std::move(reader);
  source->state_->columns = columns;
  const std::lock_guard lock(registry().mutex);
  source->id_ = registry().next_id++;
  registry().sources[source->id_] = source->state_;
  return source;
}

RowSource::~RowSource() {
  const std::lock_guard lock(registry().mutex);
  registry().sources.erase(id_);
}

std::string RowSource::sql() const { return fmt::format("lakebed_rows({})", id_); }

const std::optional<Error>& RowSource::failure() const { return state_->failure; }

}  // namespace lakebed::engine::duck
