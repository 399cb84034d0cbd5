#include "run/pipeline/catalog.h"
#include "run/quality/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "source/delta_source.h"
#include "source/list_source.h"
#include "source/rows.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

// Table functions of the platform that are known and refused by name.
const std::map<std::string, std::string> kUnbuiltFunctions = {{"table_changes", "CHANGE_DATA_FEED"},
                                                              {"read_kafka", "KAFKA"}};

std::vector<source::Option> as_options(const std::map<std::string, std::string>& named) {
  std::vector<source::Option> options;
  for (const auto& [name, text] : named) options.push_back({name, text, {}});
  return options;
}

bool is_file_format(const std::string& name) {
  return name == "json" || name == "csv" || name == "parquet";
}

}  // namespace

QueryCatalog::QueryCatalog(Session& session, const Pipeline* pipeline, Progress* progress)
    : session_(session),
      pipeline_(pipeline),
      progress_(progress),
      scope_(session.default_scope()) {}

void QueryCatalog::set_planned_schema(const TableName& name, value::Schema schema) {
  planned_[name.key()] = std::move(schema);
}

OpenScan& QueryCatalog::scan(const std::string& token) {
  const size_t index = std::stoul(token);
  LAKEBED_ASSERT(index < scans_.size());
  return scans_[index];
}

std::string QueryCatalog::unique_id(std::string id) const {
  size_t same = 1;
  for (const OpenScan& other : scans_) {
    const bool equal = other.id == id || other.id.rfind(id + "#", 0) == 0;
    same += equal && other.streaming ? 1 : 0;
  }
  return same == 1 ? id : fmt::format("{}#{}", id, same);
}

Result<plan::Source> QueryCatalog::describe(OpenScan scan) {
  plan::Source found;
  found.schema = scan.source->schema();
  found.hidden = scan.source->hidden();
  found.streaming = scan.streaming;
  found.token = std::to_string(scans_.size());
  scans_.push_back(std::move(scan));
  return found;
}

void QueryCatalog::enter_view(const plan::Source& view) {
  outside_.push_back(scope_);
  const auto declared = pipeline_->by_name.find(view.token);
  if (declared != pipeline_->by_name.end()) scope_ = pipeline_->datasets[declared->second].scope;
}

void QueryCatalog::leave_view() {
  scope_ = std::move(outside_.back());
  outside_.pop_back();
}

Result<plan::Source> QueryCatalog::find_table(const std::vector<std::string>& name, bool streaming,
                                              const std::map<std::string, std::string>& options) {
  const NameScope scope = scope_;
  if (pipeline_) {
    if (const Dataset* dataset = pipeline_->find(name, scope)) {
      used_.push_back(dataset->name.key());
      if (dataset->is_view()) {
        plan::Source view;
        view.view = filtered_view(*dataset);
        view.token = dataset->name.key();
        if (!dataset->declaration.expectations.empty()) return view;  // it names its columns
        for (const auto& column : dataset->declaration.columns) {
          view.view_columns.push_back(column.field.name);
        }
        return view;
      }
      return open_table(dataset->name, streaming, options);
    }
  }
  if (name.size() == 2) {
    const std::string format = fold_case(name[0]);
    if (format == "delta" || is_file_format(format)) {
      return open_path(format, name[1], streaming, options);
    }
  }
  LAKEBED_ASSIGN(const TableName full, complete_name(name, scope, {}));
  return open_table(full, streaming, options);
}

Result<plan::Source> QueryCatalog::open_table(const TableName& name, bool streaming,
                                              const std::map<std::string, std::string>& options) {
  const auto planned = planned_.find(name.key());
  const std::string path = table_path(session_.project(), name).string();
  const bool on_disk = fs::exists(fs::path(path) / "_delta_log");
  if (planned != planned_.end() && (planning_only_ || !on_disk)) {
    plan::Source source;
    source.schema = planned->second;
    source.streaming = streaming;
    source.token = std::to_string(scans_.size());
    scans_.push_back({unique_id("table:" + name.key()), nullptr, streaming});
    return source;
  }
  if (!on_disk) return unknown_table(name);
  return open_delta_path(name.text(), path, "table:" + name.key(), streaming, options);
}

