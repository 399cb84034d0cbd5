#include <gtest/gtest.h>

#include "sql/parse.h"
#include "sql/show.h"

namespace lakebed::sql {
namespace {

std::string query(const std::string& text) {
  const auto parsed = parse_query(text, "f");
  return parsed.ok() ? testing::show(*parsed) : "! " + parsed.error().text();
}

std::string code(const std::string& text) {
  const auto parsed = parse_query(text, "f");
  return parsed.ok() ? "ok" : parsed.error().code;
}

TEST(Query, SelectInTheOrderOfItsParts) {
  EXPECT_EQ(query("SELECT a, b AS c, d e FROM t WHERE f"), "{project ( a b@c d@e) {where f {t}}}");
  EXPECT_EQ(query("SELECT DISTINCT a FROM t ORDER BY a DESC LIMIT 3 OFFSET 1"),
            "{limit 3 offset 1 {sort ( a/desc/last) {distinct {project ( a) {t}}}}}");
  EXPECT_EQ(query("SELECT a, sum(b) FROM t GROUP BY a HAVING sum(b) > 1"),
            "{having (> (sum b) 1) {aggregate ( a (sum b)) by ( a) {t}}}");
  EXPECT_EQ(query("SELECT * FROM t QUALIFY row_number() OVER w = 1 WINDOW w AS (ORDER BY a)"),
            "{qualify (= (over (row_number) [w]) 1) {project ( *) {t}}}");
  EXPECT_EQ(query("SELECT 1"), "{project ( 1) {one_row}}");
  EXPECT_EQ(query("SELECT count(*) FROM t HAVING count(*) > 0"),
            "{having (> (count *) 0) {aggregate ( (count *)) by () {t}}}");
}

TEST(Query, Stars) {
  EXPECT_EQ(query("SELECT t.*, * EXCEPT (a, b.c) FROM t"), "{project ( t.* *-(a,b.c)) {t}}");
  EXPECT_EQ(query("SELECT t.* EXCEPT(a) FROM t"), "{project ( t.*-(a)) {t}}");
  EXPECT_EQ(query("SELECT * FROM a EXCEPT SELECT * FROM b"),
            "{except {project ( *) {a}} {project ( *) {b}}}");
}

TEST(Query, Grouping) {
  EXPECT_EQ(query("SELECT a FROM t GROUP BY ALL"), "{aggregate ( a) by () all {t}}");
  EXPECT_EQ(query("SELECT a FROM t GROUP BY ROLLUP (a, b)"),
            "{aggregate ( a) by ( a b) rollup {t}}");
  EXPECT_EQ(query("SELECT a FROM t GROUP BY a, b WITH CUBE"),
            "{aggregate ( a) by ( a b) cube {t}}");
  EXPECT_EQ(query("SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, ())"),
            "{aggregate ( a) by ( a b a) sets ( a b) ( a) () {t}}");
  EXPECT_EQ(query("SELECT a FROM t GROUP BY a, b GROUPING SETS ((a), (b))"),
            "{aggregate ( a) by ( a b) sets ( a) ( b) {t}}");
  EXPECT_EQ(query("SELECT a FROM t GROUP BY a, ROLLUP (b)"),
            "{aggregate ( a) by ( a b) sets ( a b) ( a) {t}}");
}

TEST(Query, SetOperations) {
  EXPECT_EQ(query("FROM a UNION ALL FROM b INTERSECT FROM c EXCEPT FROM d"),
            "{except {union all {a} {intersect {b} {c}}} {d}}");
  EXPECT_EQ(query("(SELECT 1) UNION BY NAME (SELECT 2) ORDER BY 1"),
            "{sort ( 1/asc) {union by_name {project ( 1) {one_row}} {project ( 2) {one_row}}}}");
  EXPECT_EQ(query("VALUES (1) UNION DISTINCT TABLE t"), "{union {values (row 1)} {t}}");
}

TEST(Query, Joins) {
  EXPECT_EQ(query("FROM a JOIN b ON x LEFT OUTER JOIN c USING (k, l)"),
            "{left using k,l {inner on x {a} {b}} {c}}");
  EXPECT_EQ(query("FROM a LEFT SEMI JOIN b ON x ANTI JOIN c ON y"),
            "{anti on y {semi on x {a} {b}} {c}}");
  EXPECT_EQ(query("FROM a NATURAL FULL JOIN b CROSS JOIN c"), "{cross {full natural {a} {b}} {c}}");
  EXPECT_EQ(query("FROM a, b x JOIN c ON y"), "{cross {a} {inner on y {as x {b}} {c}}}");
  EXPECT_EQ(query("FROM a JOIN LATERAL (SELECT a.x) q ON true"),
            "{inner lateral on true:BOOLEAN {a} {as q {project ( a.x) {one_row}}}}");
  EXPECT_EQ(query("FROM o, LATERAL explode(o.items) AS b(item)"),
            "{generate (explode o.items) b(item) {o}}");
  EXPECT_EQ(query("FROM o LEFT JOIN LATERAL explode(o.items) AS b(item) ON TRUE"),
            "{generate outer (explode o.items) b(item) {o}}");
  EXPECT_EQ(query("FROM t LATERAL VIEW OUTER explode(m) x AS k, v LATERAL VIEW posexplode(v)"),
            "{generate (posexplode v) () {generate outer (explode m) x(k,v) {t}}}");
}

TEST(Query, RelationsOfEveryKind) {
  EXPECT_EQ(query("FROM STREAM t"), "{stream t}");
  EXPECT_EQ(query("FROM STREAM (live.x) s"), "{as s {stream x}}");
  EXPECT_EQ(query("FROM stream(LIVE.cat.sch.t)"), "{stream cat.sch.t}");
  EXPECT_EQ(query("FROM STREAM t WITH (readChangeFeed = true, startingVersion = 0) AS x"),
            "{as x {stream t readchangefeed=true startingversion=0}}");
  EXPECT_EQ(query("FROM STREAM(t) WITH (SKIPCHANGECOMMITS)"), "{stream t skipchangecommits=true}");
  EXPECT_EQ(query("FROM STREAM read_files('/a', format => \"json\", header => true)"),
            "{stream read_files /a:STRING format=>json:STRING header=>true:BOOLEAN}");
  EXPECT_EQ(query("FROM STREAM(read_files('/a'))"), "{stream read_files /a:STRING}");
  EXPECT_EQ(query("FROM STREAM table_changes('t', 1)"), "{stream table_changes t:STRING 1}");
  EXPECT_EQ(query("FROM stream SELECT a"), "{project ( a) {stream}}")
      << "a table may be called stream";
  EXPECT_EQ(query("FROM delta.`/p/q` VERSION AS OF 3"), "{delta./p/q versionasof=3}");
  EXPECT_EQ(query("FROM t TIMESTAMP AS OF '2024-01-01' x"), "{as x {t timestampasof=2024-01-01}}");
  EXPECT_EQ(query("FROM VALUES (1, 'a'), (2, 'b') AS t(x, y)"),
            "{as t(x,y) {values (row 1 a:STRING) (row 2 b:STRING)}}");
  EXPECT_EQ(query("FROM (VALUES 1, 2)"), "{values (row 1) (row 2)}");
  EXPECT_EQ(query("FROM range(1, 10) r"), "{as r {range 1 10}}");
  EXPECT_EQ(query("FROM IDENTIFIER('a.b')"), "{a.b}");
  EXPECT_EQ(query("FROM (a JOIN b ON c)"), "{inner on c {a} {b}}");
}

TEST(Query, WithAndSubqueries) {
  EXPECT_EQ(query("WITH a AS (SELECT 1), b(x) AS (FROM a) FROM b"),
            "{with a,b {b} {project ( 1) {one_row}} {as b(x) {a}}}");
  EXPECT_EQ(query("SELECT (SELECT max(x) FROM t), ((SELECT 1) + 1) FROM (SELECT 1 AS x) q"),
            "{project ( {project ( (max x)) {t}} (+ {project ( 1) {one_row}} 1)) "
            "{as q {project ( 1@x) {one_row}}}}");
  EXPECT_EQ(code("WITH RECURSIVE a AS (SELECT 1) FROM a"), "UNSUPPORTED_FEATURE.WITH_RECURSIVE");
  EXPECT_EQ(code("WITH a AS (SELECT 1), A AS (SELECT 2) FROM a"), "PARSE_SYNTAX_ERROR");
}

TEST(Query, PipesAndFromFirst) {
  EXPECT_EQ(query("FROM t SELECT a WHERE b"), "{project ( a) {where b {t}}}");
  EXPECT_EQ(query("FROM STREAM(feed) |> SELECT *, parse_json(v) AS j |> WHERE j:id::int > 1"),
            "{where (> (cast (json j id) INT) 1) "
            "{project ( * (parse_json v)@j) {stream feed}}}");
  EXPECT_EQ(query("FROM t |> EXTEND a + 1 AS b |> SET a = 2 |> DROP c, d |> AS x"),
            "{as x {project ( *-(c,d)) {project ( (* 2@a)) {project ( * (+ a 1)@b) {t}}}}}");
  EXPECT_EQ(query("FROM t |> AGGREGATE sum(a) AS s GROUP BY b, c AS d |> ORDER BY s |> LIMIT 1"),
            "{limit 1 {sort ( s/asc) {aggregate ( b c@d (sum a)@s) by ( b c) {t}}}}");
  EXPECT_EQ(query("FROM t |> JOIN u USING (k) |> UNION ALL FROM v"),
            "{union all {inner using k {t} {u}} {v}}");
  EXPECT_EQ(code("FROM t |> PIVOT (x)"), "UNSUPPORTED_FEATURE.|>_PIVOT");
}

TEST(Query, KnownAndRefused) {
  EXPECT_EQ(code("FROM t TABLESAMPLE (10 PERCENT)"), "UNSUPPORTED_FEATURE.TABLESAMPLE");
  EXPECT_EQ(code("FROM t PIVOT (sum(a) FOR b IN (1))"), "UNSUPPORTED_FEATURE.PIVOT");
  EXPECT_EQ(code("FROM t UNPIVOT (a FOR b IN (c))"), "UNSUPPORTED_FEATURE.UNPIVOT");
  EXPECT_EQ(code("FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 HOUR"),
            "UNSUPPORTED_FEATURE.WATERMARK");
}

TEST(Query, WordsAsAliases) {
  EXPECT_EQ(query("SELECT a timestamp, b date, c AS offset, d key FROM source value"),
            "{project ( a@timestamp b@date c@offset d@key) {as value {source}}}");
  EXPECT_EQ(query("SELECT a offset, b limit FROM keys columns"),
            "{project ( a@offset b@limit) {as columns {keys}}}");
}

TEST(Query, ErrorsHaveHints) {
  const auto comma = parse_query("SELECT a, FROM t", "f");
  ASSERT_FALSE(comma.ok());
  EXPECT_EQ(comma.error().message, "expected an expression, found 'FROM'");
  EXPECT_EQ(comma.error().hint, "is there a comma too many before FROM?");
  EXPECT_EQ(comma.error().span.text(), "f:1:11");
  EXPECT_EQ(query("SELECT FROM t"),
            "! PARSE_SYNTAX_ERROR: expected the columns to select, found 'FROM'");
  EXPECT_EQ(query("SELECT * FROM shop-prod.t"),
            "! PARSE_SYNTAX_ERROR: a name with a hyphen needs backticks");
  EXPECT_EQ(query("SELECT * FROM STREAM(SELECT 1)"),
            "! PARSE_SYNTAX_ERROR: STREAM takes a table, view or function, no query");
  EXPECT_EQ(query("SELECT a AS 'x'"),
            "! PARSE_SYNTAX_ERROR: expected an alias, found the string 'x'");
  EXPECT_EQ(query("SELECT 1 FROM t WHERE a = \xE2\x80\x98x\xE2\x80\x99"),
            "! PARSE_SYNTAX_ERROR: found a typographic quote; write ' or \"");
}

}  // namespace
}  // namespace lakebed::sql
