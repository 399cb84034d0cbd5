// The only door to bytes on disk or in object stores. Paths are relative to the store's root,
// '/' between parts, never escaped. Thread-safe. Errors: STORE.NOT_FOUND, STORE.EXISTS,
// STORE.NO_SPACE, STORE.NO_PERMISSION, STORE.IO, each with the path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::store {

struct ObjectInfo {
  std::string path;  // relative to the root of the store
  uint64_t size = 0;
  int64_t modified_us = 0;
};

// Read-only bytes that stay valid as long as this lives; mapped where the store can.
class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual std::string_view bytes() const = 0;
};

// Held until destroyed, across processes: a file lock of the operating system.
class Lock {
 public:
  virtual ~Lock() = default;
};

struct StoreCounters {
  uint64_t fsyncs = 0;        // of files and of folders
  uint64_t bytes_written = 0;
  uint64_t puts = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<std::string> read_range(const std::string& path, uint64_t offset,
                                         uint64_t length) = 0;
  virtual Result<std::unique_ptr<Mapping>> map(const std::string& path) = 0;
  virtual Result<ObjectInfo> stat(const std::string& path) = 0;
  // Objects whose path begins with `folder`/, not recursive, sorted by path. A folder that does not
  // exist lists as empty.
  virtual Result<std::vector<ObjectInfo>> list(const std::string& folder) = 0;
  // Objects in the folder whose name is >= `from`, sorted (for log replay).
  virtual Result<std::vector<ObjectInfo>> list_from(const std::string& folder,
                                                    const std::string& from) = 0;
  // Writes a whole new object, replacing one of that name, durable after sync().
  virtual Status put(const std::string& path, std::string_view bytes) = 0;
  // Writes durably only where nothing of that name exists: false when it exists. Atomic: a reader
  // sees the whole object or none; after true the object survives a crash of the machine.
  virtual Result<bool> put_if_absent(const std::string& path, std::string_view bytes) = 0;
  // Makes these objects, written by put() or by others through local_path(), and the names of them
  // in their folders survive a crash. One fsync a file and one a folder.
  virtual Status sync(const std::vector<std::string>& paths) = 0;
  virtual Status remove(const std::string& path) = 0;  // absent is fine
  // A local path of the object for the engine to read or write; folders are created.
  virtual Result<std::string> local_path(const std::string& path) = 0;
  // Exclusive lock on an object (created if absent), or nothing when another holds it.
  virtual Result<std::unique_ptr<Lock>> try_lock(const std::string& path) = 0;
  // Removes half-written objects of programs that died, last touched before that time; no listing
  // shows them. Nothing to do for stores that never leave any.
  virtual Status remove_leftovers(const std::string& folder, int64_t before_us) {
    (void)folder;
    (void)before_us;
    return {};
  }
  virtual StoreCounters counters() const = 0;
};

// A folder of the local file system.
std::unique_ptr<Store> local_store(std::string root);
// Objects in memory, for tests.
std::unique_ptr<Store> memory_store();

}  // namespace lakebed::store
