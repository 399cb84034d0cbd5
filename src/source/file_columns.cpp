#include "source/file_columns.h"

#include <fmt/core.h>

#include "base/names.h"
#include "source/plain_value.h"
#include "source/source.h"

namespace lakebed::source {

using value::Column;
using value::Kind;
using value::Type;

namespace {

// Spark's file systems count in milliseconds.
int64_t whole_milliseconds(int64_t micros) { return micros - micros % 1000; }

void append_fact(const ListedFile& file, const std::string& fact, Column& out) {
  if (fact == "file_path")
    out.append_bytes(file_uri(file.path));
  else if (fact == "file_name")
    out.append_bytes(file_name(file.path));
  else if (fact == "file_block_start")
    out.append_fixed<int64_t>(0);
  else if (fact == "file_modification_time")
    out.append_fixed(whole_milliseconds(file.modified_us));
  else
    out.append_fixed(static_cast<int64_t>(file.size));  // file_size, file_block_length
}

// The value of the row that was just appended, `more` times more.
void repeat_last(size_t more, Column& out) {
  Column last(out.type());
  last.append_from(out, out.size() - 1);
  for (size_t i = 0; i < more; ++i) out.append_from(last, 0);
}

}  // namespace

std::string file_uri(std::string_view path) {
  constexpr std::string_view kPlain = "/-_.!~*'():@&=+$,;";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<uint8_t>(c)));
  }
  return out;
}

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
  } else if (!append_plain(**found, zone, {}, out)) {
    return update_error("INVALID_PARTITION_VALUE",
                        fmt::format("the folder {}={} of {} is no {}", name, **found, file.path,
                                    out.type().text()));
  }
  repeat_last(rows - 1, out);
  return {};
}

}  // namespace lakebed::source
