// One DuckDB instance in memory with one connection, set up as the engine needs it.
//
// Settings: the caller's memory limit, threads and folder for spilling; insertion order is kept
// (row positions are remembered); no extension is ever loaded or fetched; TimeZone is the session
// time zone, so DuckDB's own casts between TIMESTAMPTZ and wall clock are in it. Every statement
// goes through here, so that messages of DuckDB become errors with Spark's codes in one place.
// One thread at a time.
#pragma once

#include <duckdb.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/engine.h"

namespace lakebed::engine::duck {

// What C++ functions report while DuckDB runs a statement: the first error, kept whole, because
// DuckDB itself carries only a text. Thread-safe.
class ErrorBox {
 public:
  void put(const Error& error);
  std::optional<Error> take();

 private:
  std::mutex mutex_;
  std::optional<Error> first_;
};

class Connection {
 public:
  // Loads the library, opens the instance, registers our functions.
  static Result<std::unique_ptr<Connection>> open(const EngineOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  duckdb_connection handle() const { return connection_; }
  const std::string& time_zone() const { return time_zone_; }
  int threads() const { return threads_; }
  ErrorBox& errors() { return errors_; }

  // Runs a statement whose rows are not needed.
  Status execute(const std::string& sql);
  // Runs a statement; the caller destroys the result. Rows come as they are made: one streaming
  // result may be open at a time.
  Result<duckdb_result> stream(const std::string& sql);
  // Makes an Error of a message of DuckDB, or gives the one that a function of ours kept.
  Error error_of(const char* message);

 private:
  Connection() = default;
  Status start(const EngineOptions& options);
  Status configure(const EngineOptions& options);

  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  std::string time_zone_;
  int threads_ = 1;
  ErrorBox errors_;
};

// Spark's error for a message of DuckDB: a "CODE: message" of ours is taken as it is; overflow,
// division by zero, failed casts, memory and files have their codes; all else is ENGINE_ERROR.
Error translate_error(std::string_view message);

}  // namespace lakebed::engine::duck
