#include "probe.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace {
std::atomic<uint64_t> fsync_count{0};
}

// The executable exports its symbols: DuckDB's library calls these, too.
extern "C" int fsync(int file) {
  ++fsync_count;
  return static_cast<int>(syscall(SYS_fsync, file));
}
extern "C" int fdatasync(int file) {
  ++fsync_count;
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace lakebed::bench {

namespace {

struct Resident {
  uint64_t anonymous = 0;
  uint64_t mapped = 0;
};

Resident resident() {
  std::ifstream in("/proc/self/statm");
  uint64_t total = 0, pages = 0, shared = 0;
  in >> total >> pages >> shared;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return {(pages - shared) * page, shared * page};
}

uint64_t written() {
  std::ifstream in("/proc/self/io");
  std::string name;
  uint64_t number = 0;
  while (in >> name >> number) {
    if (name == "wchar:") return number;
  }
  return 0;
}

double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// Looks at the memory every few milliseconds while it lives.
class Sampler {
 public:
  Sampler() : thread_([this] { watch(); }) {}
  ~Sampler() { stop(); }
  void stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Resident peak() const { return peak_; }

 private:
  void look() {
    const Resident now = resident();
    peak_.anonymous = std::max(peak_.anonymous, now.anonymous);
    peak_.mapped = std::max(peak_.mapped, now.mapped);
  }
  void watch() {
    while (!done_) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    look();
  }
  std::atomic<bool> done_{false};
  Resident peak_;
  std::thread thread_;
};

}  // namespace

std::string Cost::text() const {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", wall_ms, cpu_ms, commit_wall_ms,
                     commit_cpu_ms, fsyncs, bytes_written, anonymous_peak, mapped_peak,
                     duckdb_bytes, rows_decoded, target_rows);
}

Cost Cost::parse(const std::string& line) {
  std::istringstream in(line);
  Cost cost;
  in >> cost.wall_ms >> cost.cpu_ms >> cost.commit_wall_ms >> cost.commit_cpu_ms >> cost.fsyncs >>
      cost.bytes_written >> cost.anonymous_peak >> cost.mapped_peak >> cost.duckdb_bytes >>
      cost.rows_decoded >> cost.target_rows;
  return cost;
}

Moment now() { return {std::chrono::steady_clock::now(), cpu_ms()}; }

Result<Cost> measure(const std::function<Status()>& work, const Moment* committed) {
  Sampler sampler;
  const uint64_t fsyncs = fsync_count;
  const uint64_t bytes = written();
  const Moment start = now();
  LAKEBED_TRY(work());
  const Moment end = now();
  const Moment commit = committed ? *committed : end;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Cost cost;
  cost.wall_ms = Milliseconds(end.wall - start.wall).count();
  cost.cpu_ms = end.cpu_ms - start.cpu_ms;
  cost.commit_wall_ms = Milliseconds(commit.wall - start.wall).count();
  cost.commit_cpu_ms = commit.cpu_ms - start.cpu_ms;
  cost.fsyncs = fsync_count - fsyncs;
  cost.bytes_written = written() - bytes;
  sampler.stop();
  cost.anonymous_peak = sampler.peak().anonymous;
  cost.mapped_peak = sampler.peak().mapped;
  return cost;
}

}  // namespace lakebed::bench
