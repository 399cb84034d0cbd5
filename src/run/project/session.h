// What every command of one run of the program shares: the project, the engine (loaded when first
// needed), clock and randomness. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/world.h"
#include "delta/environment.h"
#include "engine/engine.h"
#include "plan/resolve.h"
#include "run/project/names.h"
#include "run/project/project.h"
#include "source/listing.h"
#include "source/source.h"
#include "store/store.h"

namespace lakebed::run {

class Table;

class Session {
 public:
  // Requires: clock and random outlive the session.
  Session(Project project, Clock& clock, Random& random);
  ~Session();

  const Project& project() const { return project_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }

  // SET of a session: apply_setting. What the engine was opened with takes effect at its next use.
  Status set(const std::string& key, const std::string& value, const SourceSpan& span);

  // The engine; the first call loads it. Errors: ENGINE_NOT_FOUND, ENGINE_*.
  Result<engine::Engine*> engine();
  // The engine where it was loaded already, else null.
  engine::Engine* loaded_engine() { return engine_.get(); }
  // What sources need of us.
  source::Surroundings surroundings();
  delta::Environment environment(store::Store& store);
  // An update reads what was there when it began: while it runs, each folder is listed once.
  void begin_update() { listings_.emplace(); }
  void end_update() { listings_.reset(); }
  // How queries are resolved now: session time zone, one value of the clock (one a batch).
  plan::ResolveOptions resolve_options();
  NameScope default_scope() const { return {project_.catalog, project_.schema}; }
  // Tables that were read and may be wanted again: Table::open takes them, Table::park puts them
  // here. Nothing where none of that name waits.
  std::unique_ptr<Table> take_parked(const std::string& key);
  void park(const std::string& key, std::unique_ptr<Table> table);

 private:
  Project project_;
  Clock& clock_;
  Random& random_;
  std::unique_ptr<engine::Engine> engine_;
  std::map<std::string, std::unique_ptr<Table>> parked_;
  std::optional<source::Listings> listings_;
};

}  // namespace lakebed::run
