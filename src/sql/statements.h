// Statements: datasets, flows, and the commands of `lakebed sql`.
#pragma once

#include <optional>

#include "sql/cursor.h"

namespace lakebed::sql {

// One statement. The cursor ends behind it; what follows is the caller's business.
plan::Statement parse_statement(Cursor& cursor);

// CREATE ...; what is no dataset and no flow goes to parse_create_other.
plan::Statement parse_create(Cursor& cursor);
plan::Statement parse_create_flow(Cursor& cursor, size_t first, bool or_refresh);
plan::Statement parse_apply_changes(Cursor& cursor);
// CREATE SCHEMA, VOLUME, ...: the words up to it were taken.
plan::Statement parse_create_other(Cursor& cursor, size_t first, const std::string& modifiers);

// FLOW was taken: the flow inside CREATE ... TABLE.
plan::FlowBody parse_inner_flow(Cursor& cursor);

// The clauses of a table or view behind its name.
struct TableClauses {
  std::vector<plan::ColumnDefinition> columns;
  std::vector<plan::Expectation> expectations;
  std::vector<std::string> partitioned_by;
  std::vector<std::string> cluster_by;
  std::optional<std::string> comment;
  std::optional<std::string> location;
  std::vector<plan::Property> properties;
  std::map<std::string, SourceSpan> clauses;
};
// ( columns, constraints, expectations ); `typed`: columns need a type.
void parse_table_spec(Cursor& cursor, TableClauses& out, bool typed);
// The next clause (COMMENT, TBLPROPERTIES, ...); false where none begins. Each only once.
bool parse_table_clause(Cursor& cursor, TableClauses& out);
std::vector<plan::Property> parse_properties(Cursor& cursor);

// A list of columns in a flow: `(a, b)` or `a, b`; with `star`, also `* [EXCEPT (a, b)]`.
plan::ColumnChoice parse_column_choice(Cursor& cursor, bool star);

// Takes everything up to the statement's end.
void skip_statement(Cursor& cursor);
bool accept_if_not_exists(Cursor& cursor);
bool accept_if_exists(Cursor& cursor);

}  // namespace lakebed::sql
