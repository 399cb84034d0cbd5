// Joins, subqueries, set operations, CTEs, views, table functions, streams.
#include <gtest/gtest.h>

#include "contract.h"
#include "fake_catalog.h"
#include "plan_text.h"
#include "sql/parse.h"

namespace lakebed::plan {
namespace {

TEST(Relation, Joins) {
  EXPECT_EQ(schema_of("SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.a"), "a INT, c STRING");
  EXPECT_EQ(schema_of("SELECT * FROM u JOIN w ON u.a = w.k"),
            "a INT, c STRING, k INT, word STRING");
  EXPECT_EQ(schema_of("SELECT * FROM u AS l JOIN u AS r USING (a)"), "a INT, c STRING, c STRING");
  EXPECT_EQ(schema_of("SELECT a, l.a AS la, r.a AS ra FROM u l FULL JOIN u r USING (a)"),
            "a INT, la INT, ra INT");
  EXPECT_EQ(schema_of("SELECT * FROM u NATURAL JOIN (SELECT a, 1 AS z FROM t)"),
            "a INT, c STRING, z INT");
  EXPECT_EQ(schema_of("SELECT * FROM u LEFT SEMI JOIN t ON u.a = t.a"), "a INT, c STRING");
  EXPECT_EQ(error_of("SELECT * FROM u JOIN t USING (nope)"),
            "UNRESOLVED_USING_COLUMN_FOR_JOIN@1:15");
  EXPECT_EQ(schema_of("SELECT u.a, x.m FROM u, "
                      "LATERAL (SELECT max(b) AS m FROM t WHERE t.a = u.a) x"),
            "a INT, m BIGINT");
}

TEST(Relation, Subqueries) {
  EXPECT_EQ(schema_of("SELECT a, (SELECT max(b) FROM t WHERE t.a = u.a) AS top FROM u"),
            "a INT, top BIGINT");
  EXPECT_EQ(schema_of("SELECT a FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.a = u.a)"), "a INT");
  EXPECT_EQ(schema_of("SELECT a FROM u WHERE a NOT IN (SELECT b FROM t)"), "a INT");
  EXPECT_EQ(schema_of("SELECT a, count(*) FROM u GROUP BY a "
                      "HAVING EXISTS (SELECT 1 FROM t WHERE t.a = u.a)"),
            "a INT, count(1) BIGINT");
  EXPECT_EQ(plan_of("SELECT c FROM u WHERE a IN (SELECT b FROM t)"),
            "project c#2 as c#18\n"
            "  filter cast(a#1 as BIGINT) in {project b#4 as b#17\n"
            "  leaf 1}\n"
            "    leaf 0");
  EXPECT_EQ(error_of("SELECT (SELECT a, b FROM t) FROM u"),
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN@1:8");
}

TEST(Relation, SetOperations) {
  EXPECT_EQ(schema_of("SELECT a FROM u UNION ALL SELECT b FROM t"), "a BIGINT");
  EXPECT_EQ(schema_of("SELECT a, c FROM u UNION SELECT 1, 'x' ORDER BY c LIMIT 3"),
            "a INT, c STRING");
  EXPECT_EQ(error_of("SELECT a FROM u UNION SELECT a, c FROM u"), "NUM_COLUMNS_MISMATCH@1:1");
  EXPECT_EQ(error_of("SELECT m FROM t UNION ALL SELECT a FROM u"), "INCOMPATIBLE_COLUMN_TYPE@1:1");
  EXPECT_EQ(schema_of("SELECT a, c FROM u UNION ALL BY NAME SELECT 'x' AS c, 2 AS a"),
            "a INT, c STRING");
}

TEST(Relation, CtesAndViewsAreScansOfTheirOwn) {
  EXPECT_EQ(plan_of("WITH x AS (SELECT a FROM u) SELECT l.a FROM x l JOIN x r ON l.a = r.a"),
            "project a#3 as a#7\n"
            "  join 0 =(a#3, a#6)\n"
            "    project a#1 as a#3\n"
            "      leaf 0\n"
            "    project a#4 as a#6\n"
            "      leaf 1");
  EXPECT_EQ(schema_of("SELECT n, w.word FROM v JOIN w ON v.a = w.k"), "n BIGINT, word STRING");
  EXPECT_EQ(schema_of("WITH x (p) AS (SELECT 1), y AS (SELECT p + 1 AS q FROM x) SELECT * FROM y"),
            "q INT");
  EXPECT_EQ(error_of("SELECT * FROM loop").substr(0, 14), "RECURSIVE_VIEW");
}

TEST(Relation, Values) {
  EXPECT_EQ(schema_of("VALUES (1, 'a'), (2.5, NULL)"), "col1 DECIMAL(11,1), col2 STRING");
  EXPECT_EQ(schema_of("SELECT k FROM VALUES (1, 2L) AS x(k, l)"), "k INT");
}

TEST(Relation, ArgumentsOfTableFunctionsAreFolded) {
  FakeCatalog catalog;
  const auto query = sql::parse_query(
      "SELECT * FROM read_files('/a' || '/b', FORMAT => 'json', n => -3, map('X.y', 'true'))");
  if (query.ok()) {
    ASSERT_TRUE(resolve_query(query.value(), catalog, {}).ok());
    EXPECT_EQ(catalog.last_positional, std::vector<std::string>{"/a/b"});
  }
  const auto named = sql::parse_query(
      "SELECT * FROM read_files('/a', map('X.y', 'true'), FORMAT => 'json', n => -3)");
  ASSERT_TRUE(named.ok());
  ASSERT_TRUE(resolve_query(named.value(), catalog, {}).ok());
  const std::map<std::string, std::string> expected = {
      {"format", "json"}, {"n", "-3"}, {"x.y", "true"}};
  EXPECT_EQ(catalog.last_named, expected);
  EXPECT_EQ(error_of("SELECT * FROM read_fils('/a')"), "UNRESOLVABLE_TABLE_VALUED_FUNCTION@1:15");
}

// Rule F10: over a stream, what depends on the cut into batches is refused where it stands.
TEST(Relation, StreamsF10) {
  const std::string code = "STREAMING_OPERATION_NOT_SUPPORTED.";
  EXPECT_EQ(schema_of("SELECT a, upper(s) AS u FROM STREAM t WHERE a > 1"), "a INT, u STRING");
  EXPECT_EQ(error_of("SELECT a, count(*) FROM STREAM t GROUP BY a"), code + "GROUP_BY@1:1");
  EXPECT_EQ(error_of("SELECT count(*) FROM STREAM t"), code + "GROUP_BY@1:1");
  EXPECT_EQ(error_of("SELECT DISTINCT a FROM STREAM t"), code + "DISTINCT@1:1");
  EXPECT_EQ(error_of("SELECT a FROM STREAM t ORDER BY a").substr(0, 42), code + "ORDER_BY");
  EXPECT_EQ(error_of("SELECT a FROM STREAM t LIMIT 1").substr(0, 39), code + "LIMIT");
  EXPECT_EQ(error_of("SELECT rank() OVER (ORDER BY a) FROM STREAM t"), code + "WINDOW@1:8");
  EXPECT_EQ(error_of("SELECT a FROM STREAM t QUALIFY rank() OVER (ORDER BY a) = 1").substr(0, 41),
            code + "QUALIFY");
  EXPECT_EQ(error_of("SELECT 1 FROM STREAM t JOIN STREAM u ON t.a = u.a"),
            code + "STREAM_STREAM_JOIN@1:15");
  EXPECT_EQ(error_of("SELECT a FROM u WHERE a IN (SELECT a FROM STREAM t)").substr(0, 42),
            code + "SUBQUERY");
  EXPECT_EQ(error_of("SELECT a FROM STREAM t UNION SELECT a FROM STREAM u").substr(0, 39),
            code + "UNION");
  EXPECT_EQ(schema_of("SELECT a FROM STREAM t UNION ALL SELECT a FROM STREAM u"), "a INT");
  EXPECT_EQ(schema_of("SELECT t.a, c FROM STREAM t LEFT JOIN u ON t.a = u.a"), "a INT, c STRING");
  EXPECT_EQ(error_of("SELECT u.a FROM u LEFT JOIN STREAM t ON t.a = u.a"),
            code + "OUTER_JOIN@1:17");
}

TEST(Relation, ProjectionOfAFlow) {
  FakeCatalog catalog;
  const auto query = sql::parse_query("SELECT * FROM STREAM t");
  ASSERT_TRUE(query.ok());
  std::vector<ExpressionPtr> expressions;
  for (const char* text : {"a", "struct(ts, b)", "st.x", "s = 'D'"}) {
    expressions.push_back(*sql::parse_expression(text));
  }
  const auto out = resolve_projection(*query, expressions, *sql::parse_expression("a > 0"), catalog,
                                      {});
  ASSERT_TRUE(out.ok()) << out.error().text();
  EXPECT_EQ(contract_breach(*out), "");
  EXPECT_TRUE(out->streaming);
  EXPECT_EQ(out->schema()[1].type.text(), "STRUCT<ts: TIMESTAMP, b: BIGINT>");
  EXPECT_EQ(out->schema()[2].name, "x");
  const auto bad = resolve_projection(*query, {*sql::parse_expression("count(*)")}, nullptr,
                                      catalog, {});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, "UNSUPPORTED_EXPR_FOR_OPERATOR");
}

}  // namespace
}  // namespace lakebed::plan
