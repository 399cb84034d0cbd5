// What a real Spark answered (tools/spark_vectors.py) against parser, resolver and engine: type and
// value, or the code of the error, of every expression in tests/vectors/*.jsonl. And the tables
// themselves: the plan's and the engine's functions are the same set, docs/sql_functions.md is
// what the table says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/json.h"
#include "base/names.h"
#include "engine/duck/functions/json_write.h"
#include "engine/duck/functions/names.h"
#include "engine/engine.h"
#include "plan/functions.h"
#include "plan/functions/document.h"
#include "plan/resolve.h"
#include "sql/parse.h"

namespace lakebed {
namespace {

class NoTables : public plan::Catalog {
 public:
  Result<plan::Source> find_table(const std::vector<std::string>& name, bool,
                                  const std::map<std::string, std::string>&) override {
    return project_error("TABLE_OR_VIEW_NOT_FOUND", name.back());
  }
  Result<std::optional<plan::Source>> call_function(const std::string&,
                                                    const std::vector<std::string>&,
                                                    const std::map<std::string, std::string>&,
                                                    bool) override {
    return std::optional<plan::Source>();
  }
};

std::string simple(const value::Type& type) {
  using value::Kind;
  switch (type.kind) {
    case Kind::kArray: return "array<" + simple(type.element()) + ">";
    case Kind::kMap: return "map<" + simple(type.map_key()) + "," + simple(type.map_value()) + ">";
    case Kind::kStruct: {
      std::string out = "struct<";
      for (size_t i = 0; i < type.fields.size(); ++i) {
        out += (i > 0 ? "," : "") + type.fields[i].name + ":" + simple(type.fields[i].type);
      }
      return out + ">";
    }
    default: return fold_case(type.text());
  }
}

struct Answer {
  std::string type;
  std::string value;
  std::string error;
};

Result<Answer> rows_of(value::BatchReader& reader, const std::string& zone) {
  Answer out;
  for (const auto& field : reader.schema()) {
    out.type += (out.type.empty() ? "" : ", ") + simple(field.type);
  }
  out.value = "[";
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader.next());
    if (!batch) break;
    for (size_t row = 0; row < batch->rows; ++row) {
      out.value += out.value.size() > 1 ? ",{" : "{";
      for (size_t i = 0; i < batch->columns.size(); ++i) {
        out.value += (i > 0 ? ",\"c" : "\"c") + std::to_string(i) + "\":";
        engine::duck::append_json(batch->columns[i], row, {zone, true}, out.value);
      }
      out.value += "}";
    }
  }
  out.value += "]";
  return out;
}

bool is_query(const std::string& sql) {
  const std::string start = fold_case(sql.substr(0, 7));
  return start == "select " || start.starts_with("with ") || start == "values ";
}

Result<Answer> run(engine::Engine& engine, const std::string& sql, const std::string& zone) {
  NoTables catalog;
  const std::string text = is_query(sql) ? sql : "SELECT " + sql;
  LAKEBED_ASSIGN(auto query, sql::parse_query(text));
  LAKEBED_ASSIGN(auto resolved, plan::resolve_query(query, catalog, {zone, 0, false}));
  LAKEBED_ASSIGN(auto reader, engine.run(resolved, {}));
  return rows_of(*reader, zone);
}

std::vector<std::filesystem::path> tables() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator("tests/vectors")) {
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The session's zone, by the end of a table's name.
std::string zone_of(const std::string& table) {
  if (table.ends_with("_berlin")) return "Europe/Berlin";
  return table.ends_with("_york") ? "America/New_York" : "UTC";
}

// An empty text where the answer is Spark's, else what differs.
std::string difference(engine::Engine& engine, const Json& vector, const std::string& zone) {
  const std::string sql = vector["sql"];
  auto answer = run(engine, sql, zone);
  if (!answer.ok()) {
    const std::string wanted = vector.value("error", "");
    if (answer.error().code == wanted) return "";
    return "error " + answer.error().text() + ", wanted " +
           (wanted.empty() ? vector["value"].get<std::string>() : wanted);
  }
  if (vector.contains("error")) {
    return answer->value + ", wanted error " + vector["error"].get<std::string>();
  }
  if (answer->type != vector["type"]) {
    return "type " + answer->type + ", wanted " + vector["type"].get<std::string>();
  }
  if (answer->value != vector["value"]) {
    return answer->value + ", wanted " + vector["value"].get<std::string>();
  }
  return "";
}

TEST(Vectors, AnswersAsSpark) {
  const char* only = std::getenv("LAKEBED_VECTORS");
  size_t count = 0;
  for (const auto& path : tables()) {
    if (only != nullptr && path.stem() != only) continue;
    engine::EngineOptions options;
    options.time_zone = zone_of(path.stem().string());
    auto engine = engine::open_duck_engine(options);
    ASSERT_TRUE(engine.ok()) << engine.error().text();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      auto vector = parse_json(line);
      ASSERT_TRUE(vector.ok()) << path << ": " << line;
      const std::string wrong = difference(**engine, *vector, options.time_zone);
      if (!wrong.empty()) {
        ADD_FAILURE() << path.stem().string() << ": " << (*vector)["sql"].get<std::string>()
                      << "\n  " << wrong;
      }
      ++count;
    }
  }
  if (only == nullptr) {
    EXPECT_GE(count, 1500U);
  }
}

TEST(FunctionTable, PlanAndEngineHaveTheSameNames) {
  // These are no calls for the engine: the resolver or the renderer of relations handles them.
  std::set<std::string> planned;
  for (const auto& function : plan::all_functions()) {
    const bool generator = function.kind == plan::FunctionKind::kGenerator;
    if (function.support != plan::FunctionSupport::kRefused && !generator) {
      planned.insert(function.name);
    }
  }
  std::set<std::string> rendered;
  for (const auto& name : engine::duck::rendered_names()) rendered.insert(name);
  std::vector<std::string> missing;
  std::set_symmetric_difference(planned.begin(), planned.end(), rendered.begin(), rendered.end(),
                                std::back_inserter(missing));
  std::string names;
  for (const auto& name : missing) names += name + " ";
  EXPECT_EQ(names, "");
}

TEST(FunctionTable, AtLeast220Work) {
  size_t working = 0;
  for (const auto& function : plan::all_functions()) {
    working += function.support != plan::FunctionSupport::kRefused ? 1 : 0;
  }
  EXPECT_GE(working, 220U);
}

TEST(FunctionTable, DocumentIsCurrent) {
  const std::string wanted = plan::functions_document();
  if (std::getenv("LAKEBED_WRITE_DOCUMENTS") != nullptr) {
    std::ofstream("docs/sql_functions.md") << wanted;
  }
  std::ifstream file("docs/sql_functions.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), wanted) << "run this test with LAKEBED_WRITE_DOCUMENTS=1";
}

}  // namespace
}  // namespace lakebed
