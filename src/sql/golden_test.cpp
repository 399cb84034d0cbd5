// Whole files against the JSON of their statements, in tests/golden/sql. With the environment
// variable LAKEBED_UPDATE_GOLDEN set, the JSON files are written anew instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plan/json.h"
#include "sql/parse.h"

namespace lakebed::sql {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = "tests/golden/sql";

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// JSON with a line for every part that does not fit into one.
void print(const Json& json, size_t indent, std::string& out) {
  const std::string flat = json.dump();
  if (flat.size() + indent <= 100 || !json.is_structured()) {
    out += flat;
    return;
  }
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, item] : json.items()) {
    if (!first) out += ",";
    first = false;
    out += "\n" + std::string(indent + 1, ' ');
    if (json.is_object()) out += Json(key).dump() + ": ";
    print(item, indent + 1, out);
  }
  out += json.is_object() ? "}" : "]";
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".sql") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<plan::Statement> parse(const fs::path& path) {
  const Parameters parameters = {{"catalog", "shop"},
                                 {"landing", "/Volumes/shop/raw/in"},
                                 {"item.columns", "id BIGINT, price DECIMAL(10, 2)"}};
  auto parsed = parse_script({path.filename().string(), read_text(path)}, parameters);
  EXPECT_TRUE(parsed.ok()) << path << ": " << parsed.error().span.text() << " "
                           << parsed.error().text();
  return parsed.ok() ? std::move(parsed).value() : std::vector<plan::Statement>();
}

TEST(Golden, FilesGiveTheirTrees) {
  ASSERT_TRUE(fs::exists(kFolder)) << "run from the root of the project";
  ASSERT_GE(files().size(), 8U);
  for (const fs::path& path : files()) {
    std::string text;
    for (const plan::Statement& statement : parse(path)) {
      print(plan::to_json(statement), 0, text);
      text += "\n";
    }
    fs::path golden = path;
    golden.replace_extension(".json");
    if (std::getenv("LAKEBED_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(golden, std::ios::binary) << text;
    } else {
      EXPECT_EQ(read_text(golden), text) << path;
    }
  }
}

TEST(Golden, JsonReadsBack) {
  for (const fs::path& path : files()) {
    for (const plan::Statement& statement : parse(path)) {
      const Json json = plan::to_json(statement);
      const auto back = plan::statement_from_json(json);
      ASSERT_TRUE(back.ok()) << back.error().text() << "\n" << json.dump();
      EXPECT_EQ(plan::to_json(*back).dump(), json.dump());
    }
  }
}

}  // namespace
}  // namespace lakebed::sql
