#include "engine/duck/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "engine/duck/api_table.h"

namespace lakebed::engine::duck {

namespace {

constexpr const char* kLibrary = "libduckdb.so";

struct Loaded {
  std::mutex mutex;
  bool done = false;
  Api table;
};

Loaded& loaded() {
  static Loaded state;
  return state;
}

std::vector<std::string> places() {
  std::vector<std::string> out;
  if (const char* given = std::getenv("LAKEBED_DUCKDB"); given != nullptr && *given != '\0') {
    // A choice made by the user is the only place: no other library steps in for a wrong path.
    out.emplace_back(given);
    return out;
  }
  std::error_code failed;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto folder = executable.parent_path();
    for (const char* below : {"", "../lib", "deps/duckdb/lib", "build/deps/duckdb/lib"}) {
      out.push_back((folder / below / kLibrary).lexically_normal().string());
    }
  }
#ifdef LAKEBED_DUCKDB_LIBRARY_FOLDER
  out.push_back(std::string(LAKEBED_DUCKDB_LIBRARY_FOLDER) + "/" + kLibrary);
#endif
  return out;
}

Result<void*> open_library() {
  const auto candidates = places();
  std::string reasons;
  for (const auto& path : candidates) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    reasons += fmt::format(" {}", dlerror());
  }
  auto error = update_error(
      "ENGINE_NOT_FOUND", fmt::format("DuckDB's library {} was not found; searched: {}.{}",
                                      kLibrary, fmt::join(candidates, ", "), reasons));
  error.with_hint("set LAKEBED_DUCKDB to the path of the library, or run tools/setup");
  return error;
}

Status fill(Loaded& state) {
  LAKEBED_ASSIGN(void* library, open_library());
  const auto missing =
      fill_api([&](const char* name) { return dlsym(library, name); }, state.table);
  if (!missing.empty()) {
    return update_error("ENGINE_VERSION",
                        fmt::format("DuckDB's library has no function {}", missing));
  }
  const std::string version = state.table.library_version();
  if (version != kDuckVersion) {
    return update_error("ENGINE_VERSION", fmt::format("DuckDB's library is of version {}, needed "
                                                      "is {}", version, kDuckVersion));
  }
  return {};
}

}  // namespace

Status load_api() {
  Loaded& state = loaded();
  const std::lock_guard guard(state.mutex);
  if (state.done) return {};
  LAKEBED_TRY(fill(state));
  state.done = true;
  return {};
}

const Api& api() { return loaded().table; }

}  // namespace lakebed::engine::duck
