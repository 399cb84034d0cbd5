// A system in a process of its own: its memory, bytes and fsyncs are not mixed with the others'.
// The parent asks one thing at a time and waits for the answer.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "systems.h"

namespace lakebed::bench {

class Worker {
 public:
  // Requires: this process has no other thread yet (it forks).
  static std::unique_ptr<Worker> start(const std::string& name, const Workload& workload);
  ~Worker();

  const std::string& name() const { return name_; }
  Status load();
  Result<Cost> apply(uint64_t batch);
  Result<std::string> check();

 private:
  Worker(std::string name, int input, int output, pid_t child)
      : name_(std::move(name)), input_(input), output_(output), child_(child) {}
  Result<std::string> ask(const std::string& question);

  std::string name_;
  int input_;
  int output_;
  pid_t child_;
};

}  // namespace lakebed::bench
