// The bytes of one file, block by block; unpacked on the way where the name ends in .gz.
#pragma once

#include <cstddef>
#include <memory>

#include "source/listing.h"

namespace lakebed::source {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads up to `size` bytes; 0 only at the end. Errors: SOURCE_READ_FAILED, and
  // SOURCE_FILE_DAMAGED where a gzip file is cut short or has a wrong checksum.
  virtual Result<size_t> read(char* out, size_t size) = 0;
};

// Opens the file as it was listed. Errors: SOURCE_FILE_VANISHED, SOURCE_FILE_CHANGED,
// SOURCE_NO_PERMISSION.
Result<std::unique_ptr<ByteStream>> open_bytes(const ListedFile& file);

}  // namespace lakebed::source
