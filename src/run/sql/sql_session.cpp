#include "run/sql/sql_session.h"

#include <fmt/format.h>

#include <set>

#include "base/names.h"
#include "plan/tree_make.h"
#include "run/pipeline/catalog.h"
#include "run/pipeline/validate.h"
#include "run/sql/describe.h"
#include "run/sql/insert_target.h"
#include "run/sql/plain_table.h"
#include "run/target/generated.h"
#include "run/update/flow_run.h"
#include "sql/parse.h"
#include "value/conform.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

// Statements that change rows or tables, which a later version brings.
const std::set<std::string> kStatementsToCome = {
    "MERGE",    "UPDATE", "DELETE", "TRUNCATE", "BEGIN", "INSERT_REPLACE", "INSERT_PARTITION",
    "OPTIMIZE", "VACUUM", "ALTER",  "RESTORE",  "REORG"};

}  // namespace

struct SqlSession::Parts {
  explicit Parts(Session& s) : session(s), scope(s.default_scope()) {
    auto read = read_pipeline(session.project());
    if (read.ok()) pipeline = std::move(read).value();
  }

  const Pipeline* project_pipeline() const { return pipeline ? &*pipeline : nullptr; }
  Result<std::vector<value::ColumnBatch>> query_rows(const plan::RelationPtr& query,
                                                     const std::vector<plan::ExpressionPtr>& over,
                                                     value::Schema* schema);

  Status run(const plan::QueryStatement& statement, RowSink& sink);
  Status run(const plan::CreateTable& statement, RowSink& sink);
  Status run(const plan::CreateSchema& statement, RowSink& sink);
  Status run(const plan::CreateVolume& statement, RowSink& sink);
  Status run(const plan::InsertStatement& statement, RowSink& sink);
  Status run(const plan::DropStatement& statement, RowSink& sink);
  Status run(const plan::ShowStatement& statement, RowSink& sink);
  Status run(const plan::DescribeStatement& statement, RowSink& sink);
  Status run(const plan::SetStatement& statement, RowSink& sink);
  Status run(const plan::UseStatement& statement, RowSink& sink);
  Status run(const plan::UnsupportedStatement& statement, RowSink& sink);
  Status run(const plan::CreateDataset& statement, RowSink& sink);
  Status run(const plan::CreateFlow& statement, RowSink& sink);

  Result<plan::RelationPtr> renamed(const plan::InsertStatement& statement,
                                    const value::Schema& columns, size_t delivered);

  Session& session;
  std::optional<Pipeline> pipeline;
  NameScope scope;
};

SqlSession::SqlSession(Session& session) : parts_(std::make_unique<Parts>(session)) {}
SqlSession::~SqlSession() = default;

Result<std::vector<value::ColumnBatch>> SqlSession::Parts::query_rows(
    const plan::RelationPtr& query, const std::vector<plan::ExpressionPtr>& over,
    value::Schema* schema) {
  QueryCatalog catalog(session, project_pipeline(), nullptr);
  catalog.set_scope(scope);
  plan::ResolveOptions options = session.resolve_options();
  options.allow_stateful_streams = true;  // a stream is read as a whole here
  auto resolved = over.empty() ? plan::resolve_query(query, catalog, options)
                               : plan::resolve_projection(query, over, nullptr, catalog, options);
  if (!resolved.ok()) return std::move(resolved).error();
  if (schema) *schema = resolved->schema();
  LAKEBED_ASSIGN(const auto inputs, whole_inputs(*resolved, catalog));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(*resolved, inputs));
  std::vector<value::ColumnBatch> rows;
  while (true) {
    LAKEBED_ASSIGN(auto next, reader->next());
    if (!next) break;
    rows.push_back(std::move(*next));
    rows.back().schema = resolved->schema();
  }
  return rows;
}

Status SqlSession::Parts::run(const plan::QueryStatement& statement, RowSink& sink) {
  value::Schema schema;
  LAKEBED_ASSIGN(const auto rows, query_rows(statement.query, {}, &schema));
  if (rows.empty()) return sink.rows(value::ColumnBatch::empty(schema));
  for (const value::ColumnBatch& batch : rows) LAKEBED_TRY(sink.rows(batch));
  return {};
}

