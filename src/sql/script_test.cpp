#include <gtest/gtest.h>

#include "sql/parse.h"
#include "sql/show.h"

namespace lakebed::sql {
namespace {

using plan::CreateDataset;
using plan::CreateFlow;
using plan::FeedSpec;

Result<std::vector<plan::Statement>> script(const std::string& text,
                                            const Parameters& parameters = {}) {
  return parse_script({"p.sql", text}, parameters);
}

Error error(const std::string& text, const Parameters& parameters = {}) {
  auto parsed = script(text, parameters);
  EXPECT_FALSE(parsed.ok()) << text;
  return parsed.ok() ? Error{} : parsed.error();
}

template <typename Node>
Node only(const std::string& text) {
  auto parsed = script(text);
  EXPECT_TRUE(parsed.ok()) << parsed.error().text() << " in " << text;
  if (!parsed.ok() || parsed->size() != 1 || !std::holds_alternative<Node>((*parsed)[0])) {
    ADD_FAILURE() << "not one such statement: " << text;
    return Node{};
  }
  return std::get<Node>((*parsed)[0]);
}

FeedSpec feed(const std::string& clauses) {
  const CreateFlow flow =
      only<CreateFlow>("CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) " + clauses);
  return std::get<FeedSpec>(flow.body.spec);
}

TEST(Flow, ClausesInAnyOrder) {
  const FeedSpec spec = feed(
      "TRACK HISTORY ON * EXCEPT (a) STORED AS\nSCD TYPE 2 COLUMNS * EXCEPT(b) "
      "SEQUENCE BY (x, y) IGNORE NULL UPDATES ON (c, d) APPLY AS DELETE WHEN op = \"D\" "
      "APPLY AS TRUNCATE WHEN op = 'T' KEYS (id, `odd name`) SYSTEM SEQUENCE BY z");
  EXPECT_EQ(spec.keys.names[1][0], "odd name");
  EXPECT_EQ(testing::show(spec.sequence_by), "(struct x y)");
  EXPECT_EQ(testing::show(spec.delete_when), "(= op D:STRING)");
  EXPECT_EQ(testing::show(spec.truncate_when), "(= op T:STRING)");
  EXPECT_EQ(testing::show(spec.system_sequence_by), "z");
  EXPECT_TRUE(spec.columns->all_except);
  EXPECT_TRUE(spec.track_history->all_except);
  EXPECT_EQ(spec.ignore_null_updates->names.size(), 2U);
  EXPECT_FALSE(spec.ignore_null_updates->all_except);
  EXPECT_EQ(spec.stored_as, plan::StoredAs::kScd2);
  EXPECT_EQ(spec.clauses.at("STORED AS").text(), "p.sql:1:79");
  EXPECT_EQ(spec.clauses.at("KEYS").length, 4U);
}

TEST(Flow, ColumnsToUpdateIsAClauseAndToUpdateAreColumns) {
  const FeedSpec clause = feed("KEYS (id) SEQUENCE BY s COLUMNS TO UPDATE c");
  EXPECT_EQ(clause.columns_to_update->name, "c");
  const FeedSpec list = feed("KEYS (id) SEQUENCE BY s COLUMNS to, update");
  ASSERT_TRUE(list.columns.has_value());
  EXPECT_EQ(list.columns->names.size(), 2U);
  const FeedSpec brackets = feed("KEYS (id) SEQUENCE BY s COLUMNS (to, update)");
  EXPECT_EQ(brackets.columns->names.size(), 2U);
}

TEST(Flow, SequenceInBracketsIsTheColumn) {
  EXPECT_EQ(testing::show(feed("KEYS (id) SEQUENCE BY (a)").sequence_by), "a");
  EXPECT_EQ(testing::show(feed("KEYS (id) SEQUENCE BY `__$seqval`").sequence_by), "__$seqval");
  EXPECT_EQ(testing::show(feed("KEYS (id) SEQUENCE BY STRUCT(a, b)").sequence_by), "(struct a b)");
}

TEST(Flow, WhatValidationJudgesPasses) {
  EXPECT_TRUE(feed("KEYS () SEQUENCE BY s").keys.names.empty());
  EXPECT_EQ(feed("KEYS (s.id) SEQUENCE BY s").keys.names[0].size(), 2U);
  EXPECT_TRUE(
      feed("KEYS (a) SEQUENCE BY s IGNORE NULL UPDATES ON ()").ignore_null_updates->names.empty());
  EXPECT_EQ(only<CreateFlow>("CREATE FLOW a.b AS AUTO CDC INTO t FROM s KEYS (k) SEQUENCE BY q")
                .name.parts.size(),
            2U);
}

TEST(Flow, RepeatsAndGapsAreNamed) {
  const std::string flow = "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s)\nKEYS (id)\n";
  const Error twice = error(flow + "SEQUENCE BY a\nSEQUENCE BY b");
  EXPECT_EQ(twice.code, "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(twice.message, "SEQUENCE BY stands twice in this flow");
  EXPECT_EQ(twice.span.text(), "p.sql:4:1");
  EXPECT_EQ(twice.span.length, 11U);
  EXPECT_EQ(error(flow + "COLUMNS (a)").code, "MISSING_CLAUSES_FOR_OPERATION");
  const Error keys = error("CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) SEQUENCE BY a");
  EXPECT_NE(keys.message.find("KEYS"), std::string::npos);
  EXPECT_EQ(error(flow + "SEQUENC BY a").hint, "did you mean SEQUENCE BY?");
  EXPECT_EQ(error(flow + "SEQUENCE BY a STORED AS SCD TYPE 3").message,
            "expected 1 or 2 as the SCD type, found '3'");
  EXPECT_EQ(error("CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (id + 1) SEQUENCE BY a").message,
            "an expression stands where the name of a column must stand");
  EXPECT_NE(error("AUTO CDC INTO t FROM s KEYS (k) SEQUENCE BY q").hint.find("CREATE FLOW"),
            std::string::npos);
}

TEST(Flow, OnceInBothPlaces) {
  for (const char* words : {"INSERT ONCE INTO t", "INSERT INTO ONCE t"}) {
    const auto flow =
        only<CreateFlow>(std::string("CREATE FLOW f AS ") + words + " BY NAME SELECT 1 AS a");
    EXPECT_TRUE(flow.body.once);
    EXPECT_EQ(flow.target.text(), "t");
    EXPECT_TRUE(std::holds_alternative<plan::InsertSpec>(flow.body.spec));
  }
  EXPECT_FALSE(only<CreateFlow>("CREATE FLOW f AS INSERT INTO once BY NAME SELECT 1").body.once);
  const auto cdc =
      only<CreateFlow>("CREATE FLOW f AS AUTO CDC ONCE INTO t FROM s KEYS (k) SEQUENCE BY q");
  EXPECT_EQ(std::get<FeedSpec>(cdc.body.spec).clauses.count("ONCE"), 1U);
}

TEST(Flow, Snapshots) {
  const auto flow = only<CreateFlow>(
      "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT * FROM v) "
      "WITH VERSION (SELECT max(x) AS v FROM w) KEYS (id) STORED AS SCD TYPE 2 "
      "TRACK HISTORY ON a, b");
  const auto& spec = std::get<plan::SnapshotSpec>(flow.body.spec);
  EXPECT_EQ(testing::show(spec.version), "{project ( (max x)@v) {w}}");
  EXPECT_EQ(spec.track_history->names.size(), 2U);
  EXPECT_NE(error("CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT v KEYS (k) SEQUENCE BY q")
                .message.find("SEQUENCE BY cannot stand"),
            std::string::npos);
  const auto table =
      only<CreateFlow>("CREATE FLOW f AS AUTO CDC INTO t FROM snapshot KEYS (k) SEQUENCE BY q");
  EXPECT_TRUE(std::holds_alternative<FeedSpec>(table.body.spec)) << "a table called snapshot";
}

TEST(Flow, SourceMayBeAQuery) {
  const auto flow = only<CreateFlow>(
      "CREATE FLOW f AS AUTO CDC INTO t FROM (WITH x AS (SELECT * FROM STREAM(s)) "
      "SELECT * FROM x JOIN r USING (k)) KEYS (k) SEQUENCE BY q");
  EXPECT_EQ(testing::show(std::get<FeedSpec>(flow.body.spec).source),
            "{with x {project ( *) {inner using k {x} {r}}} {project ( *) {stream s}}}");
}

TEST(Flow, ApplyChangesNamesItselfAfterItsTarget) {
  const auto flow = only<CreateFlow>(
      "apply changes into live.gold.users from stream(LIVE.feed) keys(id) sequence by s "
      "columns * except(op)");
  EXPECT_TRUE(flow.implicit_name);
  EXPECT_EQ(flow.name.text(), "users");
  EXPECT_EQ(flow.target.text(), "gold.users");
}

TEST(Dataset, ThreeGenerations) {
  using plan::DatasetKind;
  const auto kind = [](const std::string& words) {
    return only<CreateDataset>(words + " d AS SELECT 1 AS a").kind;
  };
  EXPECT_EQ(kind("CREATE OR REFRESH STREAMING TABLE"), DatasetKind::kStreamingTable);
  EXPECT_EQ(kind("CREATE INCREMENTAL LIVE TABLE"), DatasetKind::kStreamingTable);
  EXPECT_EQ(kind("CREATE OR REPLACE STREAMING LIVE TABLE"), DatasetKind::kStreamingTable);
  EXPECT_EQ(kind("CREATE TEMPORARY STREAMING LIVE TABLE"), DatasetKind::kStreamingTable);
  EXPECT_EQ(kind("CREATE LIVE TABLE"), DatasetKind::kMaterializedView);
  EXPECT_EQ(kind("CREATE OR REFRESH MATERIALIZED VIEW"), DatasetKind::kMaterializedView);
  EXPECT_EQ(kind("CREATE LIVE VIEW"), DatasetKind::kTemporaryView);
  EXPECT_EQ(kind("CREATE STREAMING LIVE VIEW"), DatasetKind::kTemporaryView);
  EXPECT_EQ(kind("CREATE TEMPORARY VIEW"), DatasetKind::kTemporaryView);
  EXPECT_EQ(kind("CREATE VIEW"), DatasetKind::kPersistedView);
  EXPECT_TRUE(only<CreateDataset>("CREATE PRIVATE STREAMING TABLE d").is_private);
  EXPECT_TRUE(only<CreateDataset>("CREATE STREAMING TABLE IF NOT EXISTS d").if_not_exists);
}

TEST(Dataset, SpecAndClauses) {
  const auto table = only<CreateDataset>(
      "CREATE OR REFRESH STREAMING TABLE cat.s.t (\n"
      "  id BIGINT NOT NULL COMMENT 'the key' PRIMARY KEY,\n"
      "  open BOOLEAN GENERATED ALWAYS AS (nvl2(__END_AT, false, true)),\n"
      "  n BIGINT GENERATED BY DEFAULT AS IDENTITY (START WITH 1),\n"
      "  v VARCHAR(10) DEFAULT 'x',\n"
      "  CONSTRAINT `valid id` EXPECT (id  IS NOT NULL) ON VIOLATION DROP ROW,\n"
      "  CONSTRAINT \"good\" EXPECT (n > 0),\n"
      "  CONSTRAINT two words EXPECT (n < 9) ON VIOLATION FAIL UPDATE,\n"
      "  CONSTRAINT fk FOREIGN KEY (n) REFERENCES o(id) NOT ENFORCED\n"
      ") TBLPROPERTIES ('quality' = \"silver\", delta.appendOnly = true, 'n' = 3)\n"
      "COMMENT 'c' CLUSTER BY (id, a.b) USING DELTA LOCATION '/x'");
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_FALSE(table.columns[0].field.nullable);
  EXPECT_TRUE(table.columns[0].primary_key);
  EXPECT_EQ(testing::show(table.columns[1].generated),
            "(nvl2 __END_AT false:BOOLEAN true:BOOLEAN)");
  EXPECT_TRUE(table.columns[2].identity);
  EXPECT_EQ(table.columns[3].field.metadata.at("__CHAR_VARCHAR_TYPE_STRING"), "varchar(10)");
  ASSERT_EQ(table.expectations.size(), 3U);
  EXPECT_EQ(table.expectations[0].condition_text, "id  IS NOT NULL");
  EXPECT_EQ(table.expectations[0].action, plan::ViolationAction::kDropRow);
  EXPECT_EQ(table.expectations[2].name.name, "two words");
  EXPECT_EQ(table.properties[1].key, "delta.appendOnly");
  EXPECT_EQ(table.properties[1].value, "true");
  EXPECT_EQ(table.cluster_by[1], "a.b");
  EXPECT_EQ(table.clauses.count("FOREIGN KEY"), 1U);
}

TEST(Dataset, FlowInside) {
  const auto table = only<CreateDataset>(
      "CREATE STREAMING TABLE t COMMENT 'c' FLOW AUTO CDC ONCE FROM STREAM s KEYS (k) "
      "SEQUENCE BY q");
  ASSERT_TRUE(table.flow.has_value());
  EXPECT_TRUE(table.flow->once);
  EXPECT_EQ(only<CreateDataset>("CREATE TABLE t FLOW AUTO CDC FROM s KEYS (k) SEQUENCE BY q").kind,
            plan::DatasetKind::kManagedTable);
  EXPECT_EQ(std::get<plan::InsertSpec>(
                only<CreateDataset>("CREATE STREAMING TABLE t FLOW REPLACE USING (a) SEQUENCE BY b "
                                    "BY NAME SELECT 1")
                    .flow->spec)
                .replace_kind,
            "USING");
}

TEST(Dataset, Errors) {
  EXPECT_EQ(error("CREATE STREAMING TABLE t COMMENT 'c' SELECT 1").hint,
            "AS is missing before the query");
  EXPECT_EQ(error("CREATE STREAMING TABEL t").hint, "did you mean TABLE?");
  EXPECT_EQ(error("CREATE MATERIALIZED VIEW v COMENT 'x' AS SELECT 1").hint,
            "did you mean COMMENT?");
  EXPECT_NE(error("CREATE VIEW v").message.find("AS and the query"), std::string::npos);
  EXPECT_NE(error("CREATE STREAMING TABLE t COMMENT 'a' COMMENT 'b'").message.find("twice"),
            std::string::npos);
  EXPECT_EQ(error("CREATE STREAMING TABLE t USING ICEBERG").code,
            "UNSUPPORTED_FEATURE.USING_ICEBERG");
  EXPECT_EQ(error("CREATE STREAMING TABLE t (a)").message,
            "expected a type for the column a, found ')'");
}

TEST(Command, OfTheSqlPrompt) {
  EXPECT_TRUE(only<plan::InsertStatement>("INSERT INTO t (a, b) VALUES (1, 2)").columns.size() ==
              2);
  EXPECT_TRUE(only<plan::InsertStatement>("INSERT INTO TABLE t BY NAME SELECT 1 a").by_name);
  EXPECT_TRUE(only<plan::InsertStatement>("INSERT OVERWRITE t (SELECT 1)").overwrite);
  EXPECT_TRUE(only<plan::CreateTable>("CREATE OR REPLACE TABLE t AS SELECT 1").or_replace);
  EXPECT_EQ(only<plan::CreateSchema>("CREATE DATABASE IF NOT EXISTS a.b").what, "SCHEMA");
  EXPECT_EQ(only<plan::CreateVolume>("CREATE VOLUME a.b.c").name.parts.size(), 3U);
  EXPECT_TRUE(only<plan::DropStatement>("DROP SCHEMA IF EXISTS a CASCADE").cascade);
  EXPECT_EQ(only<plan::ShowStatement>("SHOW TABLES IN a LIKE 'x*'").pattern, "x*");
  EXPECT_EQ(only<plan::ShowStatement>("SHOW CREATE TABLE t").what, "CREATE TABLE");
  EXPECT_TRUE(only<plan::DescribeStatement>("DESC EXTENDED t").extended);
  EXPECT_TRUE(only<plan::DescribeStatement>("DESCRIBE HISTORY t").history);
  EXPECT_EQ(only<plan::DescribeStatement>("DESCRIBE history").name.text(), "history");
  EXPECT_EQ(only<plan::UseStatement>("USE CATALOG c").what, "CATALOG");
  EXPECT_EQ(only<plan::UseStatement>("USE a.b").name.text(), "a.b");
  EXPECT_EQ(only<plan::SetStatement>("SET a.b = /x y/z ;").value, "/x y/z");
  EXPECT_FALSE(only<plan::SetStatement>("SET spark.source").value.has_value());
  for (const char* text :
       {"MERGE INTO t USING s ON a WHEN MATCHED THEN DELETE", "UPDATE t SET a = 1", "DELETE FROM t",
        "OPTIMIZE t", "VACUUM t", "ALTER TABLE t ADD COLUMN a INT", "TRUNCATE TABLE t",
        "REFRESH TABLE t FULL", "GRANT SELECT ON t TO x",
        "BEGIN FOR x AS SELECT 1 DO SELECT CASE WHEN a THEN 1 END; END FOR; "
        "IF a THEN SELECT 1; END IF; END"}) {
    const auto node = only<plan::UnsupportedStatement>(text);
    EXPECT_EQ(node.what, std::string(text).substr(0, node.what.size()));
  }
}

TEST(Script, ManyStatements) {
  const auto parsed = script("\xEF\xBB\xBF-- a; b\nSELECT ';' ; /* x /* ; */ y */ SELECT 2;;\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  EXPECT_EQ(parsed->size(), 2U);
  EXPECT_TRUE(script("").value().empty());
  EXPECT_EQ(error("SELECT 1\nCREATE VIEW v AS SELECT 1").hint, "is a ; missing before CREATE?");
  EXPECT_EQ(error("SELECT 1;\r\nSELEC 2").span.text(), "p.sql:2:1");
  EXPECT_EQ(error("SELECT 1;\nSELEC 2").hint, "did you mean SELECT?");
  EXPECT_NE(error("SELECT 1;\n<<<<<<< HEAD\nSELECT 2;").message.find("merge conflict"),
            std::string::npos);
}

TEST(Script, NotebookCellsEndStatements) {
  const auto parsed = script(
      "-- Databricks notebook source\n-- MAGIC %md\n-- MAGIC # a; title\n\n"
      "-- COMMAND ----------\n\nCREATE VIEW a AS SELECT 1\n\n-- COMMAND ----------\n\n"
      "-- DBTITLE 1,x\nCREATE VIEW b AS SELECT 1;\nCREATE VIEW c AS SELECT 1\n"
      "-- COMMAND ----------\n-- MAGIC %sql\n-- MAGIC SELECT 1 AS one\n-- MAGIC FROM t\n"
      "-- COMMAND ----------\n-- MAGIC %python\n-- MAGIC print('x')\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  ASSERT_EQ(parsed->size(), 4U);
  EXPECT_EQ(span_of((*parsed)[3]).text(), "p.sql:16:10");
}

TEST(Script, ParametersArePutInAndSpansStay) {
  const Parameters parameters = {
      {"cat", "shop"}, {"Item.schema", "a INT,\n b STRING"}, {"sf", "1"}};
  const auto parsed = script(
      "CREATE STREAMING TABLE `${cat}`.s.t_${sf} (${Item.schema}) COMMENT '${cat} -- ${sf}';\n"
      "-- ${unknown} in a comment\n"
      "SET my.path = /data/${cat};\nSELECT '${my.path}' AS p, nope AS q",
      parameters);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text();
  const auto& table = std::get<CreateDataset>((*parsed)[0]);
  EXPECT_EQ(table.name.text(), "shop.s.t_1");
  EXPECT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.comment, "shop -- 1");
  EXPECT_EQ(table.columns[1].span.text(), "p.sql:1:44");
  EXPECT_EQ(table.columns[1].span.length, 14U) << "the parameter, as the user wrote it";
  const auto& query = std::get<plan::QueryStatement>((*parsed)[2]).query;
  EXPECT_EQ(query->expressions[0]->children[0]->text, "/data/shop");
  EXPECT_EQ(query->expressions[1]->span.text(), "p.sql:4:27");
}

TEST(Script, UnknownParameters) {
  const Error unknown = error("SELECT 1;\nSELECT '${schma}'", {{"schema", "x"}});
  EXPECT_EQ(unknown.code, "UNKNOWN_PARAMETER");
  EXPECT_EQ(unknown.span.text(), "p.sql:2:9");
  EXPECT_EQ(unknown.span.length, 8U);
  EXPECT_EQ(unknown.hint, "did you mean ${schema}?");
  EXPECT_EQ(error("SELECT ${a}", {{"a", "${b}"}, {"b", "${a}"}}).code, "UNKNOWN_PARAMETER");
}

TEST(Script, TheQuerysTextIsTheUsers) {
  const auto parsed =
      script("CREATE VIEW v AS\n  SELECT  '${x}' -- why\n  AS a FROM t ;", {{"x", "1"}});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(std::get<CreateDataset>((*parsed)[0]).query_text,
            "SELECT  '${x}' -- why\n  AS a FROM t");
}

TEST(Schema, Ddl) {
  const auto schema =
      parse_schema("a INT, `b c` STRUCT<x: INT, y ARRAY<STRING>> NOT NULL COMMENT 'z'");
  ASSERT_TRUE(schema.ok()) << schema.error().text();
  ASSERT_EQ(schema->size(), 2U);
  EXPECT_EQ((*schema)[1].type.text(), "STRUCT<x: INT, y: ARRAY<STRING>>");
  EXPECT_FALSE((*schema)[1].nullable);
  EXPECT_EQ((*schema)[1].comment, "z");
  EXPECT_EQ(parse_schema("STRUCT<a: INT, b: MAP<STRING, ARRAY<INT>>>")->size(), 2U);
  EXPECT_EQ(parse_schema("struct INT, timestamp TIMESTAMP, date DATE")->size(), 3U);
  EXPECT_EQ(parse_type("decimal(38, 18)")->text(), "DECIMAL(38,18)");
  EXPECT_EQ(parse_type("DECIMAL(39)").error().code, "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(parse_type("VARIANT").error().code, "UNSUPPORTED_FEATURE.THE_TYPE_VARIANT");
  EXPECT_EQ(parse_name("Live.`a.b`.c")->text(), "`a.b`.c");
}

}  // namespace
}  // namespace lakebed::sql
