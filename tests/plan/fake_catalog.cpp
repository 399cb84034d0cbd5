#include "fake_catalog.h"

#include "base/names.h"
#include "contract.h"
#include "plan_text.h"
#include "sql/parse.h"

namespace lakebed::plan {
namespace {

value::Schema schema(const std::string& ddl) { return *sql::parse_schema(ddl); }

constexpr const char* kWide =
    "a INT, b BIGINT, s STRING, d DECIMAL(10,2), f DOUBLE, dt DATE, ts TIMESTAMP, "
    "ok BOOLEAN, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRUCT<z: STRING>>, "
    "items ARRAY<STRUCT<sku: STRING, qty: INT>>, js STRING";

}  // namespace

Result<Source> FakeCatalog::find_table(const std::vector<std::string>& name, bool streaming,
                                       const std::map<std::string, std::string>& /*options*/) {
  const std::string last = fold_case(name.back());
  Source source;
  source.streaming = streaming;
  source.token = last;
  if (last == "t") {
    source.schema = schema(kWide);
    source.hidden = schema("_metadata STRUCT<file_path: STRING, file_size: BIGINT>");
    return source;
  }
  if (last == "u") {
    source.schema = schema("a INT, c STRING");
    return source;
  }
  if (last == "odd") {
    source.schema = schema("`x.y` INT, `select` STRING, A_b INT");
    return source;
  }
  if (last == "v") {
    source.view = *sql::parse_query("SELECT a, count(*) AS n FROM t GROUP BY a");
    return source;
  }
  if (last == "w") {
    source.view = *sql::parse_query("SELECT a, c FROM u");
    source.view_columns = {"k", "word"};
    return source;
  }
  if (last == "loop") {
    source.view = *sql::parse_query("SELECT * FROM loop");
    return source;
  }
  return project_error("TABLE_OR_VIEW_NOT_FOUND", "There is no table " + last + ".");
}

Result<std::optional<Source>> FakeCatalog::call_function(
    const std::string& name, const std::vector<std::string>& positional,
    const std::map<std::string, std::string>& named, bool streaming) {
  last_positional = positional;
  last_named = named;
  if (name != "read_files") return std::optional<Source>();
  Source source;
  source.schema = schema("k INT, v STRING");
  source.hidden = schema("_metadata STRUCT<file_path: STRING>");
  source.streaming = streaming;
  source.token = positional.empty() ? "" : positional[0];
  return std::optional<Source>(source);
}

Result<ResolvedQuery> resolve_text(const std::string& sql, const std::string& zone) {
  LAKEBED_ASSIGN(RelationPtr query, sql::parse_query(sql));
  FakeCatalog catalog;
  ResolveOptions options;
  options.time_zone = zone;
  options.now_us = kNow;
  return resolve_query(query, catalog, options);
}

std::string schema_of(const std::string& sql) {
  const auto resolved = resolve_text(sql);
  if (!resolved.ok()) return resolved.error().text();
  const std::string breach = contract_breach(resolved.value());
  if (!breach.empty()) return breach;
  std::string out;
  for (const value::Field& field : resolved.value().schema()) {
    out += (out.empty() ? "" : ", ") + field.name + " " + field.type.text();
  }
  return out;
}

std::string plan_of(const std::string& sql) {
  const auto resolved = resolve_text(sql);
  if (!resolved.ok()) return resolved.error().text();
  const std::string breach = contract_breach(resolved.value());
  return breach.empty() ? plan_text(*resolved.value().root) : breach;
}

std::string error_of(const std::string& sql) {
  const auto resolved = resolve_text(sql);
  if (resolved.ok()) return schema_of(sql);
  const Error& error = resolved.error();
  return error.code + "@" + std::to_string(error.span.line) + ":" +
         std::to_string(error.span.column);
}

}  // namespace lakebed::plan
