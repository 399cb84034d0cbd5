// Two moments as one sequence of the memory: how bitemporal targets order what they remember.
//
//   first code, second code, [end of first], [end of second], then four lengths (big-endian, 32
//   bits each; 0 for an end that is absent)
//
// Order codes are prefix-free: pairs compare by the first moment, then by the second.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "value/order.h"

namespace lakebed::run {

struct PairCode {
  std::string_view first;
  std::string_view second;
  std::optional<std::string_view> first_end;
  std::optional<std::string_view> second_end;
};

value::SequenceCode pair_code(std::string_view first, std::string_view second,
                              const std::optional<std::string_view>& first_end = {},
                              const std::optional<std::string_view>& second_end = {});

// The bytes of a pair's sequence, and what they say. The views point into `bytes`.
// Requires: pair_code made it.
std::string pair_bytes(const value::SequenceView& sequence);
PairCode read_pair(std::string_view bytes);

// A sequence just before, or just behind, every pair that begins with these two.
enum class PairEdge : uint8_t { kBefore, kBehind };
value::SequenceCode pair_bound(std::string_view first, std::string_view second, PairEdge edge);

}  // namespace lakebed::run
