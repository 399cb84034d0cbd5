// The log end to end over a memory store: create, append, vectors, replay, races, damage.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "delta/commit.h"
#include "delta/deletion_vector.h"
#include "delta/snapshot.h"
#include "delta/statistics.h"
#include "delta/table.h"
#include "store/faulty.h"

namespace lakebed::delta {
namespace {

class FixedClock : public Clock {
 public:
  int64_t now_us() override { return now; }
  int64_t now = 1'700'000'000'000'000;
};

class LogTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  FixedClock clock_;
  std::unique_ptr<Random> random_ = seeded_random(7);
  Environment environment_{*store_, {}, clock_, *random_};

  int64_t now_ms() { return clock_.now / 1000; }

  Snapshot create(const TextMap& properties = {}) {
    TableDefinition definition;
    definition.schema = {{"id", value::Kind::kLong, true, "", {}}};
    definition.properties = properties;
    auto shape = new_table(definition, clock_, *random_);
    EXPECT_TRUE(shape.ok());
    Transaction transaction({"CREATE TABLE", {}, {}, {}, false}, *random_);
    transaction.set_protocol(shape->protocol);
    transaction.set_metadata(shape->metadata);
    Snapshot snapshot;
    const auto outcome = commit(environment_, snapshot, transaction);
    EXPECT_TRUE(outcome.ok() && outcome->won);
    return snapshot;
  }

  static AddFile file(const std::string& path, uint64_t rows) {
    AddFile add;
    add.path = path;
    add.size = 100;
    add.stats = statistics_of_count(rows);
    return add;
  }

  Transaction writing(const std::string& path, uint64_t rows = 10) {
    Transaction transaction({"WRITE", {}, {}, {}, true}, *random_);
    transaction.add(file(path, rows));
    return transaction;
  }

