// Small pieces of POSIX for the local store: a file descriptor that closes itself, and errors of
// the system under the store's codes. Nothing outside this room includes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lakebed::store {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

// The error for `errno_value` while doing `what` to `path`: STORE.NOT_FOUND, STORE.EXISTS,
// STORE.NO_SPACE, STORE.NO_PERMISSION, else STORE.IO.
Error system_error(int errno_value, std::string_view what, const std::string& path);

Result<Descriptor> open_to_read(const std::string& full_path, const std::string& path);
Status write_all(int descriptor, std::string_view bytes, const std::string& path);
Status flush(int descriptor, const std::string& path);
// Opens the folder and flushes its names.
Status flush_folder(const std::string& full_path);
// Creates the folder and its parents. Appends the folders whose names must be flushed for the new
// ones to survive a crash (the parents of what was created).
Status make_folders(const std::string& full_path, std::vector<std::string>& changed);

}  // namespace lakebed::store
