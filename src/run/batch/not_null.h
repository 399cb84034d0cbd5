// NOT NULL of declared columns, nested ones too (rule F12).
#pragma once

#include <functional>
#include <string>

#include "value/column.h"

namespace lakebed::run {

// Error NOT_NULL_CONSTRAINT_VIOLATION naming column and row where a row that `counts` (empty: all)
// has NULL in a column of batch.schema that allows none. `flow` is named in the message.
Status check_no_nulls(const value::ColumnBatch& batch, const std::string& flow,
                      const std::function<bool(size_t row)>& counts = {});

}  // namespace lakebed::run
