// Listing of local files: a file, a folder, or a glob, always sorted by path (rule E4: arrival
// is files by name order of the listing, then row).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::source {

struct ListedFile {
  std::string path;  // absolute
  uint64_t size = 0;
  int64_t modified_us = 0;
  // Folders of the form name=value below the listed folder, outermost first, unescaped; NULL for
  // the name that stands for it (__HIVE_DEFAULT_PARTITION__).
  std::vector<std::pair<std::string, std::optional<std::string>>> partitions;
  bool is_folder = false;  // only where folders were asked for
};

struct ListRequest {
  std::string path;                          // absolute and local; may be a glob
  std::string file_glob;                     // file names must match; "" = all
  std::optional<bool> recursive;             // default: folders yes, globs no
  bool folders = false;                      // list the folders that are not gone into, too
  std::optional<int64_t> modified_after_us;  // both ends excluded
  std::optional<int64_t> modified_before_us;
  bool operator==(const ListRequest&) const = default;
};

struct Listing {
  std::vector<ListedFile> files;
  bool exists = false;  // the file or folder is there, or the glob matched something
};

// Lists. Names that begin with '_' or '.' are hidden, unless the glob or path names them.
// Errors: SOURCE_LISTING_FAILED with path and reason. A path that is absent is no error here.
Result<Listing> list_files(const ListRequest& request);

// Lists each request once: all readers of one update see the same files. Not thread-safe.
class Listings {
 public:
  Result<Listing> list(const ListRequest& request);

 private:
  std::vector<std::pair<ListRequest, Listing>> known_;
};

// Fails where the file is gone (SOURCE_FILE_VANISHED) or has another size than when it was listed
// (SOURCE_FILE_CHANGED).
Status check_unchanged(const ListedFile& file);

}  // namespace lakebed::source
