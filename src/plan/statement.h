// Statements: what a pipeline file declares (datasets and flows), and what `lakebed sql` runs.
// The SQL parser and the Python recorder both produce these; nothing here is resolved or checked
// against anything outside the statement itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

// A name as written, one to three parts (four with LIVE.), and where.
struct ObjectName {
  std::vector<std::string> parts;
  SourceSpan span;
  std::string text() const;  // dotted, quoted where needed
};

struct NameAt {
  std::string name;
  SourceSpan span;
};

struct ColumnDefinition {
  value::Field field;  // comment and NOT NULL inside
  SourceSpan span;
  ExpressionPtr default_value;
  ExpressionPtr generated;     // GENERATED ALWAYS AS (expr)
  std::string generated_text;  // expr as written
  bool identity = false;
  bool primary_key = false;
};

enum class ViolationAction : uint8_t { kWarn, kDropRow, kFailUpdate };
struct Expectation {
  NameAt name;
  ExpressionPtr condition;
  std::string condition_text;
  ViolationAction action = ViolationAction::kWarn;
};

struct Property {
  std::string key;
  std::string value;
  SourceSpan span;
};

// A list of columns: named, or all but the named.
struct ColumnChoice {
  bool all_except = false;                      // `*` is all_except with no names
  std::vector<std::vector<std::string>> names;  // parts: more than one is an error for later
  std::vector<SourceSpan> spans;
  SourceSpan span;  // of the clause
};

enum class StoredAs : uint8_t { kScd1, kScd2, kBitemporal };

// AUTO CDC ... FROM a change feed.
struct FeedSpec {
  RelationPtr source;  // a kRead / kTableFunction / query, streaming as written
  ColumnChoice keys;
  std::optional<ColumnChoice> ignore_null_updates;
  ExpressionPtr delete_when;
  ExpressionPtr truncate_when;
  ExpressionPtr sequence_by;  // SEQUENCE BY (a, b) is a call of struct
  ExpressionPtr system_sequence_by;
  std::optional<ColumnChoice> columns;
  StoredAs stored_as = StoredAs::kScd1;
  bool stored_as_written = false;
  std::optional<ColumnChoice> track_history;
  std::optional<NameAt> columns_to_update;
  // Where each clause begins, by its name in capitals ("TRACK HISTORY ON"), for messages (F11).
  std::map<std::string, SourceSpan> clauses;
};

struct SnapshotSpec {
  RelationPtr source;
  RelationPtr version;  // WITH VERSION (query); may be null
  ColumnChoice keys;
  StoredAs stored_as = StoredAs::kScd1;
  std::optional<ColumnChoice> track_history;
  std::map<std::string, SourceSpan> clauses;
};

struct InsertSpec {  // append flow
  RelationPtr query;
  std::string replace_kind;  // "", "WHERE", "USING"
};

struct FlowBody {
  std::variant<FeedSpec, SnapshotSpec, InsertSpec> spec;
  bool once = false;
  SourceSpan once_span;
  SourceSpan span;
};

enum class DatasetKind : uint8_t {
  kStreamingTable,
  kMaterializedView,
  kManagedTable,
  kTemporaryView,
  kPersistedView
};

struct CreateDataset {
  DatasetKind kind = DatasetKind::kStreamingTable;
  ObjectName name;
  bool or_refresh = false;
  bool if_not_exists = false;
  bool is_private = false;
  bool temporary = false;  // CREATE TEMPORARY STREAMING TABLE: private, too
  std::vector<ColumnDefinition> columns;
  std::vector<Expectation> expectations;
  std::vector<std::string> partitioned_by;
  std::vector<std::string> cluster_by;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  std::vector<Property> properties;
  RelationPtr query;  // AS query
  std::string query_text;
  std::optional<FlowBody> flow;               // FLOW ... inside
  std::map<std::string, SourceSpan> clauses;  // further clauses that were written: "ROW FILTER"...
  SourceSpan span;
};

struct CreateFlow {
  ObjectName name;
  bool implicit_name = false;  // APPLY CHANGES INTO as a statement of its own
  ObjectName target;
  std::optional<std::string> comment;
  bool or_refresh = false;
  bool if_not_exists = false;
  FlowBody body;
  SourceSpan span;
};

struct SetStatement {  // SET key = value; without a value: SET key
  std::string key;
  std::optional<std::string> value;
  SourceSpan span;
};

struct UseStatement {  // USE [CATALOG | SCHEMA] name
  std::string what;    // "", "CATALOG", "SCHEMA"
  ObjectName name;
  SourceSpan span;
};

// --- what `lakebed sql` knows besides ---------------------------------------------------------

struct QueryStatement {
  RelationPtr query;
  SourceSpan span;
};

struct CreateTable {  // CREATE [OR REPLACE] TABLE [IF NOT EXISTS] ... [AS query]
  ObjectName name;
  bool or_replace = false;
  bool if_not_exists = false;
  std::vector<ColumnDefinition> columns;
  std::vector<std::string> partitioned_by;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  std::vector<Property> properties;
  RelationPtr query;
  SourceSpan span;
};

struct CreateSchema {  // CREATE SCHEMA | DATABASE | CATALOG
  std::string what;
  ObjectName name;
  bool if_not_exists = false;
  SourceSpan span;
};

struct CreateVolume {
  ObjectName name;
  bool if_not_exists = false;
  SourceSpan span;
};

struct InsertStatement {
  ObjectName table;
  bool overwrite = false;
  bool by_name = false;
  std::vector<NameAt> columns;
  RelationPtr query;
  SourceSpan span;
};

struct DropStatement {
  std::string what;  // TABLE, VIEW, SCHEMA, VOLUME
  ObjectName name;
  bool if_exists = false;
  bool cascade = false;
  SourceSpan span;
};

struct ShowStatement {
  std::string what;  // TABLES, SCHEMAS, VIEWS, COLUMNS, CATALOGS, VOLUMES,
                     // TBLPROPERTIES, "CREATE TABLE"
  std::optional<ObjectName> name;
  std::optional<std::string> pattern;
  SourceSpan span;
};

struct DescribeStatement {
  ObjectName name;
  bool extended = false;
  bool history = false;
  bool detail = false;
  SourceSpan span;
};

// A statement that is recognised, but not built: refused by name where it is met.
struct UnsupportedStatement {
  std::string what;  // "MERGE", "UPDATE", "OPTIMIZE", ...
  SourceSpan span;
};

using Statement =
    std::variant<CreateDataset, CreateFlow, SetStatement, UseStatement, QueryStatement, CreateTable,
                 CreateSchema, CreateVolume, InsertStatement, DropStatement, ShowStatement,
                 DescribeStatement, UnsupportedStatement>;

SourceSpan span_of(const Statement& statement);

}  // namespace lakebed::plan
