// The state against std::map, over random transactions, merges, lost commits and reopenings.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/world.h"
#include "state/state_writer.h"

namespace lakebed::state {
namespace {

struct Known {
  uint64_t value_hash = 0, tracked_hash = 0;
  std::string file, row_bytes;
  uint32_t row = 0, applied_at = 0;
  uint8_t flags = 0;
};
using Identity3 = std::tuple<Hash128, EntryKind, value::SequenceCode>;
using Model = std::map<Identity3, Known>;

uint64_t test_seed(uint64_t otherwise) {
  const char* text = std::getenv("LAKEBED_SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// One table whose state and model go the same way.
class World {
 public:
  World(Identity identity, uint64_t seed, bool tails)
      : identity_(identity), tails_(tails), random_(seeded_random(seed)),
        store_(store::memory_store()) {
    make_state(std::nullopt);
  }

  uint64_t below(uint64_t limit) { return random_->next() % limit; }

  void step() {
    const bool commits = below(8) != 0;
    if (pending_.has_value() && below(3) == 0) pending_.reset();
    if (!pending_.has_value() && below(3) == 0) start_merge();
    Model next = model_;
    StateWriter writer(*state_, fmt::format("txn-{}", ++transactions_));
    if (below(60) == 0) {
      writer.forget_everything(identity_);
      next.clear();
      pending_.reset();
    }
    if (pending_.has_value() && below(2) == 0) {
      ASSERT_TRUE(writer.adopt(std::move(*pending_)).ok());
      pending_.reset();
    }
    add_entries(writer, next);
    auto done = writer.finish(transactions_, "files");
    ASSERT_TRUE(done.ok()) << done.error().text();
    if (!commits) return;
    const ManifestRef head = done->manifest;
    ASSERT_TRUE(state_->apply(std::move(*done)).ok());
    model_ = std::move(next);
    if (below(10) == 0) make_state(head);
  }

  void check() {
    check_scan();
    if (identity_ == Identity::kKey) {
      check_greatest();
    } else {
      check_cursor();
    }
  }

  TableState& state() { return *state_; }

 private:
  void make_state(const std::optional<ManifestRef>& head) {
    auto made = head.has_value() ? TableState::open(*store_, *head)
                                 : TableState::create(*store_, identity_);
    ASSERT_TRUE(made.ok()) << made.error().text();
    state_ = std::move(*made);
    pending_.reset();
    Tuning tuning;
    tuning.range_entries = 40;
    tuning.embed_bytes = 3000;
    tuning.embed_total = 9000;
    tuning.heap_file_bytes = 1500;
    tuning.copy_heap_below = 700;
    tuning.depth = 5;
    state_->tune(tuning);
  }

  void start_merge() {
    MergeBudget budget;
    budget.full = below(6) == 0;
    if (below(2) == 0) budget.max_entries = 1 + below(100);
    auto merged = merge(*state_, fmt::format("merge-{}", ++merges_), budget);
    ASSERT_TRUE(merged.ok()) << merged.error().text();
    pending_ = std::move(*merged);
  }

  Hash128 any_key() {
    const uint64_t number = below(120);
    return {number * 0x9E3779B97F4A7C15ULL, below(4) == 0 ? number : 7};
  }

  value::SequenceCode any_sequence() {
    value::SequenceCode code{1000 + below(6), ""};
    if (tails_) code.tail = std::string(below(3), static_cast<char>('a' + below(3)));
    return code;
  }

  void add_entries(StateWriter& writer, Model& next) {
    Model adds;
    const uint64_t count = below(4) == 0 ? below(90) : below(12);
    for (uint64_t i = 0; i < count; ++i) {
      Known known{random_->next(), random_->next(), "", "", 0, 0, 0};
      const auto kind = below(3) == 0 ? EntryKind::kHidden : EntryKind::kRow;
      if (kind == EntryKind::kHidden) known.flags |= kHiddenBit;
      if (below(2) == 0) known.tracked_hash = known.value_hash;
      if (below(4) == 0) known.flags |= kDeleteBit;
      if (below(6) == 0) known.flags |= kGoneBit;
      if (below(3) != 0) {
        known.flags |= kHasPlaceBit;
        known.file = fmt::format("part-{}.parquet", below(5));
        known.row = static_cast<uint32_t>(below(1000));
      }
      if (below(2) == 0) known.row_bytes = std::string(below(200), 'x');
      const Hash128 key = any_key();
      if (identity_ == Identity::kKey) {
        const auto old = adds.lower_bound({key, EntryKind::kRow, {}});
        if (old != adds.end() && std::get<0>(old->first) == key) continue;
      }
      adds[{key, kind, any_sequence()}] = known;
    }
    if (identity_ == Identity::kKey) {
      for (const auto& [id, known] : adds) {
        std::erase_if(next, [&](const auto& item) {
          return std::get<0>(item.first) == std::get<0>(id);
        });
      }
    }
    value::Schema schema(1);
    schema[0].name = "a";
    schema[0].type = value::Kind::kInt;
    for (const auto& [id, known] : adds) {
      Entry entry;
      entry.key = std::get<0>(id);
      entry.sequence = std::get<2>(id);
      entry.flags = known.flags;
      entry.value_hash = known.value_hash;
      entry.tracked_hash = known.tracked_hash;
      if (entry.has_place()) entry.file = state_->files().id(known.file);
      entry.row = known.row;
      if (!known.row_bytes.empty()) {
        auto ref = writer.append_payload(writer.schema_id(schema), known.row_bytes);
        ASSERT_TRUE(ref.ok());
        entry.payload = *ref;
      }
      ASSERT_TRUE(writer.add_entry(entry).ok());
      if (entry.is_gone()) {
        next.erase(id);
      } else {
        next[id] = known;
      }
    }
  }

  void expect_same(const Entry& entry, const Known& known) {
    EXPECT_EQ(entry.value_hash, known.value_hash);
    EXPECT_EQ(entry.tracked_hash, known.tracked_hash);
    EXPECT_EQ(entry.flags, known.flags);
    if (entry.has_place()) {
      EXPECT_EQ(state_->files().name(entry.file), known.file);
      EXPECT_EQ(entry.row, known.row);
    }
    ASSERT_EQ(entry.payload == 0, known.row_bytes.empty());
    if (entry.payload == 0) return;
    const auto payload = state_->payload(entry.payload);
    ASSERT_TRUE(payload.ok()) << payload.error().text();
    EXPECT_EQ(payload->row, known.row_bytes);
    EXPECT_TRUE(state_->schema(payload->schema_id).ok());
  }

  void check_scan() {
    auto next = model_.begin();
    const Status scanned = state_->scan_all([&](const Entry& entry) -> Status {
      EXPECT_NE(next, model_.end());
      if (next == model_.end()) return update_error("TEST", "too many entries");
      EXPECT_EQ(next->first, (Identity3{entry.key, entry.kind(), entry.sequence.own()}));
      expect_same(entry, next->second);
      ++next;
      return {};
    });
    ASSERT_TRUE(scanned.ok()) << scanned.error().text();
    EXPECT_EQ(next, model_.end());
  }

  void check_greatest() {
    std::vector<Hash128> keys;
    for (int i = 0; i < 200; ++i) keys.push_back(any_key());
    std::sort(keys.begin(), keys.end());
    const auto found = state_->find_greatest(keys);
    ASSERT_TRUE(found.ok()) << found.error().text();
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto known = model_.lower_bound({keys[i], EntryKind::kRow, {}});
      const bool exists = known != model_.end() && std::get<0>(known->first) == keys[i];
      ASSERT_EQ((*found)[i].found, exists);
      if (!exists) continue;
      EXPECT_EQ((*found)[i].entry.sequence.own(), std::get<2>(known->first));
      expect_same((*found)[i].entry, known->second);
    }
  }

  using Answer = Result<std::optional<Entry>>;
  void expect_answer(const Answer& answer, Model::const_iterator known, const Hash128& key,
                     EntryKind kind) {
    ASSERT_TRUE(answer.ok()) << answer.error().text();
    const bool exists = known != model_.end() && std::get<0>(known->first) == key &&
                        std::get<1>(known->first) == kind;
    ASSERT_EQ(answer->has_value(), exists);
    if (!exists) return;
    EXPECT_EQ((*answer)->sequence.own(), std::get<2>(known->first));
    expect_same(**answer, known->second);
  }

  Model::const_iterator before(Model::const_iterator at) const {
    return at == model_.begin() ? model_.end() : std::prev(at);
  }

  void check_cursor() {
    Cursor cursor(*state_);
    for (int i = 0; i < 60; ++i) {
      const Hash128 key = any_key();
      ASSERT_TRUE(cursor.seek(key).ok());
      for (const EntryKind kind : {EntryKind::kRow, EntryKind::kHidden}) {
        const value::SequenceCode s = any_sequence();
        const Identity3 at{key, kind, s};
        expect_answer(cursor.at_least(kind, s), model_.lower_bound(at), key, kind);
        expect_answer(cursor.above(kind, s), model_.upper_bound(at), key, kind);
        expect_answer(cursor.at_most(kind, s), before(model_.upper_bound(at)), key, kind);
        expect_answer(cursor.below(kind, s), before(model_.lower_bound(at)), key, kind);
        const Identity3 least{key, kind, {}};
        const Identity3 most{key, kind, {UINT64_MAX, "z"}};
        expect_answer(cursor.smallest(kind), model_.lower_bound(least), key, kind);
        expect_answer(cursor.greatest(kind), before(model_.upper_bound(most)), key, kind);
      }
    }
  }

  Identity identity_;
  bool tails_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<TableState> state_;
  std::optional<Merged> pending_;
  Model model_;
  int64_t transactions_ = 0;
  int merges_ = 0;
};

void run_world(Identity identity, uint64_t seed, bool tails, int steps) {
  SCOPED_TRACE(fmt::format("LAKEBED_SEED={}", seed));
  World world(identity, seed, tails);
  for (int i = 0; i < steps; ++i) {
    world.step();
    if (::testing::Test::HasFailure()) return;
    if (i % 4 == 3) world.check();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(world.state().verify_all().ok());
}

TEST(StateModel, OneEntryAKey) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    run_world(Identity::kKey, test_seed(seed), seed % 3 == 0, 120);
  }
}

TEST(StateModel, Histories) {
  for (uint64_t seed = 101; seed <= 108; ++seed) {
    run_world(Identity::kKeyKindSequence, test_seed(seed), seed % 2 == 0, 120);
  }
}

}  // namespace
}  // namespace lakebed::state
