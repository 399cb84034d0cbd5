// What there is: SHOW, DESCRIBE, `lakebed ls`, `lakebed history`, as rows.
#pragma once

#include "run/pipeline/pipeline.h"
#include "run/project/session.h"
#include "value/column.h"

namespace lakebed::run {

// SHOW TABLES | SCHEMAS | CATALOGS | VIEWS | COLUMNS | TBLPROPERTIES | VOLUMES |
// CREATE TABLE.
Result<value::ColumnBatch> show(Session& session, const Pipeline* pipeline, const NameScope& scope,
                                const plan::ShowStatement& statement);

// SET key: one row of key and value.
value::ColumnBatch show_setting(const Session& session, const std::string& key);

// DESCRIBE [EXTENDED | DETAIL | HISTORY].
Result<value::ColumnBatch> describe(Session& session, const NameScope& scope,
                                    const plan::DescribeStatement& statement);

// Datasets and flows of the project, then tables of its default schema that no file declares:
// name, kind, flow, path, rows, version.
Result<value::ColumnBatch> list_datasets(Session& session, const Pipeline* pipeline);

// Versions of a table, newest first: version, timestamp, operation, flow, metrics (a map).
Result<value::ColumnBatch> table_history(Session& session, const TableName& name);
// The same for a name as written on the command line.
Result<value::ColumnBatch> named_history(Session& session, const std::string& name);

}  // namespace lakebed::run