Result<plan::Source> QueryCatalog::open_delta_path(
    const std::string& shown, const std::string& path, const std::string& id, bool streaming,
    const std::map<std::string, std::string>& options) {
  source::DeltaRequest request;
  request.name = shown;
  request.path = path;
  request.store = store::local_store(path);
  request.engine = [&session = session_] { return session.engine(); };
  request.time_zone = session_.project().time_zone;
  request.batch_bytes = session_.project().batch_bytes_max;
  request.options = as_options(options);
  request.streaming = streaming;
  request.engine = [this] { return session_.engine(); };
  request.time_zone = session_.project().time_zone;
  request.batch_bytes = session_.project().batch_bytes_max;
  OpenScan scan;
  scan.id = streaming ? unique_id(id) : id;
  scan.streaming = streaming;
  LAKEBED_ASSIGN(scan.source, source::open_delta(request));
  return describe(std::move(scan));
}

Result<plan::Source> QueryCatalog::open_path(const std::string& format, const std::string& path,
                                             bool streaming,
                                             const std::map<std::string, std::string>& options) {
  if (format == "delta") {
    LAKEBED_ASSIGN(const std::string local, source::local_path(path, session_.surroundings()));
    return open_delta_path("delta." + quote_name(path), local, "delta:" + local, streaming,
                           options);
  }
  source::FilesRequest request;
  request.path = path;
  request.format = format;
  request.options = as_options(options);
  request.streaming = streaming;
  request.rescues = false;
  return open_file_source(std::move(request));
}

Result<plan::Source> QueryCatalog::open_file_source(source::FilesRequest request) {
  const source::Surroundings surroundings = session_.surroundings();
  LAKEBED_ASSIGN(const std::string local, source::local_path(request.path, surroundings));
  OpenScan scan;
  scan.id = "files:" + session_.project().shown(local);
  scan.streaming = request.streaming;
  if (request.streaming) {
    scan.id = unique_id(scan.id);
    if (progress_) {
      request.position = progress_->position(scan.id);
      request.seen = progress_->seen(scan.id);
    }
  }
  LAKEBED_ASSIGN(scan.source, source::open_files(request, surroundings));
  return describe(std::move(scan));
}

Result<std::optional<plan::Source>> QueryCatalog::call_function(
    const std::string& name, const std::vector<std::string>& positional,
    const std::map<std::string, std::string>& named, bool streaming) {
  if (const auto unbuilt = kUnbuiltFunctions.find(name); unbuilt != kUnbuiltFunctions.end()) {
    return project_error("NOT_BUILT_YET." + unbuilt->second,
                         fmt::format("{} is not built yet", name));
  }
  if (name == kLastVersion || name == kCurrentVersion) {
    LAKEBED_ASSIGN(plan::Source version,
                   call_version(name, !positional.empty() || !named.empty(), streaming));
    return std::optional(std::move(version));
  }
  if (name == "event_log") {
    LAKEBED_ASSIGN(plan::Source log, call_event_log(positional, named, streaming));
    return std::optional(std::move(log));
  }
  if (name == "list_files") {
    LAKEBED_ASSIGN(plan::Source listing, call_list_files(positional, named, streaming));
    return std::optional(std::move(listing));
  }
  if (name != "read_files" && name != "cloud_files") return std::optional<plan::Source>{};
  source::FilesRequest request;
  request.options = as_options(named);
  request.streaming = streaming || name == "cloud_files";
  request.infers_types = name != "cloud_files";
  if (!positional.empty()) {
    request.path = positional[0];
  } else if (const auto path = named.find("path"); path != named.end()) {
    request.path = path->second;
    request.options.erase(std::find_if(request.options.begin(), request.options.end(),
                                       [](const auto& option) { return option.name == "path"; }));
  } else {
    return project_error("REQUIRED_PARAMETER_NOT_FOUND", name + " needs a path");
  }
  if (positional.size() > 1) request.format = fold_case(positional[1]);
  LAKEBED_ASSIGN(plan::Source source, open_file_source(std::move(request)));
  return std::optional(std::move(source));
}

