// SHOW CREATE TABLE: a table's definition as a statement that makes another like it.
#pragma once

#include <string>

#include "run/target/table.h"

namespace lakebed::run {

// `CREATE TABLE name (...) USING delta ...`: columns, partitions, comment, properties; without what
// each table here has anyway. `lakebed sql` runs it. Requires: the table exists.
std::string create_statement(const Table& table);

}  // namespace lakebed::run
