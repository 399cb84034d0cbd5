// event_log() in queries: the log's table, joined with what waits in its tail.
#include <fmt/format.h>

#include "base/names.h"
#include "run/event_log/event_log.h"
#include "run/event_log/event_rows.h"
#include "run/event_log/event_table.h"
#include "run/pipeline/catalog.h"
#include "source/rows.h"
#include "sql/parse.h"

namespace lakebed::run {

namespace {

// The options of a stream over the log; the table whose log is meant is none.
std::map<std::string, std::string> without_table(std::map<std::string, std::string> named) {
  named.erase("table");
  return named;
}

Error no_log(const std::string& of) {
  return project_error("EVENT_LOG_UNAVAILABLE", "there is no event log of " + of)
      .with_hint("event_log() is the log of this project");
}

// event_log('pipeline') names the pipeline or gives its id.
bool is_pipeline(const Project& project, const std::string& text) {
  return same_name(text, project.name) || same_name(text, pipeline_id(project));
}

}  // namespace

Result<plan::Source> QueryCatalog::call_event_log(const std::vector<std::string>& positional,
                                                  const std::map<std::string, std::string>& named,
                                                  bool streaming) {
  const Project& project = session_.project();
  if (positional.size() > 1) {
    return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         "event_log takes one argument: a pipeline, or TABLE(name)");
  }
  if (!positional.empty() && !is_pipeline(project, positional[0])) {
    return no_log("a pipeline " + quote_name(positional[0]));
  }
  if (const auto table = named.find("table"); table != named.end()) {
    LAKEBED_ASSIGN(const plan::ObjectName parsed, sql::parse_name(table->second));
    LAKEBED_ASSIGN(const TableName full, complete_name(parsed.parts, scope_, {}));
    const bool known = pipeline_ && pipeline_->find(parsed.parts, scope_);
    if (!known && !std::filesystem::exists(table_path(project, full) / "_delta_log")) {
      return unknown_table(full);
    }
    if (!known) return no_log(full.text() + ": no flow of this project fills it");
  }
  // What only looks at the project writes nothing, no fold either.
  if (!planning_only_) LAKEBED_TRY(fold_events(session_));
  const std::filesystem::path folder = event_log_folder(project);
  if (std::filesystem::exists(folder / "_delta_log")) {
    return open_delta_path("event_log", folder.string(), "event_log", streaming,
                           without_table(named));
  }
  OpenScan scan;
  scan.id = streaming ? unique_id("event_log") : "event_log";
  scan.source = source::rows_source(value::ColumnBatch::empty(event_schema()));
  scan.streaming = streaming;
  return describe(std::move(scan));
}

}  // namespace lakebed::run
