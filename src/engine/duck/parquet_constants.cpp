#include "engine/duck/parquet_constants.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/names.h"
#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

namespace {

using value::Field;
using value::Kind;

// A partition value in Delta's text form. Timestamps without a zone are in UTC.
std::string constant_operand(const std::optional<std::string>& text, const value::Type& type) {
  if (!text) return "CAST(NULL AS " + duck_type(type) + ")";
  if (type.kind == Kind::kBinary) return "encode(" + quote_text(*text) + ")";
  if (type.kind == Kind::kTimestamp) {
    const bool zoned = text->ends_with("Z") || text->find('+', 10) != std::string::npos;
    return "CAST(" + quote_text(*text + (zoned ? "" : "+00")) + " AS TIMESTAMPTZ)";
  }
  return "CAST(" + quote_text(*text) + " AS " + duck_type(type) + ")";
}

// The constant of a column, whatever the case of its name.
const std::optional<std::string>* constant_of(const ParquetFile& file, const std::string& name) {
  const auto exact = file.constants.find(name);
  if (exact != file.constants.end()) return &exact->second;
  for (const auto& [key, text] : file.constants) {
    if (same_name(key, name)) return &text;
  }
  return nullptr;
}

FileChoice collapse(std::vector<std::string> values) {
  const bool equal = std::all_of(values.begin(), values.end(),
                                 [&](const auto& item) { return item == values[0]; });
  if (equal) values.resize(1);
  return {std::move(values)};
}

struct FileStatus {
  uint64_t bytes = 0;
  int64_t modified_ms = 0;
};

Result<FileStatus> status_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return update_error(errno == ENOENT ? "FILE_NOT_FOUND" : "FILE_ERROR",
                        fmt::format("file {}: {}", path, std::strerror(errno)));
  }
  FileStatus out;
  out.bytes = static_cast<uint64_t>(status.st_size);
  out.modified_ms = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  return out;
}

Result<std::string> metadata_field(const Field& field, const std::string& path,
                                   const FileStatus& status) {
  const std::string type = duck_type(field.type);
  if (field.name == "file_path") return quote_text(file_uri(path));
  if (field.name == "file_name") return quote_text(path.substr(path.rfind('/') + 1));
  if (field.name == "file_block_start") return "CAST(0 AS " + type + ")";
  if (field.name == "file_size" || field.name == "file_block_length") {
    return fmt::format("CAST({} AS {})", status.bytes, type);
  }
  if (field.name == "file_modification_time") {
    return fmt::format("make_timestamptz({})", status.modified_ms * 1000);
  }
  return update_error("UNSUPPORTED_METADATA_COLUMN",
                      fmt::format("_metadata.{} is not available for Parquet files", field.name));
}

}  // namespace

std::optional<Result<FileChoice>> find_constant(const Field& field,
                                                const std::vector<const ParquetFile*>& files) {
  std::vector<std::string> values;
  for (const auto* file : files) {
    const auto* text = constant_of(*file, field.name);
    if (text != nullptr) values.push_back(constant_operand(*text, field.type));
  }
  if (values.empty()) return std::nullopt;
  if (values.size() != files.size()) {
    return Result<FileChoice>(update_error(
        "PARTITION_VALUE_MISSING",
        fmt::format("only some files have a value of the partition column {}", field.name)));
  }
  return Result<FileChoice>(collapse(std::move(values)));
}

Result<FileChoice> metadata_choice(const Field& field,
                                   const std::vector<const ParquetFile*>& files) {
  std::vector<std::string> values;
  for (const auto* file : files) {
    LAKEBED_ASSIGN(const auto status, status_of(file->path));
    std::string parts;
    for (const auto& part : field.type.fields) {
      LAKEBED_ASSIGN(auto item, metadata_field(part, file->path, status));
      parts += fmt::format("{}{} := {}", parts.empty() ? "" : ", ", quote_identifier(part.name),
                           item);
    }
    values.push_back("struct_pack(" + parts + ")");
  }
  return collapse(std::move(values));
}

std::string file_uri(const std::string& path) {
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-_.!~*'():@&=+$,;", c) != nullptr;
    out += plain && c != '\0' ? std::string(1, c)
                              : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace lakebed::engine::duck
