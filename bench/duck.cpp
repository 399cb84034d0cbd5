#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "engine/duck/connection.h"
#include "make.h"

namespace lakebed::bench {

namespace {

using engine::duck::Connection;
using engine::duck::Database;

// The newest change of each key in the batch, sorted by key.
constexpr const char* kWinners =
    "(SELECT * FROM {0} QUALIFY row_number() OVER (PARTITION BY id ORDER BY sequence DESC) = 1 "
    "ORDER BY id)";

class Duck : public System {
 public:
  Duck(std::string name, const Workload& workload) : name_(std::move(name)), workload_(workload) {}

  Status load() override {
    engine::EngineOptions options;
    options.temp_directory = workload_.folder + "/spill";
    LAKEBED_ASSIGN(database_, Database::open(options));
    LAKEBED_ASSIGN(connection_, database_->connect());
    LAKEBED_TRY(execute("SET preserve_insertion_order = false"));
    if (is_bound()) return {};
    LAKEBED_TRY(execute(fmt::format("ATTACH '{}/{}.duckdb' AS peer", workload_.folder, name_)));
    return execute(
        fmt::format("CREATE TABLE peer.target AS SELECT * EXCLUDE (op){} "
                    "FROM read_parquet('{}/load/*.parquet')",
                    workload_.history ? ", sequence AS start_at, NULL::BIGINT AS end_at" : "",
                    workload_.folder));
  }

  Result<Cost> apply(uint64_t batch) override {
    const std::string feed = source(feed_path(workload_, batch));
    LAKEBED_ASSIGN(Cost cost, measure([&] { return apply_feed(feed); }));
    LAKEBED_ASSIGN(const std::string bytes,
                   connection_->value_of("SELECT sum(memory_usage_bytes) FROM duckdb_memory()"));
    cost.duckdb_bytes = std::stoull(bytes);
    return cost;
  }

  Result<std::string> check() override {
    if (is_bound()) return std::string();
    std::string text;
    for (const char* part : {"a", "b", "c", "d"}) {
      LAKEBED_ASSIGN(
          const std::string value,
          connection_->value_of(fmt::format(
              "SELECT CAST({} AS VARCHAR) FROM (SELECT {} FROM peer.target{}) t(a, b, "
              "c, d)",
              part, checksum_columns(), workload_.history ? " WHERE end_at IS NULL" : "")));
      text += (text.empty() ? "" : "|") + value;
    }
    return text;
  }

 private:
  Status apply_feed(const std::string& feed) {
    if (is_bound()) return sort_and_write(feed);
    if (workload_.history) return apply_history(feed);
    return name_ == "merge" ? apply_merge(feed) : apply_delete_insert(feed);
  }
  bool is_bound() const { return name_ == "LB1" || name_ == "LB3"; }
  std::string source(const std::string& file) const {
    if (!workload_.json) return fmt::format("read_parquet('{}')", file);
    return fmt::format(
        "read_json('{}', format = 'newline_delimited', columns = {{id: 'BIGINT', sequence: "
        "'BIGINT', op: 'VARCHAR', name: 'VARCHAR', city: 'VARCHAR', quantity: 'INTEGER', amount: "
        "'DECIMAL(12,2)', score: 'DOUBLE', born: 'DATE', note: 'VARCHAR'}})",
        file);
  }
  Status execute(const std::string& sql) {
    LAKEBED_ASSIGN([[maybe_unused]] const uint64_t changed, connection_->execute(sql));
    return {};
  }

  Status apply_merge(const std::string& feed) {
    return execute(fmt::format(
        "MERGE INTO peer.target t USING {} s ON t.id = s.id "
        "WHEN MATCHED AND s.sequence > t.sequence AND s.op = 'd' THEN DELETE "
        "WHEN MATCHED AND s.sequence > t.sequence THEN UPDATE SET sequence = s.sequence, "
        "name = s.name, city = s.city, quantity = s.quantity, amount = s.amount, "
        "score = s.score, born = s.born, note = s.note "
        "WHEN NOT MATCHED AND s.op <> 'd' THEN INSERT (id, sequence, name, city, quantity, amount, "
        "score, born, note) VALUES (s.id, s.sequence, s.name, s.city, s.quantity, s.amount, "
        "s.score, s.born, s.note)",
        fmt::format(fmt::runtime(kWinners), feed)));
  }

  // A winner that is older than the table's row deletes nothing and must not be inserted.
  Status apply_delete_insert(const std::string& feed) {
    LAKEBED_TRY(execute("BEGIN"));
    LAKEBED_TRY(execute("CREATE OR REPLACE TEMP TABLE winners AS FROM " +
                        fmt::format(fmt::runtime(kWinners), feed)));
    LAKEBED_TRY(
        execute("DELETE FROM winners USING peer.target t WHERE winners.id = t.id AND "
                "t.sequence >= winners.sequence"));
    LAKEBED_TRY(execute("DELETE FROM peer.target t USING winners w WHERE t.id = w.id"));
    LAKEBED_TRY(
        execute("INSERT INTO peer.target SELECT * EXCLUDE (op) FROM winners "
                "WHERE op <> 'd' ORDER BY id"));
    return execute("COMMIT");
  }

  // In order, updates only, one a key: what the SCD type 2 workload holds.
  Status apply_history(const std::string& feed) {
    LAKEBED_TRY(execute("BEGIN"));
    LAKEBED_TRY(execute("CREATE OR REPLACE TEMP TABLE winners AS FROM " + feed));
    LAKEBED_TRY(
        execute("UPDATE peer.target t SET end_at = w.sequence FROM winners w "
                "WHERE t.id = w.id AND t.end_at IS NULL"));
    LAKEBED_TRY(
        execute("INSERT INTO peer.target SELECT * EXCLUDE (op), sequence, NULL "
                "FROM winners ORDER BY id"));
    return execute("COMMIT");
  }

  Status sort_and_write(const std::string& feed) {
    const std::string file = workload_.folder + "/bound.parquet";
    const std::string rows =
        name_ == "LB3" ? fmt::format("SELECT f.* FROM {} f, range(3)", feed) : "FROM " + feed;
    LAKEBED_TRY(execute(fmt::format(
        "COPY ({} ORDER BY id) TO '{}' (FORMAT parquet, COMPRESSION zstd)", rows, file)));
    const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    fsync(opened);
    close(opened);
    return {};
  }

  std::string name_;
  Workload workload_;
  std::shared_ptr<Database> database_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace

std::unique_ptr<System> make_duck(const std::string& name, const Workload& workload) {
  return std::make_unique<Duck>(name, workload);
}

}  // namespace lakebed::bench
