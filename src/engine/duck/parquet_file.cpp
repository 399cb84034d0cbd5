#include "engine/duck/parquet_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/names.h"
#include "engine/duck/api.h"
#include "engine/duck/convert.h"
#include "engine/duck/functions/render.h"
#include "engine/duck/result.h"

namespace lakebed::engine::duck {

namespace {

using value::Field;
using value::Kind;
using value::Type;

// Footers kept at most; beyond, the cache starts anew.
constexpr size_t kFilesKept = 100'000;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Walks the types of DuckDB along the leaves of the footer, which come in the same order.
class SchemaWalk {
 public:
  explicit SchemaWalk(std::vector<std::string> leaves) : leaves_(std::move(leaves)) {}

  Result<Field> field(duckdb_logical_type type, const std::string& name,
                      const std::string& path) {
    Field out;
    out.name = name;
    switch (api().get_type_id(type)) {
      case DUCKDB_TYPE_STRUCT: return structure(type, std::move(out), path);
      case DUCKDB_TYPE_LIST: {
        const LogicalType child(api().list_type_child_type(type));
        LAKEBED_ASSIGN(auto element, field(child.get(), "element", path + ".element"));
        out.type.kind = Kind::kArray;
        out.type.fields = {std::move(element)};
        return out;
      }
      case DUCKDB_TYPE_MAP: {
        const LogicalType key_type(api().map_type_key_type(type));
        const LogicalType value_type(api().map_type_value_type(type));
        LAKEBED_ASSIGN(auto key, field(key_type.get(), "key", path + ".key"));
        LAKEBED_ASSIGN(auto element, field(value_type.get(), "value", path + ".value"));
        out.type.kind = Kind::kMap;
        out.type.fields = {std::move(key), std::move(element)};
        return out;
      }
      default: return leaf(type, std::move(out), path);
    }
  }

 private:
  Result<Field> structure(duckdb_logical_type type, Field out, const std::string& path) {
    out.type.kind = Kind::kStruct;
    for (idx_t i = 0; i < api().struct_type_child_count(type); ++i) {
      char* raw_name = api().struct_type_child_name(type, i);
      const std::string name = raw_name;
      api().free(raw_name);
      const LogicalType child(api().struct_type_child_type(type, i));
      LAKEBED_ASSIGN(auto inner, field(child.get(), name, path + "." + name));
      out.type.fields.push_back(std::move(inner));
    }
    return out;
  }

  Result<Field> leaf(duckdb_logical_type type, Field out, const std::string& path) {
    const std::string physical = next_ < leaves_.size() ? leaves_[next_] : "";
    ++next_;
    switch (api().get_type_id(type)) {
      case DUCKDB_TYPE_UTINYINT: return widened(std::move(out), Kind::kShort);
      case DUCKDB_TYPE_USMALLINT: return widened(std::move(out), Kind::kInt);
      case DUCKDB_TYPE_UINTEGER: return widened(std::move(out), Kind::kLong);
      case DUCKDB_TYPE_UBIGINT: return widened(std::move(out), Type::decimal(20, 0));
      default: break;
    }
    LAKEBED_ASSIGN(out.type, type_of(type, path));
    if (physical == "INT96") {
      out.type = Kind::kTimestamp;
      out.metadata[kRawKey] = "int96";
    }
    return out;
  }

  static Field widened(Field out, Type type) {
    out.type = std::move(type);
    out.metadata[kRawKey] = "cast";
    return out;
  }

