#include "source/file_columns.h"

#include <fmt/core.h>

#include "base/names.h"
#include "source/source.h"
#include "source/text_value.h"

namespace lakebed::source {

using value::Column;
using value::Kind;
using value::Type;

namespace {

void append_fact(const ListedFile& file, const std::string& fact, Column& out) {
  if (fact == "file_path") out.append_bytes(file_uri(file.path));
  else if (fact == "file_name") out.append_bytes(file_name(file.path));
  else if (fact == "file_block_start") out.append_fixed<int64_t>(0);
  else if (fact == "file_modification_time") out.append_fixed(file.modified_us);
  else out.append_fixed(static_cast<int64_t>(file.size));  // file_size, file_block_length
}

bool append_integer_text(std::string_view text, Column& out) {
  int64_t number;
  if (!parse_integer(text, number) || !fits_integer(out.type().kind, number)) return false;
  out.append_integer(number);
  return true;
}

bool append_floating_text(std::string_view text, Column& out) {
  double number;
  if (!parse_non_numeric(text, number) && !parse_double(text, number)) return false;
  if (out.type().kind == Kind::kFloat) out.append_fixed(static_cast<float>(number));
  else out.append_fixed(number);
  return true;
}

bool append_time_text(std::string_view text, const Zone& zone, Column& out) {
  int32_t days;
  int64_t micros;
  switch (out.type().kind) {
    case Kind::kDate:
      if (!parse_date(text, days)) return false;
      out.append_fixed(days);
      return true;
    case Kind::kTimestamp:
      if (!parse_timestamp(text, zone, micros)) return false;
      break;
    default:
      if (!parse_timestamp_ntz(text, micros)) return false;
      break;
  }
  out.append_fixed(micros);
  return true;
}

bool append_text(std::string_view text, const Zone& zone, Column& out) {
  const Type& type = out.type();
  switch (type.kind) {
    case Kind::kString: case Kind::kBinary: out.append_bytes(text); return true;
    case Kind::kByte: case Kind::kShort: case Kind::kInt: case Kind::kLong:
      return append_integer_text(text, out);
    case Kind::kFloat: case Kind::kDouble: return append_floating_text(text, out);
    case Kind::kDate: case Kind::kTimestamp: case Kind::kTimestampNtz:
      return append_time_text(text, zone, out);
    case Kind::kBoolean:
      if (!same_name(text, "true") && !same_name(text, "false")) return false;
      out.append_fixed<uint8_t>(same_name(text, "true") ? 1 : 0);
      return true;
    case Kind::kDecimal: {
      value::Int128 unscaled;
      if (!parse_decimal(text, type.precision, type.scale, unscaled)) return false;
      out.append_decimal(unscaled);
      return true;
    }
    default: return false;
  }
}

// The value of the row that was just appended, `more` times more.
void repeat_last(size_t more, Column& out) {
  Column last(out.type());
  last.append_from(out, out.size() - 1);
  for (size_t i = 0; i < more; ++i) out.append_from(last, 0);
}

}  // namespace

std::string file_uri(std::string_view path) { return "file://" + std::string(path); }

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

value::Field metadata_field() {
  const auto fact = [](const char* name, Kind kind) {
    value::Field field;
    field.name = name;
    field.type = kind;
    field.nullable = false;
    return field;
  };
  value::Field out;
  out.name = "_metadata";
  out.nullable = false;
  out.type = Type::structure({fact("file_path", Kind::kString), fact("file_name", Kind::kString),
                              fact("file_size", Kind::kLong), fact("file_block_start", Kind::kLong),
                              fact("file_block_length", Kind::kLong),
                              fact("file_modification_time", Kind::kTimestamp)});
  return out;
}

void append_metadata(const ListedFile& file, size_t rows, Column& out) {
  if (rows == 0) return;
  for (size_t i = 0; i < out.type().fields.size(); ++i) {
    append_fact(file, out.type().fields[i].name, out.raw_children()[i]);
  }
  out.append_struct();
  repeat_last(rows - 1, out);
}

Status append_partition(const ListedFile& file, const std::string& name, const Zone& zone,
                        size_t rows, Column& out) {
  if (rows == 0) return {};
  const std::optional<std::string>* found = nullptr;
  for (const auto& [folder, text] : file.partitions) {
    if (same_name(folder, name)) found = &text;
  }
  if (found == nullptr || !found->has_value()) {
    out.append_null();
  } else if (!append_text(**found, zone, out)) {
    return update_error("INVALID_PARTITION_VALUE",
                        fmt::format("the folder {}={} of {} is no {}", name, **found, file.path,
                                    out.type().text()));
  }
  repeat_last(rows - 1, out);
  return {};
}

}  // namespace lakebed::source
