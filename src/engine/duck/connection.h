// One DuckDB instance in memory, and connections to it, set up as the engine needs them.
//
// Settings: the caller's memory limit, threads and folder for spilling; insertion order is kept
// (row positions are remembered); no extension is ever loaded or fetched; TimeZone is the session
// time zone, so DuckDB's own casts between TIMESTAMPTZ and wall clock are in it. Every statement
// goes through a Connection, so that messages of DuckDB become errors with Spark's codes in one
// place. A connection has at most one open stream of rows: each open query has its own. One
// thread at a time.
#pragma once

#include <duckdb.h>

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace lakebed::engine::duck {

class Connection;

class Database : public std::enable_shared_from_this<Database> {
 public:
  // Loads the library, opens the instance, registers our functions.
  static Result<std::shared_ptr<Database>> open(const EngineOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // A connection of its own, new or used before. It goes back when it is destroyed.
  Result<std::unique_ptr<Connection>> connect();

  const std::string& time_zone() const { return time_zone_; }
  int threads() const { return threads_; }
  uint64_t memory_limit() const { return memory_limit_; }
  // Notes that the function of that name is registered; false where it was before.
  bool note_function(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return functions_.insert(name).second;
  }
  // A name for a view or an object of the database that no other has.
  std::string fresh_name(const std::string& prefix);

 private:
  friend class Connection;
  Database() = default;
  Status start(const EngineOptions& options);
  Status configure(const EngineOptions& options);

  duckdb_database database_ = nullptr;
  std::string time_zone_;
  int threads_ = 1;
  uint64_t memory_limit_ = 0;
  std::mutex mutex_;
  std::vector<duckdb_connection> idle_;
  std::set<std::string> functions_;
  uint64_t next_name_ = 0;
};

class Connection {
 public:
  Connection(std::shared_ptr<Database> database, duckdb_connection connection);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  duckdb_connection handle() const { return connection_; }
  Database& database() const { return *database_; }
  // Closes the connection when it is destroyed, instead of keeping it for others: for one whose
  // stream of rows was left before its end, and whose transaction may be open.
  void retire() { retired_ = true; }

  // Runs a statement whose rows are not needed. Returns the number of rows it changed or wrote.
  Result<uint64_t> execute(const std::string& sql);
  // Runs a statement; the caller destroys the result. Rows come as they are made.
  Result<duckdb_result> stream(const std::string& sql);
  // The first column of the first row of a statement, as text. Error when there is none.
  Result<std::string> value_of(const std::string& sql);

 private:
  std::shared_ptr<Database> database_;
  duckdb_connection connection_ = nullptr;
  bool retired_ = false;
};

// Spark's error for a message of DuckDB: a "CODE: message" of ours is taken as it is; overflow,
// division by zero, failed casts, memory and files have their codes; all else is ENGINE_ERROR.
Error translate_error(std::string_view message);

}  // namespace lakebed::engine::duck
