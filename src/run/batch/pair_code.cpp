#include "run/batch/pair_code.h"

#include "base/result.h"

namespace lakebed::run {

namespace {

constexpr size_t kHead = 8;
constexpr size_t kLength = 4;

void append_length(size_t length, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((length >> shift) & 255);
}

size_t read_length(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kLength; ++i) length = (length << 8) | static_cast<uint8_t>(bytes[i]);
  return length;
}

// As value::SequenceCode: the first eight bytes as a number, then the rest.
value::SequenceCode cut(const std::string& bytes) {
  value::SequenceCode code;
  for (size_t i = 0; i < kHead; ++i) {
    code.head = (code.head << 8) | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0U);
  }
  if (bytes.size() > kHead) code.tail = bytes.substr(kHead);
  return code;
}

}  // namespace

value::SequenceCode pair_code(std::string_view first, std::string_view second,
                              const std::optional<std::string_view>& first_end,
                              const std::optional<std::string_view>& second_end) {
  std::string bytes;
  bytes.append(first).append(second);
  if (first_end) bytes.append(*first_end);
  if (second_end) bytes.append(*second_end);
  append_length(first.size(), bytes);
  append_length(second.size(), bytes);
  append_length(first_end ? first_end->size() : 0, bytes);
  append_length(second_end ? second_end->size() : 0, bytes);
  return cut(bytes);
}

std::string pair_bytes(const value::SequenceView& sequence) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((sequence.head >> shift) & 255);
  }
  return bytes.append(sequence.tail);
}

PairCode read_pair(std::string_view bytes) {
  LAKEBED_ASSERT(bytes.size() >= 4 * kLength);
  const std::string_view lengths = bytes.substr(bytes.size() - 4 * kLength);
  size_t at = 0;
  const auto take = [&](size_t which) {
    const size_t length = read_length(lengths.substr(which * kLength));
    const std::string_view part = bytes.substr(at, length);
    at += length;
    return part;
  };
  PairCode pair;
  pair.first = take(0);
  pair.second = take(1);
  if (const std::string_view end = take(2); !end.empty()) pair.first_end = end;
  if (const std::string_view end = take(3); !end.empty()) pair.second_end = end;
  return pair;
}

value::SequenceCode pair_bound(std::string_view first, std::string_view second, PairEdge edge) {
  std::string bytes;
  bytes.append(first).append(second);
  if (edge == PairEdge::kBehind) bytes.append(kHead + 1, '\xff');
  return cut(bytes);
}

}  // namespace lakebed::run
