// Runs the workloads and prints one table: ours and the peers, batch by batch in turn.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include "engine/duck/api.h"
#include "worker.h"

namespace lakebed::bench {

namespace {

struct Plan {
  std::string name;
  Workload workload;
  std::vector<std::string> systems;  // the first is ours
  uint64_t warm_up = 1;
  uint64_t batches = 5;
  std::map<std::string, uint64_t> at_most;  // batches of systems that take too long
};

using Costs = std::map<std::string, std::vector<Cost>>;

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

std::vector<double> walls(const std::vector<Cost>& costs) {
  std::vector<double> out;
  for (const Cost& cost : costs) out.push_back(cost.wall_ms);
  return out;
}

double cpu_median(const std::vector<Cost>& costs) {
  std::vector<double> out;
  for (const Cost& cost : costs) out.push_back(cost.cpu_ms);
  return quantile(out, 0.5);
}

// Ours over theirs, pair by pair: batches that both have.
std::vector<double> ratios(const std::vector<Cost>& ours, const std::vector<Cost>& theirs) {
  std::vector<double> out;
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    out.push_back(ours[i].wall_ms / theirs[i].wall_ms);
  }
  return out;
}

void print_row(const Plan& plan, const std::string& system, const Costs& costs) {
  const std::vector<Cost>& own = costs.at(system);
  if (own.empty()) return;
  const std::vector<Cost>& ours = costs.at("ours");
  const std::vector<double> time = walls(own);
  const std::vector<double> ratio = ratios(ours, own);
  Cost peak = own.front();
  for (const Cost& cost : own) {
    peak.anonymous_peak = std::max(peak.anonymous_peak, cost.anonymous_peak);
    peak.mapped_peak = std::max(peak.mapped_peak, cost.mapped_peak);
  }
  const Cost& last = own.back();
  fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} / {:.2f} / {:.2f} | "
             "{:.2f} | {:.0f} | {:.0f} | {:.2f} | {} | {} | {} |\n",
             plan.name, plan.workload.shape.rows, system, own.size(), quantile(time, 0),
             quantile(time, 0.5), quantile(time, 0.99), cpu_median(own), quantile(ratio, 0),
             quantile(ratio, 0.5), quantile(ratio, 1), cpu_median(ours) / cpu_median(own),
             static_cast<double>(peak.anonymous_peak) / 1048576.0,
             static_cast<double>(peak.mapped_peak) / 1048576.0,
             static_cast<double>(last.bytes_written) / 1e6, last.fsyncs, last.rows_decoded,
             last.target_rows);
  std::fflush(stdout);
}

Status check(Worker& worker, const Checksum& wanted) {
  LAKEBED_ASSIGN(const std::string found, worker.check());
  if (found.empty() || found == wanted.text()) return {};
  return update_error("BENCH.WRONG", fmt::format("{} holds {}, the naive answer is {}",
                                                 worker.name(), found, wanted.text()));
}

Status run_plan(const Plan& plan) {
  fmt::print(stderr, "{} at {} rows\n", plan.name, plan.workload.shape.rows);
  std::filesystem::remove_all(plan.workload.folder);
  std::filesystem::create_directories(plan.workload.folder);
  const auto feed = Worker::start("feed", plan.workload);
  LAKEBED_TRY(feed->load());
  std::vector<std::unique_ptr<Worker>> workers;
  for (const std::string& name : plan.systems) {
    workers.push_back(Worker::start(name, plan.workload));
    LAKEBED_TRY(workers.back()->load());
  }
  Costs costs;
  for (const std::string& name : plan.systems) costs[name];
  std::map<uint64_t, Checksum> wanted;
  Oracle oracle(plan.workload.shape);
  const uint64_t last = plan.warm_up + plan.batches;
  for (uint64_t batch = 1; batch <= last; ++batch) {
    LAKEBED_ASSIGN([[maybe_unused]] const Cost made, feed->apply(batch));
    if (!plan.workload.snapshots) oracle.apply(batch);
    uint64_t bytes = 0;
    for (const auto& worker : workers) {
      const auto most = plan.at_most.find(worker->name());
      const uint64_t until = most == plan.at_most.end() ? last : plan.warm_up + most->second;
      if (batch > until) continue;
      LAKEBED_ASSIGN(const Cost cost, worker->apply(worker->name() == "LB5" ? bytes : batch));
      if (worker->name() == "ours") bytes = cost.bytes_written;
      if (batch > plan.warm_up) costs[worker->name()].push_back(cost);
      if (batch == until) {
        if (!wanted.contains(batch)) {
          wanted[batch] = plan.workload.snapshots ? copy_answer(plan.workload.shape, batch)
                                                  : oracle.answer();
        }
        LAKEBED_TRY(check(*worker, wanted[batch]));
      }
    }
  }
  for (const std::string& name : plan.systems) print_row(plan, name, costs);
  workers.clear();
  std::filesystem::remove_all(plan.workload.folder);
  return {};
}

