// list_files: the files below a path as rows, without a look into them.
//
//     path STRING, size BIGINT, modification_time TIMESTAMP, file STRING
//
// `path` is spelled as `_metadata.file_path` of read_files, so that the two compare; `file` is the
// reference to the file, NULL for a folder. Rows come in the order of the paths.
#pragma once

#include <memory>
#include <string>

#include "source/source.h"

namespace lakebed::source {

struct ListFilesRequest {
  std::string path;       // as the author wrote it: a file, a folder or a glob
  bool recursive = true;  // false: only what lies in the folder itself, sub-folders as rows
};

// Lists at once; refresh() lists again. Errors: LIST_FILES_ERROR.PATH_NOT_EXISTS,
// UNSUPPORTED_PATH_SCHEME, SOURCE_LISTING_FAILED. A listing is no stream.
Result<std::unique_ptr<Source>> open_listing(const ListFilesRequest& request,
                                             const Surroundings& surroundings);

}  // namespace lakebed::source
