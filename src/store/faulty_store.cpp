#include <fmt/format.h>

#include <atomic>

#include "store/faulty.h"

namespace lakebed::store {
namespace {

class Faulty : public FaultyStore {
 public:
  Faulty(Store& inner, FaultPlan plan) : inner_(inner), plan_(std::move(plan)) {}

  Result<std::string> read(const std::string& path) override {
    LAKEBED_TRY(alive(path));
    return inner_.read(path);
  }
  Result<std::string> read_range(const std::string& path, uint64_t offset,
                                 uint64_t length) override {
    LAKEBED_TRY(alive(path));
    return inner_.read_range(path, offset, length);
  }
  Result<std::unique_ptr<Mapping>> map(const std::string& path) override {
    LAKEBED_TRY(alive(path));
    return inner_.map(path);
  }
  Result<ObjectInfo> stat(const std::string& path) override {
    LAKEBED_TRY(alive(path));
    return inner_.stat(path);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& folder) override {
    LAKEBED_TRY(alive(folder));
    return inner_.list(folder);
  }
  Result<std::vector<ObjectInfo>> list_from(const std::string& folder,
                                            const std::string& from) override {
    LAKEBED_TRY(alive(folder));
    return inner_.list_from(folder, from);
  }
  Result<std::string> local_path(const std::string& path) override {
    LAKEBED_TRY(alive(path));
    return inner_.local_path(path);
  }
  Result<std::unique_ptr<Lock>> try_lock(const std::string& path) override {
    LAKEBED_TRY(alive(path));
    return inner_.try_lock(path);
  }
  StoreCounters counters() const override { return inner_.counters(); }

  Status put(const std::string& path, std::string_view bytes) override {
    const Fault fault = fate("put", path);
    if (fault == Fault::kTorn) {
      LAKEBED_TRY(inner_.put(path, bytes.substr(0, bytes.size() / 2)));
    }
    if (takes_effect(fault)) LAKEBED_TRY(inner_.put(path, bytes));
    return verdict(fault, path);
  }

  // An atomic put is never torn: half of it is as if it had not been.
  Result<bool> put_if_absent(const std::string& path, std::string_view bytes) override {
    const Fault fault = fate("put_if_absent", path);
    bool placed = false;
    if (takes_effect(fault)) {
      LAKEBED_ASSIGN(placed, inner_.put_if_absent(path, bytes));
    }
    LAKEBED_TRY(verdict(fault, path));
    return placed;
  }

  Status sync(const std::vector<std::string>& paths) override {
    const std::string first = paths.empty() ? std::string() : paths.front();
    const Fault fault = fate("sync", first);
    if (takes_effect(fault)) LAKEBED_TRY(inner_.sync(paths));
    return verdict(fault, first);
  }

  Status remove(const std::string& path) override {
    const Fault fault = fate("remove", path);
    if (takes_effect(fault)) LAKEBED_TRY(inner_.remove(path));
    return verdict(fault, path);
  }

  uint64_t changing_calls() const override { return calls_; }
  bool dead() const override { return dead_; }

 private:
  static bool takes_effect(Fault fault) {
    return fault == Fault::kNone || fault == Fault::kUnclear || fault == Fault::kDieAfter;
  }

  Fault fate(std::string_view operation, const std::string& path) {
    const uint64_t call = calls_++;
    if (dead_) return Fault::kFail;
    const Fault fault = plan_.decide ? plan_.decide(call, operation, path) : Fault::kNone;
    if (fault == Fault::kDie || fault == Fault::kTorn || fault == Fault::kDieAfter) dead_ = true;
    return fault;
  }

  Status verdict(Fault fault, const std::string& path) const {
    if (fault == Fault::kNone) return {};
    return update_error(plan_.code, fmt::format("'{}': a fault was injected.", path));
  }

  Status alive(const std::string& path) const {
    if (!dead_) return {};
    return update_error(plan_.code, fmt::format("'{}': the store is dead.", path));
  }

  Store& inner_;
  FaultPlan plan_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<bool> dead_{false};
};

}  // namespace

std::unique_ptr<FaultyStore> faulty_store(Store& inner, FaultPlan plan) {
  return std::make_unique<Faulty>(inner, std::move(plan));
}

}  // namespace lakebed::store
