// Generated columns: `c TYPE GENERATED ALWAYS AS (expression)` of a column list (rule A3).
//
// A generated column is a function of the other columns of its own row, the time columns of a
// history among them. Delta keeps the expression's text in the table's schema, where every writer
// finds it, and so do we: whoever writes rows into a table (run/target/row_files.h) asks its
// schema, not the file that declared it. Flows never deliver such a column and it counts for
// nothing: it is in no hash, so that neither a repeat nor a change of history ever depends on it.
#pragma once

#include <string>
#include <vector>

#include "plan/statement.h"
#include "run/project/session.h"
#include "value/column.h"

namespace lakebed::run {

// The columns of a list as a schema; generated ones carry their expression.
value::Schema declared_schema(const std::vector<plan::ColumnDefinition>& columns);

// The columns of a table that whoever fills it delivers: all but the generated ones.
value::Schema delivered_columns(const value::Schema& schema);

// No generated column reads another one. Error, at the expression: GENERATED_COLUMN_EXPRESSION.
Status check_generated_reads(const std::vector<plan::ColumnDefinition>& columns);

// Checks the generated columns of a list against all columns of their table: an expression reads
// columns of its row only, gives the same answer each time, and its type becomes the column's
// without loss. Error, at the expression: GENERATED_COLUMN_EXPRESSION,
// or what is wrong in it by the resolver's code.
Status check_generated(Session& session, const std::vector<plan::ColumnDefinition>& columns,
                       const value::Schema& table);

// Error GENERATED_COLUMN_DELIVERED, at `span`: `delivered`, the columns of `what`, names one that
// the list generates.
Status check_not_delivered(const value::Schema& declared, const value::Schema& delivered,
                           const std::string& what, const SourceSpan& span);

// Error GENERATED_COLUMN_CHANGED, at the column: the table has another expression for it, or none,
// and the values of its rows stem from that. A full refresh takes the new one.
Status check_generated_unchanged(const std::vector<plan::ColumnDefinition>& columns,
                                 const value::Schema& table);

// The same rows with their generated columns filled. Errors: those of evaluation,
// NOT_NULL_CONSTRAINT_VIOLATION.
Result<std::vector<value::ColumnBatch>> fill_generated(
    Session& session, const std::vector<const value::ColumnBatch*>& batches,
    const value::Schema& schema);

}  // namespace lakebed::run
