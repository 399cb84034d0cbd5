// Laws 1 to 4 and 6 to 8 of the kernels over random feeds. Environment: LAKEBED_SEED (default
// fixed, so that runs repeat), LAKEBED_HISTORIES (default 100000). A failure prints the seed of
// its history and the smallest feed found that still fails.
#include <gtest/gtest.h>

#include "laws.h"

namespace lakebed::properties {
namespace {

struct Law {
  const char* name;
  std::string (*check)(const Feed&);
};

constexpr Law kLaws[] = {
    {"law 7, SCD 1", scd1_equals_twin},
    {"law 7, SCD 2", scd2_equals_twin},
    {"law 1", order_does_not_matter},
    {"law 2", cuts_do_not_matter},
    {"law 3", repeats_do_not_matter},
    {"law 4", scd1_is_the_open_rows},
    {"law 6", intervals_are_sound},
    {"law 8", keys_do_not_meet},
    {"in order", in_order_reads_no_old_row},
};

void report(const Law& law, const Feed& feed, uint64_t seed) {
  const Feed small = shrink(feed, law.check);
  FAIL() << law.name << " fails; LAKEBED_SEED=" << seed << " LAKEBED_HISTORIES=1 repeats it\n"
         << law.check(small) << "\nsmallest feed found:\n" << small.text();
}

TEST(CdcProperties, LawsHoldOverRandomFeeds) {
  const uint64_t seed = number_from_environment("LAKEBED_SEED", 20260101);
  const uint64_t histories = number_from_environment("LAKEBED_HISTORIES", 100000);
  std::cout << "seed " << seed << ", " << histories << " histories" << std::endl;
  for (uint64_t at = 0; at < histories; ++at) {
    const auto random = seeded_random(seed + at);
    const Feed feed = random_feed(*random);
    for (const Law& law : kLaws) {
      if (!law.check(feed).empty()) return report(law, feed, seed + at);
    }
  }
}

// The tool that finds small feeds finds them: a "law" that forbids a delete after an upsert of
// the same key must come down to two items in one batch.
TEST(CdcProperties, ShrinksToTheSmallestFeed) {
  const Check forbids_delete_after_upsert = [](const Feed& feed) -> std::string {
    for (size_t early = 0; early < feed.items.size(); ++early) {
      for (size_t late = early + 1; late < feed.items.size(); ++late) {
        const Item& a = feed.items[early];
        const Item& b = feed.items[late];
        if (a.key == b.key && a.what == Item::What::kUpsert && b.what == Item::What::kDelete) {
          return "found";
        }
      }
    }
    return "";
  };
  uint64_t seed = 1;
  Feed feed;
  do {
    feed = random_feed(*seeded_random(seed++));
  } while (feed.items.size() < 20 || forbids_delete_after_upsert(feed).empty());
  const Feed small = shrink(feed, forbids_delete_after_upsert);
  ASSERT_EQ(small.items.size(), 2U) << small.text();
  EXPECT_TRUE(small.cuts.empty());
  EXPECT_EQ(small.items[0].value + small.items[0].sequence + small.items[1].sequence, 0U);
}

}  // namespace
}  // namespace lakebed::properties
