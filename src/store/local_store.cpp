#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>

#include "store/posix.h"
#include "store/store.h"

namespace lakebed::store {
namespace {

// Names of half-written objects; no listing shows them. A crash may leave some behind.
constexpr std::string_view kTemporaryPrefix = ".lakebed-tmp-";

class FileMapping : public Mapping {
 public:
  FileMapping(void* address, size_t size) : address_(address), size_(size) {}
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping() override {
    if (size_ > 0) ::munmap(address_, size_);
  }
  std::string_view bytes() const override { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_;
  size_t size_;
};

// The lock lives as long as the descriptor is open.
class FileLock : public Lock {
 public:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

 private:
  Descriptor file_;
};

int64_t modified_us(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000 + info.st_mtim.tv_nsec / 1000;
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Gives `from` the name `to` unless that exists. True when it did.
Result<bool> rename_if_absent(const std::string& from, const std::string& to,
                              const std::string& path) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) return system_error(errno, "write", path);
  // File systems without that flag: a hard link has the same guarantee.
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  return system_error(errno, "write", path);
}

class LocalStore : public Store {
 public:
  explicit LocalStore(std::string root) : root_(std::move(root)) {
    while (root_.size() > 1 && root_.back() == '/') root_.pop_back();
  }

  Result<std::string> read(const std::string& path) override {
    LAKEBED_ASSIGN(Descriptor file, open_to_read(full(path), path));
    struct stat info {};
    if (::fstat(file.number(), &info) != 0) return system_error(errno, "read", path);
    if (S_ISDIR(info.st_mode)) return system_error(EISDIR, "read", path);
    return read_at(file, path, 0, static_cast<uint64_t>(info.st_size));
  }

  Result<std::string> read_range(const std::string& path, uint64_t offset,
                                 uint64_t length) override {
    LAKEBED_ASSIGN(Descriptor file, open_to_read(full(path), path));
    return read_at(file, path, offset, length);
  }

  Result<std::unique_ptr<Mapping>> map(const std::string& path) override {
    LAKEBED_ASSIGN(Descriptor file, open_to_read(full(path), path));
    struct stat info {};
    if (::fstat(file.number(), &info) != 0) return system_error(errno, "map", path);
    const auto size = static_cast<size_t>(info.st_size);
    if (size == 0) return std::unique_ptr<Mapping>(std::make_unique<FileMapping>(nullptr, 0));
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
    if (address == MAP_FAILED) return system_error(errno, "map", path);
    return std::unique_ptr<Mapping>(std::make_unique<FileMapping>(address, size));
  }

  Result<ObjectInfo> stat(const std::string& path) override {
    struct stat info {};
    if (::stat(full(path).c_str(), &info) != 0) return system_error(errno, "find", path);
    if (S_ISDIR(info.st_mode)) return system_error(ENOENT, "find", path);
    return ObjectInfo{path, static_cast<uint64_t>(info.st_size), modified_us(info)};
  }

  Result<std::vector<ObjectInfo>> list(const std::string& folder) override {
    return list_from(folder, "");
  }

  Result<std::vector<ObjectInfo>> list_from(const std::string& folder,
                                            const std::string& from) override {
    std::vector<std::string> names;
    LAKEBED_TRY(read_names(folder, from, names));
    std::sort(names.begin(), names.end());
    std::vector<ObjectInfo> objects;
    objects.reserve(names.size());
    for (const std::string& name : names) {
      auto info = stat(folder.empty() ? name : folder + "/" + name);
      if (info.ok()) {
        objects.push_back(std::move(info).value());
      } else if (info.error().code != "STORE.NOT_FOUND") {  // folders, and what just vanished
        return std::move(info).error();
      }
    }
    return objects;
  }

  Status put(const std::string& path, std::string_view bytes) override {
    LAKEBED_TRY(prepare_folder(path));
    const std::string temporary = temporary_name(path);
    Status status = write_new(temporary, bytes, path, false);
    if (status.ok() && ::rename(temporary.c_str(), full(path).c_str()) != 0) {
      status = system_error(errno, "write", path);
    }
    if (!status.ok()) ::unlink(temporary.c_str());
    if (status.ok()) ++puts_;
    return status;
  }

  Result<bool> put_if_absent(const std::string& path, std::string_view bytes) override {
    LAKEBED_TRY(prepare_folder(path));
    const std::string temporary = temporary_name(path);
    const Status written = write_new(temporary, bytes, path, true);
    if (!written.ok()) {
      ::unlink(temporary.c_str());
      return written.error();
    }
    Result<bool> placed = rename_if_absent(temporary, full(path), path);
    if (!placed.ok() || !placed.value()) {
      ::unlink(temporary.c_str());
      return placed;
    }
    LAKEBED_TRY(sync_folders({folder_of(path)}));
    ++puts_;
    return true;
  }

  Status sync(const std::vector<std::string>& paths) override {
    std::set<std::string> folders;
    const std::set<std::string> files(paths.begin(), paths.end());
    for (const std::string& path : files) {
      LAKEBED_ASSIGN(Descriptor file, open_to_read(full(path), path));
      LAKEBED_TRY(flush(file.number(), path));
      ++fsyncs_;
      folders.insert(folder_of(path));
    }
    return sync_folders(std::move(folders));
  }

