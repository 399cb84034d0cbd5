#include "cdc/event.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/world.h"
#include "cdc/truncate.h"

namespace lakebed::cdc {
namespace {

std::vector<Event> random_events(size_t count, uint64_t keys, Random& random) {
  std::vector<Event> events;
  for (size_t at = 0; at < count; ++at) {
    Event event;
    const uint64_t key = random.next() % keys;
    event.key = {key * 0x9E3779B97F4A7C15U, key};
    event.sequence = {random.next() % 5, random.next() % 2 == 0 ? "" : "tail"};
    event.arrival = static_cast<uint32_t>(at);
    events.push_back(event);
  }
  return events;
}

TEST(Events, SortIsByKeySequenceArrival) {
  const auto random = seeded_random(7);
  for (size_t count : {0U, 1U, 100U, 5000U, 200000U}) {
    for (uint64_t keys : {1U, 3U, 1000000U}) {
      std::vector<Event> events = random_events(count, keys, *random);
      sort_events(events);
      EXPECT_TRUE(is_sorted_batch(events)) << count << " events of " << keys;
      std::vector<bool> seen(count);
      for (const Event& event : events) seen[event.arrival] = true;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<ptrdiff_t>(count));
    }
  }
}

TEST(Events, EachKeyIsVisitedOnceWithAllItsEvents) {
  const auto random = seeded_random(8);
  std::vector<Event> events = random_events(1000, 50, *random);
  sort_events(events);
  size_t total = 0;
  Hash128 last;
  for_each_key(events, [&](std::span<const Event> group) {
    for (const Event& event : group) EXPECT_EQ(event.key, group.front().key);
    EXPECT_TRUE(total == 0 || last < group.front().key);
    last = group.front().key;
    total += group.size();
  });
  EXPECT_EQ(total, events.size());
}

TEST(Events, MetricsAddUp) {
  Metrics sum;
  Metrics one;
  one.upserted_rows = 1;
  one.tied_events = 2;
  one.first_tied = 9;
  sum.add(one);
  one.first_tied = 3;
  sum.add(one);
  EXPECT_EQ(sum.upserted_rows, 2U);
  EXPECT_EQ(sum.tied_events, 4U);
  EXPECT_EQ(sum.first_tied, 9U);
}

Event at(uint64_t sequence, uint32_t arrival) {
  Event event;
  event.sequence.head = sequence;
  event.arrival = arrival;
  return event;
}

TEST(Truncates, T1_WithoutTruncatesNothingIsDropped) {
  const TruncateFloor floor;
  EXPECT_FALSE(floor.drops(at(0, 0)));
  EXPECT_FALSE(floor.removes(at(0, 0).sequence));
  EXPECT_FALSE(floor.floor().has_value());
}

TEST(Truncates, T1_RememberedFloorDropsButRemovesNothing) {
  const TruncateFloor floor(SequenceView{5, ""}, {});
  EXPECT_TRUE(floor.drops(at(4, 0)));
  EXPECT_FALSE(floor.drops(at(5, 0)));
  EXPECT_FALSE(floor.removes(at(5, 0).sequence));
  EXPECT_FALSE(floor.arrived());
}

TEST(Truncates, T1_GreatestOfTheBatchCountsAndArrivalAtIt) {
  const Truncate batch[] = {{{7, ""}, 3}, {{9, ""}, 5}, {{9, ""}, 2}, {{8, ""}, 9}};
  const TruncateFloor floor(SequenceView{5, ""}, batch);
  EXPECT_TRUE(floor.drops(at(8, 99)));
  EXPECT_TRUE(floor.drops(at(9, 4)));
  EXPECT_FALSE(floor.drops(at(9, 6)));
  EXPECT_TRUE(floor.removes(at(9, 0).sequence));
  EXPECT_FALSE(floor.removes(at(10, 0).sequence));
  EXPECT_EQ(floor.floor()->head, 9U);
}

TEST(Truncates, T1_MarkNeverGoesDown) {
  const Truncate batch[] = {{{3, ""}, 0}};
  const TruncateFloor floor(SequenceView{5, ""}, batch);
  EXPECT_EQ(floor.floor()->head, 5U);
  EXPECT_TRUE(floor.drops(at(4, 9)));
  EXPECT_FALSE(floor.drops(at(5, 0)));
  EXPECT_FALSE(floor.removes(at(5, 0).sequence));
}

}  // namespace
}  // namespace lakebed::cdc
