#include "source/rows.h"

#include <fmt/core.h>

namespace lakebed::source {

namespace {

using Rows = std::shared_ptr<const value::ColumnBatch>;

class RowsReader : public value::BatchReader {
 public:
  RowsReader(Rows rows, value::Schema wanted)
      : rows_(std::move(rows)), wanted_(std::move(wanted)) {}
  const value::Schema& schema() const override { return wanted_; }
  Result<std::optional<value::ColumnBatch>> next() override;

 private:
  Rows rows_;  // null once they were handed out
  value::Schema wanted_;
};

Result<std::optional<value::ColumnBatch>> RowsReader::next() {
  if (!rows_ || rows_->rows == 0) return std::optional<value::ColumnBatch>();
  value::ColumnBatch out;
  out.schema = wanted_;
  out.rows = rows_->rows;
  for (const value::Field& field : wanted_) {
    const auto at = value::find_field(rows_->schema, field.name);
    LAKEBED_ASSERT(at.has_value());
    out.columns.push_back(rows_->columns[*at]);
  }
  rows_.reset();
  return std::optional(std::move(out));
}

class RowsSource : public Source {
 public:
  explicit RowsSource(value::ColumnBatch rows)
      : rows_(std::make_shared<const value::ColumnBatch>(std::move(rows))) {}
  const value::Schema& schema() const override { return rows_->schema; }
  const value::Schema& hidden() const override { return hidden_; }
  Status refresh() override { return {}; }
  Result<Slice> read_all() override { return rows_slice(rows_); }
  Result<std::optional<Slice>> next_slice(const std::string&, SeenFiles&) override {
    return project_error("INVALID_FLOW_QUERY_TYPE", "rows in memory can't be read as a stream");
  }

 private:
  Rows rows_;
  value::Schema hidden_;
};

}  // namespace

Slice rows_slice(std::shared_ptr<const value::ColumnBatch> rows) {
  Slice slice;
  slice.schema = rows->schema;
  slice.rows = rows->rows;
  slice.covers = fmt::format("{} rows", rows->rows);
  slice.input = [rows = std::move(rows)](const value::Schema& wanted) -> Result<engine::ScanInput> {
    engine::ScanInput input;
    input.reader = [rows, wanted]() -> Result<std::unique_ptr<value::BatchReader>> {
      return std::unique_ptr<value::BatchReader>(std::make_unique<RowsReader>(rows, wanted));
    };
    return input;
  };
  return slice;
}

std::unique_ptr<Source> rows_source(value::ColumnBatch rows) {
  return std::make_unique<RowsSource>(std::move(rows));
}

}  // namespace lakebed::source
