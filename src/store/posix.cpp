#include "store/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace lakebed::store {
namespace {

const char* code_of(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return "STORE.NOT_FOUND";
    case EEXIST:
      return "STORE.EXISTS";
    case ENOSPC:
    case EDQUOT:
      return "STORE.NO_SPACE";
    case EACCES:
    case EPERM:
    case EROFS:
      return "STORE.NO_PERMISSION";
    default:
      return "STORE.IO";
  }
}

const char* hint_of(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return "Free some space; nothing was committed.";
    case EACCES:
    case EPERM:
      return "Check the owner and the mode of the file and of its folder.";
    case EROFS:
      return "The file system is read-only.";
    default:
      return "";
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Error system_error(int errno_value, std::string_view what, const std::string& path) {
  Error error = update_error(code_of(errno_value),
                             fmt::format("Cannot {} '{}': {}.", what, path,
                                         std::strerror(errno_value)));
  return error.with_hint(hint_of(errno_value));
}

Result<Descriptor> open_to_read(const std::string& full_path, const std::string& path) {
  Descriptor file(::open(full_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return system_error(errno, "read", path);
  return file;
}

Status write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(errno, "write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status flush(int descriptor, const std::string& path) {
  if (::fsync(descriptor) != 0) return system_error(errno, "flush", path);
  return {};
}

Status flush_folder(const std::string& full_path) {
  Descriptor folder(::open(full_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return system_error(errno, "open the folder", full_path);
  return flush(folder.number(), full_path);
}

Status make_folders(const std::string& full_path, std::vector<std::string>& changed) {
  if (full_path.empty() || full_path == "/") return {};
  if (::mkdir(full_path.c_str(), 0777) == 0) {
    const size_t slash = full_path.rfind('/');
    changed.push_back(slash == std::string::npos ? "."
                      : slash == 0               ? "/"
                                                 : full_path.substr(0, slash));
    return {};
  }
  if (errno == EEXIST) return {};
  if (errno != ENOENT) return system_error(errno, "create the folder", full_path);
  const size_t slash = full_path.rfind('/');
  if (slash == std::string::npos || slash == 0) {
    return system_error(ENOENT, "create the folder", full_path);
  }
  LAKEBED_TRY(make_folders(full_path.substr(0, slash), changed));
  return make_folders(full_path, changed);
}

}  // namespace lakebed::store
