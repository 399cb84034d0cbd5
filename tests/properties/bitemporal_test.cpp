// Laws 1, 2, 3, 5, 6, 7 of the kernels for bitemporal targets (rules C1, C2, C3): random histories
// of one key, in any order and cut, with repeats, against the twin. LAKEBED_HISTORIES and
// LAKEBED_SEED choose how many and which; a failure prints its seed and a feed made small.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <numeric>
#include <random>

#include "cdc/reference/bitemporal_twin.h"

namespace lakebed::cdc {

namespace {

using reference::BitemporalMemory;
using reference::BitemporalTwin;

struct Given {
  int business = 0;
  int system = 0;
  bool deletes = false;
  int value = 0;
};
using Feed = std::vector<std::vector<Given>>;

std::string code(int number) {
  return {'\x01', static_cast<char>(number >> 8), static_cast<char>(number & 255)};
}

std::string text(const Feed& feed) {
  std::string out;
  for (const auto& batch : feed) {
    for (const Given& event : batch) {
      out += "(" + std::to_string(event.business) + "," + std::to_string(event.system) +
             (event.deletes ? " delete) " : " v" + std::to_string(event.value) + ") ");
    }
    out += "| ";
  }
  return out;
}

// What is wrong after one of the batches; empty where all holds.
std::string check(const Feed& feed) {
  BitemporalMemory memory;
  BitemporalTwin twin;
  BitemporalKernel kernel;
  std::deque<std::string> codes;
  for (const auto& batch : feed) {
    std::vector<BitemporalEvent> events;
    for (const Given& given : batch) {
      codes.push_back(code(given.business));
      const Moment business = codes.back();
      codes.push_back(code(given.system));
      events.push_back({{},
                        business,
                        codes.back(),
                        given.deletes ? 0 : static_cast<uint64_t>(given.value) + 1,
                        static_cast<uint32_t>(events.size()),
                        given.deletes ? Operation::kDelete : Operation::kUpsert});
      twin.add(events.back());
    }
    memory.begin_batch(events);
    BitemporalChanges changes;
    Metrics metrics;
    if (!events.empty()) kernel.run(0, events, memory, changes, metrics);
    memory.take(changes);
    const std::string faults = memory.take_faults();
    if (!faults.empty()) return faults;
    if (memory.rows() != twin.rows()) return "rows differ from the twin's";
  }
  return "";
}

Feed random_feed(std::mt19937_64& random) {
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<uint64_t>(bound));
  };
  const int business = 1 + below(6);
  const int system = 1 + below(7);
  const int values = 1 + below(3);
  std::vector<Given> events(static_cast<size_t>(1 + below(12)));
  for (Given& event : events) {
    event = {below(business), below(system), below(4) == 0, below(values)};
    if (below(3) == 0) event.system = event.business;
  }
  // In order of system time as a source would deliver, or in any order.
  if (below(3) == 0) {
    std::stable_sort(events.begin(), events.end(),
                     [](const Given& a, const Given& b) { return a.system < b.system; });
  }
  Feed feed(1);
  for (const Given& event : events) {
    feed.back().push_back(event);
    if (below(8) == 0) feed.back().push_back(event);
    if (below(3) == 0) feed.emplace_back();
  }
  return feed;
}

Feed shrink(Feed feed) {
  for (size_t batch = 0; batch < feed.size(); ++batch) {
    for (size_t at = 0; at < feed[batch].size();) {
      Feed smaller = feed;
      smaller[batch].erase(smaller[batch].begin() + static_cast<std::ptrdiff_t>(at));
      if (check(smaller).empty()) {
        ++at;
      } else {
        feed = smaller;
        batch = 0;
        at = 0;
      }
    }
  }
  return feed;
}

uint64_t number_of(const char* name, uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

}  // namespace

TEST(Bitemporal, C2_KernelEqualsTwinInAnyOrderAndCut) {
  const uint64_t histories = number_of("LAKEBED_HISTORIES", 20000);
  const uint64_t first = number_of("LAKEBED_SEED", std::random_device{}());
  std::cout << "seed " << first << ", " << histories << " histories\n";
  for (uint64_t seed = first; seed < first + histories; ++seed) {
    std::mt19937_64 random(seed);
    const Feed feed = random_feed(random);
    const std::string wrong = check(feed);
    if (wrong.empty()) continue;
    const Feed small = shrink(feed);
    FAIL() << "seed " << seed << ": " << check(small) << "\n" << text(small);
  }
}

