// Help for the tests of this room: a temporary folder, and columns out of short texts.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "source/listing.h"
#include "value/text.h"

namespace lakebed::source::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lakebed_source_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  // Writes a file below the folder and gives its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

 private:
  std::string path_;
};

inline value::Field field(std::string name, value::Type type) {
  value::Field out;
  out.name = std::move(name);
  out.type = std::move(type);
  return out;
}

inline std::vector<ListedFile> listed(const std::string& path) {
  ListRequest request;
  request.path = path;
  return list_files(request)->files;
}

// All rows as JSON objects, one string a row.
inline std::vector<std::string> rows_of(value::BatchReader& reader, std::string* error = nullptr) {
  std::vector<std::string> out;
  while (true) {
    auto batch = reader.next();
    if (!batch.ok()) {
      if (error != nullptr)
        *error = batch.error().text();
      else
        out.push_back(batch.error().text());
      return out;
    }
    if (!batch->has_value()) return out;
    for (size_t row = 0; row < (*batch)->rows; ++row) {
      std::string text;
      value::append_json_row(**batch, row, "UTC", text);
      out.push_back(std::move(text));
    }
  }
}

}  // namespace lakebed::source::testing
