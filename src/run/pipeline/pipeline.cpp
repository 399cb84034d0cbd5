#include "run/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/names.h"
#include "plan/tree_make.h"
#include "run/pipeline/validate.h"
#include "sql/parse.h"

namespace lakebed::run {

namespace {

struct PendingFlow {
  Flow flow;
  plan::ObjectName target;
};

// CREATE TABLE in a pipeline file declares a managed table of the pipeline.
plan::CreateDataset managed_table(const plan::CreateTable& table) {
  plan::CreateDataset managed;
  managed.kind = plan::DatasetKind::kManagedTable;
  managed.name = table.name;
  managed.if_not_exists = table.if_not_exists;
  managed.columns = table.columns;
  managed.partitioned_by = table.partitioned_by;
  managed.comment = table.comment;
  managed.location = table.location;
  managed.properties = table.properties;
  managed.query = table.query;
  managed.span = table.span;
  return managed;
}

// Gathers statements file by file; flows meet their targets at the end, since order of
// declarations does not matter.
class Assembly {
 public:
  explicit Assembly(const Project& project) : project_(project) {}

  Status add_file(const std::string& file, const std::string& text);
  Result<Pipeline> finish();

 private:
  Status add(plan::Statement& statement, NameScope& scope);
  Status add_dataset(plan::CreateDataset& created, const NameScope& scope);
  Status add_flow(const plan::CreateFlow& created, const NameScope& scope);
  Status add_pending(PendingFlow pending);
  Status check_set(const plan::SetStatement& statement) const;
  Status use(const plan::UseStatement& statement, NameScope& scope);
  Result<size_t> target_of(const PendingFlow& pending) const;

