// Values as JSON text, as Spark's to_json prints them: DECIMAL and BIGINT with all digits, times in
// ISO 8601 in a time zone, BINARY as base64, NaN and infinities as strings, maps as objects.
#pragma once

#include <string>

#include "value/column.h"

namespace lakebed::engine::duck {

struct JsonStyle {
  std::string zone = "UTC";
  bool null_fields = false;  // fields of structs that are NULL are printed, too
};

// Appends the value of one row.
void append_json(const value::Column& column, size_t row, const JsonStyle& style, std::string& out);

}  // namespace lakebed::engine::duck
