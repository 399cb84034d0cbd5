#include "sql/parse.h"

namespace lakebed::sql {

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> words = {
      "ALL",         "ALTER",     "ALWAYS",      "AND",        "ANTI",         "APPLY",
      "AS",          "ASC",       "AUTO",        "BETWEEN",    "BITEMPORAL",   "BY",
      "CASCADE",     "CASE",      "CAST",        "CATALOG",    "CDC",          "CHANGES",
      "CLUSTER",     "COLUMNS",   "COMMENT",     "CONSTRAINT", "CREATE",       "CROSS",
      "CUBE",        "CURRENT",   "DATABASE",    "DEFAULT",    "DELETE",       "DESC",
      "DESCRIBE",    "DISTINCT",  "DIV",         "DROP",       "ELSE",         "END",
      "ESCAPE",      "EXCEPT",    "EXISTS",      "EXPECT",     "EXTENDED",     "EXTRACT",
      "FAIL",        "FALSE",     "FILTER",      "FLOW",       "FOLLOWING",    "FOREIGN",
      "FROM",        "FULL",      "GENERATED",   "GROUP",      "GROUPING",     "HAVING",
      "HISTORY",     "IDENTITY",  "IF",          "IGNORE",     "ILIKE",        "IN",
      "INCREMENTAL", "INNER",     "INSERT",      "INTERSECT",  "INTERVAL",     "INTO",
      "IS",          "JOIN",      "KEY",         "KEYS",       "LATERAL",      "LEFT",
      "LIKE",        "LIMIT",     "LIVE",        "LOCATION",   "MATERIALIZED", "MINUS",
      "NAME",        "NATURAL",   "NOT",         "NULL",       "NULLS",        "OFFSET",
      "ON",          "ONCE",      "OR",          "ORDER",      "OUTER",        "OVER",
      "OVERWRITE",   "PARTITION", "PARTITIONED", "PRECEDING",  "PRIMARY",      "PRIVATE",
      "QUALIFY",     "RANGE",     "REFRESH",     "REPLACE",    "RIGHT",        "RLIKE",
      "ROLLUP",      "ROW",       "ROWS",        "SCD",        "SCHEMA",       "SELECT",
      "SEMI",        "SEQUENCE",  "SET",         "SHOW",       "SNAPSHOT",     "SORT",
      "STORED",      "STREAM",    "STREAMING",   "SYSTEM",     "TABLE",        "TBLPROPERTIES",
      "TEMPORARY",   "THEN",      "TIMESTAMP",   "TO",         "TRACK",        "TRUE",
      "TRUNCATE",    "TRY_CAST",  "TYPE",        "UNBOUNDED",  "UNION",        "UPDATE",
      "UPDATES",     "USE",       "USING",       "VALUES",     "VERSION",      "VIEW",
      "VIOLATION",   "VOLUME",    "WHEN",        "WHERE",      "WINDOW",       "WITH"};
  return words;
}

}  // namespace lakebed::sql
