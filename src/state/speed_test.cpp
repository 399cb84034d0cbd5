// Sizes and times of a large state: bytes a live entry are gated, times are printed.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/world.h"
#include "state/state_writer.h"

namespace lakebed::state {
namespace {

// Processor time of all threads of this program: what the work costs, whoever else is busy here.
double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}
double ms_since(double start) { return now_ms() - start; }

// LAKEBED_STATE_ENTRIES: 10000000 for the size of the benchmark; fewer in the fast ring.
uint64_t test_entries() {
  const char* text = std::getenv("LAKEBED_STATE_ENTRIES");
  return text == nullptr ? 400000 : std::strtoull(text, nullptr, 10);
}

class StateSpeed : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("lakebed-state-{}", system_random()->next());
    std::filesystem::create_directories(folder_);
    store_ = store::local_store(folder_.string());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Entry make_entry(const Hash128& key, uint64_t sequence) {
    Entry entry;
    entry.key = key;
    entry.sequence.head = 0x8000000000000000ULL + sequence;
    entry.value_hash = random_->next();
    entry.tracked_hash = entry.value_hash;
    entry.flags = kHasPlaceBit;
    entry.file = file_;
    entry.row = row_++;
    return entry;
  }

  void make_keys(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) keys_.push_back({random_->next(), random_->next()});
    std::sort(keys_.begin(), keys_.end());
  }

  // A batch of `count` of the known keys.
  std::vector<Hash128> some_keys(uint64_t count) {
    std::vector<Hash128> some;
    for (uint64_t i = 0; i < count; ++i) some.push_back(keys_[random_->next() % keys_.size()]);
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }

  void commit(StateWriter& writer) {
    auto done = writer.finish(++version_, "files");
    ASSERT_TRUE(done.ok()) << done.error().text();
    ASSERT_TRUE(store_->sync(done->to_sync).ok());
    ASSERT_TRUE(state_->apply(std::move(*done)).ok());
  }

  void batch(const std::vector<Hash128>& keys, uint64_t sequence) {
    StateWriter writer(*state_, fmt::format("txn-{}", version_ + 1));
    file_ = state_->files().id(fmt::format("part-{}.parquet", version_ + 1));
    row_ = 0;
    for (const Hash128& key : keys) {
      ASSERT_TRUE(writer.add_entry(make_entry(key, sequence)).ok());
    }
    if (merged_.has_value()) {
      ASSERT_TRUE(writer.adopt(std::move(*merged_)).ok());
      merged_.reset();
    }
    commit(writer);
  }

  void merge_some(const MergeBudget& budget) {
    auto merged = merge(*state_, fmt::format("merge-{}", version_), budget);
    ASSERT_TRUE(merged.ok()) << merged.error().text();
    merge_reads_ += merged->entries_read;
    if (!merged->empty()) merged_ = std::move(*merged);
  }

  std::filesystem::path folder_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Random> random_ = seeded_random(5);
  std::unique_ptr<TableState> state_;
  std::vector<Hash128> keys_;
  std::optional<Merged> merged_;
  uint64_t merge_reads_ = 0;
  int64_t version_ = -1;
  uint32_t file_ = 0;
  uint32_t row_ = 0;
};

void print_stats(const char* when, const StateStats& stats, uint64_t live) {
  fmt::print("{}: {} runs, depth {}, {:.1f} bytes a live entry\n", when, stats.runs, stats.depth,
             static_cast<double>(stats.run_bytes) / static_cast<double>(live));
}

