#include "engine/duck/connection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "engine/duck/api.h"
#include "engine/duck/builtins.h"
#include "engine/duck/functions/render.h"
#include "value/text.h"

namespace lakebed::engine::duck {

namespace {

uint64_t half_of_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return uint64_t{1} << 30;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) / 2;
}

int all_cores() {
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

struct Setting {
  const char* name;
  std::string value;
};

}  // namespace

Result<std::shared_ptr<Database>> Database::open(const EngineOptions& options) {
  LAKEBED_TRY(load_api());
  std::shared_ptr<Database> database(new Database());
  LAKEBED_TRY(database->start(options));
  LAKEBED_TRY(database->configure(options));
  LAKEBED_ASSIGN(auto connection, database->connect());
  LAKEBED_TRY(register_builtins(*connection));
  LAKEBED_TRY(register_functions(*connection));
  return database;
}

Database::~Database() {
  for (auto& connection : idle_) api().disconnect(&connection);
  if (database_ != nullptr) api().close(&database_);
}

Status Database::start(const EngineOptions& options) {
  threads_ = options.threads > 0 ? options.threads : all_cores();
  memory_limit_ =
      options.memory_limit_bytes > 0 ? options.memory_limit_bytes : half_of_memory();
  duckdb_config config = nullptr;
  if (api().create_config(&config) == DuckDBError) {
    return update_error("ENGINE_ERROR", "DuckDB gave no configuration");
  }
  const Setting settings[] = {
      {"threads", std::to_string(threads_)},
      {"memory_limit", fmt::format("{}B", memory_limit_)},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"preserve_insertion_order", "true"},
      {"temp_directory", options.temp_directory},
  };
  std::string refused;
  for (const auto& setting : settings) {
    const auto state = api().set_config(config, setting.name, setting.value.c_str());
    if (state == DuckDBError && refused.empty()) refused = setting.name;
  }
  char* message = nullptr;
  const auto opened = api().open_ext(":memory:", &database_, config, &message);
  api().destroy_config(&config);
  if (opened == DuckDBError || !refused.empty()) {
    const std::string text = message == nullptr ? "setting " + refused : message;
    if (message != nullptr) api().free(message);
    return update_error("ENGINE_ERROR", "DuckDB did not open: " + text);
  }
  return {};
}

namespace {

// A fixed offset ("+02:00", "UTC+5") as the library knows it: "Etc/GMT-2", its sign turned. It has
// names for whole hours only; for others the given name comes back.
std::string offset_name(const std::string& zone) {
  const size_t sign = zone.rfind("UTC", 0) == 0 || zone.rfind("GMT", 0) == 0 ? 3 : 0;
  if (zone.size() <= sign || (zone[sign] != '+' && zone[sign] != '-')) return zone;
  const int64_t seconds = value::zone_offset_seconds(0, zone);
  if (seconds % 3600 != 0) return zone;
  const int64_t hours = seconds / 3600;
  return fmt::format("Etc/GMT{}{}", hours > 0 ? '-' : '+', hours > 0 ? hours : -hours);
}

}  // namespace

Status Database::configure(const EngineOptions& options) {
  LAKEBED_ASSIGN(auto connection, connect());
  time_zone_ = options.time_zone;
  for (const std::string& name : {options.time_zone, offset_name(options.time_zone)}) {
    if (connection->execute("SET GLOBAL TimeZone = " + quote_text(name)).ok()) return {};
  }
  return project_error("INVALID_TIMEZONE",
                       fmt::format("the time zone '{}' is not known", options.time_zone))
      .with_hint("use a name such as Europe/Berlin, or an offset of whole hours such as +02:00");
}

