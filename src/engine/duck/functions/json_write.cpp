#include "engine/duck/functions/json_write.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/encoding.h"
#include "engine/duck/functions/json_value.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

void write_real(double item, const std::string& text, std::string& out) {
  if (std::isfinite(item))
    out += text;
  else
    append_json_string(out, text);
}

std::string iso_timestamp(int64_t micros, bool instant, const std::string& zone) {
  const int64_t local = instant ? to_local(micros, zone).value_or(micros) : micros;
  const int64_t rest = floor_mod(local, kMicrosPerDay);
  const int64_t seconds = rest / kMicrosPerSecond;
  std::string out = fmt::format("{}T{:02}:{:02}:{:02}.", date_text(floor_div(local, kMicrosPerDay)),
                                seconds / 3600, seconds / 60 % 60, seconds % 60);
  out += fmt::format("{:03}", rest % kMicrosPerSecond / 1000);
  if (!instant) return out;
  const int64_t offset = (local - micros) / kMicrosPerSecond;
  if (offset == 0) return out + "Z";
  const int64_t size = offset < 0 ? -offset : offset;
  return out + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

void write_struct(const Column& column, size_t row, const JsonStyle& style, std::string& out) {
  out += '{';
  bool first = true;
  for (size_t i = 0; i < column.children().size(); ++i) {
    const Column& child = column.children()[i];
    const bool null = child.is_null(row) || child.type().kind == Kind::kVoid;
    if (null && !style.null_fields) continue;
    if (!first) out += ',';
    first = false;
    append_json_string(out, column.type().fields[i].name);
    out += ':';
    append_json(child, row, style, out);
  }
  out += '}';
}

void write_list(const Column& column, size_t row, const JsonStyle& style, std::string& out) {
  const bool map = column.type().kind == Kind::kMap;
  out += map ? '{' : '[';
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    if (i > column.begin(row)) out += ',';
    if (map) {
      append_json_string(out, value_text(column.children()[0], i, style.zone));
      out += ':';
    }
    append_json(column.children()[map ? 1 : 0], i, style, out);
  }
  out += map ? '}' : ']';
}

}  // namespace

void append_json(const Column& column, size_t row, const JsonStyle& style, std::string& out) {
  if (column.is_null(row) || column.type().kind == Kind::kVoid) {
    out += "null";
    return;
  }
  const Kind kind = column.type().kind;
  switch (kind) {
    case Kind::kStruct: write_struct(column, row, style, out); return;
    case Kind::kArray:
    case Kind::kMap: write_list(column, row, style, out); return;
    case Kind::kString: append_json_string(out, column.bytes(row)); return;
    case Kind::kBinary: append_json_string(out, base64_text(column.bytes(row), false)); return;
    case Kind::kDate: append_json_string(out, date_text(column.integer(row))); return;
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      append_json_string(out,
                         iso_timestamp(column.integer(row), kind == Kind::kTimestamp, style.zone));
      return;
    case Kind::kFloat:
      write_real(column.fixed<float>(row), value_text(column, row, style.zone), out);
      return;
    case Kind::kDouble:
      write_real(column.fixed<double>(row), value_text(column, row, style.zone), out);
      return;
    case Kind::kIntervalYearMonth:
    case Kind::kIntervalDayTime:
      append_json_string(out, value_text(column, row, style.zone));
      return;
    default: out += value_text(column, row, style.zone);
  }
}

}  // namespace lakebed::engine::duck
