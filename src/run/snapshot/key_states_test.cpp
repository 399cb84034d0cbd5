// What a snapshot asks of a target's memory, by index and by search, against brute force; and the
// keys that it saw, spilled or not.
#include "run/snapshot/key_states.h"

#include <gtest/gtest.h>

#include <map>

#include "base/world.h"
#include "run/apply/apply.h"

namespace lakebed::run {
namespace {

using Kind = cdc::KeyState::Kind;

Hash128 key_of(uint64_t number) { return {number * 0x9e3779b97f4a7c15ULL, number}; }
cdc::SequenceView at(uint64_t head) { return {head, {}}; }
std::filesystem::path spill() { return std::filesystem::path(testing::TempDir()) / "keys_spill"; }

class Memory {
 public:
  explicit Memory(state::Identity identity)
      : state_(std::move(*state::TableState::create(*store_, identity))) {}

  // Entries of one key each: sequence, value hash (0: a delete), absorbed.
  struct Known {
    uint64_t sequence = 0;
    uint64_t value = 0;
    bool absorbed = false;
  };
  void commit(const std::multimap<uint64_t, Known>& known) {
    std::vector<state::Entry> entries;
    for (const auto& [number, one] : known) {
      state::Entry entry;
      entry.key = key_of(number);
      entry.sequence = at(one.sequence);
      entry.value_hash = entry.tracked_hash = one.value;
      if (one.value == 0) entry.flags |= state::kDeleteBit;
      if (one.absorbed) entry.flags |= state::kHiddenBit;
      entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return state::compare_entries(a, b) < 0; });
    ++version_;
    state::StateWriter writer(*state_, std::to_string(version_));
    ASSERT_TRUE(writer.add_entries(entries).ok());
    auto done = writer.finish(version_, "files");
    ASSERT_TRUE(done.ok());
    ASSERT_TRUE(state_->apply(std::move(*done)).ok());
  }
  const state::TableState& state() const { return *state_; }

