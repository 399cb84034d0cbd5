// Plain Delta tables, as `lakebed sql` makes and fills them: no memory of ours beside them.
#pragma once

#include <string>
#include <vector>

#include "plan/statement.h"
#include "run/target/table.h"

namespace lakebed::run {

// CREATE [OR REPLACE] TABLE: an empty table, or the rows of a query. Error
// TABLE_OR_VIEW_ALREADY_EXISTS; DELTA_* of the definition.
Status create_plain_table(Session& session, const TableName& name, const plan::CreateTable& created,
                          const value::Schema& schema, const std::vector<value::ColumnBatch>& rows);

// Appends or overwrites rows that already have the table's columns in its order.
// Error TARGET_IS_MANAGED for tables that flows fill.
Status insert_rows(Session& session, const TableName& name, bool overwrite,
                   const std::vector<value::ColumnBatch>& rows);

}  // namespace lakebed::run
