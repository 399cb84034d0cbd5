// What the footers of Parquet files say, as Spark reads them.
//
// Physical types that Spark maps to another one are marked in the field's metadata, so that a
// scan knows how to convert: kRawKey -> "int96" (an instant without a zone mark) or "cast"
// (unsigned integers, which Spark reads as the next wider type).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/duck/connection.h"
#include "value/type.h"

namespace lakebed::engine::duck {

inline constexpr const char* kRawKey = "lakebed.raw";

struct FileColumn {
  value::Field field;
  std::optional<Error> unsupported;  // the type is none of Spark's; `field.type` is VOID then
};

struct FileSchema {
  std::vector<FileColumn> columns;
  // Index of the column of that name, case aside.
  std::optional<size_t> find(std::string_view name) const;
};

struct FileFacts {
  std::shared_ptr<const FileSchema> schema;  // files of the same shape share one
  uint64_t rows = 0;
};

// Reads footers, each once: facts are kept by path, size and time of change.
class FooterCache {
 public:
  // Facts of each file, in order. Errors: FILE_NOT_FOUND, PARQUET_FILE.DAMAGED with the path.
  Result<std::vector<FileFacts>> facts(const std::shared_ptr<Database>& database,
                                       const std::vector<std::string>& paths);

 private:
  struct Entry {
    std::string stamp;
    FileFacts facts;
  };
  Status load(const std::shared_ptr<Database>& database, const std::vector<std::string>& paths,
              std::map<std::string, std::string>& stamps);

  std::map<std::string, Entry> files_;
  std::map<std::string, std::shared_ptr<const FileSchema>> shapes_;
};

// The field without what only a scan needs to know.
value::Field without_marks(value::Field field);

// A path as an argument of read_parquet: DuckDB takes some characters as patterns.
std::string path_list(const std::vector<std::string>& paths);

}  // namespace lakebed::engine::duck
