#include <gtest/gtest.h>

#include "sql/parse.h"
#include "sql/show.h"

namespace lakebed::sql {
namespace {

std::string expr(const std::string& text) {
  const auto parsed = parse_expression(text, "f");
  return parsed.ok() ? testing::show(*parsed) : "! " + parsed.error().text();
}

std::string code(const std::string& text) {
  const auto parsed = parse_expression(text, "f");
  return parsed.ok() ? "ok" : parsed.error().code;
}

TEST(Expression, PrecedenceFollowsSpark) {
  EXPECT_EQ(expr("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(expr("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(expr("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(expr("a OR b AND NOT c = d"), "(or a (and b (not (= c d))))");
  EXPECT_EQ(expr("a = b IS NULL"), "(isnull (= a b))");
  EXPECT_EQ(expr("a | b ^ c & d << e + f"), "(| a (^ b (& c (shiftleft d (+ e f)))))");
  EXPECT_EQ(expr("a >> 1 >>> 2"), "(shiftrightunsigned (shiftright a 1) 2)");
  EXPECT_EQ(expr("a > b"), "(> a b)");
  EXPECT_EQ(expr("a || b || 'c'"), "(concat (concat a b) c:STRING)");
  EXPECT_EQ(expr("-a.b"), "(negative a.b)");
  EXPECT_EQ(expr("- - a"), "(negative (negative a))");
  EXPECT_EQ(expr("~a % 2 DIV 3"), "(div (% (~ a) 2) 3)");
  EXPECT_EQ(expr("a != b"), "(<> a b)");
  EXPECT_EQ(expr("a == b"), "(= a b)");
  EXPECT_EQ(expr("!a"), "(not a)");
  EXPECT_EQ(expr("a <=> b"), "(<=> a b)");
}

TEST(Expression, Predicates) {
  EXPECT_EQ(expr("a BETWEEN 1 AND 2 AND b"), "(and (between a 1 2) b)");
  EXPECT_EQ(expr("a NOT BETWEEN 1 AND 2"), "(not (between a 1 2))");
  EXPECT_EQ(expr("a IN (1, 2)"), "(in a 1 2)");
  EXPECT_EQ(expr("a NOT IN ('x')"), "(not (in a x:STRING))");
  EXPECT_EQ(expr("a LIKE 'x%' ESCAPE '!'"), "(like a x%:STRING !:STRING)");
  EXPECT_EQ(expr("a NOT LIKE b"), "(not (like a b))");
  EXPECT_EQ(expr("a ILIKE 'x' OR a RLIKE 'y' OR a REGEXP 'z'"),
            "(or (or (ilike a x:STRING) (rlike a y:STRING)) (rlike a z:STRING))");
  EXPECT_EQ(expr("a LIKE ANY ('x', 'y')"), "(or (like a x:STRING) (like a y:STRING))");
  EXPECT_EQ(expr("a NOT LIKE ALL ('x', 'y')"),
            "(and (not (like a x:STRING)) (not (like a y:STRING)))");
  EXPECT_EQ(expr("a IS NOT NULL"), "(isnotnull a)");
  EXPECT_EQ(expr("a IS TRUE"), "(is_true a)");
  EXPECT_EQ(expr("a IS NOT FALSE"), "(not (is_false a))");
  EXPECT_EQ(expr("a IS DISTINCT FROM b"), "(is_distinct_from a b)");
  EXPECT_EQ(expr("a IS NOT DISTINCT FROM b"), "(<=> a b)");
  EXPECT_EQ(expr("a IN (SELECT b FROM t)"), "(in_query a){project ( b) {t}}");
  EXPECT_EQ(expr("(a, b) IN (SELECT 1, 2)"), "(in_query a b){project ( 1 2) {one_row}}");
  EXPECT_EQ(expr("NOT EXISTS (SELECT 1 FROM t)"), "(not (exists {project ( 1) {t}}))");
  EXPECT_EQ(code("a LIKE 'x' ESCAPE 'ab'"), "INVALID_ESC");
}

TEST(Expression, NumbersHaveSparksTypes) {
  EXPECT_EQ(expr("1"), "1");
  EXPECT_EQ(expr("2147483648"), "2147483648:BIGINT");
  EXPECT_EQ(expr("-2147483648"), "-2147483648");
  EXPECT_EQ(expr("9223372036854775808"), "9223372036854775808:DECIMAL(19,0)");
  EXPECT_EQ(expr("-9223372036854775808L"), "-9223372036854775808:BIGINT");
  EXPECT_EQ(expr("1L"), "1:BIGINT");
  EXPECT_EQ(expr("1S"), "1:SMALLINT");
  EXPECT_EQ(expr("-128Y"), "-128:TINYINT");
  EXPECT_EQ(expr("1.5"), "1.5:DECIMAL(2,1)");
  EXPECT_EQ(expr("0.05"), "0.05:DECIMAL(2,2)");
  EXPECT_EQ(expr("1.50"), "1.50:DECIMAL(3,2)");
  EXPECT_EQ(expr(".5"), "0.5:DECIMAL(1,1)");
  EXPECT_EQ(expr("1."), "1:DECIMAL(1,0)");
  EXPECT_EQ(expr("1e3"), "1000:DOUBLE");
  EXPECT_EQ(expr("1.5E-2"), "0.015:DOUBLE");
  EXPECT_EQ(expr("1.5D"), "1.5:DOUBLE");
  EXPECT_EQ(expr("1.5f"), "1.5:FLOAT");
  EXPECT_EQ(expr("1.5BD"), "1.5:DECIMAL(2,1)");
  EXPECT_EQ(expr("1.5E2BD"), "150:DECIMAL(3,0)");
  EXPECT_EQ(code("128Y"), "INVALID_TYPED_LITERAL");
  EXPECT_EQ(code("1.5L"), "INVALID_TYPED_LITERAL");
  EXPECT_EQ(code("123456789012345678901234567890123456789"), "INVALID_TYPED_LITERAL");
  EXPECT_EQ(expr("1a + a1"), "(+ 1a a1)") << "letters behind digits make a name";
}

TEST(Expression, Strings) {
  EXPECT_EQ(expr("'it''s'"), "it's:STRING");
  EXPECT_EQ(expr("\"a 'b'\""), "a 'b':STRING");
  EXPECT_EQ(expr("'a' 'b' \"c\""), "abc:STRING");
  EXPECT_EQ(expr("'a\\nb\\t\\'\\\\'"), "a\nb\t'\\:STRING");
  EXPECT_EQ(expr("'\\u00e9\\U0001F600\\101'"),
            "\xC3\xA9\xF0\x9F\x98\x80"
            "A:STRING");
  EXPECT_EQ(expr("'10\\%'"), "10\\%:STRING") << "LIKE needs the backslash";
  EXPECT_EQ(expr("r'\\d+\\n'"), "\\d+\\n:STRING");
  EXPECT_EQ(expr("X'4142' || x'1'"), "(concat AB:BINARY \x01:BINARY)");
  EXPECT_EQ(code("X'GG'"), "INVALID_TYPED_LITERAL");
}

TEST(Expression, DatesAndTimestamps) {
  EXPECT_EQ(expr("DATE '2024-1-5'"), "2024-01-05:DATE");
  EXPECT_EQ(expr("date'2024'"), "2024-01-01:DATE");
  EXPECT_EQ(expr("TIMESTAMP '2024-01-05T10:11:12.120'"), "2024-01-05 10:11:12.12:TIMESTAMP");
  EXPECT_EQ(expr("TIMESTAMP '2024-01-05 10:11:12+02:00'"), "2024-01-05 10:11:12 +02:00:TIMESTAMP");
  EXPECT_EQ(expr("TIMESTAMP_NTZ '2024-01-05'"), "2024-01-05 00:00:00:TIMESTAMP_NTZ");
  EXPECT_EQ(code("DATE '2024-02-30'"), "INVALID_TYPED_LITERAL");
  EXPECT_EQ(code("TIMESTAMP '2024-01-05 25:00:00'"), "INVALID_TYPED_LITERAL");
  EXPECT_EQ(expr("date + timestamp"), "(+ date timestamp)") << "the words are also names";
}

TEST(Expression, Intervals) {
  const std::string day = " INTERVAL DAY TO SECOND";
  const std::string month = " INTERVAL YEAR TO MONTH";
  EXPECT_EQ(expr("INTERVAL 3 DAYS"), "interval 259200000000" + day);
  EXPECT_EQ(expr("INTERVAL '3' DAY"), "interval 259200000000" + day);
  EXPECT_EQ(expr("INTERVAL '2 hours -30 minutes'"), "interval 5400000000" + day);
  EXPECT_EQ(expr("INTERVAL '1-2' YEAR TO MONTH"), "interval 14" + month);
  EXPECT_EQ(expr("INTERVAL -'1' YEAR"), "interval -12" + month);
  EXPECT_EQ(expr("INTERVAL '1 02:03:04.5' DAY TO SECOND"), "interval 93784500000" + day);
  EXPECT_EQ(expr("INTERVAL '-02:30' HOUR TO MINUTE"), "interval -9000000000" + day);
  EXPECT_EQ(expr("INTERVAL 1 YEAR 2 MONTHS"), "interval 14" + month);
  EXPECT_EQ(expr("INTERVAL 1 WEEK + x"), "(+ interval 604800000000" + day + " x)");
  EXPECT_EQ(expr("INTERVAL 1.5 SECONDS"), "interval 1500000" + day);
  EXPECT_EQ(code("INTERVAL '1 month 2 days'"),
            "UNSUPPORTED_FEATURE.AN_INTERVAL_OF_MONTHS_AND_DAYS_TOGETHER");
  EXPECT_EQ(code("INTERVAL '1x' DAY"), "INVALID_INTERVAL_FORMAT");
  EXPECT_EQ(expr("interval > 1"), "(> interval 1)");
}

TEST(Expression, CastsAndPaths) {
  EXPECT_EQ(expr("CAST(a AS DECIMAL(10, 2))"), "(cast a DECIMAL(10,2))");
  EXPECT_EQ(expr("try_cast(a AS ARRAY<MAP<STRING, INT>>)"), "(try_cast a ARRAY<MAP<STRING, INT>>)");
  EXPECT_EQ(expr("a::INT::STRING"), "(cast (cast a INT) STRING)");
  EXPECT_EQ(expr("j:id::string"), "(cast (json j id) STRING)");
  EXPECT_EQ(expr("j:a.b[0]['x y'].c"), "(json j a.b[0]['x y'].c)");
  EXPECT_EQ(expr("t.col:fields['Sys.State']"), "(json t.col fields['Sys.State'])");
  EXPECT_EQ(expr("a[0].b"), "(field (index a 0) b)");
  EXPECT_EQ(expr("f(x).b.c[1]"), "(index (field (field (f x) b) c) 1)");
  EXPECT_EQ(expr("m['k']"), "(index m k:STRING)");
  EXPECT_EQ(expr("CAST(a AS STRUCT<x: INT, y STRING NOT NULL>)"),
            "(cast a STRUCT<x: INT, y: STRING NOT NULL>)");
}

TEST(Expression, Calls) {
  EXPECT_EQ(expr("count(*)"), "(count *)");
  EXPECT_EQ(expr("COUNT(DISTINCT a, b)"), "(count distinct a b)");
  EXPECT_EQ(expr("sum(ALL a)"), "(sum a)");
  EXPECT_EQ(expr("f(a, x => 1)"), "(f a x=>1)");
  EXPECT_EQ(expr("transform(a, x -> x + 1)"), "(transform a (\\x (+ x 1)))");
  EXPECT_EQ(expr("aggregate(a, 0, (s, x) -> s + x, s -> s)"),
            "(aggregate a 0 (\\s,x (+ s x)) (\\s s))");
  EXPECT_EQ(expr("struct(a, b AS c, d e)"), "(struct a b@c d@e)");
  EXPECT_EQ(expr("(a, b)"), "(struct a b)");
  EXPECT_EQ(expr("(a)"), "a");
  EXPECT_EQ(expr("sum(a) FILTER (WHERE b > 1)"), "(sum a filter (> b 1))");
  EXPECT_EQ(expr("first(a) IGNORE NULLS"), "(first a ignore_nulls)");
  EXPECT_EQ(expr("first(a IGNORE NULLS)"), "(first a ignore_nulls)");
  EXPECT_EQ(expr("left(a, 2)"), "(left a 2)");
  EXPECT_EQ(expr("if(a, b, c)"), "(if a b c)");
  EXPECT_EQ(expr("main.default.f(1)"), "(main.default.f 1)");
  EXPECT_EQ(code("listagg(a) WITHIN GROUP (ORDER BY a)"), "UNSUPPORTED_FEATURE.WITHIN_GROUP");
}

TEST(Expression, FormsWithAGrammarOfTheirOwn) {
  EXPECT_EQ(expr("EXTRACT(YEAR FROM d)"), "(date_part YEAR:STRING d)");
  EXPECT_EQ(expr("TRIM(a)"), "(trim a)");
  EXPECT_EQ(expr("TRIM(BOTH 'x' FROM a)"), "(btrim a x:STRING)");
  EXPECT_EQ(expr("TRIM('x' FROM a)"), "(btrim a x:STRING)");
  EXPECT_EQ(expr("TRIM(LEADING 'x' FROM a)"), "(ltrim x:STRING a)");
  EXPECT_EQ(expr("TRIM(TRAILING FROM a)"), "(rtrim a)");
  EXPECT_EQ(expr("SUBSTRING(a FROM 2 FOR 3)"), "(substring a 2 3)");
  EXPECT_EQ(expr("substr(a, 2)"), "(substr a 2)");
  EXPECT_EQ(expr("POSITION('x' IN a)"), "(position x:STRING a)");
  EXPECT_EQ(expr("position('x', a)"), "(position x:STRING a)");
  EXPECT_EQ(expr("OVERLAY(a PLACING 'x' FROM 2 FOR 1)"), "(overlay a x:STRING 2 1)");
  EXPECT_EQ(expr("timestampdiff(MONTH, a, b)"), "(timestampdiff MONTH:STRING a b)");
  EXPECT_EQ(expr("dateadd(day, 1, a)"), "(timestampadd DAY:STRING 1 a)");
  EXPECT_EQ(expr("datediff(a, b)"), "(datediff a b)");
  EXPECT_EQ(expr("date_add(a, f(1, 2))"), "(date_add a (f 1 2))");
  EXPECT_EQ(expr("CURRENT_DATE"), "(current_date)");
  EXPECT_EQ(expr("current_timestamp()"), "(current_timestamp)");
  EXPECT_EQ(expr("IDENTIFIER('t.a' || 'b')"), "t.ab");
}

TEST(Expression, Case) {
  EXPECT_EQ(expr("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END"), "(case a 1 b 2 3)");
  EXPECT_EQ(expr("case a when 1 then 'x' end"), "(case_of a 1 x:STRING)");
  EXPECT_EQ(expr("CASE WHEN start < end THEN end END"), "(case (< start end) end)");
}

TEST(Expression, Windows) {
  EXPECT_EQ(expr("sum(a) OVER w"), "(over (sum a) [w])");
  EXPECT_EQ(expr("row_number() OVER (PARTITION BY a, b ORDER BY c DESC)"),
            "(over (row_number) [ by a by b c/desc/last])");
  EXPECT_EQ(expr("sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"),
            "(over (sum a) [ b/asc rows -1..0])");
  EXPECT_EQ(expr("sum(a) OVER (w RANGE UNBOUNDED PRECEDING)"), "(over (sum a) [w range -inf..0])");
  EXPECT_EQ(expr("lag(a) IGNORE NULLS OVER (ORDER BY b NULLS LAST)"),
            "(over (lag a ignore_nulls) [ b/asc/last])");
  EXPECT_EQ(expr("sum(a) OVER (ORDER BY b RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND "
                 "UNBOUNDED FOLLOWING)"),
            "(over (sum a) [ b/asc range -interval 86400000000 INTERVAL DAY TO SECOND..+inf])");
}

TEST(Expression, AlmostNoWordIsReserved) {
  for (const char* word :
       {"timestamp", "date",     "offset",    "key",       "value",   "source", "keys",
        "columns",   "sequence", "partition", "operation", "stream",  "order",  "group",
        "end",       "start",    "user",      "table",     "window",  "limit",  "filter",
        "interval",  "position", "flow",      "track",     "history", "live",   "to",
        "update",    "once",     "by",        "asc",       "row",     "rows",   "values",
        "if",        "replace",  "view"}) {
    EXPECT_EQ(expr(word), word);
    EXPECT_EQ(expr(std::string(word) + " = 1"), std::string("(= ") + word + " 1)");
    EXPECT_EQ(expr(std::string("t.") + word), std::string("t.") + word);
  }
}

TEST(Expression, NamesMayHoldAnything) {
  EXPECT_EQ(expr("`a b`.`c``d`"), "a b.c`d");
  EXPECT_EQ(expr("größe + été"), "(+ größe été)");
  EXPECT_EQ(expr("_a1"), "_a1");
}

TEST(Expression, ErrorsSayWhatWasExpected) {
  EXPECT_EQ(expr("a +"),
            "! PARSE_SYNTAX_ERROR: expected an expression, found the end of the statement");
  EXPECT_EQ(expr("(a"), "! PARSE_SYNTAX_ERROR: expected ) or ,, found the end of the statement");
  EXPECT_EQ(expr("a b"), "! PARSE_SYNTAX_ERROR: expected the end, found 'b'");
  EXPECT_EQ(expr("'abc"),
            "! PARSE_SYNTAX_ERROR: found a string that begins with ' is never closed");
  EXPECT_EQ(code("CAST(a AS INTT)"), "UNSUPPORTED_DATATYPE");
  const auto type = parse_expression("CAST(a AS INTEGR)", "f");
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(type.error().hint, "did you mean INTEGER?");
  EXPECT_EQ(type.error().span.column, 11U);
  EXPECT_EQ(type.error().span.length, 6U);
}

TEST(Expression, SpansCoverTheWholeNode) {
  const auto parsed = parse_expression("a +\n  lower( b ) * 2", "x.sql");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ((*parsed)->span.text(), "x.sql:1:1");
  const auto& product = (*parsed)->children[1];
  EXPECT_EQ(product->span.text(), "x.sql:2:3");
  EXPECT_EQ(product->span.length, 14U);
  EXPECT_EQ(product->children[0]->span.length, 10U);
}

}  // namespace
}  // namespace lakebed::sql
