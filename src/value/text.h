// Values as people and JSON readers see them: Spark's texts.
#pragma once

#include <string>

#include "value/column.h"

namespace lakebed::value {

// Java's Double.toString / Float.toString: "1.0", "1.0E10", "1.0E-4", "NaN", "Infinity".
std::string double_text(double number);
std::string float_text(float number);
// All digits of a decimal, plain: "-0.05".
std::string decimal_text(Int128 unscaled, int scale);
// yyyy-MM-dd; years beyond four digits with a sign, as Java prints them.
std::string date_text(int64_t days);
// "yyyy-MM-dd<separator>HH:mm:ss[.ffffff]", fraction without trailing zeros.
std::string timestamp_text(int64_t micros, char separator = ' ');
// Offset of the zone from UTC at that instant, in seconds. Requires: is_known_zone(zone).
int64_t zone_offset_seconds(int64_t utc_micros, const std::string& zone);
// Names of the IANA database, "UTC", "GMT", "Z" and fixed offsets like "+02:00".
bool is_known_zone(const std::string& zone);
// The instant of a wall clock in a zone: in a gap the later offset's, in an overlap the earlier.
int64_t local_to_utc_micros(int64_t local_micros, const std::string& zone);

std::string base64_text(std::string_view bytes);
// Appends `bytes` as a JSON string with quotes.
void append_json_string(std::string_view bytes, std::string& out);

// Appends one value as Spark's to_json does, but with nulls kept: BIGINT and DECIMAL as numbers
// with all digits, TIMESTAMP as ISO 8601 with milliseconds or microseconds in `zone`, DATE as text,
// BINARY base64, NaN and Infinity as strings, maps as objects.
void append_json(const Column& column, size_t row, const std::string& zone, std::string& out);
// One object: all columns in order.
void append_json_row(const ColumnBatch& batch, size_t row, const std::string& zone,
                     std::string& out);

// A value for people: as CAST(x AS STRING) prints it, "NULL" for NULL.
std::string display_text(const Column& column, size_t row, const std::string& zone);

}  // namespace lakebed::value
