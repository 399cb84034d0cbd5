// Little-endian numbers, varints and checked blocks: the bricks of all state files.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::state {

static_assert(std::endian::native == std::endian::little, "state files are mapped as they lie");

template <typename T>
void append_number(std::string& out, T number) {
  const size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &number, sizeof(T));
}

template <typename T>
T load_number(const char* at) {
  T number;
  std::memcpy(&number, at, sizeof(T));
  return number;
}

template <typename T>
void store_number(char* at, T number) {
  std::memcpy(at, &number, sizeof(T));
}

// LEB128: seven bits a byte, least significant first.
inline void append_varint(std::string& out, uint64_t number) {
  while (number >= 0x80) {
    out.push_back(static_cast<char>((number & 0x7F) | 0x80));
    number >>= 7;
  }
  out.push_back(static_cast<char>(number));
}

// Reads a varint at `at` and moves behind it; false where the bytes end or it is too long.
inline bool read_varint(std::string_view bytes, size_t& at, uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

inline void pad_to(std::string& out, size_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment);
}

// The error of every state file that is not what it should be.
Error damaged(const std::string& file, const std::string& what);

// Data whose blocks carry checksums and are checked when first touched. Thread-safe.
class CheckedBlocks {
 public:
  static constexpr size_t kBlock = 4096;

  CheckedBlocks() = default;
  // `sums` holds one 64-bit hash a block of `data`; both outlive this.
  CheckedBlocks(std::string_view data, const char* sums);

  // True where all blocks that hold these bytes are whole.
  bool check(size_t offset, size_t length) const {
    if (length == 0) return true;
    for (size_t block = offset / kBlock; block <= (offset + length - 1) / kBlock; ++block) {
      if (checked_[block].load(std::memory_order_relaxed) == 0 && !check_block(block)) return false;
    }
    return true;
  }
  bool check_all() const { return check(0, data_.size()); }

  static void append_sums(std::string_view data, std::string& out);
  static size_t block_count(size_t bytes) { return (bytes + kBlock - 1) / kBlock; }

 private:
  bool check_block(size_t block) const;

  std::string_view data_;
  const char* sums_ = nullptr;
  std::unique_ptr<std::atomic<uint8_t>[]> checked_;
};

}  // namespace lakebed::state
