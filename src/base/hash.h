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

// Mixes one more value into a running 64-bit hash (order matters): the finalizer of splitmix64 over
// a sum that depends on order.
inline uint64_t hash_combine(uint64_t running, uint64_t next) {
  uint64_t mixed = running * 0x9E3779B97F4A7C15ULL + next + 0x632BE59BD9B4E019ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
  return mixed ^ (mixed >> 31);
}

// CRC-32 (IEEE), as deletion vector files use it.
uint32_t crc32(std::string_view bytes);

// Lower-case hexadecimal of `value`, 16 digits.
std::string hex64(uint64_t value);

}  // namespace lakebed
