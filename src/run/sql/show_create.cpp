#include "run/sql/show_create.h"

#include <fmt/format.h>

#include "base/names.h"
#include "delta/schema.h"

namespace lakebed::run {

namespace {

// A string literal: quotes and backslashes are escaped.
std::string literal(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string type_text(const value::Field& field) {
  const auto written = field.metadata.find("__CHAR_VARCHAR_TYPE_STRING");
  return written == field.metadata.end() ? field.type.text() : written->second;
}

std::string column_text(const value::Field& field) {
  std::string out = "  " + quote_name(field.name) + " " + type_text(field);
  if (!field.nullable) out += " NOT NULL";
  const std::string generated = delta::generation_expression(field);
  if (!generated.empty()) out += " GENERATED ALWAYS AS (" + generated + ")";
  if (!field.comment.empty()) out += " COMMENT " + literal(field.comment);
  return out;
}

// What a table gets or counts by itself.
bool is_own(const std::string& property) {
  return property == "delta.enableDeletionVectors" ||
         property.starts_with("delta.enableInCommitTimestamps") ||
         property.starts_with("delta.inCommitTimestampEnablement") ||
         property.starts_with("delta.columnMapping.");
}

}  // namespace

std::string create_statement(const Table& table) {
  const delta::Metadata& metadata = table.snapshot.metadata();
  std::vector<std::string> columns;
  for (const value::Field& field : table.snapshot.schema()) columns.push_back(column_text(field));
  std::string out = fmt::format("CREATE TABLE {} (\n{})\nUSING delta", table.name.text(),
                                fmt::join(columns, ",\n"));
  if (!metadata.partition_columns.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : metadata.partition_columns) names.push_back(quote_name(name));
    out += fmt::format("\nPARTITIONED BY ({})", fmt::join(names, ", "));
  }
  if (!metadata.description.empty()) out += "\nCOMMENT " + literal(metadata.description);
  std::vector<std::string> properties;
  for (const auto& [name, text] : metadata.configuration) {
    if (!is_own(name)) properties.push_back("  " + literal(name) + " = " + literal(text));
  }
  if (!properties.empty())
    out += fmt::format("\nTBLPROPERTIES (\n{})", fmt::join(properties, ",\n"));
  return out;
}

}  // namespace lakebed::run