Result<std::unique_ptr<Connection>> Database::connect() {
  {
    const std::lock_guard guard(mutex_);
    if (!idle_.empty()) {
      duckdb_connection used = idle_.back();
      idle_.pop_back();
      return std::make_unique<Connection>(shared_from_this(), used);
    }
  }
  duckdb_connection made = nullptr;
  if (api().connect(database_, &made) == DuckDBError) {
    return update_error("ENGINE_ERROR", "DuckDB gave no connection");
  }
  auto connection = std::make_unique<Connection>(shared_from_this(), made);
  // Room for rows that threads have ready: with DuckDB's 1 MB they would wait for the reader.
  LAKEBED_ASSIGN([[maybe_unused]] auto set,
                 connection->execute("SET streaming_buffer_size = '32MB'"));
  return connection;
}

std::string Database::fresh_name(const std::string& prefix) {
  const std::lock_guard guard(mutex_);
  return prefix + std::to_string(++next_name_);
}

Connection::Connection(std::shared_ptr<Database> database, duckdb_connection connection)
    : database_(std::move(database)), connection_(connection) {}

Connection::~Connection() {
  if (retired_) {
    api().disconnect(&connection_);
    return;
  }
  const std::lock_guard guard(database_->mutex_);
  database_->idle_.push_back(connection_);
}

Result<uint64_t> Connection::execute(const std::string& sql) {
  duckdb_result result;
  const auto state = api().query(connection_, sql.c_str(), &result);
  if (state == DuckDBError) {
    Error error = translate_error(api().result_error(&result));
    api().destroy_result(&result);
    return error;
  }
  uint64_t changed = 0;
  if (api().result_statement_type(result) == DUCKDB_STATEMENT_TYPE_COPY) {
    duckdb_data_chunk chunk = api().fetch_chunk(result);
    if (chunk != nullptr) {
      const auto* counts = static_cast<const int64_t*>(
          api().vector_get_data(api().data_chunk_get_vector(chunk, 0)));
      changed = static_cast<uint64_t>(counts[0]);
      api().destroy_data_chunk(&chunk);
    }
  } else {
    changed = api().rows_changed(&result);
  }
  api().destroy_result(&result);
  return changed;
}

Result<duckdb_result> Connection::stream(const std::string& sql) {
  duckdb_prepared_statement statement = nullptr;
  if (api().prepare(connection_, sql.c_str(), &statement) == DuckDBError) {
    Error error = translate_error(api().prepare_error(statement));
    api().destroy_prepare(&statement);
    return error;
  }
  duckdb_pending_result pending = nullptr;
  duckdb_result result;
  if (api().pending_prepared_streaming(statement, &pending) == DuckDBError) {
    Error error = translate_error(api().pending_error(pending));
    api().destroy_pending(&pending);
    api().destroy_prepare(&statement);
    return error;
  }
  const auto state = api().execute_pending(pending, &result);
  api().destroy_pending(&pending);
  api().destroy_prepare(&statement);
  if (state == DuckDBError) {
    Error error = translate_error(api().result_error(&result));
    api().destroy_result(&result);
    return error;
  }
  return result;
}

Result<std::string> Connection::value_of(const std::string& sql) {
  LAKEBED_ASSIGN(duckdb_result result, stream("SELECT CAST((" + sql + ") AS VARCHAR)"));
  retire();  // the rows are not read to the end
  duckdb_data_chunk chunk = api().fetch_chunk(result);
  if (chunk == nullptr) {
    const char* message = api().result_error(&result);
    Error error = translate_error(message == nullptr ? "no row" : message);
    api().destroy_result(&result);
    return error;
  }
  duckdb_vector vector = api().data_chunk_get_vector(chunk, 0);
  const auto* texts = static_cast<const duckdb_string_t*>(api().vector_get_data(vector));
  const uint64_t* validity = api().vector_get_validity(vector);
  std::string out;
  if (validity == nullptr || (validity[0] & 1U) != 0) {
    const uint32_t length = texts[0].value.inlined.length;
    out.assign(length <= 12 ? texts[0].value.inlined.inlined : texts[0].value.pointer.ptr, length);
  }
  api().destroy_data_chunk(&chunk);
  api().destroy_result(&result);
  return out;
}

}  // namespace lakebed::engine::duck
