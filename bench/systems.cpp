#include "systems.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/engine.h"
#include "make.h"
#include "value/text.h"

namespace lakebed::bench {

namespace {

constexpr uint64_t kRowsOfLoadFile = 500'000;

// Writes feed files; the initial table in parts.
class Feed : public System {
 public:
  explicit Feed(const Workload& workload) : workload_(workload) {}

  Status load() override {
    LAKEBED_ASSIGN(engine_, engine::open_duck_engine({}));
    std::filesystem::create_directories(workload_.folder + "/load");
    std::filesystem::create_directories(workload_.folder + "/changes");
    const uint64_t rows = workload_.shape.rows;
    if (workload_.snapshots) return write_copy(0);
    for (uint64_t first = 0, part = 0; first < rows; first += kRowsOfLoadFile, ++part) {
      const auto batch =
          feed_rows(workload_.shape, 0, first, std::min(kRowsOfLoadFile, rows - first));
      LAKEBED_TRY(write(fmt::format("{}/load/load-{:03d}.parquet", workload_.folder, part), batch));
    }
    return {};
  }

  Result<Cost> apply(uint64_t batch) override {
    if (workload_.snapshots) {
      LAKEBED_TRY(write_copy(batch));
      return Cost{};
    }
    const auto rows = feed_rows(workload_.shape, batch, 0, workload_.shape.changes);
    const std::string path = feed_path(workload_, batch);
    if (!workload_.json) {
      LAKEBED_TRY(write(path, rows));
      return Cost{};
    }
    std::string text;
    for (size_t row = 0; row < rows.rows; ++row) {
      value::append_json_row(rows, row, "UTC", text);
      text += '\n';
    }
    std::ofstream(path) << text;
    return Cost{};
  }

  Result<std::string> check() override { return std::string(); }

 private:
  Status write(const std::string& path, const value::ColumnBatch& rows) {
    LAKEBED_ASSIGN([[maybe_unused]] const auto written,
                   engine_->write_parquet(path, rows.schema, {&rows}, {}));
    return {};
  }
  Status write_copy(uint64_t batch) {
    return write(feed_path(workload_, batch), copy_rows(workload_.shape, batch));
  }
  Workload workload_;
  std::unique_ptr<engine::Engine> engine_;
};

// What any durable commit of so many bytes costs.
class Commit : public System {
 public:
  explicit Commit(const Workload& workload) : folder_(workload.folder) {}
  Status load() override { return {}; }
  Result<Cost> apply(uint64_t bytes) override {
    const std::string text(bytes, 'x');
    const std::string file = folder_ + "/bound.tmp";
    const std::string name = folder_ + "/bound.committed";
    unlink(name.c_str());
    return measure([&]() -> Status {
      const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
      const ssize_t wrote = write(opened, text.data(), text.size());
      fsync(opened);
      close(opened);
      const int linked = link(file.c_str(), name.c_str());
      const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      fsync(folder);
      close(folder);
      if (wrote != static_cast<ssize_t>(text.size()) || linked != 0) {
        return update_error("BENCH.WRITE", "could not write " + name);
      }
      return {};
    });
  }
  Result<std::string> check() override { return std::string(); }

 private:
  std::string folder_;
};

}  // namespace

std::string feed_path(const Workload& workload, uint64_t batch) {
  return fmt::format("{}/changes/change-{:06d}.{}", workload.folder, batch,
                     workload.json ? "json" : "parquet");
}

std::unique_ptr<System> make_system(const std::string& name, const Workload& workload) {
  if (name == "ours") return make_ours(workload);
  if (name == "feed") return std::make_unique<Feed>(workload);
  if (name == "decode" || name == "LB4") return make_decode(name == "LB4", workload);
  if (name == "LB5") return std::make_unique<Commit>(workload);
  return make_duck(name, workload);
}

}  // namespace lakebed::bench
