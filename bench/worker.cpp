#include "worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

namespace lakebed::bench {

namespace {

std::optional<std::string> read_line(int file) {
  std::string line;
  char c = 0;
  while (read(file, &c, 1) == 1) {
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

void write_line(int file, std::string line) {
  for (char& c : line) c = c == '\n' ? ' ' : c;
  line += '\n';
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = write(file, line.data() + done, line.size() - done);
    if (wrote <= 0) return;
    done += static_cast<size_t>(wrote);
  }
}

Result<std::string> answer(System& system, const std::string& question) {
  if (question == "load") {
    LAKEBED_ASSIGN(const Cost cost, measure([&system] { return system.load(); }));
    return cost.text();
  }
  if (question == "check") return system.check();
  LAKEBED_ASSIGN(const Cost cost, system.apply(std::stoull(question)));
  return cost.text();
}

void serve(System& system, int questions, int answers) {
  while (const auto question = read_line(questions)) {
    const auto text = answer(system, *question);
    write_line(answers,
               text.ok() ? "ok " + *text : "no " + text.error().code + ": " + text.error().message);
  }
}

}  // namespace

std::unique_ptr<Worker> Worker::start(const std::string& name, const Workload& workload) {
  int questions[2];
  int answers[2];
  if (pipe2(questions, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) return nullptr;
  const pid_t child = fork();
  if (child == 0) {
    close(questions[1]);
    close(answers[0]);
    {
      const auto system = make_system(name, workload);
      serve(*system, questions[0], answers[1]);
    }
    _exit(0);
  }
  close(questions[0]);
  close(answers[1]);
  return std::unique_ptr<Worker>(new Worker(name, questions[1], answers[0], child));
}

Worker::~Worker() {
  close(input_);
  close(output_);
  // Later workers hold copies of our pipe's end, so its closing alone may not end this one.
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

Result<std::string> Worker::ask(const std::string& question) {
  write_line(input_, question);
  const auto line = read_line(output_);
  if (!line) return update_error("BENCH.WORKER", name_ + " died at " + question);
  if (line->rfind("ok ", 0) != 0) return update_error("BENCH.WORKER", name_ + ": " + *line);
  return line->substr(3);
}

Status Worker::load() {
  LAKEBED_ASSIGN(const std::string text, ask("load"));
  const Cost cost = Cost::parse(text);
  if (cost.wall_ms > 1000) {
    fmt::print(stderr, "  {} loaded in {:.1f} s, {:.0f} MiB\n", name_, cost.wall_ms / 1e3,
               static_cast<double>(cost.anonymous_peak) / 1048576.0);
  }
  return {};
}

Result<Cost> Worker::apply(uint64_t batch) {
  LAKEBED_ASSIGN(const std::string text, ask(std::to_string(batch)));
  return Cost::parse(text);
}

Result<std::string> Worker::check() { return ask("check"); }

}  // namespace lakebed::bench
