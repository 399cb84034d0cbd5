// What a kernel is fed: the events of one batch, evaluated, hashed and sorted.
//
// Kernels are pure. They see sequence codes, hashes and small numbers, never values: `arrival` is
// both the event's position in the batch and the index of its payload, which stays with the
// caller. Views (sequence tails) belong to the caller and must outlive the kernel's answer.
// Nothing here is shared between threads; different keys may be worked on by different threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "value/order.h"

namespace lakebed::cdc {

using value::SequenceView;

enum class Operation : uint8_t { kUpsert, kDelete };

// What turns the value hash of an upsert into that of the same upsert with its row hidden: never 0.
inline constexpr uint64_t kHiddenSalt = 0x9E3779B97F4A7C15ULL;
inline uint64_t hidden_hash(uint64_t value_hash) {
  return value_hash == kHiddenSalt ? 1 : value_hash ^ kHiddenSalt;
}

// "No event": a field that would otherwise hold an arrival.
inline constexpr uint32_t kNoArrival = UINT32_MAX;

// One source row after evaluation. A delete's value hash is 0. One that is not stands for an upsert
// whose row an expectation hides (rule F6): it counts as a delete does, but is another event.
struct Event {
  Hash128 key;
  SequenceView sequence;
  uint64_t value_hash = 0;    // of all output columns but the keys
  uint64_t tracked_hash = 0;  // of the columns that open versions (rule B5)
  uint32_t arrival = 0;       // unique in a batch
  Operation operation = Operation::kUpsert;
  // No repeat whatever its values: what is remembered beside them changes (rule P3). Set by those
  // who resolve partial events.
  bool rewrites = false;

  bool is_delete() const { return operation == Operation::kDelete; }
  // A delete, and no upsert whose row is hidden.
  bool is_tombstone() const { return is_delete() && value_hash == 0; }
};
static_assert(sizeof(Event) <= 64);

// Rule E5: same operation and same values. Requires: same key and sequence.
inline bool is_repeat(const Event& left, const Event& right) {
  return left.operation == right.operation && left.value_hash == right.value_hash;
}

// Sorts by (key, sequence, arrival), the order that kernels want. Tuned for large batches.
void sort_events(std::vector<Event>& events);
bool is_sorted_batch(std::span<const Event> events);

// Calls use(events of one key) for each key of a sorted batch, in the order of the keys.
template <typename Use>
void for_each_key(std::span<const Event> sorted, Use&& use) {
  size_t begin = 0;
  while (begin < sorted.size()) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
    use(sorted.subspan(begin, end - begin));
    begin = end;
  }
}

// What rule F7 publishes for a flow and batch.
//   upserted: visible rows added or changed · deleted: visible rows removed
//   tied: events that met a *different* event at their (key, sequence), in the batch before them
//         or remembered (rule E4); a repeat is no tie
//   late: events below the greatest sequence that was remembered of their key when the batch
//         began, or below the truncate that was, whether or not they change anything
// A row is the same row before and after when its identity is (rule F9): the keys in SCD type 1,
// keys and start in SCD type 2. So a closed version counts as one upserted row, and a version
// whose start moves as one deleted and one upserted.
struct Metrics {
  uint64_t upserted_rows = 0;
  uint64_t deleted_rows = 0;
  uint64_t tied_events = 0;
  uint64_t late_events = 0;
  uint32_t first_tied = kNoArrival;  // an example for the message of onSequenceTie: fail

  void add(const Metrics& other);
};

}  // namespace lakebed::cdc
