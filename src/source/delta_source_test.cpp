#include "source/delta_source.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "source/test_files.h"

namespace lakebed::source {
namespace {

using testing::TempFolder;

class Seen : public SeenFiles {
 public:
  Result<std::optional<SeenFile>> lookup(const std::string& path) override {
    const auto found = files.find(path);
    if (found == files.end()) return std::optional<SeenFile>();
    return std::optional(found->second);
  }
  std::map<std::string, SeenFile> files;
};

// A table whose log the tests write by hand; its data files are no Parquet, only names and sizes.
class DeltaSourceTest : public ::testing::Test {
 protected:
  void create(const std::string& id = "table-1") {
    commit(
        {R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})",
         fmt::format(R"({{"metaData":{{"id":"{}","format":{{"provider":"parquet","options":{{}}}},)"
                     R"("schemaString":"{{\"type\":\"struct\",\"fields\":[{{\"name\":\"id\",)"
                     R"(\"type\":\"integer\",\"nullable\":true,\"metadata\":{{}}}}]}}",)"
                     R"("partitionColumns":[],"configuration":{{}},"createdTime":1}}}})",
                     id)});
  }
  void commit(const std::vector<std::string>& actions) {
    std::string text;
    for (const std::string& action : actions) text += action + "\n";
    folder_.write(fmt::format("_delta_log/{:020}.json", version_++), text);
  }
  std::string add(const std::string& name, bool data_change = true) {
    folder_.write(name, "0123456789");
    return fmt::format(R"({{"add":{{"path":"{}","partitionValues":{{}},"size":10,)"
                       R"("modificationTime":1,"dataChange":{},"stats":"{{\"numRecords\":3}}"}}}})",
                       name, data_change);
  }
  std::string remove(const std::string& name, bool data_change = true) {
    return fmt::format(R"({{"remove":{{"path":"{}","deletionTimestamp":1,"dataChange":{}}}}})",
                       name, data_change);
  }

  Result<std::unique_ptr<Source>> open(const std::map<std::string, std::string>& options = {},
                                       bool streaming = true) {
    DeltaRequest request;
    request.name = "t";
    request.path = folder_.path();
    request.store = store::local_store(folder_.path());
    request.streaming = streaming;
    for (const auto& [name, text] : options) request.options.push_back({name, text, {}});
    return open_delta(request);
  }

  // The names of the files of the next slice, or the error's code; moves the position on.
  std::string next(Source& source) {
    auto slice = source.next_slice(position_, seen_);
    if (!slice.ok()) return slice.error().code;
    if (!slice->has_value()) return "nothing";
    position_ = (*slice)->position;
    for (const SeenFile& file : (*slice)->files) seen_.files[file.path] = file;
    return files_of(**slice) + ((*slice)->more ? "+" : "");
  }
  std::string files_of(const Slice& slice) {
    auto input = slice.input(slice.schema);
    if (!input.ok()) return input.error().code;
    std::string out;
    for (const engine::ParquetFile& file : input->files) {
      out += file.path.substr(file.path.rfind('/') + 1) + " ";
    }
    return out;
  }

  TempFolder folder_;
  int version_ = 0;
  std::string position_;
  Seen seen_;
};

// Rule F10: first the snapshot of now, by adding version then path; after it the commits.
TEST_F(DeltaSourceTest, ReadsTheSnapshotThenTheCommits) {
  create();
  commit({add("z")});
  commit({add("b"), add("a")});
  commit({remove("b"), add("c")});
  auto source = *open();
  EXPECT_EQ(next(*source), "z a c ");
  EXPECT_EQ(next(*source), "nothing");
  commit({add("y"), add("x")});
  commit({add("w")});
  source = *open();
  EXPECT_EQ(next(*source), "x y w ");
  EXPECT_EQ(next(*source), "nothing");
}

