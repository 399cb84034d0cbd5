// SELECT lists, names, types, and what the layers of a SELECT become.
#include <gtest/gtest.h>

#include "fake_catalog.h"

namespace lakebed::plan {
namespace {

TEST(Select, NamesAndTypesOfPlainColumns) {
  EXPECT_EQ(schema_of("SELECT a, B, t.s, db.t.d FROM db.t"),
            "a INT, B BIGINT, s STRING, d DECIMAL(10,2)");
  EXPECT_EQ(schema_of("SELECT x.a FROM t AS x"), "a INT");
  EXPECT_EQ(schema_of("SELECT * FROM u"), "a INT, c STRING");
  EXPECT_EQ(schema_of("SELECT u.*, 1 AS one FROM u"), "a INT, c STRING, one INT");
  EXPECT_EQ(schema_of("SELECT p, q FROM u AS r(p, q)"), "p INT, q STRING");
}

TEST(Select, UnnamedExpressionsAreNamedAsSparkNamesThem) {
  EXPECT_EQ(schema_of("SELECT a + b, count(*), sum(a), CAST(a AS STRING) FROM t GROUP BY 1, 4"),
            "(a + b) BIGINT, count(1) BIGINT, sum(a) BIGINT, a STRING");
  EXPECT_EQ(schema_of("SELECT upper(s), a = 1 AND ok, s IS NULL, -a FROM t"),
            "upper(s) STRING, ((a = 1) AND ok) BOOLEAN, (s IS NULL) BOOLEAN, (- a) INT");
  EXPECT_EQ(schema_of("SELECT 1, 'x', NULL, count(DISTINCT a) FROM t"),
            "1 INT, x STRING, NULL VOID, count(DISTINCT a) BIGINT");
}

TEST(Select, StructFieldsBehindDots) {
  EXPECT_EQ(schema_of("SELECT st.x, st.y.z, t.st.y.z AS zz, st.y FROM t"),
            "x INT, z STRING, zz STRING, y STRUCT<z: STRING>");
  EXPECT_EQ(schema_of("SELECT items.sku, m['k'], m.k, arr[0] FROM t"),
            "sku ARRAY<STRING>, m[k] INT, k INT, arr[0] INT");
  EXPECT_EQ(schema_of("SELECT st.* FROM t"), "x INT, y STRUCT<z: STRING>");
  EXPECT_EQ(schema_of("SELECT `x.y`, `select`, a_B FROM odd"), "x.y INT, select STRING, a_B INT");
  EXPECT_EQ(error_of("SELECT st.nope FROM t"), "FIELD_NOT_FOUND@1:8");
}

TEST(Select, HiddenColumnsAreFoundByNameOnly) {
  EXPECT_EQ(schema_of("SELECT _metadata.file_path, a FROM t"), "file_path STRING, a INT");
  EXPECT_EQ(schema_of("SELECT *, _metadata.file_path AS path FROM read_files('/x')"),
            "k INT, v STRING, path STRING");
  EXPECT_EQ(error_of("SELECT _metadata FROM (SELECT a FROM t)"),
            "UNRESOLVED_COLUMN.WITH_SUGGESTION@1:8");
}

TEST(Select, InputFileNameIsTheMetadataPath) {
  EXPECT_EQ(schema_of("SELECT input_file_name() AS f FROM t"), "f STRING");
  EXPECT_EQ(error_of("SELECT input_file_name() FROM u"),
            "FUNCTION_NOT_SUPPORTED.input_file_name@1:8");
}

TEST(Select, StarExcept) {
  EXPECT_EQ(schema_of("SELECT * EXCEPT (c) FROM u"), "a INT");
  EXPECT_EQ(schema_of("SELECT * EXCEPT (st.y, a, b, s, d, f, dt, ts, ok, arr, m, items, js) "
                      "FROM t"),
            "st STRUCT<x: INT>");
  EXPECT_EQ(error_of("SELECT * EXCEPT (nope) FROM u"), "UNRESOLVED_COLUMN.WITH_SUGGESTION@1:8");
}

TEST(Select, UnknownNamesSuggestTheNearest) {
  const auto resolved = resolve_text("SELECT\n  amoutn FROM (SELECT 1 AS amount)");
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().code, "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  EXPECT_EQ(resolved.error().hint, "did you mean `amount`?");
  EXPECT_EQ(resolved.error().span.line, 2u);
  EXPECT_EQ(resolved.error().blame, Blame::kProject);
  EXPECT_EQ(error_of("SELECT uper(s) FROM t"), "UNRESOLVED_ROUTINE@1:8");
  EXPECT_EQ(error_of("SELECT 1 FROM nowhere"), "TABLE_OR_VIEW_NOT_FOUND@1:15");
  EXPECT_EQ(error_of("SELECT a FROM t JOIN u ON true"), "AMBIGUOUS_REFERENCE@1:8");
}

TEST(Select, LateralAliasesBecomeStackedProjections) {
  EXPECT_EQ(plan_of("SELECT a + 1 AS x, x * 2 AS y, a FROM u"),
            "project x#3, y#4, a#5\n"
            "  project a#1, c#2, x#3, a#5, *(x#3, 2:INT) as y#4\n"
            "    project a#1, c#2, +(a#1, 1:INT) as x#3, a#1 as a#5\n"
            "      leaf 0");
  // The input's own column comes first.
  EXPECT_EQ(schema_of("SELECT 'w' AS a, a AS again FROM u"), "a STRING, again INT");
}

TEST(Select, OrderByMayUseAliasesPositionsAndHiddenColumns) {
  EXPECT_EQ(plan_of("SELECT c FROM u ORDER BY a DESC"),
            "project c#3\n"
            "  sort a#4 desc nulls last\n"
            "    project c#2 as c#3, a#1 as a#4\n"
            "      leaf 0");
  EXPECT_EQ(plan_of("SELECT a AS k FROM u ORDER BY k + 1, 1"),
            "sort +(k#3, 1:INT) asc nulls first, k#3 asc nulls first\n"
            "  project a#1 as k#3\n"
            "    leaf 0");
  EXPECT_EQ(error_of("SELECT DISTINCT c FROM u ORDER BY a"),
            "UNRESOLVED_COLUMN.WITH_SUGGESTION@1:35");
  EXPECT_EQ(schema_of("SELECT DISTINCT u.c FROM u ORDER BY u.c"), "c STRING");
  EXPECT_EQ(error_of("SELECT a FROM u ORDER BY 2"), "ORDER_BY_POS_OUT_OF_RANGE@1:26");
}

TEST(Select, AggregatesStandAlone) {
  EXPECT_EQ(plan_of("SELECT a + 1, sum(a) / count(*) AS mean FROM u GROUP BY a + 1 "
                    "HAVING max(a) > 3L"),
            "project (a + 1)#6 as (a + 1)#3, /(cast(sum(a)#7 as DOUBLE), "
            "cast(count(1)#8 as DOUBLE)) as mean#4\n"
            "  filter >(cast(max(a)#9 as BIGINT), 3:BIGINT)\n"
            "    aggregate [(a + 1)#5] (a + 1)#5 as (a + 1)#6, sum(a#1) as sum(a)#7, "
            "count(1:INT) as count(1)#8, max(a#1) as max(a)#9\n"
            "      project a#1, c#2, +(a#1, 1:INT) as (a + 1)#5\n"
            "        leaf 0");
}

TEST(Select, GroupByForms) {
  EXPECT_EQ(schema_of("SELECT upper(c) AS up, count(*) AS n FROM u GROUP BY up"),
            "up STRING, n BIGINT");
  EXPECT_EQ(schema_of("SELECT c, a, sum(a) FROM u GROUP BY ALL"), "c STRING, a INT, sum(a) BIGINT");
  EXPECT_EQ(schema_of("SELECT c, count(*) FROM u GROUP BY 1 ORDER BY count(*) DESC, c"),
            "c STRING, count(1) BIGINT");
  EXPECT_EQ(schema_of("SELECT a, c, grouping(a) AS g, count(*) FROM u GROUP BY ROLLUP (a, c)"),
            "a INT, c STRING, g TINYINT, count(1) BIGINT");
  EXPECT_EQ(schema_of("SELECT a, count(*) FROM u GROUP BY GROUPING SETS ((a), ())"),
            "a INT, count(1) BIGINT");
  EXPECT_EQ(schema_of("SELECT a, count(*) FROM u GROUP BY CUBE (a, c)"), "a INT, count(1) BIGINT");
  EXPECT_EQ(schema_of("SELECT max(a) FROM u HAVING count(*) > 0"), "max(a) INT");
  EXPECT_EQ(error_of("SELECT a, c FROM u GROUP BY a"), "MISSING_AGGREGATION@1:11");
  EXPECT_EQ(error_of("SELECT a, count(*) FROM u"), "MISSING_GROUP_BY@1:8");
  EXPECT_EQ(error_of("SELECT sum(count(*)) FROM u"), "NESTED_AGGREGATE_FUNCTION@1:8");
  EXPECT_EQ(error_of("SELECT sum(a) FROM u GROUP BY 1"), "GROUP_BY_POS_AGGREGATE@1:31");
  EXPECT_EQ(error_of("SELECT a FROM u WHERE sum(a) > 1"), "INVALID_WHERE_CONDITION@1:23");
}

TEST(Select, WindowsAndQualify) {
  EXPECT_EQ(plan_of("SELECT a, row_number() OVER (PARTITION BY c ORDER BY a) + 1 AS n FROM u "
                    "QUALIFY n = 2"),
            "project a#1 as a#3, +(row_number()#5, 1:INT) as n#4\n"
            "  filter =(+(row_number()#5, 1:INT), 2:INT)\n"
            "    project a#1, c#2, row_number() over(c#2; a#1 asc nulls first) as row_number()#5\n"
            "      leaf 0");
  EXPECT_EQ(schema_of("SELECT sum(a) OVER w AS s FROM u WINDOW w AS (PARTITION BY c)"), "s BIGINT");
  EXPECT_EQ(schema_of("SELECT c, rank() OVER (ORDER BY sum(a)) AS r FROM u GROUP BY c"),
            "c STRING, r INT");
  EXPECT_EQ(error_of("SELECT row_number() OVER (PARTITION BY c) FROM u"),
            "WINDOW_FUNCTION_FRAME_NOT_ORDERED@1:8");
}

TEST(Select, Generators) {
  EXPECT_EQ(schema_of("SELECT explode(collect_list(a)) AS e FROM u"), "e INT");
  EXPECT_EQ(schema_of("SELECT explode(arr) AS x, explode(arr) AS y FROM t"), "x INT, y INT");
  EXPECT_EQ(schema_of("SELECT a, explode(arr) AS e, e + 1 AS f FROM t"), "a INT, e INT, f INT");
  EXPECT_EQ(schema_of("SELECT explode(m) AS (k, v) FROM t"), "k STRING, v INT");
  EXPECT_EQ(schema_of("SELECT explode(arr) FROM t"), "col INT");
  EXPECT_EQ(schema_of("SELECT a, i.sku FROM t LATERAL VIEW explode(items) x AS i"),
            "a INT, sku STRING");
  EXPECT_EQ(schema_of("SELECT x.pos FROM t LATERAL VIEW OUTER posexplode(arr) x AS pos, v"),
            "pos INT");
  EXPECT_EQ(error_of("SELECT explode(arr) + 1 FROM t"),
            "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS@1:8");
  EXPECT_EQ(schema_of("SELECT * FROM range(3)"), "id BIGINT");
}

TEST(Select, JsonPathsBecomeCalls) {
  EXPECT_EQ(plan_of("SELECT js:a.`b c`[0]['d'] AS p FROM (SELECT c AS js FROM u)"),
            "project get_json_object(js#3, '$.a['b c'][0]['d']') as p#4\n"
            "  project c#2 as js#3\n"
            "    leaf 0");
  EXPECT_EQ(schema_of("SELECT js:a.b, js:x::int FROM t"), "b STRING, x INT");
  EXPECT_EQ(error_of("SELECT a:b FROM t"), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE@1:8");
}

TEST(Select, ClockAndZones) {
  EXPECT_EQ(plan_of("SELECT current_timestamp() AS n, current_date AS d"),
            "project 2030-01-02 03:04:05:TIMESTAMP as n#1, 2030-01-02:DATE as d#2\n"
            "  one row");
  const auto zoned = resolve_text("SELECT TIMESTAMP '2024-07-01 12:00:00' AS t", "Europe/Berlin");
  ASSERT_TRUE(zoned.ok());
  EXPECT_EQ(zoned.value().root->expressions[0]->children[0]->text, "2024-07-01 10:00:00");
  const auto own = resolve_text("SELECT TIMESTAMP '2024-07-01 12:00:00+02:00' AS t");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own.value().root->expressions[0]->children[0]->text, "2024-07-01 10:00:00");
}

}  // namespace
}  // namespace lakebed::plan