  std::vector<std::string> leaves_;
  size_t next_ = 0;
};

// Asks DuckDB for the columns of one file, without reading rows.
Result<std::shared_ptr<const FileSchema>> describe(Database& database, const std::string& path,
                                                   const std::string& leaves) {
  LAKEBED_ASSIGN(auto connection, database.connect());
  connection->retire();  // its rows are not read to the end
  LAKEBED_ASSIGN(duckdb_result result, connection->stream("SELECT * FROM read_parquet(" +
                                                          path_list({path}) +
                                                          ", hive_partitioning=false) LIMIT 0"));
  auto schema = std::make_shared<FileSchema>();
  SchemaWalk walk(split(leaves, ','));
  for (idx_t i = 0; i < api().column_count(&result); ++i) {
    const LogicalType type(api().column_logical_type(&result, i));
    const std::string name = api().column_name(&result, i);
    auto field = walk.field(type.get(), name, name);
    FileColumn column;
    column.field.name = name;
    if (field.ok()) {
      column.field = std::move(field).value();
    } else {
      column.unsupported = std::move(field).error();
    }
    schema->columns.push_back(std::move(column));
  }
  api().destroy_result(&result);
  return std::shared_ptr<const FileSchema>(std::move(schema));
}

Result<std::string> stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return update_error(errno == ENOENT ? "FILE_NOT_FOUND" : "FILE_ERROR",
                        fmt::format("file {}: {}", path, std::strerror(errno)));
  }
  return fmt::format("{}:{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

value::Schema footer_columns() {
  value::Schema out(4);
  out[0].name = "file_name";
  out[1].name = "shape";
  out[2].name = "leaves";
  out[3].name = "rows";
  for (auto& field : out) field.type = Kind::kString;
  out[3].type = Kind::kLong;
  return out;
}

// One row a file: its shape as text, the physical types of its leaves, its number of rows.
std::string footer_query(const std::vector<std::string>& paths) {
  const std::string files = path_list(paths);
  return fmt::format(
      "SELECT s.file_name, s.shape, coalesce(s.leaves, ''), m.num_rows FROM ("
      "SELECT file_name, string_agg(concat_ws(':', name, type, type_length, repetition_type, "
      "num_children, converted_type, scale, precision, logical_type), chr(10) ORDER BY column_id) "
      "AS shape, string_agg(type, ',' ORDER BY column_id) FILTER (WHERE num_children IS NULL OR "
      "num_children = 0) AS leaves FROM parquet_schema({0}) GROUP BY file_name) s "
      "JOIN (SELECT file_name, any_value(num_rows) AS num_rows FROM parquet_file_metadata({0}) "
      "GROUP BY file_name) m ON s.file_name = m.file_name",
      files);
}

}  // namespace

std::optional<size_t> FileSchema::find(std::string_view name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].field.name == name) return i;
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (same_name(columns[i].field.name, name)) return i;
  }
  return std::nullopt;
}

Result<std::vector<FileFacts>> FooterCache::facts(const std::shared_ptr<Database>& database,
                                                  const std::vector<std::string>& paths) {
  if (files_.size() > kFilesKept) files_.clear();
  std::vector<std::string> missing;
  std::map<std::string, std::string> stamps;
  for (const auto& path : paths) {
    LAKEBED_ASSIGN(auto stamp, stamp_of(path));
    const auto found = files_.find(path);
    const bool known = found != files_.end() && found->second.stamp == stamp;
    if (!known && stamps.emplace(path, stamp).second) missing.push_back(path);
  }
  if (!missing.empty()) LAKEBED_TRY(load(database, missing, stamps));
  std::vector<FileFacts> out;
  for (const auto& path : paths) out.push_back(files_.at(path).facts);
  return out;
}

Status FooterCache::load(const std::shared_ptr<Database>& database,
                         const std::vector<std::string>& paths,
                         std::map<std::string, std::string>& stamps) {
  LAKEBED_ASSIGN(auto rows, read_all(database, footer_query(paths), footer_columns()));
  for (size_t i = 0; i < rows.rows; ++i) {
    const std::string path(rows.columns[0].bytes(i));
    const std::string shape(rows.columns[1].bytes(i));
    auto& schema = shapes_[shape];
    if (schema == nullptr) {
      LAKEBED_ASSIGN(schema, describe(*database, path, std::string(rows.columns[2].bytes(i))));
    }
    Entry entry;
    entry.stamp = stamps[path];
    entry.facts.schema = schema;
    entry.facts.rows = static_cast<uint64_t>(rows.columns[3].integer(i));
    files_[path] = std::move(entry);
  }
  for (const auto& path : paths) {
    if (files_.count(path) != 0) continue;
    return update_error("FILE_ERROR", "file " + path + " has no readable Parquet footer");
  }
  return {};
}

value::Field without_marks(value::Field field) {
  field.metadata.erase(kRawKey);
  for (auto& inner : field.type.fields) inner = without_marks(std::move(inner));
  return field;
}

std::string path_list(const std::vector<std::string>& paths) {
  std::string out = "[";
  for (const auto& path : paths) out += (out.size() == 1 ? "" : ", ") + quote_text(path);
  return out + "]";
}

}  // namespace lakebed::engine::duck