TEST_F(DeltaSourceTest, KeepsToTheLimits) {
  create();
  commit({add("c"), add("a"), add("b")});
  auto source = *open({{"maxFilesPerTrigger", "2"}});
  EXPECT_EQ(next(*source), "a b +");
  commit({add("f"), add("d"), add("e"), add("g")});
  source = *open({{"maxFilesPerTrigger", "2"}});
  EXPECT_EQ(next(*source), "c +");
  EXPECT_EQ(next(*source), "d e +");
  EXPECT_EQ(next(*source), "f g ");
  EXPECT_EQ(next(*source), "nothing");
}

TEST_F(DeltaSourceTest, StopsAtChangesUnlessTold) {
  create();
  commit({add("a")});
  auto source = *open();
  EXPECT_EQ(next(*source), "a ");
  commit({add("b")});
  commit({remove("a"), add("a2")});
  source = *open();
  EXPECT_EQ(next(*source), "DELTA_SOURCE_TABLE_IGNORE_CHANGES");
  const std::string before = position_;
  source = *open({{"SKIPCHANGECOMMITS", ""}});
  EXPECT_EQ(next(*source), "b ");
  position_ = before;
  source = *open({{"ignoreChanges", "true"}});
  EXPECT_EQ(next(*source), "b a2 ");
}

TEST_F(DeltaSourceTest, StopsAtDeletesUnlessTold) {
  create();
  commit({add("a")});
  auto source = *open();
  EXPECT_EQ(next(*source), "a ");
  commit({remove("a")});
  source = *open();
  EXPECT_EQ(next(*source), "DELTA_SOURCE_IGNORE_DELETE");
  source = *open({{"ignoreDeletes", "true"}});
  EXPECT_EQ(next(*source), "nothing");
}

TEST_F(DeltaSourceTest, PassesOverCommitsThatMoveNoData) {
  create();
  commit({add("a")});
  auto source = *open();
  EXPECT_EQ(next(*source), "a ");
  commit({remove("a", false), add("a3", false)});
  source = *open();
  EXPECT_EQ(next(*source), "nothing");
  commit({add("b")});
  source = *open();
  EXPECT_EQ(next(*source), "b ");
}

TEST_F(DeltaSourceTest, KnowsAnotherTableAtThePlace) {
  create();
  commit({add("a")});
  auto source = *open();
  EXPECT_EQ(next(*source), "a ");
  std::filesystem::remove_all(folder_.path() + "/_delta_log");
  version_ = 0;
  create("table-2");
  source = *open();
  EXPECT_EQ(next(*source), "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE");
}

TEST_F(DeltaSourceTest, BeginsWhereAnOptionSays) {
  create();
  commit({add("a")});
  commit({add("b")});
  auto source = *open({{"startingVersion", "2"}});
  EXPECT_EQ(next(*source), "b ");
  position_.clear();
  source = *open({{"startingVersion", "latest"}});
  EXPECT_EQ(next(*source), "");
  commit({add("c")});
  source = *open({{"startingVersion", "latest"}});
  EXPECT_EQ(next(*source), "c ");
}

TEST_F(DeltaSourceTest, ReadsWholeVersions) {
  create();
  commit({add("a")});
  commit({remove("a"), add("b")});
  auto source = open({}, false);
  ASSERT_TRUE(source.ok()) << source.error().text();
  EXPECT_EQ(files_of(*(*source)->read_all()), "b ");
  EXPECT_EQ((*source)->read_all()->rows, 3u);
  source = open({{"versionAsOf", "1"}}, false);
  EXPECT_EQ(files_of(*(*source)->read_all()), "a ");
  EXPECT_EQ(open({{"readChangeFeed", "true"}}).error().code, "NOT_BUILT_YET.CHANGE_DATA_FEED");
  EXPECT_EQ(open({{"skipChangeCommit", "true"}}).error().code, "UNKNOWN_READ_OPTION");
}

TEST_F(DeltaSourceTest, NamesADataFileThatIsGone) {
  create();
  commit({add("a")});
  auto source = *open();
  std::filesystem::remove(folder_.path() + "/a");
  EXPECT_EQ(next(*source), "SOURCE_FILE_VANISHED");
}

}  // namespace
}  // namespace lakebed::source
