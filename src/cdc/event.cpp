#include "cdc/event.h"

#include <algorithm>
#include <array>

namespace lakebed::cdc {

namespace {

bool in_order(const Event& left, const Event& right) {
  if (left.key != right.key) return left.key < right.key;
  const auto order = left.sequence <=> right.sequence;
  if (order != 0) return order < 0;
  return left.arrival < right.arrival;
}

constexpr size_t kBuckets = 256;
constexpr size_t kSmall = 512;  // below this std::sort is as fast, and the data fits the cache

size_t bucket_of(const Event& event, int shift) {
  return static_cast<size_t>(event.key.high >> shift) & (kBuckets - 1);
}

// Distributes by one byte of the key hash, in place (each swap puts one event where it belongs),
// then each bucket by the next byte. Hashes are uniform, so two bytes make buckets small; a batch
// of few keys ends in std::sort, which copes with anything.
void sort_by_byte(std::span<Event> events, int shift) {
  if (events.size() <= kSmall || shift < 40) {
    std::sort(events.begin(), events.end(), in_order);
    return;
  }
  std::array<size_t, kBuckets> next{};
  std::array<size_t, kBuckets> end{};
  for (const Event& event : events) ++end[bucket_of(event, shift)];
  size_t total = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    next[bucket] = total;
    total += end[bucket];
    end[bucket] = total;
  }
  const std::array<size_t, kBuckets> begin = next;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    while (next[bucket] < end[bucket]) {
      const size_t home = bucket_of(events[next[bucket]], shift);
      if (home != bucket) std::swap(events[next[bucket]], events[next[home]]);
      ++next[home];
    }
  }
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    sort_by_byte(events.subspan(begin[bucket], end[bucket] - begin[bucket]), shift - 8);
  }
}

}  // namespace

void sort_events(std::vector<Event>& events) {
  if (is_sorted_batch(events)) return;
  sort_by_byte(events, 56);
}

bool is_sorted_batch(std::span<const Event> events) {
  return std::is_sorted(events.begin(), events.end(), in_order);
}

void Metrics::add(const Metrics& other) {
  upserted_rows += other.upserted_rows;
  deleted_rows += other.deleted_rows;
  tied_events += other.tied_events;
  late_events += other.late_events;
  if (first_tied == kNoArrival) first_tied = other.first_tied;
}

}  // namespace lakebed::cdc
