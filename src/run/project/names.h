// Names of tables and where they lie: <warehouse>/<catalog>/<schema>/<table>.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/statement.h"
#include "run/project/project.h"

namespace lakebed::run {

// The catalog and schema that short names get: the project's, or what USE said in a file.
struct NameScope {
  std::string catalog;
  std::string schema;
};

// A full name. Names compare without case; `table` keeps the author's spelling.
struct TableName {
  std::string catalog;
  std::string schema;
  std::string table;

  std::string text() const;  // catalog.schema.table, quoted where needed
  std::string key() const;   // folded, for maps
  bool operator==(const TableName& other) const { return key() == other.key(); }
};

// Completes one to three parts. More parts: error NAME_TOO_MANY_PARTS with the span.
Result<TableName> complete_name(const std::vector<std::string>& parts, const NameScope& scope,
                                const SourceSpan& span);

// The folder of a table. Parts are folded; characters that no file name may hold are written %XX.
std::filesystem::path table_path(const Project& project, const TableName& name);
std::filesystem::path schema_path(const Project& project, const std::string& catalog,
                                  const std::string& schema);
// The folder behind /Volumes/<catalog>/<schema>/<volume>.
std::filesystem::path volume_path(const Project& project, const TableName& name);

}  // namespace lakebed::run
