#!/usr/bin/env python3
"""Asks a real Spark for the output columns of the queries in spark_schemas.txt.

Reads the queries of the file beside it (and further ones from standard input, one a line) and
writes the file anew. Needs pyspark 4.3 and a JDK 17. Only run when queries are added; the tests
read the text file.
"""

import pathlib
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

FILE = pathlib.Path(__file__).with_name("spark_schemas.txt")
TABLES = {
    "t": "a INT, b BIGINT, s STRING, d DECIMAL(10,2), f DOUBLE, dt DATE, ts TIMESTAMP, "
    "ok BOOLEAN, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRUCT<z: STRING>>, "
    "items ARRAY<STRUCT<sku: STRING, qty: INT>>, js STRING",
    "u": "a INT, c STRING",
}


def answer(spark, query):
    try:
        fields = spark.sql(query).schema.fields
    except PySparkException as error:
        return [query, "!" + (error.getCondition() or type(error).__name__)]
    return [query] + [part for f in fields for part in (f.name, f.dataType.simpleString())]


def main():
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    for name, ddl in TABLES.items():
        spark.createDataFrame([], ddl).createOrReplaceTempView(name)
    lines = FILE.read_text().splitlines()
    head = [line for line in lines if line.startswith("#")]
    queries = [line.split("\t")[0] for line in lines if line and not line.startswith("#")]
    if not sys.stdin.isatty():
        queries += [line.strip() for line in sys.stdin if line.strip()]
    answers = ["\t".join(answer(spark, query)) for query in queries]
    FILE.write_text("\n".join(head + answers) + "\n")


if __name__ == "__main__":
    main()