// Law 1 and 5: the order of arrival does not matter, and the current belief is the SCD type 2
// history of the winners of each business time.
TEST(Bitemporal, C2_CurrentBeliefIsTheTimelineOfTheLatestSystemTime) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Feed feed = random_feed(random);
    BitemporalTwin twin;
    std::deque<std::string> codes;
    for (const auto& batch : feed) {
      for (const Given& given : batch) {
        codes.push_back(code(given.business));
        const Moment business = codes.back();
        codes.push_back(code(given.system));
        twin.add({{},
                  business,
                  codes.back(),
                  static_cast<uint64_t>(given.value) + 1,
                  0,
                  given.deletes ? Operation::kDelete : Operation::kUpsert});
      }
    }
    std::vector<reference::TwinBelief> living;
    for (const auto& row : twin.rows()) {
      if (!row.system_end) living.push_back(row);
    }
    const auto current = twin.current();
    ASSERT_EQ(living.size(), current.size());
    for (size_t i = 0; i < current.size(); ++i) {
      EXPECT_EQ(living[i].start, current[i].start);
      EXPECT_EQ(living[i].end, current[i].end);
      EXPECT_EQ(living[i].value_hash, current[i].value_hash);
    }
  }
}

// Rule C3 and the kernel's contract: what a change costs does not grow with the key's history.
TEST(Bitemporal, C3_SeeksOfAChangeDoNotGrowWithTheHistory) {
  const auto seeks_of_last = [](int versions) {
    BitemporalMemory memory;
    BitemporalKernel kernel;
    std::deque<std::string> codes;
    uint64_t before = 0;
    for (int i = 0; i <= versions; ++i) {
      codes.push_back(code(i));
      const Moment at = codes.back();
      const BitemporalEvent event{{}, at, at, static_cast<uint64_t>(i) + 1, 0, Operation::kUpsert};
      memory.begin_batch({&event, 1});
      BitemporalChanges changes;
      Metrics metrics;
      before = kernel.counters().seeks;
      kernel.run(0, {&event, 1}, memory, changes, metrics);
      memory.take(changes);
    }
    return kernel.counters().seeks - before;
  };
  EXPECT_EQ(seeks_of_last(5000), seeks_of_last(10));
}

// Seeks of one event over a key whose versions became known as they came to hold: at 2, 4, 6, ...
uint64_t seeks_over_history(int versions, int business, int system) {
  BitemporalMemory memory;
  BitemporalKernel kernel;
  std::deque<std::string> codes;
  const auto moment = [&codes](int at) -> Moment { return codes.emplace_back(code(at)); };
  std::vector<BitemporalEvent> history;
  for (int i = 1; i <= versions; ++i) {
    history.push_back(
        {{}, moment(2 * i), moment(2 * i), static_cast<uint64_t>(i) + 1, 0, Operation::kUpsert});
  }
  const auto take = [&](std::span<const BitemporalEvent> events) {
    memory.begin_batch(events);
    BitemporalChanges changes;
    Metrics metrics;
    kernel.run(0, events, memory, changes, metrics);
    memory.take(changes);
  };
  take(history);
  const uint64_t before = kernel.counters().seeks;
  const BitemporalEvent late{{}, moment(business), moment(system), 1, 0, Operation::kUpsert};
  take({&late, 1});
  return kernel.counters().seeks - before;
}

// Late in business time only: the neighbours, however long the history is.
TEST(Bitemporal, C3_SeeksOfALateBusinessTimeDoNotGrowWithTheHistory) {
  EXPECT_LE(seeks_over_history(5000, 4001, 10002), seeks_over_history(10, 5, 22));
  EXPECT_LE(seeks_over_history(5000, 4000, 10002), seeks_over_history(10, 4, 22));  // a correction
}

// Late in system time: it is the newest version's neighbour at each of the later system times, so
// as many rows change as there are versions; each costs the same.
TEST(Bitemporal, C3_SeeksOfALateSystemTimeGrowWithWhatItChanges) {
  const uint64_t some = seeks_over_history(500, 1001, 1);
  const uint64_t many = seeks_over_history(5000, 10001, 1);
  EXPECT_LE(many, some * 10 + 100);
  EXPECT_LE(many, 5000 * 16);
}

}  // namespace lakebed::cdc
