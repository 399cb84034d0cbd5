// Actions as rows of a checkpoint's Parquet file, both ways. Internal to this room.
#pragma once

#include "delta/actions.h"
#include "value/column.h"

namespace lakebed::delta {

// The columns that are written: txn, add, remove, metaData, protocol, domainMetadata.
const value::Schema& checkpoint_schema();
// The columns that are read: the same, and what other writers add and we need.
const value::Schema& checkpoint_read_schema();

// The rows for `actions`, in the order of checkpoint_schema().
value::ColumnBatch checkpoint_rows(const CommitActions& actions);

// Adds the actions in `batch` (columns of checkpoint_read_schema()). Error DELTA_CHECKPOINT.DAMAGED
// naming `file`.
Status read_checkpoint_rows(const value::ColumnBatch& batch, const std::string& file,
                            CommitActions& actions);

}  // namespace lakebed::delta
