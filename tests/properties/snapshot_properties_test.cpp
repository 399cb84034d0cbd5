// Rules S1 and M2 over random histories of snapshots and feeds: the difference that the kernels are
// given shows the same table as the twins, which know no difference. Environment: LAKEBED_SEED,
// LAKEBED_SNAPSHOT_HISTORIES (default 40000).
#include <gtest/gtest.h>

#include "cdc/reference/memory_target.h"
#include "cdc/reference/snapshots.h"
#include "feed.h"

namespace lakebed::properties {
namespace {

using cdc::reference::Arrival;
using cdc::reference::Delivery;

struct History {
  Feed names;  // for its domain
  std::vector<Arrival> arrivals;
};

uint64_t below(Random& random, uint64_t bound) { return random.next() % bound; }
bool chance(Random& random, uint64_t percent) { return below(random, 100) < percent; }

Arrival random_snapshot(Random& random, const Domain& domain, uint32_t rank, uint64_t keys,
                        uint32_t tracked_of) {
  Arrival snapshot;
  snapshot.is_snapshot = true;
  snapshot.version = domain.codes[rank];
  const uint64_t present = below(random, 101);
  for (uint64_t key = 0; key < keys; ++key) {
    if (!chance(random, present)) continue;
    const uint64_t value = below(random, 4);
    const Hash128 hash{key, ~key};
    snapshot.rows[hash] = 100 + value;  // as deliveries_of has it
    snapshot.tracked[hash] = tracked_of == 0 ? 7 : 1000 + value / tracked_of;
  }
  return snapshot;
}

// Batches of a random feed with snapshots of ascending versions between them; without `mixed` the
// snapshots come after all of them, since a history is never shared (rule M1).
History random_history(Random& random, bool mixed) {
  History history;
  do {
    history.names = random_feed(random);
  } while (history.names.domain->codes.size() < 3);
  Feed& feed = history.names;
  if (!mixed) {
    std::erase_if(feed.items, [](const Item& item) { return item.what == Item::What::kTruncate; });
    feed.cuts.clear();
    for (size_t at = 2; at < feed.items.size(); at += 2) feed.cuts.push_back(at);
  }
  const auto ranks = static_cast<uint32_t>(feed.domain->codes.size());
  uint32_t rank = static_cast<uint32_t>(below(random, ranks));
  const auto snapshot_now = [&] {
    if (rank >= ranks) return;
    history.arrivals.push_back(random_snapshot(random, *feed.domain, rank, 4, feed.tracked_of));
    rank += 1 + static_cast<uint32_t>(below(random, 3));
  };
  const bool feed_too = chance(random, 70);
  for (const auto& batch : batches_of(feed)) {
    while (mixed && chance(random, 40)) snapshot_now();
    if (!feed_too) continue;
    Arrival arrival;
    arrival.batch = deliveries_of(feed, batch);
    history.arrivals.push_back(std::move(arrival));
  }
  snapshot_now();
  while (chance(random, 70)) snapshot_now();
  return history;
}

// What a snapshot makes of a target: only what differs, and a delete for what is gone.
template <typename Target>
std::vector<Delivery> difference(Target& target, const Arrival& snapshot) {
  std::vector<Delivery> events;
  for (const auto& [key, value] : snapshot.rows) {
    Delivery delivery;
    delivery.event.key = key;
    delivery.event.sequence = snapshot.version;
    delivery.event.value_hash = value;
    delivery.event.tracked_hash = snapshot.tracked.at(key);
    if (cdc::row_differs(delivery.event, target.state_at(key, snapshot.version))) {
      events.push_back(delivery);
    }
  }
  for (const Hash128& key : target.keys()) {
    if (snapshot.rows.contains(key)) continue;
    if (!cdc::key_vanishes(target.state_at(key, snapshot.version))) continue;
    Delivery gone;
    gone.event.key = key;
    gone.event.sequence = snapshot.version;
    gone.event.operation = cdc::Operation::kDelete;
    events.push_back(gone);
  }
  return events;
}

std::string check_combined(const History& history) {
  cdc::reference::MemoryTargetScd1 target;
  std::optional<cdc::SequenceView> floor;
  for (const Arrival& arrival : history.arrivals) {
    std::vector<Delivery> events = arrival.batch;
    if (arrival.is_snapshot) {
      events = difference(target, arrival);
      floor = arrival.version;
    } else if (floor) {
      std::erase_if(events, [&](const Delivery& one) { return one.event.sequence <= *floor; });
    }
    target.apply(events);
  }
  if (auto faults = target.take_faults(); !faults.empty()) return faults;
  return target.rows() == cdc::reference::combined_rows(history.arrivals)
             ? ""
             : "the target differs from its twin";
}

std::string check_history(const History& history) {
  cdc::reference::MemoryTargetScd2 target;
  for (const Arrival& arrival : history.arrivals) {
    target.apply(arrival.is_snapshot ? difference(target, arrival) : arrival.batch);
  }
  if (auto faults = target.take_faults(); !faults.empty()) return faults;
  return target.rows() == cdc::reference::snapshot_history(history.arrivals)
             ? ""
             : "the target differs from its twin";
}

// A snapshot that changes nothing makes no event, whatever came before.
std::string check_repeat(const History& history) {
  cdc::reference::MemoryTargetScd1 one;
  cdc::reference::MemoryTargetScd2 two;
  for (const Arrival& arrival : history.arrivals) {
    if (!arrival.is_snapshot) continue;
    one.apply(difference(one, arrival));
    two.apply(difference(two, arrival));
    if (!difference(one, arrival).empty() || !difference(two, arrival).empty()) {
      return "a snapshot taken twice is not without effect";
    }
  }
  return "";
}

TEST(SnapshotProperties, S1_M2_DifferencesShowWhatTheTwinsShow) {
  const uint64_t seed = number_from_environment("LAKEBED_SEED", 20260301);
  const uint64_t histories = number_from_environment("LAKEBED_SNAPSHOT_HISTORIES", 40000);
  for (uint64_t at = 0; at < histories; ++at) {
    const auto random = seeded_random(seed + at);
    const History mixed = random_history(*random, true);
    const History apart = random_history(*random, false);
    const std::string hint = "LAKEBED_SEED=" + std::to_string(seed + at) +
                             " LAKEBED_SNAPSHOT_HISTORIES=1 repeats it\n" +
                             mixed.names.text() + apart.names.text();
    ASSERT_EQ(check_combined(mixed), "") << "rule M2; " << hint;
    ASSERT_EQ(check_history(apart), "") << "rule S1, SCD type 2; " << hint;
    ASSERT_EQ(check_repeat(apart), "") << "rule S1; " << hint;
  }
}

}  // namespace
}  // namespace lakebed::properties
