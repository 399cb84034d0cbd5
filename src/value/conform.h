// Bringing columns to a wider shape: what a batch delivers to what the table has (rule F3).
#pragma once

#include "value/column.h"

namespace lakebed::value {

// The same rows under type `to`: numbers widened (can_widen), struct fields matched by name without
// case and put in the order of `to`, fields that are missing filled with NULL. Requires: every
// field of the column's type has a counterpart in `to` that it equals or widens to.
Column conform(const Column& column, const Type& to);

// The batch under `schema`: columns by name, missing ones NULL. Columns that `schema` lacks are
// left out.
ColumnBatch conform_batch(const ColumnBatch& batch, const Schema& schema);
// The same; columns that have their type already are moved out of the batch, the others stay.
ColumnBatch conform_batch(ColumnBatch&& batch, const Schema& schema);

// `rows` rows of NULL.
Column null_column(const Type& type, size_t rows);

}  // namespace lakebed::value
