#include "state/pending.h"

#include <chrono>
#include <thread>

namespace lakebed::state {

namespace {

const std::string kFolder = "_lakebed/pending";
constexpr int kPatience = 40;  // times 5 ms

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Removes one dead program's files from one folder.
Status sweep_folder(store::Store& store, const std::string& folder, std::string_view id,
                    const std::function<Result<bool>(const std::string&)>& is_live,
                    std::vector<std::string>& removed) {
  LAKEBED_ASSIGN(const auto objects, store.list(folder));
  for (const store::ObjectInfo& object : objects) {
    if (name_of(object.path).find(id) == std::string_view::npos) continue;
    LAKEBED_ASSIGN(const bool live, is_live(object.path));
    if (live) continue;
    LAKEBED_TRY(store.remove(object.path));
    removed.push_back(object.path);
  }
  return {};
}

}  // namespace

Result<Pending> Pending::create(store::Store& store, const std::string& id) {
  LAKEBED_ASSIGN(auto lock, store.try_lock(kFolder + "/" + id));
  // Between making the entry and locking it, another program's sweep may take it for a dead one's;
  // it lets go soon.
  for (int i = 0; lock == nullptr && i < kPatience; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    LAKEBED_ASSIGN(lock, store.try_lock(kFolder + "/" + id));
  }
  if (lock == nullptr) {
    return update_error("PENDING_LOCKED", "another program writes under the id " + id);
  }
  Pending pending;
  pending.store_ = &store;
  pending.id_ = id;
  pending.lock_ = std::move(lock);
  return pending;
}

Status Pending::close() {
  if (lock_ == nullptr) return {};
  LAKEBED_TRY(store_->remove(kFolder + "/" + id_));
  lock_.reset();
  return {};
}

Result<std::vector<std::string>> sweep(
    store::Store& store, const std::vector<std::string>& folders,
    const std::function<Result<bool>(const std::string&)>& is_live) {
  std::vector<std::string> removed;
  LAKEBED_ASSIGN(const auto entries, store.list(kFolder));
  for (const store::ObjectInfo& entry : entries) {
    LAKEBED_ASSIGN(const auto lock, store.try_lock(entry.path));
    if (lock == nullptr) continue;  // its program lives
    const std::string_view id = name_of(entry.path);
    if (id.size() < 8) continue;  // no id of ours: too short to tell files apart
    for (const std::string& folder : folders) {
      LAKEBED_TRY(sweep_folder(store, folder, id, is_live, removed));
    }
    LAKEBED_TRY(store.remove(entry.path));
  }
  return removed;
}

}  // namespace lakebed::state
