#include "base/hash.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <array>

namespace lakebed {

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

static std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320U : 0U);
    table[byte] = crc;
  }
  return table;
}

uint32_t crc32(std::string_view bytes) {
  static const std::array<uint32_t, 256> kTable = make_crc_table();
  uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFFU];
  }
  return crc ^ 0xFFFFFFFFU;
}

std::string hex64(uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace lakebed
