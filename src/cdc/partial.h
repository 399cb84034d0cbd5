// Partial updates (rules P1 to P3): which event gives each leaf of a row its value.
//
// An event may write some leaves of a row only (a leaf is a field beneath structs; arrays and maps
// are one leaf). Before the kernels of the two SCD types see the events of a key, they are
// RESOLVED here: each becomes an event that says everything, what it left out taken from those
// before it, and remembered events whose row changes with it are told once more at their own
// sequence. The kernels then work as if no event had ever been partial.
//
//     SCD type 2      10: a=1 b=2      20: a=3 (b)      late 15: b=9
//     told again      15: a=1 b=9      20: a=3 b=9
//
// A remembered row that an expectation hides (rule F6) is a row like any other here: what it says
// is taken over by those after it. Whether a row is shown is asked of whole ones, behind this step.
//
// No value comes in here. A row of values is a number, its SOURCE, given out by the caller; a row
// under work is a source for each leaf; sets of leaves are bits. Nothing is shared between threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cdc/entry.h"

namespace lakebed::cdc {

// A row of values in the caller's numbering.
using Source = uint32_t;
inline constexpr Source kNulls = 0;  // the row in which every leaf is NULL

// A set of leaves: bit l % 64 of word l / 64.
using LeafBits = std::span<const uint64_t>;
inline size_t leaf_words(size_t leaves) { return (leaves + 63) / 64; }
inline bool has_leaf(LeafBits set, size_t leaf) { return (set[leaf / 64] >> (leaf % 64) & 1) != 0; }
inline void add_leaf(std::span<uint64_t> set, size_t leaf) {
  set[leaf / 64] |= uint64_t{1} << (leaf % 64);
}
inline bool is_subset(LeafBits part, LeafBits whole) {
  for (size_t i = 0; i < part.size(); ++i) {
    if ((part[i] & ~whole[i]) != 0) return false;
  }
  return true;
}
// The set of all leaves.
std::vector<uint64_t> all_leaves(size_t leaves);

// An event as it came. Leaves of the keys are written by every upsert; a delete writes NULL to all
// leaves, whatever `written` says.
struct PartialEvent {
  SequenceView sequence;
  LeafBits written;
  Source source = kNulls;
  uint64_t value_hash = 0;  // of the whole row as it came, left out or not
  uint32_t arrival = 0;
  Operation operation = Operation::kUpsert;

  bool is_delete() const { return operation == Operation::kDelete; }
};

// An event as the kernels are to see it. Its leaves are in the Resolved that holds it.
struct ResolvedEvent {
  SequenceView sequence;
  Operation operation = Operation::kUpsert;
  bool rewrites = false;  // see Event::rewrites
  uint32_t key = 0;       // which key of the batch
};

// What came out, key after key. Row i of `events` has `leaves` sources from sources[i * leaves].
// `written` (SCD type 2) likewise: the leaves that the event wrote itself, in words.
struct Resolved {
  size_t leaves = 0;
  std::vector<ResolvedEvent> events;
  std::vector<Source> sources;
  std::vector<uint64_t> written;

  LeafBits written_of(size_t event) const {
    const size_t words = leaf_words(leaves);
    return LeafBits(written).subspan(event * words, words);
  }
  std::span<const Source> sources_of(size_t event) const {
    return std::span<const Source>(sources).subspan(event * leaves, leaves);
  }
  void clear() {
    events.clear();
    sources.clear();
    written.clear();
  }
};

// The one question about values that a repeat asks (rule E5). A caller that does not have one of
// the rows at hand answers false.
class LeafValues {
 public:
  virtual ~LeafValues() = default;
  virtual bool same(size_t leaf, Source left, Source right) = 0;
};

// Counts the event as tied: it met a different one at its (key, sequence). (Rule E4)
void count_partial_tie(const PartialEvent& event, Metrics& metrics);

}  // namespace lakebed::cdc
