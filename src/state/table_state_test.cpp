// Manifest chain, facts, seen files, budgets, heap sizes and pending entries.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/world.h"
#include "state/pending.h"
#include "state/state_writer.h"

namespace lakebed::state {
namespace {

class StateTable : public ::testing::Test {
 protected:
  void create(Identity identity) { state_ = std::move(*TableState::create(*store_, identity)); }

  Finished commit(StateWriter& writer) {
    ++version_;
    auto done = writer.finish(version_, fmt::format("files-{}", version_));
    EXPECT_TRUE(done.ok());
    Finished copy = *done;
    EXPECT_TRUE(state_->apply(std::move(*done)).ok());
    return copy;
  }

  StateWriter writer() { return StateWriter(*state_, fmt::format("txn-{}", version_ + 1)); }

  void reopen() { state_ = std::move(*TableState::open(*store_, *state_->manifest())); }

  Entry entry(uint64_t key, uint64_t sequence) {
    Entry made;
    made.key = {key << 40, key};
    made.sequence.head = sequence;
    return made;
  }

  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<TableState> state_;
  int64_t version_ = -1;
};

TEST_F(StateTable, FactsLiveThroughALongChain) {
  create(Identity::kKey);
  std::vector<ManifestRef> heads;
  for (int i = 0; i < 200; ++i) {
    StateWriter w = writer();
    w.set_position("flow", fmt::format("{{\"file\":{}}}", i));
    w.set_fact(FactSection::kOnce, fmt::format("once-{}", i % 10), i % 3 == 0 ? "" : "true");
    w.set_fact(FactSection::kDefinition, "flow\"quoted\xC3\xBC", "{}");
    const Finished done = commit(w);
    heads.push_back(done.manifest);
    EXPECT_LE(done.chain.size(), kChainLimit);
    if (i % 37 != 0) continue;
    const ManifestData before = state_->data();
    reopen();
    EXPECT_EQ(state_->data(), before);
  }
  EXPECT_EQ(state_->fact(FactSection::kPosition, "flow"), "{\"file\":199}");
  EXPECT_EQ(state_->table_version(), 199);
  EXPECT_EQ(state_->file_set_hash(), "files-199");
  // Older versions stay readable as long as their files stay.
  auto old = TableState::open(*store_, heads[100]);
  ASSERT_TRUE(old.ok());
  EXPECT_EQ((*old)->fact(FactSection::kPosition, "flow"), "{\"file\":100}");
  EXPECT_FALSE((*old)->fact(FactSection::kOnce, "once-9").has_value());
}

TEST_F(StateTable, SmallBatchWritesOneFile) {
  create(Identity::kKeyKindSequence);
  StateWriter w = writer();
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(w.add_entry(entry(i, 5)).ok());
  ASSERT_TRUE(w.append_payload(1, "row").ok());
  w.add_seen("flow", "a.json", {1, 2});
  const Finished done = commit(w);
  EXPECT_EQ(done.to_sync.size(), 1U);
  EXPECT_EQ(done.manifest.name, "00000000000000000000-txn-0.manifest");
}

TEST_F(StateTable, SeenFiles) {
  create(Identity::kKey);
  for (int batch = 0; batch < 50; ++batch) {
    StateWriter w = writer();
    w.add_seen("flow", fmt::format("{:04}.json", batch), {100 + static_cast<uint64_t>(batch), -7});
    if (batch == 30) w.add_seen("flow", "0003.json", {5, 9});
    auto merged = merge(*state_, fmt::format("merge-{}", batch), {});
    ASSERT_TRUE(merged.ok());
    ASSERT_TRUE(w.adopt(std::move(*merged)).ok());
    commit(w);
  }
  reopen();
  EXPECT_LE(state_->data().runs.at(kSeenPrefix + "flow").size(), 10U);
  EXPECT_EQ((*state_->seen("flow", "0007.json"))->size, 107U);
  EXPECT_EQ((*state_->seen("flow", "0007.json"))->modified_us, -7);
  EXPECT_EQ((*state_->seen("flow", "0003.json"))->size, 5U);
  EXPECT_FALSE(state_->seen("flow", "0050.json")->has_value());
  EXPECT_FALSE(state_->seen("other", "0007.json")->has_value());
  const auto many = state_->seen("flow", std::vector<std::string>{"x", "0001.json", "0000.json"});
  EXPECT_FALSE((*many)[0].has_value());
  EXPECT_EQ((*many)[1]->size, 101U);
  EXPECT_EQ((*many)[2]->size, 100U);
}

TEST_F(StateTable, FullRefreshForgets) {
  create(Identity::kKey);
  StateWriter first = writer();
  ASSERT_TRUE(first.add_entry(entry(1, 1)).ok());
  first.set_position("flow", "1");
  first.add_seen("flow", "a", {1, 1});
  commit(first);
  StateWriter second = writer();
  second.forget_everything(Identity::kKeyKindSequence);
  second.set_fact(FactSection::kDefinition, "flow", "2");
  const Finished done = commit(second);
  EXPECT_EQ(done.chain.size(), 1U);
  reopen();
  EXPECT_EQ(state_->identity(), Identity::kKeyKindSequence);
  EXPECT_EQ(state_->stats().entries, 0U);
  EXPECT_FALSE(state_->fact(FactSection::kPosition, "flow").has_value());
  EXPECT_FALSE(state_->seen("flow", "a")->has_value());
  EXPECT_TRUE(state_->fact(FactSection::kDefinition, "flow").has_value());
}

TEST_F(StateTable, MergeStopsWithinItsBudget) {
  create(Identity::kKey);
  Tuning tuning;
  tuning.range_entries = 100;
  state_->tune(tuning);
  for (int batch = 0; batch < 2; ++batch) {
    StateWriter w = writer();
    for (uint64_t i = 0; i < 3000; ++i) {
      Entry e = entry(i, static_cast<uint64_t>(batch));
      e.key.high = i * (UINT64_MAX / 3000);
      ASSERT_TRUE(w.add_entry(e).ok());
    }
    commit(w);
  }
  EXPECT_EQ(state_->stats().entries, 6000U);
  MergeBudget budget;
  budget.max_entries = 500;
  int rounds = 0;
  while (merge_due(*state_)) {
    ++rounds;
    auto merged = merge(*state_, fmt::format("merge-{}", rounds), budget);
    ASSERT_TRUE(merged.ok());
    EXPECT_LE(merged->entries_read, 500U + 200U);
    StateWriter w = writer();
    EXPECT_GT(*w.adopt(std::move(*merged)), 0U);
    commit(w);
    ASSERT_LT(rounds, 100);
  }
  EXPECT_GT(rounds, 5);
  EXPECT_EQ(state_->stats().entries, 3000U);
  EXPECT_EQ(state_->stats().depth, 1U);
}

// Rule F4: tombstones applied before the threshold are forgotten, others stay.
TEST_F(StateTable, OldTombstonesEnd) {
  create(Identity::kKey);
  StateWriter w = writer();
  for (uint64_t i = 0; i < 10; ++i) {
    Entry e = entry(i, 1);
    e.flags = kDeleteBit;
    e.applied_at = static_cast<uint32_t>(100 + i);
    ASSERT_TRUE(w.add_entry(e).ok());
  }
  commit(w);
  StateWriter more = writer();
  ASSERT_TRUE(more.add_entry(entry(20, 1)).ok());
  commit(more);
  MergeBudget budget;
  budget.full = true;
  budget.expiry.forget_before = 105;
  auto merged = merge(*state_, "merge", budget);
  StateWriter last = writer();
  ASSERT_EQ(*last.adopt(std::move(*merged)), 1U);
  commit(last);
  EXPECT_EQ(state_->stats().entries, 6U);
}

// Closed rows leave their payloads behind: after a full merge the heap holds the open ones.
TEST_F(StateTable, HeapHoldsOpenRows) {
  create(Identity::kKeyKindSequence);
  const std::string row(120, 'r');
  for (uint64_t sequence = 1; sequence <= 5; ++sequence) {
    StateWriter w = writer();
    for (uint64_t key = 0; key < 2000; ++key) {
      if (sequence > 1) {
        Entry closed = entry(key, sequence - 1);
        closed.flags = kHasPlaceBit;
        closed.file = state_->files().id("part");
        ASSERT_TRUE(w.add_entry(closed).ok());
      }
      Entry open = entry(key, sequence);
      open.payload = *w.append_payload(1, row);
      ASSERT_TRUE(w.add_entry(open).ok());
    }
    commit(w);
  }
  EXPECT_GE(state_->stats().heap_bytes, 5U * 2000U * 120U);
  MergeBudget budget;
  budget.full = true;
  auto merged = merge(*state_, "merge", budget);
  ASSERT_TRUE(merged.ok());
  StateWriter w = writer();
  ASSERT_GT(*w.adopt(std::move(*merged)), 0U);
  commit(w);
  reopen();
  EXPECT_LE(state_->stats().heap_bytes, 2000U * 120U * 11 / 10);
  Cursor cursor(*state_);
  for (uint64_t key = 0; key < 2000; ++key) {
    ASSERT_TRUE(*cursor.seek({key << 40, key}));
    const auto newest = cursor.greatest(EntryKind::kRow);
    ASSERT_TRUE(newest.ok() && newest->has_value());
    EXPECT_EQ((*newest)->sequence.head, 5U);
    EXPECT_EQ(state_->payload((*newest)->payload)->row, row);
  }
}

// Each question costs the logarithm of the key's history.
TEST_F(StateTable, CursorReadsFewEntries) {
  create(Identity::kKeyKindSequence);
  StateWriter w = writer();
  for (uint64_t sequence = 0; sequence < 100000; ++sequence) {
    ASSERT_TRUE(w.add_entry(entry(7, 2 * sequence)).ok());
  }
  commit(w);
  Cursor cursor(*state_);
  ASSERT_TRUE(*cursor.seek({uint64_t{7} << 40, 7}));
  for (uint64_t i = 0; i < 100; ++i) {
    const auto below = cursor.at_most(EntryKind::kRow, {1999 * i + 1, {}});
    ASSERT_EQ((*below)->sequence.head, (1999 * i + 1) / 2 * 2);
  }
  EXPECT_LE(cursor.entries_read(), 100U * 19U);
}

TEST_F(StateTable, SweepTakesOnlyWhatDeadProgramsLeft) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("lakebed-sweep-{}", system_random()->next());
  store_ = store::local_store(folder.string());
  const std::string dead = "11111111-dead";
  const std::string live = "22222222-live";
  auto running = Pending::create(*store_, live);
  ASSERT_TRUE(running.ok());
  EXPECT_EQ(Pending::create(*store_, live).error().code, "PENDING_LOCKED");
  { auto died = Pending::create(*store_, dead); }
  for (const std::string& id : {dead, live, std::string("33333333-old")}) {
    ASSERT_TRUE(store_->put("part-" + id + ".parquet", "x").ok());
    ASSERT_TRUE(store_->put("_lakebed/state/" + id + "-0.run", "x").ok());
    ASSERT_TRUE(store_->put("_lakebed/state/" + id + "-1.run", "x").ok());
  }
  const auto removed = sweep(*store_, {"", "_lakebed/state"}, [&](const std::string& path) {
    return Result<bool>(path == "_lakebed/state/" + dead + "-1.run");
  });
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, (std::vector<std::string>{"part-" + dead + ".parquet",
                                                "_lakebed/state/" + dead + "-0.run"}));
  EXPECT_TRUE(store_->stat("part-" + live + ".parquet").ok());
  EXPECT_TRUE(store_->stat("_lakebed/state/33333333-old-0.run").ok());
  EXPECT_FALSE(store_->stat("_lakebed/pending/" + dead).ok());
  EXPECT_TRUE(store_->stat("_lakebed/pending/" + live).ok());
  ASSERT_TRUE(running->close().ok());
  EXPECT_FALSE(store_->stat("_lakebed/pending/" + live).ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lakebed::state
