#include "run/sql/describe.h"
#include "run/sql/show_create.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/names.h"
#include "run/pipeline/catalog.h"
#include "run/pipeline/flow_graph.h"
#include "run/target/table.h"
#include "sql/parse.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

using value::ColumnBatch;
using value::Kind;

// A batch of text and number columns that is filled row by row.
class Rows {
 public:
  explicit Rows(std::vector<std::pair<std::string, value::Type>> columns) {
    value::Schema schema;
    for (auto& [name, type] : columns) schema.push_back({name, type, true, "", {}});
    batch_ = ColumnBatch::empty(std::move(schema));
  }
  Rows& text(const std::optional<std::string>& item) {
    value::Column& column = batch_.columns[next_++];
    if (item) {
      column.append_bytes(*item);
    } else {
      column.append_null();
    }
    return *this;
  }
  Rows& number(std::optional<int64_t> item) {
    value::Column& column = batch_.columns[next_++];
    if (item) {
      column.append_integer(*item);
    } else {
      column.append_null();
    }
    return *this;
  }
  void end() {
    LAKEBED_ASSERT(next_ == batch_.columns.size());
    next_ = 0;
    ++batch_.rows;
  }
  // The column that comes next, for what is neither text nor number.
  value::Column& column() { return batch_.columns[next_++]; }
  ColumnBatch take() { return std::move(batch_); }

 private:
  ColumnBatch batch_;
  size_t next_ = 0;
};

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name[0] != '_' && name[0] != '.') names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool matches(const std::optional<std::string>& pattern, const std::string& name) {
  if (!pattern) return true;
  std::string glob = *pattern;
  for (char& c : glob) c = c == '%' ? '*' : c;
  return fnmatch(fold_case(glob).c_str(), fold_case(name).c_str(), 0) == 0;
}

Result<std::unique_ptr<Table>> existing(Session& session, const NameScope& scope,
                                        const plan::ObjectName& written) {
  LAKEBED_ASSIGN(const TableName name, complete_name(written.parts, scope, written.span));
  LAKEBED_ASSIGN(auto table, Table::open(session, name));
  if (!table->exists()) {
    return project_error("TABLE_OR_VIEW_NOT_FOUND", "there is no table " + name.text(),
                         written.span);
  }
  return table;
}

ColumnBatch named_folders(const char* column, const fs::path& folder,
                          const std::optional<std::string>& pattern) {
  Rows rows({{column, Kind::kString}});
  for (const std::string& name : folders_in(folder)) {
    if (matches(pattern, name)) rows.text(name).end();
  }
  return rows.take();
}

ColumnBatch show_tables(Session& session, const Pipeline* pipeline, const NameScope& scope,
                        const plan::ShowStatement& statement) {
  NameScope in = scope;
  if (statement.name) {
    in.schema = statement.name->parts.back();
    if (statement.name->parts.size() > 1) in.catalog = statement.name->parts[0];
  }
  Rows rows({{"namespace", Kind::kString},
             {"tableName", Kind::kString},
             {"isTemporary", Kind::kBoolean}});
  const bool views = statement.what == "VIEWS";
  if (!views) {
    for (const TableName& name : tables_in(session.project(), in.catalog, in.schema)) {
      if (matches(statement.pattern, name.table)) {
        rows.text(in.schema).text(name.table).number(0).end();
      }
    }
  }
  if (pipeline) {
    for (const Dataset& dataset : pipeline->datasets) {
      if (!dataset.is_view() || !matches(statement.pattern, dataset.name.table)) continue;
      rows.text(dataset.name.schema).text(dataset.name.table).number(1).end();
    }
  }
  return rows.take();
}

Result<ColumnBatch> show_properties(Session& session, const NameScope& scope,
                                    const plan::ObjectName& name) {
  LAKEBED_ASSIGN(const auto table, existing(session, scope, name));
  Rows rows({{"key", Kind::kString}, {"value", Kind::kString}});
  for (const auto& [key, text] : table->snapshot.metadata().configuration) {
    rows.text(key).text(text).end();
  }
  return rows.take();
}

Result<ColumnBatch> show_columns(Session& session, const NameScope& scope,
                                 const plan::ObjectName& name) {
  LAKEBED_ASSIGN(const auto table, existing(session, scope, name));
  Rows rows({{"col_name", Kind::kString}});
  for (const value::Field& field : table->snapshot.schema()) rows.text(field.name).end();
  return rows.take();
}

// The counters of a commit, as a MAP<STRING, BIGINT>; texts that are no numbers are left out.
void append_metrics(const delta::CommitInfo& info, value::Column& column) {
  for (const auto& [name, text] : info.metrics) {
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!number) continue;
    column.raw_children()[0].append_bytes(name);
    column.raw_children()[1].append_integer(std::stoll(text));
  }
  column.append_list();
}

Status add_table(Session& session, const TableName& name, const std::string& kind,
                 const std::optional<std::string>& flow, Rows& rows) {
  const std::string path = table_path(session.project(), name).string();
  LAKEBED_ASSIGN(const auto table, Table::open(session, name));
  rows.text(name.text()).text(kind).text(flow).text(path);
  if (table->exists()) {
    rows.number(table->snapshot.total_rows()).number(table->snapshot.version());
  } else {
    rows.number({}).number({});
  }
  rows.end();
  return {};
}

}  // namespace

ColumnBatch show_setting(const Session& session, const std::string& key) {
  const auto& configuration = session.project().configuration;
  const auto known = configuration.find(key);
  std::string text = known == configuration.end() ? "<undefined>" : known->second;
  if (key == "spark.sql.session.timeZone") text = session.project().time_zone;
  Rows rows({{"key", Kind::kString}, {"value", Kind::kString}});
  rows.text(key).text(text).end();
  return rows.take();
}