  const Project& project_;
  Pipeline pipeline_;
  std::vector<PendingFlow> pending_;
};

Status Assembly::add_file(const std::string& file, const std::string& text) {
  sql::SourceText source;
  source.file = file;
  source.text = text;
  LAKEBED_ASSIGN(std::vector<plan::Statement> statements,
                 sql::parse_script(source, project_.configuration));
  NameScope scope{project_.catalog, project_.schema};
  for (plan::Statement& statement : statements) LAKEBED_TRY(add(statement, scope));
  return {};
}

Status Assembly::add(plan::Statement& statement, NameScope& scope) {
  if (auto* created = std::get_if<plan::CreateDataset>(&statement)) {
    return add_dataset(*created, scope);
  }
  if (const auto* created = std::get_if<plan::CreateFlow>(&statement)) {
    return add_flow(*created, scope);
  }
  if (const auto* table = std::get_if<plan::CreateTable>(&statement)) {
    plan::CreateDataset managed = managed_table(*table);
    return add_dataset(managed, scope);
  }
  if (const auto* used = std::get_if<plan::UseStatement>(&statement)) return use(*used, scope);
  if (const auto* set = std::get_if<plan::SetStatement>(&statement)) return check_set(*set);
  if (const auto* schema = std::get_if<plan::CreateSchema>(&statement)) {
    return schema->if_not_exists ? Status{}
                                 : Status(project_error("PIPELINE_STATEMENT_NOT_ALLOWED",
                                                        "a pipeline file declares datasets and "
                                                        "flows only",
                                                        schema->span));
  }
  return project_error("PIPELINE_STATEMENT_NOT_ALLOWED",
                       "a pipeline file declares datasets and flows only", plan::span_of(statement))
      .with_hint("statements that act at once belong to `lakebed sql -f FILE`");
}

// The parser has put the value where the file names it. A setting counts for the whole project, so
// a file can't have its own.
Status Assembly::check_set(const plan::SetStatement& statement) const {
  if (!statement.value || !is_setting(statement.key)) return {};
  Project changed = project_;
  LAKEBED_TRY(apply_setting(changed, statement.key, *statement.value, statement.span));
  const auto known = project_.configuration.find(statement.key);
  const bool same = known != project_.configuration.end() && known->second == *statement.value;
  const bool zone = statement.key == "spark.sql.session.timeZone";
  if (same || (zone && changed.time_zone == project_.time_zone)) return {};
  return project_error("SETTING_NOT_SUPPORTED",
                       statement.key + " counts for all files of a project, not for one",
                       statement.span)
      .with_hint(fmt::format("write it in {}, under configuration",
                             project_.spec_path.filename().string()));
}

Status Assembly::use(const plan::UseStatement& statement, NameScope& scope) {
  const auto& parts = statement.name.parts;
  if (statement.what == "CATALOG" && parts.size() == 1) {
    scope.catalog = parts[0];
  } else if (parts.size() <= 2) {
    scope.schema = parts.back();
    if (parts.size() == 2) scope.catalog = parts[0];
  } else {
    return project_error("NAME_TOO_MANY_PARTS", "USE takes a catalog and a schema",
                         statement.name.span);
  }
  return {};
}

// A list of names without types names the query's columns one after the other, as a view's does.
void name_columns(plan::CreateDataset& created) {
  const bool bare =
      std::all_of(created.columns.begin(), created.columns.end(),
                  [](const auto& column) { return column.field.type.kind == value::Kind::kVoid; });
  if (created.kind != plan::DatasetKind::kMaterializedView || created.columns.empty() || !bare) {
    return;
  }
  std::vector<std::string> names;
  for (const auto& column : created.columns) names.push_back(column.field.name);
  created.query =
      plan::make_renamed(created.query, created.name.parts.back(), std::move(names), created.span);
}

Status Assembly::add_dataset(plan::CreateDataset& created, const NameScope& scope) {
  name_columns(created);
  Dataset dataset;
  dataset.scope = scope;
  LAKEBED_ASSIGN(dataset.name, complete_name(created.name.parts, scope, created.name.span));
  const std::string key = dataset.name.key();
  if (const auto other = pipeline_.by_name.find(key); other != pipeline_.by_name.end()) {
    const SourceSpan& first = pipeline_.datasets[other->second].declaration.span;
    return project_error("PIPELINE_DUPLICATE_IDENTIFIERS.DATASET",
                         fmt::format("{} is declared twice", dataset.name.text()),
                         created.name.span)
        .with_hint("the first declaration stands at " + first.text());
  }
  pipeline_.by_name[key] = pipeline_.datasets.size();
  if (created.flow) {
    PendingFlow pending;
    pending.flow.name = dataset.name.table;
    pending.flow.body = *created.flow;
    pending.flow.scope = scope;
    pending.flow.span = created.flow->span;
    pending.target = created.name;
    pending_.push_back(std::move(pending));
    created.flow.reset();
  }
  dataset.declaration = std::move(created);
  pipeline_.datasets.push_back(std::move(dataset));
  return {};
}

Status Assembly::add_flow(const plan::CreateFlow& created, const NameScope& scope) {
  if (created.name.parts.size() != 1) {
    return project_error("MULTIPART_FLOW_NAME_NOT_SUPPORTED",
                         fmt::format("a flow's name has one part, not {}", created.name.text()),
                         created.name.span);
  }
  PendingFlow pending;
  pending.flow.name = created.name.parts[0];
  pending.flow.body = created.body;
  pending.flow.scope = scope;
  pending.flow.span = created.span;
  pending.target = created.target;
  pending_.push_back(std::move(pending));
  return {};
}

Result<size_t> Assembly::target_of(const PendingFlow& pending) const {
  const Dataset* found = pipeline_.find(pending.target.parts, pending.flow.scope);
  if (found) return static_cast<size_t>(found - pipeline_.datasets.data());
  std::vector<std::string> names;
  for (const Dataset& dataset : pipeline_.datasets) names.push_back(dataset.name.table);
  const std::string near = nearest_name(pending.target.parts.back(), names);
  return project_error("TABLE_OR_VIEW_NOT_FOUND",
                       fmt::format("flow {} writes to {}, which no file of the project declares",
                                   quote_name(pending.flow.name), pending.target.text()),
                       pending.target.span)
      .with_hint(near.empty()
                     ? "declare it: CREATE OR REFRESH STREAMING TABLE " + pending.target.text()
                     : "did you mean " + near + "?");
}

Status Assembly::add_pending(PendingFlow pending) {
  for (const Flow& other : pipeline_.flows) {
    if (!same_name(other.name, pending.flow.name)) continue;
    return project_error("PIPELINE_DUPLICATE_IDENTIFIERS.FLOW",
                         fmt::format("flow {} is declared twice", quote_name(other.name)),
                         pending.flow.span)
        .with_hint("the first declaration stands at " + other.span.text());
  }
  LAKEBED_ASSIGN(pending.flow.target, target_of(pending));
  pipeline_.datasets[pending.flow.target].flows.push_back(pipeline_.flows.size());
  pipeline_.flows.push_back(std::move(pending.flow));
  return {};
}

Result<Pipeline> Assembly::finish() {
  for (PendingFlow& pending : pending_) LAKEBED_TRY(add_pending(std::move(pending)));
  for (Dataset& dataset : pipeline_.datasets) {
    std::sort(dataset.flows.begin(), dataset.flows.end(), [this](size_t left, size_t right) {
      return fold_case(pipeline_.flows[left].name) < fold_case(pipeline_.flows[right].name);
    });
  }
  for (const Flow& flow : pipeline_.flows) LAKEBED_TRY(check_flow(pipeline_, flow));
  for (const Dataset& dataset : pipeline_.datasets) LAKEBED_TRY(check_dataset(pipeline_, dataset));
  return std::move(pipeline_);
}

}  // namespace

bool Dataset::is_view() const {
  return declaration.kind == plan::DatasetKind::kTemporaryView ||
         declaration.kind == plan::DatasetKind::kPersistedView;
}

std::optional<std::string> Dataset::property(const std::string& key) const {
  for (const plan::Property& property : declaration.properties) {
    if (same_name(property.key, key)) return property.value;
  }
  return std::nullopt;
}

const Dataset* Pipeline::find(const std::vector<std::string>& parts, const NameScope& scope) const {
  const auto name = complete_name(parts, scope, {});
  if (!name.ok()) return nullptr;
  const auto found = by_name.find(name->key());
  if (found != by_name.end()) return &datasets[found->second];
  if (parts.size() != 1) return nullptr;
  for (const Dataset& dataset : datasets) {
    const bool temporary = dataset.declaration.kind == plan::DatasetKind::kTemporaryView;
    if (temporary && same_name(dataset.name.table, parts[0])) return &dataset;
  }
  return nullptr;
}

Result<Pipeline> assemble_pipeline(const Project& project,
                                   const std::vector<std::pair<std::string, std::string>>& files) {
  Assembly assembly(project);
  for (const auto& [file, text] : files) LAKEBED_TRY(assembly.add_file(file, text));
  return assembly.finish();
}

Result<Pipeline> read_pipeline(const Project& project) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const std::filesystem::path& file : project.files) {
    const std::string shown = project.shown(file);
    if (file.extension() == ".py") {
      return not_built("PYTHON", "Python pipeline files are", {shown, 1, 1, 1});
    }
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) return project_error("PIPELINE_FILE_UNREADABLE", shown + " can't be read");
    texts.emplace_back(shown, text.str());
  }
  return assemble_pipeline(project, texts);
}

}  // namespace lakebed::run
