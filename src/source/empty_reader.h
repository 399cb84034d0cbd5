// A reader without rows.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/engine.h"
#include "value/column.h"

namespace lakebed::source {

class EmptyReader : public value::BatchReader {
 public:
  explicit EmptyReader(value::Schema schema) : schema_(std::move(schema)) {}
  const value::Schema& schema() const override { return schema_; }
  Result<std::optional<value::ColumnBatch>> next() override {
    return std::optional<value::ColumnBatch>();
  }

 private:
  value::Schema schema_;
};

// The engine's input for a scan of `wanted` that finds no rows.
inline engine::ScanInput empty_input(const value::Schema& wanted) {
  engine::ScanInput out;
  out.reader = [wanted]() -> Result<std::unique_ptr<value::BatchReader>> {
    return std::unique_ptr<value::BatchReader>(std::make_unique<EmptyReader>(wanted));
  };
  return out;
}

}  // namespace lakebed::source
