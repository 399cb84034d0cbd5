// W10: full copies of a table, one a batch, of which about 2 % of the rows differ from the copy
// before. Ours compares each with what it remembers; "decode" reads it into columns and no more,
// "LB4" also hashes keys and values, which is what any comparison has to do at least.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "engine/engine.h"
#include "make.h"
#include "plan/resolve.h"
#include "run/pipeline/catalog.h"
#include "run/update/flow_run.h"
#include "run/update/update.h"
#include "sql/parse.h"
#include "value/hash.h"

namespace lakebed::bench {

namespace {

// Reads a copy whole through the engine.
class Decode : public System {
 public:
  Decode(bool hashes, const Workload& workload) : hashes_(hashes), workload_(workload) {}

  Status load() override {
    const std::string root = workload_.folder + (hashes_ ? "/lb4" : "/decode");
    std::filesystem::create_directories(root + "/transformations");
    std::ofstream(root + "/transformations/empty.sql") << "";
    std::ofstream(root + "/spark-pipeline.yml")
        << "name: bench\nstorage: storage\nlibraries:\n  - glob:\n      include: "
           "transformations/**\n";
    LAKEBED_ASSIGN(run::Project project, run::load_project(std::nullopt, root));
    session_.emplace(std::move(project), *clock_, *random_);
    LAKEBED_ASSIGN([[maybe_unused]] engine::Engine * loaded, session_->engine());
    return {};
  }

  Result<Cost> apply(uint64_t batch) override {
    return measure([&] { return read(feed_path(workload_, batch)); });
  }

  Result<std::string> check() override { return std::string(); }

 private:
  Status read(const std::string& file) {
    run::QueryCatalog catalog(*session_, nullptr, nullptr);
    auto scan = std::make_shared<plan::Relation>();
    scan->kind = plan::RelationKind::kRead;
    scan->name_parts = {"parquet", file};
    LAKEBED_ASSIGN(const plan::ResolvedQuery query,
                   plan::resolve_query(scan, catalog, session_->resolve_options()));
    LAKEBED_ASSIGN(const auto inputs, run::whole_inputs(query, catalog));
    LAKEBED_ASSIGN(engine::Engine * engine, session_->engine());
    LAKEBED_ASSIGN(const auto reader, engine->run(query, inputs));
    uint64_t sum = 0;
    while (true) {
      LAKEBED_ASSIGN(const auto rows, reader->next());
      if (!rows) break;
      if (hashes_) sum += hash(*rows);
    }
    return sum == 1 ? update_error("BENCH.SUM", "never") : Status{};
  }

  static uint64_t hash(const value::ColumnBatch& rows) {
    std::vector<uint64_t> values(rows.rows, 0);
    for (size_t i = 1; i < rows.columns.size(); ++i) {
      value::add_value_hashes(rows.columns[i], rows.schema[i].name, values);
    }
    return value::key_hashes({&rows.columns[0]}).front().low + values.front();
  }

  bool hashes_;
  Workload workload_;
  std::unique_ptr<Clock> clock_ = system_clock();
  std::unique_ptr<Random> random_ = system_random();
  std::optional<run::Session> session_;
};

}  // namespace

std::string snapshot_pipeline(const Workload& workload) {
  return fmt::format(
      "CREATE OR REFRESH STREAMING TABLE target;\n"
      "CREATE FLOW copies AS AUTO CDC INTO target\n"
      "FROM SNAPSHOT (SELECT * EXCEPT (op) FROM read_files('{0}/feed', format => 'parquet'))\n"
      "WITH VERSION (\n"
      "  SELECT max(CAST(regexp_extract(path, 'change-([0-9]+)', 1) AS BIGINT)) AS number\n"
      "  FROM list_files('{0}/feed')\n"
      "  HAVING NOT EXISTS (SELECT 1 FROM last_snapshot_version())\n"
      "      OR number > (SELECT number FROM last_snapshot_version()))\n"
      "KEYS (id) STORED AS SCD TYPE {1};\n",
      workload.folder, workload.history ? 2 : 1);
}

std::unique_ptr<System> make_decode(bool hashes, const Workload& workload) {
  return std::make_unique<Decode>(hashes, workload);
}

}  // namespace lakebed::bench
