#include "engine/duck/scan.h"

#include <fmt/format.h>

#include "engine/duck/api.h"
#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

namespace {

// Rows of one Arrow array: enough to be worth a task, few enough to share among threads.
constexpr size_t kSliceRows = 16'384;

// What a slice of a reader lends: the batch, and the numbers of its rows.
struct Lent {
  value::ColumnBatch batch;
  std::vector<value::Column> ordinals;
};

// Cuts the batches of a reader into slices. A batch lives until DuckDB drops its last slice.
class ReaderSlices {
 public:
  ReaderSlices(std::unique_ptr<value::BatchReader> reader, ReaderColumns columns)
      : reader_(std::move(reader)), columns_(std::move(columns)) {}

  Result<std::optional<ColumnSlice>> next() {
    if (lent_ == nullptr || at_ == lent_->batch.rows) {
      LAKEBED_ASSIGN(auto pulled, reader_->next());
      if (!pulled) return std::optional<ColumnSlice>();
      take(std::move(*pulled));
    }
    ColumnSlice slice;
    for (const size_t index : columns_.indexes) {
      slice.columns.push_back(&lent_->batch.columns[index]);
    }
    for (const auto& ordinal : lent_->ordinals) slice.columns.push_back(&ordinal);
    slice.first = at_;
    slice.count = std::min(kSliceRows, lent_->batch.rows - at_);
    slice.owner = lent_;
    at_ += slice.count;
    return std::optional<ColumnSlice>(std::move(slice));
  }

 private:
  void take(value::ColumnBatch batch) {
    auto lent = std::make_shared<Lent>();
    lent->batch = std::move(batch);
    if (!columns_.ordinals.empty()) {
      lent->ordinals.assign(2, value::Column(value::Kind::kLong));
      for (size_t i = 0; i < lent->batch.rows; ++i) {
        lent->ordinals[0].append_integer(0);
        lent->ordinals[1].append_integer(static_cast<int64_t>(rows_before_ + i));
      }
    }
    rows_before_ += lent->batch.rows;
    lent_ = std::move(lent);
    at_ = 0;
  }

  std::unique_ptr<value::BatchReader> reader_;
  ReaderColumns columns_;
  std::shared_ptr<const Lent> lent_;
  size_t at_ = 0;
  uint64_t rows_before_ = 0;
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
    const ReaderColumns& columns) {
  value::Schema schema;
  for (size_t i = 0; i < columns.indexes.size(); ++i) {
    value::Field field = reader->schema()[columns.indexes[i]];
    field.name = columns.names[i];
    schema.push_back(std::move(field));
  }
  for (const auto& name : columns.ordinals) {
    value::Field field;
    field.name = name;
    field.type = value::Kind::kLong;
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
