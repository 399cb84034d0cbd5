/* Tables and views in three generations. /* Comments nest. */ */
CREATE OR REFRESH PRIVATE STREAMING TABLE ${catalog}.silver.items (
  ${item.columns},
  open BOOLEAN GENERATED ALWAYS AS (nvl2(__END_AT, false, true)) COMMENT 'still valid',
  surrogate BIGINT GENERATED ALWAYS AS IDENTITY,
  __START_AT TIMESTAMP, __END_AT TIMESTAMP,
  CONSTRAINT valid_id EXPECT (id IS NOT NULL AND length(`odd name`) > 3) ON VIOLATION DROP ROW,
  CONSTRAINT "a good price" EXPECT (price BETWEEN 0 AND 1e6) ON VIOLATION FAIL UPDATE,
  CONSTRAINT seen EXPECT (true),
  CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED
)
TBLPROPERTIES ("quality" = "silver", pipelines.reset.allowed = false, 'n' = 3)
COMMENT "items of the shop"
CLUSTER BY (id, open)
AS SELECT * FROM STREAM read_files('${landing}/items', format => "json", header => true);

CREATE OR REFRESH MATERIALIZED VIEW totals (day COMMENT 'of the order', total)
PARTITIONED BY (day) SCHEDULE EVERY 1 HOUR
AS (SELECT day, sum(price) AS total FROM items GROUP BY ALL);

CREATE INCREMENTAL LIVE TABLE old_stream USING DELTA LOCATION "/x" AS SELECT * FROM stream(live.a);
CREATE OR REPLACE LIVE TABLE old_view AS SELECT * FROM Live.cat.sch.b;
CREATE STREAMING LIVE VIEW old_temp (CONSTRAINT c EXPECT (a > 0)) AS SELECT * FROM STREAM(LIVE.b);
CREATE TEMPORARY STREAMING TABLE scratch;
CREATE TEMPORARY VIEW v COMMENT 'x' AS WITH q AS (SELECT 1 AS one) SELECT * FROM q;
CREATE VIEW w AS VALUES (1, 'a'), (2, 'b');
CREATE TABLE plain (a INT NOT NULL DEFAULT 0, b VARCHAR(5)) COMMENT 'c';
CREATE TABLE managed FLOW INSERT BY NAME SELECT 1 AS a;
