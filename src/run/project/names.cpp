#include "run/project/names.h"

#include <fmt/format.h>

#include "base/names.h"

namespace lakebed::run {

namespace {

std::string folder_name(const std::string& part) {
  std::string out;
  for (const char c : fold_case(part)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != '/' && byte != '\\' && byte != '%';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  if (out == "." || out == "..") out = "%2E" + out.substr(1);
  return out;
}

}  // namespace

std::string TableName::text() const {
  return quote_name(catalog) + "." + quote_name(schema) + "." + quote_name(table);
}

std::string TableName::key() const {
  return fold_case(catalog) + "\x1f" + fold_case(schema) + "\x1f" + fold_case(table);
}

Result<TableName> complete_name(const std::vector<std::string>& parts, const NameScope& scope,
                                const SourceSpan& span) {
  if (parts.empty() || parts.size() > 3) {
    return project_error("NAME_TOO_MANY_PARTS",
                         fmt::format("a table name has one to three parts, not {}", parts.size()),
                         span);
  }
  TableName name{scope.catalog, scope.schema, parts.back()};
  if (parts.size() >= 2) name.schema = parts[parts.size() - 2];
  if (parts.size() == 3) name.catalog = parts[0];
  return name;
}

std::filesystem::path schema_path(const Project& project, const std::string& catalog,
                                  const std::string& schema) {
  return project.warehouse / folder_name(catalog) / folder_name(schema);
}

std::filesystem::path table_path(const Project& project, const TableName& name) {
  return schema_path(project, name.catalog, name.schema) / folder_name(name.table);
}

std::filesystem::path volume_path(const Project& project, const TableName& name) {
  return project.warehouse / "_volumes" / folder_name(name.catalog) / folder_name(name.schema) /
         folder_name(name.table);
}

}  // namespace lakebed::run
