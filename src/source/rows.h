// A few rows in memory as a source's slice: listings, versions of snapshots.
#pragma once

#include <memory>

#include "source/source.h"

namespace lakebed::source {

// A slice of these rows, for a read that is no stream. Requires: the columns that are asked for
// are columns of the rows.
Slice rows_slice(std::shared_ptr<const value::ColumnBatch> rows);

// A source of these rows, none of them hidden. It can't be read as a stream.
std::unique_ptr<Source> rows_source(value::ColumnBatch rows);

}  // namespace lakebed::source
