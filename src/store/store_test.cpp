#include "store/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "store/faulty.h"
#include "store/posix.h"

namespace lakebed::store {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lakebed-store-XXXXXX");
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class AnyStore : public testing::TestWithParam<bool> {
 protected:
  AnyStore() {
    store_ = GetParam() ? local_store(folder_.path() + "/a table's 100%") : memory_store();
  }
  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_P(AnyStore, WritesAndReads) {
  ASSERT_TRUE(store_->put("a/b.bin", "hello").ok());
  EXPECT_EQ(*store_->read("a/b.bin"), "hello");
  EXPECT_EQ(*store_->read_range("a/b.bin", 1, 3), "ell");
  EXPECT_EQ(*store_->read_range("a/b.bin", 3, 30), "lo");
  EXPECT_EQ(store_->stat("a/b.bin")->size, 5U);
  ASSERT_TRUE(store_->put("a/b.bin", "bye").ok());
  EXPECT_EQ((*store_->map("a/b.bin"))->bytes(), "bye");
  ASSERT_TRUE(store_->put("empty", "").ok());
  EXPECT_EQ((*store_->map("empty"))->bytes(), "");
  EXPECT_EQ(store_->read("none").error().code, "STORE.NOT_FOUND");
  EXPECT_EQ(store_->map("a/none").error().code, "STORE.NOT_FOUND");
  EXPECT_EQ(store_->stat("none").error().code, "STORE.NOT_FOUND");
}

TEST_P(AnyStore, PutsOnlyWhereNothingIs) {
  EXPECT_TRUE(*store_->put_if_absent("_delta_log/0.json", "first"));
  EXPECT_FALSE(*store_->put_if_absent("_delta_log/0.json", "second"));
  EXPECT_EQ(*store_->read("_delta_log/0.json"), "first");
  EXPECT_EQ(store_->list("_delta_log")->size(), 1U);
}

TEST_P(AnyStore, ListsSortedAndNotRecursively) {
  for (const char* name : {"f/b", "f/a", "f/c", "f/d/e", "g"}) {
    ASSERT_TRUE(store_->put(name, name).ok());
  }
  const auto all = store_->list("f");
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].path, "f/a");
  EXPECT_EQ((*all)[2].path, "f/c");
  EXPECT_EQ(store_->list_from("f", "b")->size(), 2U);
  EXPECT_EQ(store_->list("none")->size(), 0U);
  ASSERT_TRUE(store_->remove("f/a").ok());
  ASSERT_TRUE(store_->remove("f/a").ok());
  EXPECT_EQ(store_->list("f")->size(), 2U);
}

TEST_P(AnyStore, LocksExclude) {
  auto first = store_->try_lock("pending/x");
  ASSERT_TRUE(first.ok());
  ASSERT_NE(*first, nullptr);
  EXPECT_EQ(*store_->try_lock("pending/x"), nullptr);
  EXPECT_NE(*store_->try_lock("pending/y"), nullptr);
  first->reset();
  EXPECT_NE(*store_->try_lock("pending/x"), nullptr);
}

TEST_P(AnyStore, OneOfManyWritersWins) {
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      if (*store_->put_if_absent("log/1", "x")) ++winners;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, AnyStore, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Local" : "Memory"; });

TEST(LocalStore, CountsFsyncsOnceAFileAndFolder) {
  TemporaryFolder folder;
  auto store = local_store(folder.path());
  ASSERT_TRUE(store->put("d/a", "1").ok());
  ASSERT_TRUE(store->put("d/b", "2").ok());
  ASSERT_TRUE(store->put("e/c", "3").ok());
  EXPECT_EQ(store->counters().fsyncs, 0U);
  ASSERT_TRUE(store->sync({"d/a", "d/b", "e/c", "d/a"}).ok());
  EXPECT_EQ(store->counters().fsyncs, 6U);  // a b c, d e, and the root where d and e were made
  ASSERT_TRUE(store->put_if_absent("d/f", "4").ok());
  EXPECT_EQ(store->counters().fsyncs, 8U);
  EXPECT_EQ(store->counters().bytes_written, 4U);
}

TEST(LocalStore, NamesTheReasonOfAFailure) {
  TemporaryFolder folder;
  auto store = local_store(folder.path());
  ASSERT_TRUE(store->put("f/a", "1").ok());
  if (::geteuid() != 0) {
    ::chmod((folder.path() + "/f").c_str(), 0555);
    EXPECT_EQ(store->put("f/b", "1").error().code, "STORE.NO_PERMISSION");
    EXPECT_EQ(store->put_if_absent("f/b", "1").error().code, "STORE.NO_PERMISSION");
    ::chmod((folder.path() + "/f").c_str(), 0755);
  }
  EXPECT_EQ(system_error(ENOSPC, "write", "f/b").code, "STORE.NO_SPACE");
  EXPECT_EQ(system_error(EIO, "write", "f/b").text(),
            "STORE.IO: Cannot write 'f/b': Input/output error.");
}

TEST(LocalStore, LeavesNoTemporaryFiles) {
  TemporaryFolder folder;
  auto store = local_store(folder.path());
  ASSERT_TRUE(*store->put_if_absent("a", "1"));
  ASSERT_FALSE(*store->put_if_absent("a", "2"));
  ASSERT_TRUE(store->put("b", "3").ok());
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    static_cast<void>(entry);
    ++entries;
  }
  EXPECT_EQ(entries, 2U);
}

// What a crash left half-written goes once nobody can still be writing it.
TEST(LocalStore, RemovesLeftovers) {
  TemporaryFolder folder;
  const auto store = local_store(folder.path());
  ASSERT_TRUE(store->put("a/kept", "x").ok());
  const std::string leftover = folder.path() + "/a/.lakebed-tmp-1-00000000000000aa";
  ASSERT_EQ(std::fclose(std::fopen(leftover.c_str(), "w")), 0);
  const int64_t written_us = store->stat("a/kept")->modified_us;
  ASSERT_TRUE(store->remove_leftovers("a", written_us - 60'000'000).ok());
  EXPECT_TRUE(std::filesystem::exists(leftover));
  ASSERT_TRUE(store->remove_leftovers("a", written_us + 60'000'000).ok());
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_EQ(*store->read("a/kept"), "x");
  EXPECT_TRUE(store->remove_leftovers("nowhere", written_us).ok());
}

TEST(FaultyStore, FailsAsPlanned) {
  auto memory = memory_store();
  FaultPlan plan;
  plan.decide = [](uint64_t call, std::string_view, const std::string&) {
    if (call == 1) return Fault::kUnclear;
    return call == 2 ? Fault::kTorn : Fault::kNone;
  };
  auto store = faulty_store(*memory, plan);
  ASSERT_TRUE(store->put("a", "1").ok());
  EXPECT_EQ(store->put_if_absent("b", "2").error().code, "STORE.IO");
  EXPECT_EQ(*memory->read("b"), "2");
  EXPECT_FALSE(store->put("c", "abcd").ok());
  EXPECT_EQ(*memory->read("c"), "ab");
  EXPECT_TRUE(store->dead());
  EXPECT_FALSE(store->read("a").ok());
  EXPECT_FALSE(store->put("d", "x").ok());
  EXPECT_EQ(store->changing_calls(), 4U);
}

}  // namespace
}  // namespace lakebed::store
