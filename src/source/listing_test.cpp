#include "source/listing.h"

#include <gtest/gtest.h>

#include "source/glob.h"
#include "source/source.h"
#include "source/test_files.h"

namespace lakebed::source {
namespace {

using testing::TempFolder;
using Names = std::vector<std::string>;

Names names(const TempFolder& folder, const std::string& below, ListRequest request = {}) {
  request.path = folder.path() + below;
  auto listing = list_files(request);
  if (!listing.ok()) return {listing.error().text()};
  Names out;
  for (const ListedFile& file : listing->files) {
    out.push_back(file.path.substr(folder.path().size() + 1));
  }
  return out;
}

TEST(Glob, MatchesAsHadoop) {
  EXPECT_TRUE(glob_match("*.json", "a.json"));
  EXPECT_FALSE(glob_match("*.json", "d/a.json"));
  EXPECT_TRUE(glob_match("a?c",
                         "a\xC3\xA9"
                         "c"));
  EXPECT_TRUE(glob_match("[a-c]x", "bx"));
  EXPECT_FALSE(glob_match("[!a-c]x", "bx"));
  EXPECT_TRUE(glob_match("[^a]x", "bx"));
  EXPECT_TRUE(glob_match("{LOAD,2024}*.{csv,csv.gz}", "LOAD0001.csv.gz"));
  EXPECT_FALSE(glob_match("{LOAD,2024}*.csv", "x.csv"));
  EXPECT_TRUE(glob_match("a\\*b", "a*b"));
  EXPECT_FALSE(glob_match("a\\*b", "axb"));
  EXPECT_TRUE(glob_match("*a*b*c", "xaxbxbxc"));
  EXPECT_TRUE(glob_match("{a,{b,c}d}", "cd"));
}

TEST(Listing, ListsFoldersInOrderWithoutHiddenFiles) {
  const TempFolder folder;
  for (const char* name : {"b.json", "a.json", "sub/c.json", "_SUCCESS", ".hidden.json",
                           "_tmp/d.json", "sub/.x/e.json"}) {
    folder.write(name, "{}");
  }
  EXPECT_EQ(names(folder, ""), (Names{"a.json", "b.json", "sub/c.json"}));
  EXPECT_EQ(names(folder, "/"), (Names{"a.json", "b.json", "sub/c.json"}));
  ListRequest flat;
  flat.recursive = false;
  EXPECT_EQ(names(folder, "", flat), (Names{"a.json", "b.json"}));
  EXPECT_EQ(names(folder, "/a.json"), (Names{"a.json"}));
  EXPECT_EQ(names(folder, "/_tmp"), (Names{"_tmp/d.json"}));
  ListRequest globbed;
  globbed.file_glob = "{b,c}.json";
  EXPECT_EQ(names(folder, "", globbed), (Names{"b.json", "sub/c.json"}));
}

TEST(Listing, MatchesGlobs) {
  const TempFolder folder;
  for (const char* name : {"y=1/a.json", "y=2/b.json", "y=2/deep/c.json", "z/LOAD1.csv"}) {
    folder.write(name, "{}");
  }
  EXPECT_EQ(names(folder, "/y=*/*.json"), (Names{"y=1/a.json", "y=2/b.json"}));
  EXPECT_EQ(names(folder, "/{z,y=1}"), (Names{"y=1/a.json", "z/LOAD1.csv"}));
  EXPECT_EQ(names(folder, "/y=2*"), (Names{"y=2/b.json"}));
  EXPECT_EQ(names(folder, "/*/LOAD*.csv"), (Names{"z/LOAD1.csv"}));
  EXPECT_TRUE(names(folder, "/nothing*").empty());
}

TEST(Listing, KnowsWhatIsNotThere) {
  const TempFolder folder;
  ListRequest request;
  request.path = folder.path() + "/absent";
  EXPECT_FALSE(list_files(request)->exists);
  request.path = folder.path();
  EXPECT_TRUE(list_files(request)->exists);
  request.path = folder.path() + "/*.json";
  EXPECT_FALSE(list_files(request)->exists);
}

TEST(Listing, TakesOddNames) {
  const TempFolder folder;
  for (const char* name : {"a b.json", "it's.json", "100%.json", "\xC3\xA9.json", "q\"[1].json"}) {
    folder.write(name, "{}");
  }
  EXPECT_EQ(names(folder, "").size(), 5u);
  EXPECT_EQ(names(folder, "/q\"[1].json"), (Names{"q\"[1].json"}));
}

TEST(Listing, ReadsPartitionFolders) {
  const TempFolder folder;
  folder.write("d=2024-01-01/n=a%20b/x.json", "{}");
  folder.write("d=__HIVE_DEFAULT_PARTITION__/n=c/x.json", "{}");
  ListRequest request;
  request.path = folder.path();
  const auto files = list_files(request)->files;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].partitions[1].second, "a b");
  EXPECT_EQ(files[1].partitions[0].second, std::nullopt);
}

TEST(Paths, MapsSchemesAndVolumes) {
  Surroundings around;
  around.warehouse = "/w";
  around.folder = "/project";
  const auto mapped = [&around](const std::string& path) {
    auto out = local_path(path, around);
    return out.ok() ? *out : out.error().code;
  };
  EXPECT_EQ(mapped("data/x"), "/project/data/x");
  EXPECT_EQ(mapped("./data/../x/"), "/project/x");
  EXPECT_EQ(mapped("/abs/x"), "/abs/x");
  EXPECT_EQ(mapped("file:/abs/x"), "/abs/x");
  EXPECT_EQ(mapped("file:///abs/x"), "/abs/x");
  EXPECT_EQ(mapped("/Volumes/main/s/v/in/*.json"), "/w/_volumes/main/s/v/in/*.json");
  EXPECT_EQ(mapped("dbfs:/Volumes/main/s/v"), "/w/_volumes/main/s/v");
  EXPECT_EQ(mapped("dbfs:/mnt/raw"), "/w/_dbfs/mnt/raw");
  EXPECT_EQ(mapped("dbfs:///mnt/raw"), "/w/_dbfs/mnt/raw");
  EXPECT_EQ(mapped("/dbfs/mnt/raw"), "/w/_dbfs/mnt/raw");
  EXPECT_EQ(mapped("s3://bucket/x"), "UNSUPPORTED_PATH_SCHEME");
  EXPECT_EQ(mapped("abfss://c@a.net/x"), "UNSUPPORTED_PATH_SCHEME");
  EXPECT_EQ(mapped("a:b.json"), "/project/a:b.json");
}

}  // namespace
}  // namespace lakebed::source
