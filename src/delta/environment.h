// What the delta room needs from outside: the bytes of one table, and lazily the engine.
// The store's root is the table's folder; the log lies under `_delta_log/`.
#pragma once

#include <functional>

#include "base/world.h"
#include "engine/engine.h"
#include "store/store.h"

namespace lakebed::delta {

// Gives the engine, opening it on the first call: most tables are read without it (it is needed
// for checkpoint files only).
using EngineProvider = std::function<Result<engine::Engine*>()>;

struct Environment {
  store::Store& store;
  EngineProvider engine;  // may be empty: a checkpoint that must be read is then an error
  Clock& clock;
  Random& random;
};

}  // namespace lakebed::delta
