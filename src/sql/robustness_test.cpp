// No text may crash the parser: texts that are cut short, mutated, or nested too deep.
#include <gtest/gtest.h>

#include "base/world.h"
#include "sql/parse.h"

namespace lakebed::sql {
namespace {

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> texts = {
      "CREATE OR REFRESH STREAMING TABLE `a-b`.t (id INT NOT NULL, CONSTRAINT c EXPECT (id > 0) ON "
      "VIOLATION DROP ROW) COMMENT 'x''y' FLOW AUTO CDC FROM STREAM(s) KEYS (id) SEQUENCE BY (a, "
      "b) "
      "COLUMNS * EXCEPT (op) STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (z);",
      "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT * FROM v) WITH VERSION (SELECT 1) "
      "KEYS (k) STORED AS SCD TYPE 1; APPLY CHANGES INTO LIVE.t FROM STREAM(LIVE.s) KEYS (k) "
      "APPLY AS DELETE WHEN op = \"D\" SEQUENCE BY q COLUMNS TO UPDATE c",
      "WITH a AS (SELECT DISTINCT x, sum(y) FILTER (WHERE z) OVER (PARTITION BY p ORDER BY o DESC "
      "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) s FROM STREAM t WITH (a = true) LEFT JOIN u USING "
      "(k), LATERAL explode(i) AS e(j) WHERE x NOT IN (1, 2.5e3, -3L) AND y LIKE '%\\_' GROUP BY "
      "ROLLUP (x, (y, z)) HAVING count(*) > 1 QUALIFY 1 = 1) FROM a |> SELECT * EXCEPT (s), "
      "j:b.c[0]['x']::DECIMAL(10, 2) |> ORDER BY 1 LIMIT 3;",
      "SELECT CASE WHEN a IS NOT DISTINCT FROM b THEN INTERVAL '1 02:03:04' DAY TO SECOND ELSE "
      "DATE'2024-01-01' END, transform(m, (k, v) -> k || v), X'1F', r'\\d', \"q\", ${p}, "
      "CAST(a AS STRUCT<x: ARRAY<MAP<STRING, INT>>>) FROM VALUES (1, 'a'), (2, 'b') AS t(x, y);",
      "-- Databricks notebook source\nSET a.b = c;\n-- COMMAND ----------\n-- MAGIC %sql\n-- MAGIC "
      "INSERT INTO t BY NAME SELECT '${a.b}'\n-- COMMAND ----------\nBEGIN SELECT 1; END; MERGE x"};
  return texts;
}

// Parses and, where that fails, checks that the error is one that a user can act on.
void try_text(const std::string& text) {
  const auto parsed = parse_script({"r.sql", text}, {{"p", "1"}});
  if (parsed.ok()) return;
  EXPECT_FALSE(parsed.error().code.empty()) << text;
  EXPECT_FALSE(parsed.error().message.empty()) << text;
  EXPECT_TRUE(parsed.error().span.known()) << text;
  EXPECT_EQ(parsed.error().blame, Blame::kProject) << text;
}

TEST(Robustness, TextsCutShort) {
  for (const std::string& seed : seeds()) {
    for (size_t length = 0; length <= seed.size(); ++length) try_text(seed.substr(0, length));
    for (size_t begin = 0; begin < seed.size(); begin += 3) try_text(seed.substr(begin));
  }
}

TEST(Robustness, MutatedTexts) {
  const uint64_t start = 20240131;
  SCOPED_TRACE("seed " + std::to_string(start));
  const auto random = seeded_random(start);
  const std::string letters = "()[]<>,;.'\"`:$@{}*-/\\ \n0aE_\xC3\xE2";
  for (int round = 0; round < 4000; ++round) {
    std::string text = seeds()[random->next() % seeds().size()];
    const std::string& other = seeds()[random->next() % seeds().size()];
    for (uint64_t changes = random->next() % 4 + 1; changes > 0; --changes) {
      const size_t at = random->next() % text.size();
      const size_t length = random->next() % 20;
      switch (random->next() % 4) {
        case 0: text[at] = letters[random->next() % letters.size()]; break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, other.substr(random->next() % other.size(), length)); break;
        default: text.insert(at, 1, letters[random->next() % letters.size()]);
      }
      if (text.empty()) text = ";";
    }
    try_text(text);
  }
}

TEST(Robustness, NestingHasALimit) {
  const auto many = [](const std::string& text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  for (const char* open : {"(", "f(", "NOT ", "- ", "CASE WHEN ", "a[", "(SELECT ", "[", "x -> ",
                           "STRUCT<a:", "CAST("}) {
    try_text("SELECT " + many(open, 10000) + "1");
  }
  try_text("SELECT CAST(a AS " + many("ARRAY<", 10000));
  try_text(many("FROM (", 10000));
  try_text("SELECT 1" + many(" + 1", 10000));
  try_text("SELECT a" + many("[1]", 10000));
  try_text("SELECT a" + many("::INT", 10000));
  try_text("SELECT 1" + many(" UNION SELECT 1", 10000));
  try_text("FROM t" + many(" JOIN t", 10000));
  try_text("FROM t" + many(", t", 10000));
  try_text("FROM t" + many(" LATERAL VIEW f(x)", 10000));
  try_text("FROM t" + many(" |> AS t", 10000));
  try_text("SELECT a LIKE ANY (1" + many(",1", 10000) + ")");
  const auto long_list = parse_query("SELECT 1" + many(", 1", 20000));
  EXPECT_TRUE(long_list.ok());
  EXPECT_TRUE(parse_query("SELECT 1" + many(" + 1", 1500)).ok());
}

}  // namespace
}  // namespace lakebed::sql
