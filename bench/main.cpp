// Runs the workloads and prints one table: ours and the peers, batch by batch in turn.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
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

template <typename Number>
std::vector<double> column(const std::vector<Cost>& costs, Number Cost::* member) {
  std::vector<double> out;
  for (const Cost& cost : costs) out.push_back(static_cast<double>(cost.*member));
  return out;
}

template <typename Number>
double median(const std::vector<Cost>& costs, Number Cost::* member) {
  return quantile(column(costs, member), 0.5);
}

template <typename Number>
double mean(const std::vector<Cost>& costs, Number Cost::* member) {
  double sum = 0;
  for (const Cost& cost : costs) sum += static_cast<double>(cost.*member);
  return sum / static_cast<double>(std::max<size_t>(costs.size(), 1));
}

template <typename Number>
double greatest_mib(const std::vector<Cost>& costs, Number Cost::* member) {
  return quantile(column(costs, member), 1) / 1048576.0;
}

// Ours over theirs until the commit, pair by pair: batches that both have.
std::vector<double> ratios(const std::vector<Cost>& ours, const std::vector<Cost>& theirs) {
  std::vector<double> out;
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    out.push_back(ours[i].commit_wall_ms / theirs[i].commit_wall_ms);
  }
  return out;
}

constexpr const char* kHead =
    "| workload | rows | system | batches | to commit: min ms | median ms | p99 ms | cpu ms "
    "| ours / it min / median / max | cpu ours / it | with upkeep: mean ms | mean cpu ms "
    "| mean cpu ours / it | anonymous MiB | mapped MiB | DuckDB MiB | mean MB written "
    "| median fsyncs | feed rows decoded | target rows decoded |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

void print_row(const Plan& plan, const std::string& system, const Costs& costs) {
  const std::vector<Cost>& own = costs.at(system);
  if (own.empty()) return;
  const std::vector<Cost>& ours = costs.at("ours");
  const std::vector<double> time = column(own, &Cost::commit_wall_ms);
  const std::vector<double> ratio = ratios(ours, own);
  fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} ", plan.name,
             plan.workload.shape.rows, system, own.size(), quantile(time, 0), quantile(time, 0.5),
             quantile(time, 0.99), median(own, &Cost::commit_cpu_ms));
  fmt::print("| {:.2f} / {:.2f} / {:.2f} | {:.2f} | {:.1f} | {:.1f} | {:.2f} ", quantile(ratio, 0),
             quantile(ratio, 0.5), quantile(ratio, 1),
             median(ours, &Cost::commit_cpu_ms) / median(own, &Cost::commit_cpu_ms),
             mean(own, &Cost::wall_ms), mean(own, &Cost::cpu_ms),
             mean(ours, &Cost::cpu_ms) / mean(own, &Cost::cpu_ms));
  fmt::print("| {:.0f} | {:.0f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} |\n",
             greatest_mib(own, &Cost::anonymous_peak), greatest_mib(own, &Cost::mapped_peak),
             greatest_mib(own, &Cost::duckdb_bytes), mean(own, &Cost::bytes_written) / 1e6,
             median(own, &Cost::fsyncs), median(own, &Cost::rows_decoded),
             quantile(column(own, &Cost::target_rows), 1));
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
  const bool bitemporal = plan.workload.shape.bitemporal();
  Oracle oracle(bitemporal ? Shape{1, 0} : plan.workload.shape);
  BitemporalOracle beliefs(bitemporal ? plan.workload.shape : Shape{1, 0, false, 1});
  const uint64_t last = plan.warm_up + plan.batches;
  for (uint64_t batch = 1; batch <= last; ++batch) {
    LAKEBED_ASSIGN([[maybe_unused]] const Cost made, feed->apply(batch));
    if (bitemporal) beliefs.apply(batch);
    if (!bitemporal && !plan.workload.snapshots) oracle.apply(batch);
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
                          : bitemporal            ? beliefs.answer()
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
    Plan w1{"W1",
            {folder + "/w1", {rows, 100'000, false}, false, false},
            {"ours", "merge", "delete+insert", "LB1", "LB5"},
            1,
            5,
            {}};
    if (rows > 1'000'000) w1.at_most["merge"] = 1;
    out.push_back(w1);
  }
  for (const bool history : {false, true}) {
    for (const uint64_t rows : sizes) {
      Plan w10{history ? "W10 SCD2" : "W10",
               {folder + "/w10", {rows, 0, false}, false, history},
               {"ours", "decode", "LB4"},
               1,
               7,
               {}};
      w10.workload.snapshots = true;
      out.push_back(w10);
    }
  }
  for (const uint64_t rows : sizes) {
    if (rows < 1'000'000) continue;
    out.push_back({"W5",
                   {folder + "/w5", {rows, 1'000, false}, true, false},
                   {"ours", "delete+insert", "LB5"},
                   5,
                   commits,
                   {{"delete+insert", 50}}});
    out.push_back({"SCD2",
                   {folder + "/scd2", {rows, 1'000, true}, false, true},
                   {"ours", "delete+insert", "LB5"},
                   2,
                   10,
                   {}});
  }
  // W9: as many versions in all, of many keys and of few.
  for (const uint64_t versions : {uint64_t{1}, uint64_t{5000}}) {
    for (const uint64_t rows : sizes) {
      if (rows < 1'000'000) continue;
      Shape shape{rows, 100'000};
      shape.versions = versions;
      out.push_back({fmt::format("W9, {} a key", versions),
                     {folder + "/w9", shape, false, false},
                     {"ours", "LB3", "LB5"},
                     1,
                     5,
                     {}});
    }
  }
  return out;
}

// Ours, and of the others those that are asked for.
void choose(Plan& plan, const std::vector<std::string>& peers) {
  std::erase_if(plan.systems, [&](const std::string& name) {
    return name != "ours" && std::find(peers.begin(), peers.end(), name) == peers.end();
  });
}

int run(const std::string& folder, const std::vector<uint64_t>& sizes, uint64_t commits,
        const std::string& only, const std::optional<std::vector<std::string>>& peers) {
  fmt::print("DuckDB {}; {} processors\n\n", engine::duck::kDuckVersion,
             std::thread::hardware_concurrency());
  fmt::print("{}", kHead);
  for (Plan plan : plans(folder, sizes, commits)) {
    if (!only.empty() && plan.name.substr(0, plan.name.find(',')) != only) continue;
    if (peers) choose(plan, *peers);
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
  app.add_option("--only", only, "W1, W5, SCD2, W9, W10 or W10 SCD2");
  std::vector<std::string> peers;
  const auto* named = app.add_option("--peers", peers, "only these of the others")->delimiter(',');
  bool alone = false;
  app.add_flag("--alone", alone, "no peers: for a profiler");
  CLI11_PARSE(app, argc, argv);
  std::optional<std::vector<std::string>> chosen;
  if (alone || named->count() > 0) chosen = peers;
  return lakebed::bench::run(std::filesystem::absolute(folder).string(), sizes, commits, only,
                             chosen);
}
