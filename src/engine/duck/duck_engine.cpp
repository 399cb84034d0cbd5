#include "engine/duck/duck_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/duck/parquet_scan.h"
#include "engine/duck/read_rows.h"
#include "engine/duck/render_query.h"
#include "engine/duck/result.h"
#include "engine/duck/write.h"

namespace lakebed::engine {

Result<std::unique_ptr<Engine>> open_duck_engine(const EngineOptions& options) {
  LAKEBED_ASSIGN(auto database, duck::Database::open(options));
  return std::unique_ptr<Engine>(std::make_unique<duck::DuckEngine>(std::move(database)));
}

}  // namespace lakebed::engine

namespace lakebed::engine::duck {

namespace {

// The leaves of one query: readers, or scans of Parquet files.
class Leaves {
 public:
  Leaves(std::shared_ptr<Database> database, FooterCache& footers, const plan::ResolvedQuery& query,
         const std::map<uint32_t, ScanInput>& inputs)
      : database_(std::move(database)), footers_(footers), query_(query), inputs_(inputs) {}

  Result<std::string> render(const LeafRequest& request, RenderContext& context) {
    const uint32_t leaf = request.leaf->leaf;
    const auto input = inputs_.find(leaf);
    const auto scan = std::find_if(query_.scans.begin(), query_.scans.end(),
                                   [&](const auto& item) { return item.leaf == leaf; });
    if (input == inputs_.end() || scan == query_.scans.end()) {
      return update_error("ENGINE_ERROR", fmt::format("no data for the scan {}", leaf))
          .with_span(request.leaf->span);
    }
    if (input->second.is_parquet) return parquet(request, scan->schema, input->second, context);
    return reader(request, input->second);
  }

  std::unique_ptr<QueryResources> take() { return std::move(resources_); }
  uint64_t rows_decoded() const { return rows_decoded_; }

 private:
  Result<std::string> parquet(const LeafRequest& request, const value::Schema& schema,
                              const ScanInput& input, RenderContext& context) {
    ParquetScan scan;
    for (size_t i = 0; i < request.columns.size(); ++i) {
      scan.columns.push_back({schema[request.columns[i]], request.aliases[i]});
    }
    const char* numbers[] = {"__file_index", "__row_index"};
    for (size_t i = 0; i < request.ordinals.size(); ++i) {
      value::Field field;
      field.name = numbers[i];
      field.type = value::Kind::kLong;
      scan.columns.push_back({std::move(field), request.ordinals[i]});
    }
    scan.files = &input.files;
    scan.physical_names = &input.physical_names;
    LAKEBED_ASSIGN(auto rendered,
                   render_parquet_scan(database_, footers_, scan, *resources_, context));
    rows_decoded_ += rendered.rows_in_files;
    return rendered.sql;
  }

  Result<std::string> reader(const LeafRequest& request, const ScanInput& input) {
    LAKEBED_ASSIGN(auto reader, input.reader());
    ReaderColumns columns{request.columns, request.aliases, request.ordinals};
    // A relation of DuckDB has at least one column, also where only the rows count.
    if (columns.indexes.empty() && columns.ordinals.empty()) {
      columns.indexes = {0};
      columns.names = {"none"};
    }
    LAKEBED_ASSIGN(auto source, RowSource::open(*database_, std::move(reader), columns));
    std::string sql = "SELECT * FROM " + source->sql();
    resources_->sources.push_back(std::move(source));
    return sql;
  }

  std::shared_ptr<Database> database_;
  FooterCache& footers_;
  const plan::ResolvedQuery& query_;
  const std::map<uint32_t, ScanInput>& inputs_;
  std::unique_ptr<QueryResources> resources_ = std::make_unique<QueryResources>();
  uint64_t rows_decoded_ = 0;
};

}  // namespace

Result<std::unique_ptr<value::BatchReader>> DuckEngine::run(
    const plan::ResolvedQuery& query, const std::map<uint32_t, ScanInput>& inputs) {
  LAKEBED_ASSIGN(const auto connection, database_->connect());
  RenderContext context;
  context.time_zone = database_->time_zone();
  context.connection = connection.get();
  Leaves leaves(database_, footers_, query, inputs);
  const LeafRenderer render = [&](const LeafRequest& request, RenderContext& inner) {
    return leaves.render(request, inner);
  };
  LAKEBED_ASSIGN(auto sql, render_query(query, render, context));
  counters_.rows_decoded += leaves.rows_decoded();
  return open_query(database_, sql, query.schema(), leaves.take());
}

Result<WrittenFile> DuckEngine::write_parquet(const std::string& path, const value::Schema& schema,
                                              const std::vector<const value::ColumnBatch*>& batches,
                                              const WriteOptions& options) {
  return duck::write_parquet(*database_, path, schema, batches, options);
}

Result<value::Schema> DuckEngine::parquet_schema(const std::string& path) {
  LAKEBED_ASSIGN(auto facts, footers_.facts(database_, {path}));
  value::Schema out;
  for (const auto& column : facts[0].schema->columns) {
    if (column.unsupported) return Error(*column.unsupported).within("file " + path);
    out.push_back(without_marks(column.field));
  }
  return out;
}

Result<value::ColumnBatch> DuckEngine::read_rows(const ParquetFile& file,
                                                 const value::Schema& schema,
                                                 const std::map<std::string, std::string>& physical,
                                                 const std::vector<uint64_t>& rows) {
  if (rows.empty()) return value::ColumnBatch::empty(schema);
  std::vector<uint64_t> wanted = rows;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

  LAKEBED_ASSIGN(const auto connection, database_->connect());
  RenderContext context;
  context.time_zone = database_->time_zone();
  context.connection = connection.get();
  auto resources = std::make_unique<QueryResources>();
  const std::vector<ParquetFile> files = {file};
  ParquetScan scan;
  // A list of numbers may become a join, which keeps no order: each row says which one it is.
  const value::Schema numbered = with_row_number(schema);
  for (size_t i = 0; i < numbered.size(); ++i) {
    scan.columns.push_back({numbered[i], fmt::format("c{}", i)});
  }
  scan.files = &files;
  scan.physical_names = &physical;
  scan.condition = rows_condition(wanted, *resources);
  LAKEBED_ASSIGN(auto rendered,
                 render_parquet_scan(database_, footers_, scan, *resources, context));
  LAKEBED_ASSIGN(auto found, read_all(database_, rendered.sql, numbered, std::move(resources)));
  if (found.rows != wanted.size()) {
    return update_error("ROW_NOT_FOUND",
                        fmt::format("{} of {} rows are in the file", found.rows, wanted.size()))
        .within("file " + file.path);
  }
  counters_.target_rows_decoded += rows.size();
  return in_order(found, rows);
}

Result<uint64_t> DuckEngine::memory_bytes() {
  LAKEBED_ASSIGN(auto connection, database_->connect());
  LAKEBED_ASSIGN(const std::string text,
                 connection->value_of("SELECT sum(memory_usage_bytes) FROM duckdb_memory()"));
  return std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace lakebed::engine::duck
