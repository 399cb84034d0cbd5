#include "run/project/session.h"

#include "run/target/table.h"
#include "sql/parse.h"

namespace lakebed::run {

Session::Session(Project project, Clock& clock, Random& random)
    : project_(std::move(project)), clock_(clock), random_(random) {}

Session::~Session() = default;

Result<engine::Engine*> Session::engine() {
  if (!engine_) {
    engine::EngineOptions options;
    options.memory_limit_bytes = project_.memory_limit_bytes;
    options.temp_directory = (project_.storage / "_spill").string();
    options.time_zone = project_.time_zone;
    LAKEBED_ASSIGN(engine_, engine::open_duck_engine(options));
  }
  return engine_.get();
}

Status Session::set(const std::string& key, const std::string& value, const SourceSpan& span) {
  LAKEBED_TRY(apply_setting(project_, key, value, span));
  project_.configuration[key] = value;
  if (is_setting(key)) engine_.reset();
  return {};
}

source::Surroundings Session::surroundings() {
  source::Surroundings surroundings;
  surroundings.engine = [this] { return engine(); };
  surroundings.parse_schema = [](const std::string& text) { return sql::parse_schema(text); };
  surroundings.time_zone = project_.time_zone;
  surroundings.warehouse = project_.warehouse.string();
  surroundings.folder = project_.root.string();
  surroundings.batch_bytes = project_.batch_bytes_max;
  surroundings.listings = listings_ ? &*listings_ : nullptr;
  return surroundings;
}

plan::ResolveOptions Session::resolve_options() {
  plan::ResolveOptions options;
  options.time_zone = project_.time_zone;
  options.now_us = clock_.now_us();
  return options;
}

delta::Environment Session::environment(store::Store& store) {
  return {store, [this] { return engine(); }, clock_, random_};
}

std::unique_ptr<Table> Session::take_parked(const std::string& key) {
  const auto waiting = parked_.find(key);
  if (waiting == parked_.end()) return nullptr;
  std::unique_ptr<Table> table = std::move(waiting->second);
  parked_.erase(waiting);
  return table;
}

void Session::park(const std::string& key, std::unique_ptr<Table> table) {
  parked_[key] = std::move(table);
}

}  // namespace lakebed::run
