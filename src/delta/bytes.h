// Numbers in byte strings, both orders. Internal to this room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lakebed::delta {

inline void append_little(std::string& out, uint64_t number, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(number >> (8 * i));
}

inline void append_big(std::string& out, uint64_t number, int width) {
  for (int i = width - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i));
}

// Require: at least `width` bytes.
inline uint64_t read_little(std::string_view bytes, size_t width) {
  uint64_t number = 0;
  for (size_t i = width; i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

inline uint64_t read_big(std::string_view bytes, size_t width) {
  uint64_t number = 0;
  for (size_t i = 0; i < width; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

}  // namespace lakebed::delta
