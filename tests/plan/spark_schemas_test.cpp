// Output names and types, and conditions of errors, as a real Spark 4.3 gave them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/names.h"
#include "contract.h"
#include "fake_catalog.h"

namespace lakebed::plan {
namespace {

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char letter : line) {
    if (letter == '\t') {
      out.emplace_back();
    } else {
      out.back() += letter;
    }
  }
  return out;
}

// Spark's simple spelling of a type: lower case, no blanks; intervals by their family.
std::string simple_type(const std::string& text) {
  std::string out;
  for (const char letter : fold_case(text)) {
    if (letter != ' ' && letter != '`') out += letter;
  }
  if (out.starts_with("intervalmonth") || out.starts_with("intervalyear")) return "months";
  if (out.starts_with("interval")) return "micros";
  return out;
}

std::string expected_of(const std::vector<std::string>& parts) {
  if (parts.size() == 2 && parts[1].starts_with('!')) return parts[1];
  std::string out;
  for (size_t i = 1; i + 1 < parts.size(); i += 2) {
    out += "[" + parts[i] + ": " + simple_type(parts[i + 1]) + "]";
  }
  return out;
}

std::string answer_of(const std::string& query) {
  const auto resolved = resolve_text(query);
  if (!resolved.ok()) return "!" + resolved.error().code;
  const std::string breach = contract_breach(resolved.value());
  if (!breach.empty()) return breach;
  std::string out;
  for (const value::Field& field : resolved.value().schema()) {
    out += "[" + field.name + ": " + simple_type(field.type.text()) + "]";
  }
  return out;
}

TEST(SparkSchemas, AreOurs) {
  std::ifstream file(LAKEBED_SOURCE_DIR "/tests/plan/spark_schemas.txt");
  ASSERT_TRUE(file.is_open());
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> parts = split_tabs(line);
    EXPECT_EQ(answer_of(parts[0]), expected_of(parts)) << parts[0];
    ++count;
  }
  EXPECT_GE(count, 800u);
}

}  // namespace
}  // namespace lakebed::plan