void QueryCatalog::offer_version(const std::string& function, value::ColumnBatch rows) {
  versions_.clear();
  versions_[function] = std::move(rows);
}

// Rule S4: each of the two functions stands in one clause of a snapshot flow and nowhere else.
Result<plan::Source> QueryCatalog::call_version(const std::string& name, bool arguments,
                                                bool streaming) {
  if (arguments) {
    return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", name + " takes no arguments");
  }
  const auto known = versions_.find(name);
  if (known == versions_.end() || streaming) {
    const char* where = name == kLastVersion
                            ? "it stands in WITH VERSION (...), and is read without STREAM"
                            : "it stands in FROM SNAPSHOT (...) of a flow that has WITH VERSION, "
                              "and is read without STREAM";
    return project_error("INVALID_USAGE_OF_SNAPSHOT_VERSION_FUNCTION",
                         name + "() can't be used here")
        .with_hint(where);
  }
  OpenScan scan;
  scan.id = "version:" + name;
  scan.source = source::rows_source(known->second);
  return describe(std::move(scan));
}

Result<plan::Source> QueryCatalog::call_list_files(const std::vector<std::string>& positional,
                                                   const std::map<std::string, std::string>& named,
                                                   bool streaming) {
  if (streaming) {
    return project_error("INVALID_FLOW_QUERY_TYPE", "list_files can't be read as a stream");
  }
  source::ListFilesRequest request;
  for (const auto& [name, text] : named) {
    if (name == "path" && positional.empty()) {
      request.path = text;
    } else if (name == "recursive" && (text == "true" || text == "false")) {
      request.recursive = text == "true";
    } else if (name == "connection") {
      return project_error("LIST_FILES_ERROR.CONNECTION_NOT_EXISTS",
                           "list_files: there is no connection " + quote_name(text))
          .with_hint("local paths need no connection");
    } else {
      return project_error("INVALID_READ_OPTION",
                           fmt::format("list_files does not take {} => {}", name, text))
          .with_hint("list_files(path, recursive => true)");
    }
  }
  if (positional.size() > 1) {
    return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         "list_files takes a path; what else there is is given by name")
        .with_hint("list_files(path, recursive => false)");
  }
  if (!positional.empty()) request.path = positional[0];
  if (request.path.empty()) {
    return project_error("REQUIRED_PARAMETER_NOT_FOUND", "list_files needs a path");
  }
  OpenScan scan;
  LAKEBED_ASSIGN(scan.source, source::open_listing(request, session_.surroundings()));
  scan.id = "list:" + request.path;
  return describe(std::move(scan));
}

Error QueryCatalog::unknown_table(const TableName& name) const {
  if (pipeline_ && pipeline_->by_name.count(name.key()) > 0) {
    return project_error("TABLE_OR_VIEW_NOT_FOUND",
                         fmt::format("{} is declared, but was never filled", name.text()))
        .with_hint("`lakebed run` fills it; --refresh must name it, too");
  }
  std::vector<std::string> names;
  if (pipeline_) {
    for (const Dataset& dataset : pipeline_->datasets) names.push_back(dataset.name.table);
  }
  for (const TableName& other : tables_in(session_.project(), name.catalog, name.schema)) {
    names.push_back(other.table);
  }
  const std::string near = nearest_name(name.table, names);
  return project_error("TABLE_OR_VIEW_NOT_FOUND",
                       fmt::format("there is no table or view {}", name.text()))
      .with_hint(near.empty() ? "`lakebed ls` lists what the project has"
                              : "did you mean " + quote_name(near) + "?");
}

std::vector<TableName> tables_in(const Project& project, const std::string& catalog,
                                 const std::string& schema) {
  std::vector<TableName> names;
  std::error_code ignored;
  const fs::path folder = schema_path(project, catalog, schema);
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::exists(entry.path() / "_delta_log", ignored)) {
      names.push_back({catalog, schema, entry.path().filename().string()});
    }
  }
  std::sort(names.begin(), names.end(),
            [](const TableName& a, const TableName& b) { return a.table < b.table; });
  return names;
}

}  // namespace lakebed::run
