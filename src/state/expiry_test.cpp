// Rule F4: what is forgotten depends on the memory and the clock, not on when merges run.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/world.h"
#include "state/expiry.h"
#include "state/state_writer.h"

namespace lakebed::state {
namespace {

constexpr uint32_t kNow = 1000;

class ForgettingByAge : public ::testing::Test {
 protected:
  // A history as the kernel leaves it: an absorbed event follows an upsert.
  std::vector<Entry> random_history(uint64_t key) {
    std::vector<Entry> entries;
    bool open = false;
    for (uint64_t sequence = 1; sequence <= 12; ++sequence) {
      if (below(3) == 0) continue;
      Entry entry;
      entry.key = {key << 60, key};
      entry.sequence.head = sequence;
      entry.applied_at = static_cast<uint32_t>(1 + below(2 * kNow));
      const uint64_t kind = below(open ? 3 : 2);
      if (kind == 0) entry.flags = kDeleteBit;
      if (kind == 2) entry.flags = kHiddenBit;
      if (kind != 0) entry.value_hash = 1 + below(2);
      if (kind == 1) entry.applied_at = 0;
      open = kind != 0;
      entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return compare_entries(a, b) < 0; });
    return entries;
  }

  uint64_t below(uint64_t bound) { return random_->next() % bound; }

  // All that look-ups see of a key, from both ends.
  std::vector<std::pair<int, uint64_t>> seen(uint64_t key) {
    std::vector<std::pair<int, uint64_t>> out;
    ExpiringCursor cursor(*state_, expiry_);
    if (!*cursor.seek({key << 60, key})) return out;
    for (const EntryKind kind : {EntryKind::kRow, EntryKind::kHidden}) {
      const int mark = kind == EntryKind::kRow ? 0 : 1;
      auto up = *cursor.at_least(kind, {0, {}});
      size_t count = 0;
      for (; up; up = *cursor.above(kind, up->sequence), ++count) {
        out.emplace_back(mark, up->sequence.head);
      }
      size_t at = out.size();
      auto down = *cursor.greatest(kind);
      for (; down && at > 0; down = *cursor.below(kind, down->sequence), --count) {
        EXPECT_EQ(out[--at].second, down->sequence.head);
      }
      EXPECT_EQ(count, 0U);
    }
    return out;
  }

  std::unique_ptr<Random> random_ = seeded_random(11);
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<TableState> state_;
  Expiry expiry_{kNow, kNow};
};

TEST_F(ForgettingByAge, MergesChangeNothing) {
  for (int round = 0; round < 200; ++round) {
    store_ = store::memory_store();
    state_ = std::move(*TableState::create(*store_, Identity::kKeyKindSequence));
    std::vector<std::vector<std::pair<int, uint64_t>>> before;
    StateWriter writer(*state_, "txn-0");
    for (uint64_t key = 1; key <= 6; ++key) {
      for (const Entry& entry : random_history(key)) ASSERT_TRUE(writer.add_entry(entry).ok());
    }
    ASSERT_TRUE(state_->apply(std::move(*writer.finish(0, "a"))).ok());
    for (uint64_t key = 1; key <= 6; ++key) before.push_back(seen(key));
    MergeBudget budget;
    budget.full = true;
    budget.expiry = expiry_;
    auto merged = merge(*state_, "merge", budget);
    ASSERT_TRUE(merged.ok());
    StateWriter adopting(*state_, "txn-1");
    ASSERT_TRUE(adopting.adopt(std::move(*merged)).ok());
    ASSERT_TRUE(state_->apply(std::move(*adopting.finish(1, "b"))).ok());
    for (uint64_t key = 1; key <= 6; ++key) ASSERT_EQ(seen(key), before[key - 1]) << round;
  }
}

TEST_F(ForgettingByAge, RowsKeepTheirEndsAndValues) {
  const auto entry = [](uint64_t sequence, uint8_t flags, uint64_t hash) {
    Entry made;
    made.key = {uint64_t{1} << 60, 1};
    made.sequence.head = sequence;
    made.flags = flags;
    made.value_hash = hash;
    made.applied_at = (flags & (kDeleteBit | kHiddenBit)) != 0 ? 5 : 0;
    return made;
  };
  state_ = std::move(*TableState::create(*store_, Identity::kKeyKindSequence));
  StateWriter writer(*state_, "txn-0");
  for (const Entry& made :
       {entry(1, 0, 7), entry(4, kDeleteBit, 0), entry(5, kDeleteBit, 0), entry(6, 0, 7),
        entry(2, kHiddenBit, 8), entry(3, kHiddenBit, 9), entry(7, kHiddenBit, 8),
        entry(8, kHiddenBit, 7)}) {
    ASSERT_TRUE(writer.add_entry(made).ok());
  }
  ASSERT_TRUE(state_->apply(std::move(*writer.finish(0, "a"))).ok());
  // 3 shows its values, 4 ends its row; 8 has the head's values, so 7 and 8 may go together.
  const std::vector<std::pair<int, uint64_t>> kept = {{0, 1}, {0, 4}, {0, 6}, {1, 3}};
  EXPECT_EQ(seen(1), kept);
  expiry_.forget_before = 5;  // nothing is older
  EXPECT_EQ(seen(1).size(), 8U);
}

}  // namespace
}  // namespace lakebed::state
