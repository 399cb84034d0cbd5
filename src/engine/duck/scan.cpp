#include "engine/duck/scan.h"

#include <fmt/format.h>

#include "engine/duck/api.h"
#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

namespace {

// Rows of one Arrow array: enough to be worth a task, few enough to share among threads.
constexpr size_t kSliceRows = 16'384;

// Cuts the batches of a reader into slices. A batch lives until DuckDB drops its last slice.
class ReaderSlices {
 public:
  ReaderSlices(std::unique_ptr<value::BatchReader> reader, std::vector<size_t> columns)
      : reader_(std::move(reader)), columns_(std::move(columns)) {}

  Result<std::optional<ColumnSlice>> next() {
    if (batch_ == nullptr || at_ == batch_->rows) {
      LAKEBED_ASSIGN(auto pulled, reader_->next());
      if (!pulled) return std::optional<ColumnSlice>();
      batch_ = std::make_shared<const value::ColumnBatch>(std::move(*pulled));
      at_ = 0;
    }
    ColumnSlice slice;
    for (const size_t column : columns_) slice.columns.push_back(&batch_->columns[column]);
    slice.first = at_;
    slice.count = std::min(kSliceRows, batch_->rows - at_);
    slice.owner = batch_;
    at_ += slice.count;
    return std::optional<ColumnSlice>(std::move(slice));
  }

 private:
  std::unique_ptr<value::BatchReader> reader_;
  std::vector<size_t> columns_;
  std::shared_ptr<const value::ColumnBatch> batch_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ScanView>> ScanView::open(std::shared_ptr<Database> database,
                                                 const value::Schema& schema,
                                                 ArrowSource::Next next) {
  std::unique_ptr<ScanView> view(new ScanView());
  view->source_ = std::make_unique<ArrowSource>(schema, std::move(next));
  LAKEBED_ASSIGN(auto connection, database->connect());
  view->database_ = std::move(database);
  view->name_ = view->database_->fresh_name("lakebed_scan_");
  auto* stream = reinterpret_cast<duckdb_arrow_stream>(view->source_->stream());
  if (api().arrow_scan(connection->handle(), view->name_.c_str(), stream) == DuckDBError) {
    return update_error("ENGINE_ERROR", "DuckDB did not take a stream of rows");
  }
  return view;
}

Result<std::unique_ptr<ScanView>> ScanView::over_reader(
    std::shared_ptr<Database> database, std::unique_ptr<value::BatchReader> reader,
    const std::vector<size_t>& columns, const std::vector<std::string>& names) {
  value::Schema schema;
  for (size_t i = 0; i < columns.size(); ++i) {
    value::Field field = reader->schema()[columns[i]];
    field.name = names[i];
    schema.push_back(std::move(field));
  }
  auto slices = std::make_shared<ReaderSlices>(std::move(reader), columns);
  return open(std::move(database), schema, [slices]() { return slices->next(); });
}

ScanView::~ScanView() {
  if (name_.empty()) return;
  auto connection = database_->connect();
  if (!connection.ok()) return;
  // A view that cannot be dropped is left: its name is never used again.
  auto dropped = (*connection)->execute("DROP VIEW IF EXISTS " + quote_identifier(name_));
  static_cast<void>(dropped);
}

}  // namespace lakebed::engine::duck
