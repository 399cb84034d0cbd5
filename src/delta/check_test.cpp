#include "delta/check.h"

#include <gtest/gtest.h>

#include "delta/commit.h"
#include "delta/deletion_vector.h"
#include "delta/statistics.h"
#include "delta/table.h"

namespace lakebed::delta {
namespace {

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    TableDefinition definition;
    definition.schema = {{"a b", value::Kind::kTimestampNtz, false, "", {}}};
    const auto shape = new_table(definition, *clock_, *random_);
    Transaction create({"CREATE TABLE", {}, {}, {}, false}, *random_);
    create.set_protocol(shape->protocol);
    create.set_metadata(shape->metadata);
    EXPECT_TRUE(commit(environment_, snapshot_, create)->won);
    EXPECT_TRUE(store_->put("f.parquet", "12345").ok());
    Transaction write({"WRITE", {}, {}, {}, true}, *random_);
    AddFile add;
    add.path = "f.parquet";
    add.size = 5;
    add.stats = statistics_of_count(9);
    write.add(add);
    write.set_domain("lakebed", "x");
    EXPECT_TRUE(commit(environment_, snapshot_, write)->won);
    Bitmap rows;
    rows.add(8);
    VectorFile vectors(make_uuid(*random_));
    Transaction change({"DELETE", {}, {}, {}, false}, *random_);
    EXPECT_TRUE(
        change.replace_vector(*snapshot_.find_path("f.parquet"), vectors.append(rows), 5).ok());
    EXPECT_TRUE(store_->put(vectors.path(), vectors.bytes()).ok());
    EXPECT_TRUE(commit(environment_, snapshot_, change)->won);
  }

  std::vector<std::string> messages(const CheckOptions& options = {}) {
    const auto found = check_table(environment_, options);
    EXPECT_TRUE(found.ok());
    std::vector<std::string> out;
    for (const Violation& violation : *found) out.push_back(violation.message);
    return out;
  }

  // Replaces text in a commit and gives the first complaint.
  std::string broken(int64_t version, const std::string& from, const std::string& to) {
    const std::string good = *store_->read(commit_file(version));
    std::string bad = good;
    EXPECT_NE(bad.find(from), std::string::npos) << good;
    bad.replace(bad.find(from), from.size(), to);
    EXPECT_TRUE(store_->put(commit_file(version), bad).ok());
    const auto found = messages();
    EXPECT_TRUE(store_->put(commit_file(version), good).ok());
    return found.empty() ? "sound" : found.front();
  }

  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Clock> clock_ = system_clock();
  std::unique_ptr<Random> random_ = seeded_random(9);
  Environment environment_{*store_, {}, *clock_, *random_};
  Snapshot snapshot_;
};

TEST_F(CheckTest, SoundTablesPass) {
  CheckOptions options;
  options.count_rows = [](const std::string&) -> Result<uint64_t> { return uint64_t{9}; };
  EXPECT_EQ(messages(options), std::vector<std::string>{});
  options.count_rows = [](const std::string&) -> Result<uint64_t> { return uint64_t{8}; };
  EXPECT_EQ(messages(options).at(0), "numRecords is 9, the file has 8");
}

TEST_F(CheckTest, FindsWhatLenientReadersLetPass) {
  EXPECT_EQ(broken(1, "\"inCommitTimestamp\":", "\"x\":"), "commitInfo has no inCommitTimestamp");
  EXPECT_EQ(broken(2, "\"inCommitTimestamp\":1", "\"inCommitTimestamp\":0, \"x\":1"),
            "the in-commit timestamp does not rise");
  EXPECT_EQ(broken(0, "\"domainMetadata\",", ""),
            "a domain is written, but the feature domainMetadata is not in writerFeatures");
  EXPECT_EQ(broken(0, ",\"timestampNtz\"]", "]"),
            "the feature timestampNtz is not in readerFeatures");
  EXPECT_EQ(broken(0, ",\"invariants\"", ""),
            "a column is NOT NULL, but the feature invariants is not in writerFeatures");
  EXPECT_EQ(broken(1, "\\\"numRecords\\\"", "\\\"n\\\""), "'f.parquet' has no numRecords");
  EXPECT_EQ(broken(1, "\\\"numRecords\\\":9", "\\\"numRecords\\\":7"),
            "sound");  // only counting the rows tells
  EXPECT_EQ(broken(1, "\"size\":5", "\"size\":6"), "sound");  // the later add has the right one
  EXPECT_EQ(broken(2, "\"add\":{\"path\":\"f.parquet\",\"partitionValues\":{},\"size\":5",
                   "\"add\":{\"path\":\"f.parquet\",\"partitionValues\":{},\"size\":6"),
            "the log says 6 bytes, the file has 5");
  EXPECT_EQ(broken(2, "\"remove\":", "\"other\":"),
            "'f.parquet' is live under another vector, which is not removed");
  EXPECT_EQ(broken(2, "\"cardinality\":1", "\"cardinality\":9"),
            "'f.parquet' has a vector that covers all of its rows");
  EXPECT_NE(broken(2, "\"cardinality\":1", "\"cardinality\":2").find("another number of rows"),
            std::string::npos);
  EXPECT_EQ(broken(2, "\\\"tightBounds\\\":false", "\\\"tightBounds\\\":true"),
            "'f.parquet' has a vector and tight bounds");
}

}  // namespace
}  // namespace lakebed::delta