Status SqlSession::Parts::run(const plan::CreateTable& statement, RowSink&) {
  LAKEBED_ASSIGN(const TableName name,
                 complete_name(statement.name.parts, scope, statement.name.span));
  LAKEBED_TRY(check_columns(statement.columns));
  value::Schema schema = declared_schema(statement.columns);
  LAKEBED_TRY(check_generated(session, statement.columns, schema));
  std::vector<value::ColumnBatch> rows;
  if (statement.query) {
    LAKEBED_ASSIGN(rows, query_rows(statement.query, {}, &schema));
    for (value::Field& field : schema) field.nullable = true;
    for (value::ColumnBatch& batch : rows) batch.schema = schema;
  }
  return create_plain_table(session, name, statement, schema, rows);
}

Status SqlSession::Parts::run(const plan::CreateSchema& statement, RowSink&) {
  std::error_code problem;
  const auto& parts = statement.name.parts;
  if (statement.what == "CATALOG") {
    fs::create_directories(session.project().warehouse / fold_case(parts.back()), problem);
  } else {
    const std::string catalog = parts.size() > 1 ? parts[parts.size() - 2] : scope.catalog;
    fs::create_directories(schema_path(session.project(), catalog, parts.back()), problem);
  }
  if (problem) return update_error("STORE.IO", "the folder can't be made: " + problem.message());
  return {};
}

Status SqlSession::Parts::run(const plan::CreateVolume& statement, RowSink&) {
  LAKEBED_ASSIGN(const TableName name,
                 complete_name(statement.name.parts, scope, statement.name.span));
  std::error_code problem;
  fs::create_directories(volume_path(session.project(), name), problem);
  if (problem) return update_error("STORE.IO", "the folder can't be made: " + problem.message());
  return {};
}

// The query under the names that its columns are inserted as.
Result<plan::RelationPtr> SqlSession::Parts::renamed(const plan::InsertStatement& statement,
                                                     const value::Schema& columns,
                                                     size_t delivered) {
  std::vector<std::string> names;
  if (statement.columns.empty()) {
    for (const value::Field& field : delivered_columns(columns)) names.push_back(field.name);
  }
  for (const plan::NameAt& name : statement.columns) {
    if (!value::find_field(columns, name.name)) {
      return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                           "the table has no column " + quote_name(name.name), name.span);
    }
    names.push_back(name.name);
  }
  if (names.size() != delivered) {
    return project_error(
        "INSERT_COLUMN_ARITY_MISMATCH",
        fmt::format("{} columns are named and {} delivered", names.size(), delivered),
        statement.span);
  }
  return plan::make_renamed(statement.query, "inserted", std::move(names), statement.span);
}

Status SqlSession::Parts::run(const plan::InsertStatement& statement, RowSink&) {
  LAKEBED_ASSIGN(const TableName name,
                 complete_name(statement.table.parts, scope, statement.table.span));
  LAKEBED_ASSIGN(const auto table, Table::open(session, name));
  if (!table->exists()) {
    return project_error("TABLE_OR_VIEW_NOT_FOUND", "there is no table " + name.text(),
                         statement.table.span);
  }
  if (table->is_ours() && statement.overwrite) {
    return update_error("TARGET_IS_MANAGED",
                        name.text() + " is filled by flows; INSERT OVERWRITE would take their rows")
        .with_span(statement.table.span);
  }
  const value::Schema& columns = table->snapshot.schema();
  QueryCatalog catalog(session, project_pipeline(), nullptr);
  catalog.set_scope(scope);
  plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery shape,
                 plan::resolve_query(statement.query, catalog, options));
  const value::Schema delivered = shape.schema();
  plan::RelationPtr query = statement.query;
  for (const value::Field& field : statement.by_name ? delivered : value::Schema()) {
    if (value::find_field(columns, field.name)) continue;
    return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         "the table has no column " + quote_name(field.name), statement.span);
  }
  if (!statement.by_name) {
    LAKEBED_ASSIGN(query, renamed(statement, columns, delivered.size()));
  }
  value::Schema given = statement.by_name ? delivered : value::Schema();
  for (const plan::NameAt& named : statement.columns)
    given.push_back({named.name, {}, true, "", {}});
  LAKEBED_TRY(check_not_delivered(columns, given, "INSERT", statement.span));
  if (given.empty()) given = delivered_columns(columns);
  std::vector<plan::ExpressionPtr> outputs;
  for (const value::Field& field : columns) {
    const bool has = value::find_field(given, field.name).has_value();
    outputs.push_back(
        has ? plan::make_alias(plan::make_cast(plan::make_column(field.name), field.type),
                               field.name)
            : plan::make_alias(plan::make_null(field.type), field.name));
  }
  LAKEBED_ASSIGN(std::vector<value::ColumnBatch> rows, query_rows(query, outputs, nullptr));
  for (value::ColumnBatch& batch : rows) batch = value::conform_batch(batch, columns);
  if (table->is_ours()) return insert_into_target(session, project_pipeline(), name, rows);
  return insert_rows(session, name, statement.overwrite, rows);
}

