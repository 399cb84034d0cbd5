// Records of the event log as rows: the layout of its table (rule F7).
#pragma once

#include <string_view>

#include "base/json.h"
#include "value/column.h"

namespace lakebed::run {

// id, sequence, origin, timestamp, message, level, maturity_level, error, details, event_type.
// `details` is JSON text; sequence, origin and error are structs.
const value::Schema& event_schema();

// Records, JSON, one a line, as rows of that schema. Lines that are none are left out.
value::ColumnBatch event_rows(std::string_view lines);

}  // namespace lakebed::run
