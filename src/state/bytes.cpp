#include "state/bytes.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"

namespace lakebed::state {

Error damaged(const std::string& file, const std::string& what) {
  return update_error("STATE_DAMAGED", fmt::format("state file {}: {}", file, what))
      .with_hint("restore the file from a copy, or rebuild the table with a full refresh");
}

CheckedBlocks::CheckedBlocks(std::string_view data, const char* sums)
    : data_(data),
      sums_(sums),
      checked_(std::make_unique<std::atomic<uint8_t>[]>(block_count(data.size()) + 1)) {}

bool CheckedBlocks::check_block(size_t block) const {
  const size_t first = block * kBlock;
  if (first >= data_.size()) return false;
  const uint64_t expected = load_number<uint64_t>(sums_ + block * sizeof(uint64_t));
  if (hash64(data_.substr(first, kBlock), block) != expected) return false;
  checked_[block].store(1, std::memory_order_relaxed);
  return true;
}

void CheckedBlocks::append_sums(std::string_view data, std::string& out) {
  for (size_t block = 0; block < block_count(data.size()); ++block) {
    append_number(out, hash64(data.substr(block * kBlock, kBlock), block));
  }
}

}  // namespace lakebed::state