Status SqlSession::Parts::run(const plan::DropStatement& statement, RowSink&) {
  const auto& parts = statement.name.parts;
  fs::path folder;
  if (statement.what == "SCHEMA" || statement.what == "DATABASE") {
    const std::string catalog = parts.size() > 1 ? parts[parts.size() - 2] : scope.catalog;
    folder = schema_path(session.project(), catalog, parts.back());
    if (!statement.cascade && !tables_in(session.project(), catalog, parts.back()).empty()) {
      return update_error("SCHEMA_NOT_EMPTY", statement.name.text() + " has tables")
          .with_span(statement.name.span)
          .with_hint("add CASCADE to drop them, too");
    }
  } else {
    LAKEBED_ASSIGN(const TableName name, complete_name(parts, scope, statement.name.span));
    folder = statement.what == "VOLUME" ? volume_path(session.project(), name)
                                        : table_path(session.project(), name);
  }
  std::error_code problem;
  const bool there = fs::exists(folder, problem);
  if (!there && !statement.if_exists) {
    return project_error("TABLE_OR_VIEW_NOT_FOUND", "there is no " + statement.name.text(),
                         statement.name.span);
  }
  fs::remove_all(folder, problem);
  if (problem) return update_error("STORE.IO", "the folder can't be removed: " + problem.message());
  return {};
}

Status SqlSession::Parts::run(const plan::ShowStatement& statement, RowSink& sink) {
  LAKEBED_ASSIGN(const value::ColumnBatch rows,
                 show(session, project_pipeline(), scope, statement));
  return sink.rows(rows);
}

Status SqlSession::Parts::run(const plan::DescribeStatement& statement, RowSink& sink) {
  LAKEBED_ASSIGN(const value::ColumnBatch rows, describe(session, scope, statement));
  return sink.rows(rows);
}

Status SqlSession::Parts::run(const plan::SetStatement& statement, RowSink& sink) {
  if (statement.value) return session.set(statement.key, *statement.value, statement.span);
  return sink.rows(show_setting(session, statement.key));
}

Status SqlSession::Parts::run(const plan::UseStatement& statement, RowSink&) {
  const auto& parts = statement.name.parts;
  if (statement.what == "CATALOG") {
    scope.catalog = parts.back();
  } else {
    scope.schema = parts.back();
    if (parts.size() > 1) scope.catalog = parts[parts.size() - 2];
  }
  return {};
}

Status SqlSession::Parts::run(const plan::UnsupportedStatement& statement, RowSink&) {
  std::string code = statement.what;
  for (char& c : code) c = c == ' ' ? '_' : c;
  if (kStatementsToCome.contains(code)) {
    return project_error("NOT_BUILT_YET." + code, statement.what + " is not built yet",
                         statement.span);
  }
  return project_error("STATEMENT_NOT_SUPPORTED." + code,
                       statement.what + " is no statement that tables here need", statement.span)
      .with_hint("docs/sql.md lists those that there are");
}

Status SqlSession::Parts::run(const plan::CreateDataset& statement, RowSink&) {
  return project_error("PIPELINE_STATEMENT_NOT_ALLOWED",
                       "datasets of a pipeline are declared in its files", statement.span)
      .with_hint("put it in a file of the project and type: lakebed run");
}

Status SqlSession::Parts::run(const plan::CreateFlow& statement, RowSink&) {
  return project_error("PIPELINE_STATEMENT_NOT_ALLOWED",
                       "flows of a pipeline are declared in its files", statement.span)
      .with_hint("put it in a file of the project and type: lakebed run");
}

Status SqlSession::run(const std::string& text, const std::string& file, RowSink& sink) {
  sql::SourceText source;
  source.file = file;
  source.text = text;
  LAKEBED_ASSIGN(const auto statements,
                 sql::parse_script(source, parts_->session.project().configuration));
  for (const plan::Statement& statement : statements) {
    sink.begin(parts_->session.project().time_zone);
    Status done = std::visit([&](const auto& one) { return parts_->run(one, sink); }, statement);
    if (!done.ok()) return std::move(done).error().with_span(plan::span_of(statement));
  }
  return {};
}

}  // namespace lakebed::run
