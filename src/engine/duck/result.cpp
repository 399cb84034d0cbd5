#include "engine/duck/result.h"

#include <fmt/format.h>

#include "engine/duck/api.h"
#include "engine/duck/convert.h"

namespace lakebed::engine::duck {

namespace {

constexpr size_t kBatchRows = 65'536;
constexpr size_t kBatchBytes = size_t{64} << 20;

class QueryReader : public value::BatchReader {
 public:
  QueryReader(std::unique_ptr<Connection> connection, value::Schema schema,
              std::unique_ptr<QueryResources> resources)
      : schema_(std::move(schema)),
        resources_(std::move(resources)),
        connection_(std::move(connection)) {}
  ~QueryReader() override {
    if (open_) api().destroy_result(&result_);
    if (!done_) connection_->retire();
  }
  QueryReader(const QueryReader&) = delete;
  QueryReader& operator=(const QueryReader&) = delete;

  Status start(const std::string& sql) {
    auto started = connection_->stream(sql);
    if (!started.ok()) return cause(std::move(started).error());
    result_ = *started;
    open_ = true;
    return check_columns();
  }

  const value::Schema& schema() const override { return schema_; }

  Result<std::optional<value::ColumnBatch>> next() override {
    if (done_) return std::optional<value::ColumnBatch>();
    auto batch = value::ColumnBatch::empty(schema_);
    while (!done_ && batch.rows < kBatchRows && batch.memory_bytes() < kBatchBytes) {
      LAKEBED_TRY(pull(batch));
    }
    if (batch.rows == 0) return std::optional<value::ColumnBatch>();
    return std::optional<value::ColumnBatch>(std::move(batch));
  }

 private:
  Error cause(Error error) const {
    if (resources_ == nullptr) return error;
    auto failure = resources_->failure();
    return failure ? *failure : error;
  }

  Status check_columns() {
    const size_t columns = api().column_count(&result_);
    if (columns < schema_.size()) {
      return update_error("ENGINE_ERROR", fmt::format("{} columns instead of {}", columns,
                                                      schema_.size()));
    }
    for (size_t i = 0; i < schema_.size(); ++i) {
      const LogicalType type(api().column_logical_type(&result_, i));
      if (carries(type.get(), schema_[i].type)) continue;
      auto actual = type_of(type.get(), schema_[i].name);
      return update_error(
          "ENGINE_ERROR",
          fmt::format("column {} came as {} instead of {}", schema_[i].name,
                      actual.ok() ? actual->text() : actual.error().message,
                      schema_[i].type.text()));
    }
    return {};
  }

  Status pull(value::ColumnBatch& batch) {
    duckdb_data_chunk chunk = api().fetch_chunk(result_);
    if (chunk == nullptr) {
      done_ = true;
      const char* message = api().result_error(&result_);
      if (message != nullptr && *message != '\0') return cause(translate_error(message));
      return {};
    }
    const size_t rows = api().data_chunk_get_size(chunk);
    if (batch.rows == 0 && rows == api().vector_size()) {
      for (auto& column : batch.columns) column.reserve(kBatchRows);
    }
    for (size_t i = 0; i < schema_.size(); ++i) {
      append_vector(api().data_chunk_get_vector(chunk, i), 0, rows, batch.columns[i]);
    }
    batch.rows += rows;
    api().destroy_data_chunk(&chunk);
    return {};
  }

  value::Schema schema_;
  // Destroyed after the result and the connection, which may still read from them.
  std::unique_ptr<QueryResources> resources_;
  std::unique_ptr<Connection> connection_;
  duckdb_result result_{};
  bool open_ = false;
  bool done_ = false;
};

}  // namespace

std::optional<Error> QueryResources::failure() const {
  for (const auto& source : sources) {
    if (source->failure()) return source->failure();
  }
  return std::nullopt;
}

Result<std::unique_ptr<value::BatchReader>> open_query(
    std::shared_ptr<Database> database, const std::string& sql, value::Schema schema,
    std::unique_ptr<QueryResources> resources) {
  LAKEBED_ASSIGN(auto connection, database->connect());
  auto reader = std::make_unique<QueryReader>(std::move(connection), std::move(schema),
                                              std::move(resources));
  LAKEBED_TRY(reader->start(sql));
  return std::unique_ptr<value::BatchReader>(std::move(reader));
}

Result<value::ColumnBatch> read_all(std::shared_ptr<Database> database, const std::string& sql,
                                    value::Schema schema,
                                    std::unique_ptr<QueryResources> resources) {
  LAKEBED_ASSIGN(auto reader, open_query(std::move(database), sql, std::move(schema),
                                         std::move(resources)));
  auto all = value::ColumnBatch::empty(reader->schema());
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader->next());
    if (!batch) return all;
    if (all.rows == 0) {
      all = std::move(*batch);
    } else {
      all.append_range(*batch, 0, batch->rows);
    }
  }
}

}  // namespace lakebed::engine::duck