Result<ColumnBatch> show(Session& session, const Pipeline* pipeline, const NameScope& scope,
                         const plan::ShowStatement& statement) {
  const Project& project = session.project();
  const std::string& what = statement.what;
  if (what == "CATALOGS") return named_folders("catalog", project.warehouse, statement.pattern);
  if (what == "SCHEMAS" || what == "DATABASES") {
    const std::string catalog = statement.name ? statement.name->parts.back() : scope.catalog;
    return named_folders("databaseName", project.warehouse / fold_case(catalog), statement.pattern);
  }
  if (what == "VOLUMES") {
    return named_folders(
        "volume_name",
        project.warehouse / "_volumes" / fold_case(scope.catalog) / fold_case(scope.schema),
        statement.pattern);
  }
  if (what == "TABLES" || what == "VIEWS") return show_tables(session, pipeline, scope, statement);
  if (what == "TBLPROPERTIES" && statement.name) {
    return show_properties(session, scope, *statement.name);
  }
  if (what == "COLUMNS" && statement.name) return show_columns(session, scope, *statement.name);
  LAKEBED_ASSERT(what == "CREATE TABLE" && statement.name);  // the parser knows no other
  LAKEBED_ASSIGN(const auto table, existing(session, scope, *statement.name));
  Rows rows({{"createtab_stmt", Kind::kString}});
  rows.text(create_statement(*table)).end();
  return rows.take();
}

Result<ColumnBatch> describe(Session& session, const NameScope& scope,
                             const plan::DescribeStatement& statement) {
  if (statement.history) {
    LAKEBED_ASSIGN(const auto table, existing(session, scope, statement.name));
    return table_history(session, table->name);
  }
  LAKEBED_ASSIGN(const auto table, existing(session, scope, statement.name));
  Rows rows(
      {{"col_name", Kind::kString}, {"data_type", Kind::kString}, {"comment", Kind::kString}});
  for (const value::Field& field : table->snapshot.schema()) {
    rows.text(field.name).text(fold_case(field.type.text()));
    rows.text(field.comment.empty() ? std::nullopt : std::optional(field.comment)).end();
  }
  if (!statement.extended && !statement.detail) return rows.take();
  const delta::Metadata& metadata = table->snapshot.metadata();
  const auto fact = [&rows](const std::string& name, const std::string& text) {
    rows.text(name).text(text).text(std::nullopt).end();
  };
  fact("", "");
  fact("# Detailed Table Information", "");
  fact("Name", table->name.text());
  fact("Type",
       table->is_ours() ? target_kind_text(table->kind().value_or(TargetKind::kAppend)) : "TABLE");
  fact("Location", table_path(session.project(), table->name).string());
  fact("Provider", "delta");
  fact("Comment", metadata.description);
  fact("Version", std::to_string(table->snapshot.version()));
  for (const std::string& name : metadata.partition_columns) fact("Partition column", name);
  for (const auto& [key, text] : metadata.configuration) fact("Table property " + key, text);
  return rows.take();
}

Result<ColumnBatch> list_datasets(Session& session, const Pipeline* pipeline) {
  Rows rows({{"name", Kind::kString},
             {"kind", Kind::kString},
             {"flow", Kind::kString},
             {"path", Kind::kString},
             {"rows", Kind::kLong},
             {"version", Kind::kLong}});
  const Project& project = session.project();
  std::map<std::string, bool> declared;
  for (size_t i = 0; pipeline && i < pipeline->datasets.size(); ++i) {
    const Dataset& dataset = pipeline->datasets[i];
    declared[dataset.name.key()] = true;
    std::optional<std::string> flow;
    for (const size_t index : dataset.flows) {
      flow = (flow ? *flow + ", " : "") + pipeline->flows[index].name;
    }
    if (dataset.is_view()) {
      rows.text(dataset.name.text())
          .text(kind_text(dataset))
          .text(flow)
          .text({})
          .number({})
          .number({});
      rows.end();
      continue;
    }
    LAKEBED_TRY(add_table(session, dataset.name, kind_text(dataset), flow, rows));
  }
  for (const std::string& catalog : folders_in(project.warehouse)) {
    for (const std::string& schema : folders_in(project.warehouse / catalog)) {
      for (const TableName& name : tables_in(project, catalog, schema)) {
        if (declared.count(name.key())) continue;
        LAKEBED_TRY(add_table(session, name, "table", {}, rows));
      }
    }
  }
  return rows.take();
}

Result<ColumnBatch> table_history(Session& session, const TableName& name) {
  const auto store = store::local_store(table_path(session.project(), name).string());
  LAKEBED_ASSIGN(const auto versions, delta::read_history(session.environment(*store), 1000));
  Rows rows({{"version", Kind::kLong},
             {"timestamp", Kind::kTimestamp},
             {"operation", Kind::kString},
             {"flow", Kind::kString},
             {"metrics", value::Type::map(Kind::kString, Kind::kLong)}});
  for (const delta::VersionChanges& version : versions) {
    const delta::CommitInfo info = version.actions.info.value_or(delta::CommitInfo{});
    const auto flow = info.parameters.find("flow");
    rows.number(version.version).number(version.timestamp_ms * 1000).text(info.operation);
    rows.text(flow == info.parameters.end() ? std::nullopt : std::optional(flow->second));
    append_metrics(info, rows.column());
    rows.end();
  }
  return rows.take();
}

Result<ColumnBatch> named_history(Session& session, const std::string& name) {
  LAKEBED_ASSIGN(const plan::ObjectName parsed, sql::parse_name(name));
  LAKEBED_ASSIGN(const auto table, existing(session, session.default_scope(), parsed));
  return table_history(session, table->name);
}

}  // namespace lakebed::run