  void append(Snapshot& snapshot, const std::string& path) {
    const auto outcome = commit(environment_, snapshot, writing(path));
    ASSERT_TRUE(outcome.ok()) << outcome.error().text();
    ASSERT_TRUE(outcome->won);
  }
};

TEST_F(LogTest, CreatesAppendsAndReplays) {
  Snapshot snapshot = create();
  EXPECT_EQ(snapshot.version(), 0);
  append(snapshot, "b.parquet");
  append(snapshot, "a.parquet");
  const auto loaded = load(environment_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(loaded->version(), 2);
  EXPECT_EQ(loaded->total_rows(), 20);
  EXPECT_EQ(loaded->total_bytes(), 200);
  EXPECT_EQ(loaded->file_set_hash(), snapshot.file_set_hash());
  EXPECT_EQ(loaded->timestamp_ms(), snapshot.timestamp_ms());
  // Rule F10: by the version that added the file, then by path.
  ASSERT_EQ(loaded->files().size(), 2U);
  EXPECT_EQ(loaded->files()[0]->path, "b.parquet");
  EXPECT_EQ(load(environment_, 1)->file_count(), 1U);
  EXPECT_EQ(load(environment_, 9).error().code, "DELTA_VERSION_NOT_FOUND");
}

// Rule F8: in-commit timestamps rise strictly, also when the clock stands or goes back.
TEST_F(LogTest, TimestampsRise) {
  Snapshot snapshot = create();
  int64_t last = snapshot.timestamp_ms();
  for (const int64_t step : {0, -5'000'000, 9'000'000}) {
    clock_.now += step;
    append(snapshot, "f" + std::to_string(step));
    EXPECT_GT(snapshot.timestamp_ms(), last);
    last = snapshot.timestamp_ms();
  }
  const std::string text = *store_->read(commit_file(1));
  EXPECT_TRUE(text.starts_with(R"({"commitInfo":{"inCommitTimestamp":)")) << text;
}

TEST_F(LogTest, VectorsReplaceAndCoverFiles) {
  Snapshot snapshot = create();
  append(snapshot, "a.parquet");
  Bitmap rows;
  rows.add_many({1, 2});
  VectorFile vectors(make_uuid(*random_));
  Transaction first({"STREAMING UPDATE", {}, {}, {}, false}, *random_);
  ASSERT_TRUE(
      first.replace_vector(*snapshot.find_path("a.parquet"), vectors.append(rows), now_ms()).ok());
  ASSERT_TRUE(commit(environment_, snapshot, first)->won);
  const Hash128 before = snapshot.file_set_hash();
  const AddFilePtr live = snapshot.find_path("a.parquet");
  EXPECT_EQ(live->live_rows(), 8);
  EXPECT_EQ(live->physical_rows(), 10);
  EXPECT_EQ(live->added_version, 1);
  EXPECT_NE(live->stats.find("\"tightBounds\":false"), std::string::npos);
  for (uint64_t row = 0; row < 10; ++row) rows.add(row);
  Transaction second({"STREAMING UPDATE", {}, {}, {}, false}, *random_);
  ASSERT_TRUE(second.replace_vector(*live, vectors.append(rows), now_ms()).ok());
  EXPECT_TRUE(second.actions().adds.empty());
  ASSERT_TRUE(commit(environment_, snapshot, second)->won);
  EXPECT_EQ(snapshot.file_count(), 0U);
  EXPECT_EQ(snapshot.file_set_hash(), Hash128{});
  EXPECT_NE(before, Hash128{});
  EXPECT_EQ(snapshot.tombstones().size(), 2U);
  const auto changes = read_changes(environment_, 1, 3);
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ((*changes)[0].effect(), Effect::kAppends);
  EXPECT_EQ((*changes)[1].effect(), Effect::kChangesRows);
  EXPECT_EQ((*changes)[2].effect(), Effect::kRemovesFiles);
  EXPECT_EQ((*changes)[0].new_files().at(0).added_version, 1);
  Transaction third({"DELETE", {}, {}, {}, false}, *random_);
  AddFile unknown = *live;
  unknown.stats.clear();
  EXPECT_EQ(third.replace_vector(unknown, vectors.append(rows), now_ms()).error().code,
            "DELTA_FILE_WITHOUT_NUM_RECORDS");
}

TEST_F(LogTest, DomainsAndTransactions) {
  Snapshot snapshot = create();
  Transaction transaction({"STREAMING UPDATE", {{"flow", "x"}}, {{"n", "1"}}, {}, false},
                          *random_);
  transaction.set_domain("lakebed", R"({"manifest":"m \"1\""})");
  transaction.set_transaction("app", 12, now_ms());
  ASSERT_TRUE(commit(environment_, snapshot, transaction)->won);
  Snapshot loaded = *load(environment_);
  EXPECT_EQ(loaded.domain("lakebed"), R"({"manifest":"m \"1\""})");
  EXPECT_EQ(loaded.transaction("app"), 12);
  Transaction removal({"X", {}, {}, {}, false}, *random_);
  removal.remove_domain("lakebed", *loaded.domain("lakebed"));
  ASSERT_TRUE(commit(environment_, snapshot, removal)->won);
  EXPECT_TRUE(*refresh(environment_, loaded));
  EXPECT_EQ(loaded.domain("lakebed"), std::nullopt);
  EXPECT_FALSE(*refresh(environment_, loaded));
  const auto history = read_history(environment_, 10);
  ASSERT_EQ(history->size(), 3U);
  EXPECT_EQ((*history)[1].actions.info->operation, "STREAMING UPDATE");
  EXPECT_EQ((*history)[1].actions.info->metrics.at("n"), "1");
}

TEST_F(LogTest, TheSlowerWriterLearnsWhy) {
  Snapshot mine = create();
  append(mine, "a.parquet");
  Snapshot other = mine;
  append(other, "b.parquet");
  Transaction appending = writing("c.parquet");
  auto outcome = commit(environment_, mine, appending);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->won);
  EXPECT_EQ(outcome->conflicts, std::vector<Conflict>{Conflict::kAppends});
  EXPECT_TRUE(outcome->may_retry());
  EXPECT_EQ(mine.version(), 1);
  ASSERT_TRUE(*refresh(environment_, mine));
  ASSERT_TRUE(commit(environment_, mine, appending)->won);

  ASSERT_TRUE(*refresh(environment_, other));
  Transaction fenced({"STREAMING UPDATE", {}, {}, {}, false}, *random_);
  fenced.set_domain("lakebed", "1");
  fenced.remove(*other.find_path("a.parquet"), now_ms());
  Transaction faster({"STREAMING UPDATE", {}, {}, {}, false}, *random_);
  faster.set_domain("lakebed", "2");
  faster.remove(*mine.find_path("a.parquet"), now_ms());
  ASSERT_TRUE(commit(environment_, mine, faster)->won);
  outcome = commit(environment_, other, fenced);
  EXPECT_FALSE(outcome->won);
  EXPECT_TRUE(outcome->has(Conflict::kSameDomain));
  EXPECT_TRUE(outcome->has(Conflict::kRemovedFile));
  EXPECT_FALSE(outcome->may_retry());
}

