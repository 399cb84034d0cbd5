// Values as Delta's log spells them in partition values and statistics. Internal to this room.
#pragma once

#include <string>
#include <string_view>

#include "value/column.h"

namespace lakebed::delta {

// The plain text of a value that is not null: digits, true/false, yyyy-MM-dd, timestamps in
// ISO-8601 (with Z where they are instants), decimals with all digits, bytes as they are.
std::string value_text(const value::Column& column, size_t row);
// Reads such a text (and the older spelling "yyyy-MM-dd HH:mm:ss[.ffffff]") into the column.
// False when it is no value of the type; nothing is appended then.
bool append_value_text(value::Column& column, std::string_view text);

void append_date(std::string& out, int64_t days);
// Microseconds as yyyy-MM-ddTHH:mm:ss with `digits` (0, 3 or 6) digits of a second.
void append_timestamp(std::string& out, int64_t microseconds, int digits);
void append_decimal(std::string& out, value::Int128 unscaled, int scale);
// The shortest text that reads back; plain JSON number. Requires: finite.
void append_number(std::string& out, double number);
void append_number(std::string& out, float number);

}  // namespace lakebed::delta