TEST_F(StateSpeed, OneEntryAKey) {
  const uint64_t entries = test_entries();
  make_keys(entries);
  state_ = std::move(*TableState::create(*store_, Identity::kKey));
  auto start = now_ms();
  batch(keys_, 1);
  fmt::print("first load of {} entries: {:.0f} ms\n", entries, ms_since(start));
  print_stats("loaded", state_->stats(), entries);

  start = now_ms();
  state_ = std::move(*TableState::open(*store_, *state_->manifest()));
  fmt::print("open: {:.2f} ms\n", ms_since(start));

  for (int round = 0; round < 4; ++round) {
    std::vector<Hash128> wanted = some_keys(75000);
    for (int i = 0; i < 25000; ++i) wanted.push_back({random_->next(), 1});
    std::sort(wanted.begin(), wanted.end());
    start = now_ms();
    const auto found = state_->find_greatest(wanted);
    const double took = ms_since(start);
    ASSERT_TRUE(found.ok());
    size_t hits = 0;
    for (const Found& one : *found) hits += one.found ? 1 : 0;
    EXPECT_EQ(hits, wanted.size() - 25000);
    fmt::print("look-up of {}: {:.1f} ms\n", wanted.size(), took);
  }

  for (int i = 0; i < 6; ++i) batch(some_keys(entries / 100), 2);
  const auto wanted = some_keys(100000);
  for (int round = 0; round < 3; ++round) {
    start = now_ms();
    ASSERT_TRUE(state_->find_greatest(wanted).ok());
    fmt::print("look-up of {} at depth {}: {:.1f} ms\n", wanted.size(), state_->stats().depth,
               ms_since(start));
  }

  double most = 0;
  uint64_t depth = 0;
  double merging = 0, finding = 0, writing = 0;
  const int batches = 300;
  for (int i = 0; i < batches; ++i) {
    const auto keys = some_keys(1000);
    start = now_ms();
    ASSERT_TRUE(state_->find_greatest(keys).ok());
    finding += ms_since(start);
    start = now_ms();
    batch(keys, static_cast<uint64_t>(i) + 2);
    writing += ms_since(start);
    start = now_ms();
    merge_some({});
    merging += ms_since(start);
    const StateStats stats = state_->stats();
    most = std::max(most, static_cast<double>(stats.run_bytes));
    depth = std::max(depth, stats.depth);
  }
  fmt::print("{} batches of 1,000: find {:.2f} ms, write {:.2f} ms, merge {:.2f} ms a batch; "
             "{:.1f} entries merged for one; depth {}\n",
             batches, finding / batches, writing / batches, merging / batches,
             static_cast<double>(merge_reads_) / (1000.0 * batches), depth);
  EXPECT_LE(depth, 10U);

  start = now_ms();
  MergeBudget all;
  all.full = true;
  merged_.reset();
  merge_some(all);
  StateWriter writer(*state_, "full");
  ASSERT_TRUE(writer.adopt(std::move(*merged_)).ok());
  commit(writer);
  fmt::print("full merge: {:.0f} ms\n", ms_since(start));
  print_stats("merged", state_->stats(), entries);
  EXPECT_EQ(state_->stats().entries, entries);
  most /= static_cast<double>(state_->stats().run_bytes);
  fmt::print("largest: {:.2f} of the merged size\n", most);
  EXPECT_LE(most, 1.4);
  EXPECT_LE(state_->stats().run_bytes, 48 * entries);
}

// History: each batch closes open rows and opens new ones, with payloads.
TEST_F(StateSpeed, Histories) {
  const uint64_t entries = test_entries() / 4;
  make_keys(entries);
  state_ = std::move(*TableState::create(*store_, Identity::kKeyKindSequence));
  const std::string row(200, 'r');
  const auto write = [&](const std::vector<Hash128>& keys) {
    StateWriter writer(*state_, fmt::format("txn-{}", version_ + 1));
    Cursor cursor(*state_);
    file_ = state_->files().id("part-0.parquet");
    row_ = 0;
    for (const Hash128& key : keys) {
      ASSERT_TRUE(cursor.seek(key).ok());
      const auto open = cursor.greatest(EntryKind::kRow);
      ASSERT_TRUE(open.ok());
      Entry next = make_entry(key, static_cast<uint64_t>(version_) + 1);
      next.payload = *writer.append_payload(1, row);
      if (open->has_value()) {
        Entry closed = **open;
        ASSERT_EQ(state_->payload(closed.payload)->row.size(), row.size());
        closed.payload = 0;
        ASSERT_TRUE(writer.add_entry(closed).ok());
      }
      ASSERT_TRUE(writer.add_entry(next).ok());
    }
    if (merged_.has_value()) {
      ASSERT_TRUE(writer.adopt(std::move(*merged_)).ok());
      merged_.reset();
    }
    commit(writer);
  };
  write(keys_);
  double closing = 0;
  const int batches = 100;
  for (int i = 0; i < batches; ++i) {
    const auto keys = some_keys(1000);
    const double start = now_ms();
    write(keys);
    closing += ms_since(start);
    merge_some({});
  }
  fmt::print("closing 1,000 of {}: {:.2f} ms a batch\n", entries, closing / batches);
  merged_.reset();
  MergeBudget all;
  all.full = true;
  merge_some(all);
  StateWriter writer(*state_, "full");
  ASSERT_TRUE(writer.adopt(std::move(*merged_)).ok());
  commit(writer);
  const StateStats stats = state_->stats();
  print_stats("merged", stats, stats.entries);
  const double raw = static_cast<double>(entries) * static_cast<double>(row.size());
  fmt::print("heap {:.3f} of the raw open rows\n", static_cast<double>(stats.heap_bytes) / raw);
  EXPECT_LE(static_cast<double>(stats.heap_bytes), 1.1 * raw);
  EXPECT_LE(stats.run_bytes, 48 * stats.entries);
}

}  // namespace
}  // namespace lakebed::state
