-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Orders; and what they cost

-- COMMAND ----------

-- DBTITLE 1,Bronze
CREATE OR REFRESH STREAMING TABLE bronze
COMMENT "as it comes" -- no ; here
AS SELECT *, _metadata.file_path AS path FROM cloud_files("/in", "json", map("header", "true"))

-- COMMAND ----------

SET shop.path = /data/in;
CREATE LIVE VIEW first AS SELECT '${shop.path}' AS p;
CREATE LIVE VIEW second AS SELECT 2 AS b

-- COMMAND ----------

-- MAGIC %sql
-- MAGIC CREATE LIVE VIEW third
-- MAGIC AS SELECT 3 AS c

-- COMMAND ----------

-- MAGIC %python
-- MAGIC print("not SQL; not read")