  Status remove(const std::string& path) override {
    if (::unlink(full(path).c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
      return system_error(errno, "remove", path);
    }
    return {};
  }

  Status remove_leftovers(const std::string& folder, int64_t before_us) override {
    const std::string place = full(folder);
    DIR* stream = ::opendir(place.c_str());
    if (stream == nullptr) return {};
    std::vector<std::string> old;
    while (const dirent* entry = ::readdir(stream)) {
      if (!std::string_view(entry->d_name).starts_with(kTemporaryPrefix)) continue;
      struct stat info {};
      std::string name = place + "/" + entry->d_name;
      if (::stat(name.c_str(), &info) != 0 || modified_us(info) >= before_us) continue;
      old.push_back(std::move(name));
    }
    ::closedir(stream);
    for (const std::string& name : old) ::unlink(name.c_str());
    return {};
  }

  Result<std::string> local_path(const std::string& path) override {
    LAKEBED_TRY(prepare_folder(path));
    return full(path);
  }

  Result<std::unique_ptr<Lock>> try_lock(const std::string& path) override {
    LAKEBED_TRY(prepare_folder(path));
    while (true) {
      Descriptor file(::open(full(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
      if (!file.valid()) return system_error(errno, "lock", path);
      if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::unique_ptr<Lock>();
        if (errno == EINTR) continue;
        return system_error(errno, "lock", path);
      }
      // Whoever held it may have removed the name meanwhile: then this is a lock on nothing.
      struct stat ours {};
      struct stat named {};
      const bool same = ::fstat(file.number(), &ours) == 0 &&
                        ::stat(full(path).c_str(), &named) == 0 && ours.st_ino == named.st_ino;
      if (same) return std::unique_ptr<Lock>(std::make_unique<FileLock>(std::move(file)));
    }
  }

  StoreCounters counters() const override { return {fsyncs_, bytes_written_, puts_}; }

 private:
  std::string full(const std::string& path) const {
    if (path.empty()) return root_;
    return root_ == "/" ? root_ + path : root_ + "/" + path;
  }
  std::string folder_of(const std::string& path) const { return full(parent_of(path)); }

  std::string temporary_name(const std::string& path) {
    // Random as well: a process of the same number may have died here and left its files.
    uint64_t random = 0;
    if (::getrandom(&random, sizeof(random), 0) != ssize_t{sizeof(random)}) random = ++serial_;
    return fmt::format("{}/{}{}-{:016x}", folder_of(path), kTemporaryPrefix, ::getpid(), random);
  }

  Result<std::string> read_at(const Descriptor& file, const std::string& path, uint64_t offset,
                              uint64_t length) {
    std::string bytes(length, '\0');
    uint64_t done = 0;
    while (done < length) {
      const ssize_t count = ::pread(file.number(), bytes.data() + done, length - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error(errno, "read", path);
      if (count == 0) break;  // shorter than asked for: the caller sees it by the length
      done += static_cast<uint64_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }

  Status read_names(const std::string& folder, const std::string& from,
                    std::vector<std::string>& names) {
    DIR* stream = ::opendir(full(folder).c_str());
    if (stream == nullptr) {
      if (errno == ENOENT || errno == ENOTDIR) return {};
      return system_error(errno, "list", folder);
    }
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name(entry->d_name);
      const bool hidden = name == "." || name == ".." || name.starts_with(kTemporaryPrefix);
      if (!hidden && entry->d_type != DT_DIR && name >= from) names.emplace_back(name);
    }
    const int failure = errno;
    ::closedir(stream);
    if (failure != 0) return system_error(failure, "list", folder);
    return {};
  }

  Status write_new(const std::string& temporary, std::string_view bytes, const std::string& path,
                   bool durable) {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.valid()) return system_error(errno, "write", path);
    LAKEBED_TRY(write_all(file.number(), bytes, path));
    bytes_written_ += bytes.size();
    if (!durable) return {};
    ++fsyncs_;
    return flush(file.number(), path);
  }

  // Creates the folder of `path`; the names of new folders are flushed with the next sync().
  Status prepare_folder(const std::string& path) {
    const std::string folder = folder_of(path);
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0) return {};
    std::vector<std::string> changed;
    LAKEBED_TRY(make_folders(folder, changed));
    const std::lock_guard<std::mutex> guard(mutex_);
    unflushed_.insert(changed.begin(), changed.end());
    return {};
  }

  Status sync_folders(std::set<std::string> folders) {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      folders.merge(unflushed_);
      unflushed_.clear();
    }
    while (!folders.empty()) {
      const Status status = flush_folder(*folders.begin());
      if (!status.ok()) {  // the next sync() tries again
        const std::lock_guard<std::mutex> guard(mutex_);
        unflushed_.merge(folders);
        return status;
      }
      ++fsyncs_;
      folders.erase(folders.begin());
    }
    return {};
  }

  std::string root_;
  std::mutex mutex_;
  std::set<std::string> unflushed_;  // folders in which new folders were made
  std::atomic<uint64_t> serial_{0};
  std::atomic<uint64_t> fsyncs_{0};
  std::atomic<uint64_t> bytes_written_{0};
  std::atomic<uint64_t> puts_{0};
};

}  // namespace

std::unique_ptr<Store> local_store(std::string root) {
  return std::make_unique<LocalStore>(std::move(root));
}

}  // namespace lakebed::store
