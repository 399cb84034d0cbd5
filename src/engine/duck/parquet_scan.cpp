#include "engine/duck/parquet_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "engine/duck/parquet_adapt.h"
#include "engine/duck/parquet_constants.h"
#include "engine/duck/row_sets.h"

namespace lakebed::engine::duck {

namespace {

// Files [first, first + count) of one shape.
struct Group {
  size_t first = 0;
  size_t count = 0;
  const FileSchema* schema = nullptr;
};

std::vector<Group> groups_of(const std::vector<FileFacts>& facts) {
  std::vector<Group> out;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (out.empty() || out.back().schema != facts[i].schema.get()) {
      out.push_back({i, 0, facts[i].schema.get()});
    }
    ++out.back().count;
  }
  return out;
}

std::string null_of(const value::Type& type) { return "CAST(NULL AS " + duck_type(type) + ")"; }

class Renderer {
 public:
  Renderer(const ParquetScan& scan, QueryResources& resources, RenderContext& context)
      : scan_(scan), resources_(resources), context_(context) {}

  Result<std::string> group(const Group& group) {
    std::string columns;
    for (const auto& column : scan_.columns) {
      LAKEBED_ASSIGN(auto item, expression(column.field, group));
      columns += fmt::format("{}{} AS {}", columns.empty() ? "" : ", ", item,
                             quote_identifier(column.alias));
    }
    if (columns.empty()) columns = "1 AS none";
    std::vector<std::string> paths;
    for (size_t i = 0; i < group.count; ++i) paths.push_back(file(group, i).path);
    std::string sql = fmt::format("SELECT {} FROM read_parquet({}, hive_partitioning=false)",
                                  columns, path_list(paths));
    const auto condition = conditions(group);
    if (!condition.empty()) sql += " WHERE " + condition;
    LAKEBED_TRY(check_virtual_names(group));
    return sql;
  }

 private:
  const ParquetFile& file(const Group& group, size_t i) const {
    return (*scan_.files)[group.first + i];
  }

  std::string file_index(const Group& group) {
    uses_virtual_ = true;
    if (group.first == 0) return "CAST(file_index AS BIGINT)";
    return fmt::format("(CAST(file_index AS BIGINT) + {})", group.first);
  }
  std::string row_index() {
    uses_virtual_ = true;
    return "CAST(file_row_number AS BIGINT)";
  }

  Result<std::string> expression(const value::Field& field, const Group& group) {
    if (field.name == "__file_index") return file_index(group);
    if (field.name == "__row_index") return row_index();
    const auto files = group_files(group);
    if (const auto constant = find_constant(field, files)) {
      LAKEBED_ASSIGN(auto choice, *constant);
      return chosen(choice);
    }
    const WantedColumn wanted{&field, scan_.physical_names};
    const auto found = group.schema->find(name_in_file(wanted, field.name, field.name));
    if (!found) {
      if (field.name != "_metadata") return null_of(field.type);
      LAKEBED_ASSIGN(auto metadata, metadata_choice(field, files));
      return chosen(metadata);
    }
    const auto& column = group.schema->columns[*found];
    if (column.unsupported) return Error(*column.unsupported).within("file " + files[0]->path);
    auto adapted = adapt_column(quote_identifier(column.field.name), column.field, wanted,
                                context_);
    if (!adapted.ok()) return std::move(adapted).error().within("file " + files[0]->path);
    return adapted;
  }

  // One value for all files, or one a file, picked by the file's number.
  std::string chosen(const FileChoice& choice) {
    if (choice.values.size() == 1) return choice.values[0];
    uses_virtual_ = true;
    return fmt::format("list_extract([{}], CAST(file_index AS BIGINT) + 1)",
                       fmt::join(choice.values, ", "));
  }

  std::vector<const ParquetFile*> group_files(const Group& group) const {
    std::vector<const ParquetFile*> out;
    for (size_t i = 0; i < group.count; ++i) out.push_back(&file(group, i));
    return out;
  }

  std::string conditions(const Group& group) {
    std::string out = scan_.condition;
    if (!out.empty()) uses_virtual_ = true;
    auto deleted = std::make_shared<RowSet>(group.count);
    bool any = false;
    for (size_t i = 0; i < group.count; ++i) {
      const auto& rows = file(group, i).deleted_rows;
      if (rows == nullptr || rows->empty()) continue;
      deleted->add(i, *rows);
      any = true;
    }
    if (!any) return out;
    uses_virtual_ = true;
    auto handle = publish_row_set(std::move(deleted));
    resources_.kept.push_back(std::move(handle.keep));
    return fmt::format("{}{}NOT lb_row_listed({}, CAST(file_index AS BIGINT), "
                       "CAST(file_row_number AS BIGINT))",
                       out, out.empty() ? "" : " AND ", handle.id);
  }

  // A column of the file would hide DuckDB's virtual column of the same name.
  Status check_virtual_names(const Group& group) const {
    if (!uses_virtual_) return {};
    for (const auto& column : group.schema->columns) {
      const auto& name = column.field.name;
      if (!same_name(name, "file_index") && !same_name(name, "file_row_number")) continue;
      return update_error("UNSUPPORTED_COLUMN_NAME",
                          fmt::format("a Parquet file with a column called {} cannot be read "
                                      "by row position", name))
          .within("file " + file(group, 0).path);
    }
    return {};
  }

  const ParquetScan& scan_;
  QueryResources& resources_;
  RenderContext& context_;
  bool uses_virtual_ = false;
};

std::string no_rows(const ParquetScan& scan) {
  std::string columns;
  for (const auto& column : scan.columns) {
    columns += fmt::format("{}{} AS {}", columns.empty() ? "" : ", ", null_of(column.field.type),
                           quote_identifier(column.alias));
  }
  return "SELECT " + (columns.empty() ? "1 AS none" : columns) + " WHERE false";
}

}  // namespace

Result<RenderedScan> render_parquet_scan(const std::shared_ptr<Database>& database,
                                         FooterCache& footers, const ParquetScan& scan,
                                         QueryResources& resources, RenderContext& context) {
  RenderedScan out;
  if (scan.files->empty()) {
    out.sql = no_rows(scan);
    return out;
  }
  std::vector<std::string> paths;
  for (const auto& file : *scan.files) paths.push_back(file.path);
  LAKEBED_ASSIGN(auto facts, footers.facts(database, paths));
  for (const auto& file : facts) out.rows_in_files += file.rows;
  for (const auto& group : groups_of(facts)) {
    Renderer renderer(scan, resources, context);
    LAKEBED_ASSIGN(auto sql, renderer.group(group));
    out.sql += (out.sql.empty() ? "" : " UNION ALL ") + sql;
  }
  return out;
}

}  // namespace lakebed::engine::duck