TEST_F(LogTest, ManyThreadsOneWinnerAVersion) {
  const Snapshot start = create();
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([this, start, i] {
      auto random = seeded_random(100 + i);
      FixedClock clock;
      const Environment own{*store_, {}, clock, *random};
      Snapshot snapshot = start;
      for (int n = 0; n < 20; ++n) {
        Transaction transaction({"WRITE", {}, {}, {}, true}, *random);
        transaction.add(file("f" + std::to_string(i) + "-" + std::to_string(n), 1));
        while (!commit(own, snapshot, transaction)->won) {
          ASSERT_TRUE(refresh(own, snapshot).ok());
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const Snapshot last = *load(environment_);
  EXPECT_EQ(last.version(), 80);
  EXPECT_EQ(last.total_rows(), 80);
}

// A small commit costs at most 8 fsyncs: data, vector and state file, their folders, the commit.
TEST_F(LogTest, CommitsOnDiskAreCheapAndFenceEachOther) {
  const std::string folder = std::filesystem::temp_directory_path() /
                             ("lakebed-log-" + uuid_text(make_uuid(*system_random())));
  store_ = store::local_store(folder);
  auto second_store = store::local_store(folder);
  const Environment first{*store_, {}, clock_, *random_};
  const Environment second{*second_store, {}, clock_, *random_};
  TableDefinition definition;
  definition.schema = {{"id", value::Kind::kLong, true, "", {}}};
  const auto shape = new_table(definition, clock_, *random_);
  Transaction create({"CREATE TABLE", {}, {}, {}, false}, *random_);
  create.set_protocol(shape->protocol);
  create.set_metadata(shape->metadata);
  Snapshot mine;
  ASSERT_TRUE(commit(first, mine, create)->won);
  ASSERT_TRUE(commit(first, mine, writing("a.parquet"))->won);
  Snapshot theirs = *load(second);
  const std::vector<std::string> files = {"b.parquet", "_lakebed/dv/x.bin", "_lakebed/state/m"};
  for (const std::string& name : files) ASSERT_TRUE(store_->put(name, "x").ok());
  ASSERT_TRUE(store_->sync(files).ok());
  const uint64_t before = store_->counters().fsyncs;
  for (const std::string& name : files) ASSERT_TRUE(store_->put(name, "y").ok());
  ASSERT_TRUE(store_->sync(files).ok());
  ASSERT_TRUE(commit(first, mine, writing("b.parquet"))->won);
  EXPECT_LE(store_->counters().fsyncs - before, 8U);
  EXPECT_FALSE(commit(second, theirs, writing("c.parquet"))->won);
  ASSERT_TRUE(*refresh(second, theirs));
  EXPECT_EQ(theirs.file_set_hash(), mine.file_set_hash());
  std::filesystem::remove_all(folder);
}

TEST_F(LogTest, UnclearPutsAreReadBack) {
  Snapshot snapshot = create();
  for (const auto fault : {store::Fault::kUnclear, store::Fault::kFail}) {
    auto faulty = store::faulty_store(
        *store_, {[&](uint64_t call, std::string_view, const std::string&) {
                    return call == 0 ? fault : store::Fault::kNone;
                  },
                  "STORE.NO_SPACE"});
    const Environment own{*faulty, {}, clock_, *random_};
    const int64_t before = snapshot.version();
    const auto outcome = commit(own, snapshot, writing("x" + std::to_string(before)));
    if (fault == store::Fault::kUnclear) {
      ASSERT_TRUE(outcome.ok()) << outcome.error().text();
      EXPECT_TRUE(outcome->won);
      EXPECT_EQ(snapshot.version(), before + 1);
    } else {
      EXPECT_EQ(outcome.error().code, "STORE.NO_SPACE");
      EXPECT_EQ(load(environment_)->version(), before);
    }
  }
  auto dying = store::faulty_store(
      *store_, {[](uint64_t, std::string_view, const std::string&) {
                  return store::Fault::kDieAfter;
                },
                "STORE.IO"});
  const Environment own{*dying, {}, clock_, *random_};
  EXPECT_EQ(commit(own, snapshot, writing("y")).error().code, "DELTA_COMMIT.UNCLEAR");
}

TEST_F(LogTest, DamageIsNamed) {
  Snapshot snapshot = create();
  append(snapshot, "a.parquet");
  append(snapshot, "b.parquet");
  const std::string good = *store_->read(commit_file(2));
  for (const std::string& text :
       {good.substr(0, good.size() / 2), std::string(), std::string("\n"), std::string("[1]\n"),
        std::string("{\"add\":{\"size\":1}}\n"), std::string("{\"add\":{\"path\":3}}\n")}) {
    ASSERT_TRUE(store_->put(commit_file(2), text).ok());
    const auto loaded = load(environment_);
    ASSERT_FALSE(loaded.ok()) << text;
    EXPECT_EQ(loaded.error().code, "DELTA_LOG.DAMAGED");
    EXPECT_NE(loaded.error().message.find(commit_file(2)), std::string::npos);
  }
  ASSERT_TRUE(store_->put(commit_file(2), good + "{\"future\":{\"x\":[1,{}]}}\n").ok());
  ASSERT_TRUE(store_->put("_delta_log/_last_checkpoint", "{\"vers").ok());
  EXPECT_EQ(load(environment_)->version(), 2);
  ASSERT_TRUE(store_->put("_delta_log/_last_checkpoint", "{\"version\":1}").ok());
  EXPECT_EQ(load(environment_)->version(), 2);
  ASSERT_TRUE(store_->remove(commit_file(1)).ok());
  EXPECT_EQ(load(environment_).error().code, "DELTA_LOG.GAP");
  auto empty = store::memory_store();
  const Environment nothing{*empty, {}, clock_, *random_};
  EXPECT_EQ(load(nothing).error().code, "DELTA_TABLE_NOT_FOUND");
  EXPECT_FALSE(*table_exists(nothing));
  EXPECT_TRUE(*table_exists(environment_));
}

TEST_F(LogTest, UnknownFeaturesAreRefused) {
  create();
  const std::string text = *store_->read(commit_file(0));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_TRUE(store_->put(commit_file(0), changed).ok());
    return load(environment_);
  };
  const auto reader = with(R"("readerFeatures":["deletionVectors")",
                           R"("readerFeatures":["deletionVectors","quantum")");
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().code, "DELTA_UNSUPPORTED_READER_FEATURE");
  EXPECT_NE(reader.error().message.find("quantum"), std::string::npos);
  auto writer = with(R"("writerFeatures":[)", R"("writerFeatures":["rowTracking",)");
  ASSERT_TRUE(writer.ok());
  const auto outcome = commit(environment_, *writer, writing("x"));
  EXPECT_EQ(outcome.error().code, "DELTA_UNSUPPORTED_WRITER_FEATURE");
  EXPECT_EQ(with("\\\"long\\\"", "\\\"variant\\\"").error().code, "DELTA_UNSUPPORTED_TYPE.variant");
}

TEST_F(LogTest, ForeignFieldsAreKept) {
  const std::string text =
      R"({"remove":{"path":"p=1/a%20b","dataChange":false,"extendedFileMetadata":true,)"
      R"("partitionValues":{"p":"1","q":null},"size":5,"deletionVector":{"storageType":"i",)"
      R"("pathOrInlineDv":"x","sizeInBytes":1,"cardinality":2,"maxRowIndex":9}}})"
      "\r\n"
      R"({"commitInfo":{"timestamp":5,"operation":"WRITE","operationParameters":{"mode":"Append",)"
      R"("n":3},"readVersion":7,"tags":{"a":1}}})";
  const auto actions = parse_commit(text, "f");
  ASSERT_TRUE(actions.ok()) << actions.error().text();
  EXPECT_FALSE(actions->info_is_first);
  EXPECT_EQ(actions->info->parameters.at("n"), "3");
  EXPECT_EQ(actions->info->other.at("readVersion"), "7");
  const RemoveFile& remove = actions->removes.at(0);
  EXPECT_EQ(remove.path, "p=1/a%20b");
  EXPECT_EQ(remove.partition_values.at("q"), std::nullopt);
  EXPECT_EQ(remove.vector->unique_id(), "ix");
  const auto again = parse_commit(render_commit(*actions), "g");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(render_commit(*again), render_commit(*actions));
}

}  // namespace
}  // namespace lakebed::delta