 private:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<state::TableState> state_;
  int64_t version_ = 0;
};

// Both ways of asking give the same.
struct Both {
  std::vector<std::vector<cdc::KeyState>> states;
  std::vector<KeyStates::Rest> rests;
};
Both ask(const Memory& memory, TargetKind kind, uint64_t version,
         const std::vector<std::vector<uint64_t>>& chunks) {
  Both both;
  for (const uint64_t indexed : {kIndexedEntries, uint64_t{0}}) {
    auto asked = key_states(memory.state(), kind, at(version), spill(), indexed);
    EXPECT_TRUE(asked.ok());
    both.states.emplace_back();
    for (const auto& chunk : chunks) {
      std::vector<Hash128> keys;
      for (const uint64_t number : chunk) keys.push_back(key_of(number));
      std::vector<cdc::KeyState> found;
      EXPECT_TRUE((*asked)->see(keys, found).ok());
      both.states.back().insert(both.states.back().end(), found.begin(), found.end());
    }
    auto rest = (*asked)->finish();
    EXPECT_TRUE(rest.ok());
    both.rests.push_back(std::move(rest).value());
  }
  return both;
}

void expect_same(const Both& both) {
  ASSERT_EQ(both.states[0].size(), both.states[1].size());
  for (size_t i = 0; i < both.states[0].size(); ++i) {
    EXPECT_EQ(both.states[0][i].kind, both.states[1][i].kind) << i;
    if (both.states[0][i].kind != Kind::kRow) continue;
    EXPECT_EQ(both.states[0][i].value_hash, both.states[1][i].value_hash) << i;
  }
  EXPECT_EQ(both.rests[0].absent, both.rests[1].absent);
  EXPECT_EQ(both.rests[0].rows, both.rests[1].rows);
  EXPECT_EQ(both.rests[0].present_before, both.rests[1].present_before);
  EXPECT_EQ(both.rests[0].duplicate_keys, both.rests[1].duplicate_keys);
  EXPECT_EQ(both.rests[0].duplicate_rows, both.rests[1].duplicate_rows);
}

TEST(KeyStates, S1_Scd1StatesAndAbsentKeys) {
  Memory memory(state::Identity::kKey);
  memory.commit({{1, {5, 50}}, {2, {5, 60}}, {3, {5, 0}}, {4, {5, 70}}, {5, {5, 80}}});
  memory.commit({{2, {20, 61}}, {4, {20, 0}}, {6, {7, 90}}});  // 2 and 4 are newer than 10
  const Both both = ask(memory, TargetKind::kScd1, 10, {{6, 2, 9}, {4, 3, 1}});
  expect_same(both);
  const std::vector<Kind> wanted = {Kind::kRow,   Kind::kNewer,  Kind::kAbsent,
                                    Kind::kNewer, Kind::kAbsent, Kind::kRow};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(both.states[0][i].kind, wanted[i]) << i;
  EXPECT_EQ(both.states[0][0].value_hash, 90U);
  EXPECT_EQ(both.rests[0].absent, std::vector<Hash128>{key_of(5)});
  EXPECT_EQ(both.rests[0].present_before, 4U);
  EXPECT_EQ(both.rests[0].rows, 6U);
}

TEST(KeyStates, S3_DuplicatesOfKnownAndOfNewKeysAreCounted) {
  Memory memory(state::Identity::kKey);
  memory.commit({{1, {5, 50}}, {2, {5, 60}}});
  const Both both = ask(memory, TargetKind::kScd1, 10, {{1, 7, 8}, {1, 7, 9}, {1, 7, 2}});
  expect_same(both);
  EXPECT_EQ(both.rests[0].duplicate_keys, 2U);
  EXPECT_EQ(both.rests[0].duplicate_rows, 6U);
}

TEST(KeyStates, S1_Scd2StateIsTheStretchAtTheVersion) {
  Memory memory(state::Identity::kKeyKindSequence);
  memory.commit({{1, {1, 50}},
                 {1, {3, 51, true}},
                 {1, {9, 52, true}},
                 {2, {2, 60}},
                 {2, {4, 0}},
                 {3, {2, 70}},
                 {3, {8, 0}},
                 {4, {8, 80}}});
  const Both both = ask(memory, TargetKind::kScd2, 5, {{4, 3, 2, 1}});
  expect_same(both);
  EXPECT_EQ(both.states[0][0].kind, Kind::kAbsent);  // begins later
  EXPECT_EQ(both.states[0][1].value_hash, 70U);
  EXPECT_EQ(both.states[0][2].kind, Kind::kAbsent);  // deleted before
  EXPECT_EQ(both.states[0][3].value_hash, 51U);      // of the last event up to the version
  EXPECT_EQ(both.rests[0].present_before, 2U);       // keys 1 and 4
}

TEST(KeyStates, S1_RandomMemoriesAgainstBruteForce) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto random = seeded_random(seed);
    const auto below = [&](uint64_t bound) { return random->next() % bound; };
    Memory memory(state::Identity::kKey);
    std::map<uint64_t, Memory::Known> wanted;
    for (int commit = 0; commit < 4; ++commit) {
      std::multimap<uint64_t, Memory::Known> known;
      for (uint64_t i = 0; i < 200; ++i) {
        const uint64_t number = below(500);
        if (known.count(number) > 0) continue;
        const Memory::Known one{static_cast<uint64_t>(commit) * 10 + below(10), below(3), false};
        known.emplace(number, one);
        wanted[number] = one;
      }
      memory.commit(known);
    }
    std::vector<std::vector<uint64_t>> chunks(3);
    std::map<uint64_t, uint64_t> seen;
    for (auto& chunk : chunks) {
      for (uint64_t i = 0; i < 150; ++i) ++seen[chunk.emplace_back(below(600))];
    }
    const Both both = ask(memory, TargetKind::kScd1, 35, chunks);
    expect_same(both);
    std::vector<Hash128> absent;
    for (const auto& [number, one] : wanted) {
      if (one.value > 0 && one.sequence <= 35 && seen.count(number) == 0) {
        absent.push_back(key_of(number));
      }
    }
    std::sort(absent.begin(), absent.end());
    EXPECT_EQ(both.rests[0].absent, absent) << "seed " << seed;
    const auto twice =
        std::count_if(seen.begin(), seen.end(), [](const auto& one) { return one.second > 1; });
    EXPECT_EQ(both.rests[0].duplicate_keys, static_cast<uint64_t>(twice)) << "seed " << seed;
  }
}

TEST(SeenKeys, SpilledRunsAreWalkedLikeOthers) {
  SeenKeys small(spill(), 100 * sizeof(Hash128));
  SeenKeys large(spill());
  const auto random = seeded_random(7);
  for (int run = 0; run < 40; ++run) {
    std::vector<Hash128> keys;
    for (int i = 0; i < 30; ++i) keys.push_back(key_of(random->next() % 700));
    std::sort(keys.begin(), keys.end());
    ASSERT_TRUE(small.add(keys).ok());
    ASSERT_TRUE(large.add(keys).ok());
  }
  EXPECT_GT(small.spilled_runs(), 5U);
  EXPECT_EQ(large.spilled_runs(), 0U);
  for (int again = 0; again < 2; ++again) {  // a walk leaves everything as it was
    auto a = small.walk();
    auto b = large.walk();
    ASSERT_TRUE(a.ok() && b.ok());
    uint64_t total = 0;
    while (true) {
      const bool more = *a->next();
      ASSERT_EQ(more, *b->next());
      if (!more) break;
      ASSERT_EQ(a->key(), b->key());
      ASSERT_EQ(a->count(), b->count());
      total += a->count();
    }
    EXPECT_EQ(total, small.size());
  }
}

}  // namespace
}  // namespace lakebed::run
