// Hashes that are written to disk. Do not change: state files hold them for ever.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace lakebed {

// 128-bit hash of a key's canonical bytes. Ordered by (high, low).
struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const Hash128&) const = default;
};

// XXH3, seed 0 unless given.
uint64_t hash64(std::string_view bytes, uint64_t seed = 0);
Hash128 hash128(std::string_view bytes);

// Mixes one more value into a running 64-bit hash (order matters).
uint64_t hash_combine(uint64_t running, uint64_t next);

// CRC-32 (IEEE), as deletion vector files use it.
uint32_t crc32(std::string_view bytes);

// Lower-case hexadecimal of `value`, 16 digits.
std::string hex64(uint64_t value);

}  // namespace lakebed
