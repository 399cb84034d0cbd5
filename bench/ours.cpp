#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "make.h"
#include "run/sql/sql_session.h"
#include "run/update/update.h"
#include "value/text.h"

namespace lakebed::bench {

namespace {

// Keeps the errors that flows tell, and the moment when a batch was last told as committed.
class Quiet : public run::EventSink {
 public:
  explicit Quiet(Moment& committed) : committed_(committed) {}
  void emit(const run::Event& event) override {
    if (event.level == run::Level::kError) errors += event.message + event.error.dump() + "\n";
    if (event.level == run::Level::kMetrics) committed_ = now();
  }
  std::string errors;

 private:
  Moment& committed_;
};

class FirstRow : public run::RowSink {
 public:
  Status rows(const value::ColumnBatch& batch) override {
    if (batch.rows == 0) return {};
    for (const value::Column& column : batch.columns) {
      text += (text.empty() ? "" : "|") + value::display_text(column, 0, "UTC");
    }
    return {};
  }
  std::string text;
};

class Ours : public System {
 public:
  explicit Ours(const Workload& workload)
      : workload_(workload), project_(workload.folder + "/ours") {}

  Status load() override {
    write_file("spark-pipeline.yml",
               "name: bench\nstorage: storage\nlibraries:\n  - glob:\n      include: "
               "transformations/**\nconfiguration:\n  lakebed.batch.maxBytes: 64MB\n");
    if (workload_.snapshots) {
      write_file("transformations/bench.sql", snapshot_pipeline(workload_));
      LAKEBED_ASSIGN([[maybe_unused]] const Cost first, apply(0));
      return {};
    }
    write_pipeline(fmt::format("read_files('{}/load', format => 'parquet')", workload_.folder));
    LAKEBED_TRY(update());
    std::filesystem::create_directories(workload_.folder + "/feed");
    write_pipeline(fmt::format(
        "read_files('{}/feed', format => '{}', schema => 'id BIGINT, sequence BIGINT, op STRING, "
        "name STRING, city STRING, quantity INT, amount DECIMAL(12, 2), score DOUBLE, born DATE, "
        "note STRING{}')",
        workload_.folder, workload_.json ? "json" : "parquet",
        workload_.shape.bitemporal() ? ", business BIGINT" : ""));
    return {};
  }

  Result<Cost> apply(uint64_t batch) override {
    if (workload_.snapshots) std::filesystem::remove_all(workload_.folder + "/feed");
    std::filesystem::create_directories(workload_.folder + "/feed");
    // The others get their file at the same moment: it is linked where our source looks.
    const std::string file = feed_path(workload_, batch);
    const std::string seen =
        workload_.folder + "/feed/" + std::filesystem::path(file).filename().string();
    std::filesystem::create_hard_link(file, seen);
    const engine::Counters before = counters();
    LAKEBED_ASSIGN(Cost cost, measure([this] { return update(); }, &committed_));
    const engine::Counters after = counters();
    cost.rows_decoded = after.rows_decoded - before.rows_decoded;
    cost.target_rows = after.target_rows_decoded - before.target_rows_decoded;
    LAKEBED_ASSIGN(engine::Engine * engine, session_->engine());
    LAKEBED_ASSIGN(cost.duckdb_bytes, engine->memory_bytes());
    return cost;
  }

  Result<std::string> check() override {
    FirstRow row;
    run::SqlSession sql(*session_);
    LAKEBED_TRY(sql.run(fmt::format("SELECT {} FROM target{}", checksum_columns(), current()),
                        "check", row));
    return row.text;
  }

 private:
  void write_file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(project_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  const char* current() const {
    if (workload_.shape.bitemporal()) return " WHERE __SYSTEM_END_AT IS NULL";
    return workload_.history ? " WHERE __END_AT IS NULL" : "";
  }
  std::string clauses() const {
    if (workload_.shape.bitemporal()) {
      return "SEQUENCE BY business SYSTEM SEQUENCE BY sequence COLUMNS * EXCEPT (op, business) "
             "STORED AS BITEMPORAL";
    }
    return fmt::format("SEQUENCE BY sequence COLUMNS * EXCEPT (op) STORED AS SCD TYPE {}",
                       workload_.history ? 2 : 1);
  }
  void write_pipeline(const std::string& source) {
    write_file("transformations/bench.sql",
               fmt::format("CREATE OR REFRESH STREAMING TABLE target;\n"
                           "CREATE TEMPORARY VIEW feed AS SELECT * FROM STREAM {};\n"
                           "CREATE FLOW apply_feed AS AUTO CDC INTO target FROM STREAM(feed)\n"
                           "KEYS (id) APPLY AS DELETE WHEN op = 'd' {};\n",
                           source, clauses()));
  }
  engine::Counters counters() {
    return session_ && session_->loaded_engine() ? session_->loaded_engine()->counters()
                                                 : engine::Counters{};
  }
  Status update() {
    if (!session_) {
      LAKEBED_ASSIGN(run::Project project, run::load_project(std::nullopt, project_));
      session_.emplace(std::move(project), *clock_, *random_);
    }
    Quiet quiet(committed_);
    LAKEBED_ASSIGN(const run::UpdateResult result, run::run_update(*session_, {}, quiet));
    if (!result.errors.empty()) return result.errors.front();
    if (!quiet.errors.empty()) return update_error("BENCH.UPDATE", quiet.errors);
    return {};
  }

  Workload workload_;
  std::string project_;
  std::unique_ptr<Clock> clock_ = system_clock();
  std::unique_ptr<Random> random_ = system_random();
  std::optional<run::Session> session_;
  Moment committed_;
};

}  // namespace

std::unique_ptr<System> make_ours(const Workload& workload) {
  return std::make_unique<Ours>(workload);
}

}  // namespace lakebed::bench
