#include <deque>
#include <mutex>
#include <unordered_map>

#include "state/table_state.h"

namespace lakebed::state {

struct FileNames::Parts {
  mutable std::mutex mutex;
  std::deque<std::string> names;  // never moves its items
  std::unordered_map<std::string_view, uint32_t> ids;
};

FileNames::FileNames() : parts_(std::make_unique<Parts>()) {}
FileNames::~FileNames() = default;

uint32_t FileNames::id(std::string_view name) {
  const std::lock_guard guard(parts_->mutex);
  const auto known = parts_->ids.find(name);
  if (known != parts_->ids.end()) return known->second;
  const auto number = static_cast<uint32_t>(parts_->names.size());
  LAKEBED_ASSERT(number != kNoFile);
  parts_->ids.emplace(parts_->names.emplace_back(name), number);
  return number;
}

const std::string& FileNames::name(uint32_t id) const {
  const std::lock_guard guard(parts_->mutex);
  LAKEBED_ASSERT(id < parts_->names.size());
  return parts_->names[id];
}

size_t FileNames::size() const {
  const std::lock_guard guard(parts_->mutex);
  return parts_->names.size();
}

}  // namespace lakebed::state
