#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "store/store.h"

namespace lakebed::store {
namespace {

using Bytes = std::shared_ptr<const std::string>;  // a mapping outlives the object's removal

class MemoryMapping : public Mapping {
 public:
  explicit MemoryMapping(Bytes bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return *bytes_; }

 private:
  Bytes bytes_;
};

struct LockTable {
  std::mutex mutex;
  std::set<std::string> held;
};

class MemoryLock : public Lock {
 public:
  MemoryLock(std::shared_ptr<LockTable> table, std::string path)
      : table_(std::move(table)), path_(std::move(path)) {}
  ~MemoryLock() override {
    const std::lock_guard<std::mutex> guard(table_->mutex);
    table_->held.erase(path_);
  }

 private:
  std::shared_ptr<LockTable> table_;  // a lock may outlive its store
  std::string path_;
};

Error not_found(const std::string& path) {
  return update_error("STORE.NOT_FOUND", fmt::format("There is no object '{}'.", path));
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

class MemoryStore : public Store {
 public:
  Result<std::string> read(const std::string& path) override {
    LAKEBED_ASSIGN(const Object object, find(path));
    return *object.bytes;
  }

  Result<std::string> read_range(const std::string& path, uint64_t offset,
                                 uint64_t length) override {
    LAKEBED_ASSIGN(const Object object, find(path));
    if (offset >= object.bytes->size()) return std::string();
    return object.bytes->substr(offset, length);
  }

  Result<std::unique_ptr<Mapping>> map(const std::string& path) override {
    LAKEBED_ASSIGN(Object object, find(path));
    return std::unique_ptr<Mapping>(std::make_unique<MemoryMapping>(std::move(object.bytes)));
  }

  Result<ObjectInfo> stat(const std::string& path) override {
    LAKEBED_ASSIGN(const Object object, find(path));
    return ObjectInfo{path, object.bytes->size(), object.modified_us};
  }

  Result<std::vector<ObjectInfo>> list(const std::string& folder) override {
    return list_from(folder, "");
  }

  Result<std::vector<ObjectInfo>> list_from(const std::string& folder,
                                            const std::string& from) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    const std::string prefix = folder.empty() ? "" : folder + "/";
    std::vector<ObjectInfo> found;
    for (auto at = objects_.lower_bound(prefix + from); at != objects_.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      if (at->first.find('/', prefix.size()) != std::string::npos) continue;
      found.push_back({at->first, at->second.bytes->size(), at->second.modified_us});
    }
    return found;
  }

  Status put(const std::string& path, std::string_view bytes) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    write(path, bytes);
    return {};
  }

  Result<bool> put_if_absent(const std::string& path, std::string_view bytes) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (objects_.contains(path)) return false;
    write(path, bytes);
    counters_.fsyncs += 2;  // as a local store would: the file and its folder
    return true;
  }

  Status sync(const std::vector<std::string>& paths) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    std::set<std::string> folders;
    const std::set<std::string> files(paths.begin(), paths.end());
    for (const std::string& path : files) {
      if (!objects_.contains(path)) return not_found(path);
      folders.insert(parent_of(path));
    }
    counters_.fsyncs += files.size() + folders.size();
    return {};
  }

  Status remove(const std::string& path) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    objects_.erase(path);
    return {};
  }

  Result<std::string> local_path(const std::string& path) override {
    return update_error("STORE.IO",
                        fmt::format("'{}' lies in memory and has no local path.", path));
  }

  Result<std::unique_ptr<Lock>> try_lock(const std::string& path) override {
    const std::lock_guard<std::mutex> guard(locks_->mutex);
    if (!locks_->held.insert(path).second) return std::unique_ptr<Lock>();
    return std::unique_ptr<Lock>(std::make_unique<MemoryLock>(locks_, path));
  }

  StoreCounters counters() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return counters_;
  }

 private:
  struct Object {
    Bytes bytes;
    int64_t modified_us = 0;
  };

  Result<Object> find(const std::string& path) const {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto at = objects_.find(path);
    if (at == objects_.end()) return not_found(path);
    return at->second;
  }

  // Requires: the mutex is held. Times count writes, so that tests are the same each time.
  void write(const std::string& path, std::string_view bytes) {
    objects_[path] = {std::make_shared<const std::string>(bytes), ++ticks_ * 1'000'000};
    counters_.bytes_written += bytes.size();
    ++counters_.puts;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  int64_t ticks_ = 0;
  StoreCounters counters_;
  std::shared_ptr<LockTable> locks_ = std::make_shared<LockTable>();
};

}  // namespace

std::unique_ptr<Store> memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace lakebed::store
