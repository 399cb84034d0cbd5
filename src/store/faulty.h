// A store that fails on purpose, around another one, for tests of crashes and unclear answers.
#pragma once

#include <functional>

#include "store/store.h"

namespace lakebed::store {

enum class Fault : uint8_t {
  kNone,
  kFail,       // the call does nothing and returns an error
  kTorn,       // put: half of the bytes are written, then as kDie; other calls as kDie
  kUnclear,    // the call takes effect, but returns an error
  kDie,        // the call does nothing; from then on every call fails (the process is dead)
  kDieAfter,   // the call takes effect; from then on every call fails
};

struct FaultPlan {
  // Decides the fate of each changing call (put, put_if_absent, sync, remove), counted from 0.
  std::function<Fault(uint64_t call, std::string_view operation, const std::string& path)> decide;
  std::string code = "STORE.IO";
};

class FaultyStore : public Store {
 public:
  virtual uint64_t changing_calls() const = 0;  // so far
  virtual bool dead() const = 0;
};

// Does not own `inner`. Fault n-th call: [n](auto call, auto, auto&) { return call == n ? ... }.
std::unique_ptr<FaultyStore> faulty_store(Store& inner, FaultPlan plan);

}  // namespace lakebed::store