std::vector<Plan> plans(const std::string& folder, const std::vector<uint64_t>& sizes,
                        uint64_t commits) {
  std::vector<Plan> out;
  for (const uint64_t rows : sizes) {
    Plan w1{"W1", {folder + "/w1", {rows, 100'000, false}, false, false},
            {"ours", "merge", "delete+insert", "LB1", "LB5"}, 1, 5, {}};
    if (rows > 1'000'000) w1.at_most["merge"] = 1;
    out.push_back(w1);
  }
  for (const bool history : {false, true}) {
    for (const uint64_t rows : sizes) {
      Plan w10{history ? "W10 SCD2" : "W10", {folder + "/w10", {rows, 0, false}, false, history},
               {"ours", "decode", "LB4"}, 1, 7, {}};
      w10.workload.snapshots = true;
      out.push_back(w10);
    }
  }
  for (const uint64_t rows : sizes) {
    if (rows < 1'000'000) continue;
    out.push_back({"W5", {folder + "/w5", {rows, 1'000, false}, true, false},
                   {"ours", "delete+insert", "LB5"}, 5, commits, {{"delete+insert", 50}}});
    out.push_back({"SCD2", {folder + "/scd2", {rows, 1'000, true}, false, true},
                   {"ours", "delete+insert", "LB5"}, 2, 10, {}});
  }
  return out;
}

int run(const std::string& folder, const std::vector<uint64_t>& sizes, uint64_t commits,
        const std::string& only, bool alone) {
  fmt::print("DuckDB {}; {} processors\n\n", engine::duck::kDuckVersion,
             std::thread::hardware_concurrency());
  fmt::print("| workload | rows | system | batches | min ms | median ms | p99 ms | cpu ms "
             "| ours / it min / median / max | cpu ours / it | anonymous MiB | mapped MiB "
             "| MB written | fsyncs | feed rows decoded | target rows decoded |\n"
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (Plan plan : plans(folder, sizes, commits)) {
    if (!only.empty() && plan.name != only) continue;
    if (alone) plan.systems = {"ours"};
    if (const Status done = run_plan(plan); !done.ok()) {
      fmt::print(stderr, "{}: {}\n", done.error().code, done.error().message);
      return 1;
    }
  }
  return 0;
}

}  // namespace

}  // namespace lakebed::bench

int main(int argc, char** argv) {
  CLI::App app("Times whole batches, ours and others', from feed file to durable commit.");
  std::string folder = "build/bench";
  std::string only;
  std::vector<uint64_t> sizes = {100'000, 1'000'000};
  uint64_t commits = 1000;
  app.add_option("--folder", folder, "where feeds and tables are made; it is emptied");
  app.add_option("--rows", sizes, "sizes of the target")->delimiter(',');
  app.add_option("--commits", commits, "commits of W5");
  app.add_option("--only", only, "W1, W5, SCD2, W10 or W10 SCD2");
  bool alone = false;
  app.add_flag("--alone", alone, "no peers: for a profiler");
  CLI11_PARSE(app, argc, argv);
  return lakebed::bench::run(std::filesystem::absolute(folder).string(), sizes, commits, only,
                             alone);
}
