#!/usr/bin/env python3
"""Delta Lake on a real Spark reads our tables after every batch, and VACUUMs in between.

    spark.py [--lakebed build/lakebed] [--projects N] [--seed N] [--batches N]

The one reader here with another implementation of log and deletion vectors. Needs build/spark
(tools/setup_spark) and is run by its Python. Besides the rows it looks at the history (versions in
order, timestamps that rise) and lets Spark VACUUM with no retention after each batch: nothing that
we still need may go, and the next batch must find its memory.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

from table_project import Project, first_difference

HERE = pathlib.Path(__file__).resolve().parent


def open_spark(folder):
    jars = ",".join(str(jar) for jar in (HERE.parents[1] / "build" / "spark" / "jars").glob("*.jar"))
    settings = {
        "spark.jars": jars,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"{folder}/spark",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # VACUUM lists a handful of files; the default is ten thousand tasks.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def rows_of(frame):
    return [row.asDict(recursive=True) for row in frame.collect()]


def check_table(spark, project, scd_type):
    path = project.table(scd_type)
    want = project.expected(scd_type)
    got = project.canonical(rows_of(spark.sql(f"SELECT * FROM delta.`{path}`")), scd_type)
    if got != want:
        raise AssertionError(f"Spark, t{scd_type}: {first_difference(got, want)}")
    ours = project.canonical(project.sql(f"SELECT * FROM t{scd_type}"), scd_type)
    if ours != want:
        raise AssertionError(f"lakebed sql, t{scd_type}: {first_difference(ours, want)}")
    history = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").select("version", "timestamp").collect()
    times = [row.timestamp for row in sorted(history, key=lambda row: row.version)]
    if times != sorted(set(times)):
        raise AssertionError(f"timestamps of t{scd_type} do not rise: {times}")


def vacuum(spark, project, scd_type):
    spark.sql(f"VACUUM delta.`{project.table(scd_type)}` RETAIN 0 HOURS")


def judge(spark, seed, lakebed, folder, batches):
    project = Project(seed, lakebed, pathlib.Path(folder) / f"project{seed}")
    for batch in range(batches):
        project.add_batch()
        project.run()
        for scd_type in (1, 2):
            check_table(spark, project, scd_type)
            if batch % 2 == 1:
                vacuum(spark, project, scd_type)
    for scd_type in (1, 2):
        check_table(spark, project, scd_type)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lakebed", default=str(HERE.parents[1] / "build" / "lakebed"))
    parser.add_argument("--projects", type=int, default=3)
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--seed", type=int, default=101)
    options = parser.parse_args()
    lakebed = os.path.abspath(options.lakebed)
    failed = passed = 0
    with tempfile.TemporaryDirectory(prefix="spark-") as folder:
        spark = open_spark(folder)
        for seed in range(options.seed, options.seed + options.projects):
            try:
                judge(spark, seed, lakebed, folder, options.batches)
                passed += 1
                print(f"ok seed {seed}", flush=True)
            except Exception as problem:  # a refusal of Spark's is a finding like any other
                failed += 1
                print(f"FAILED seed {seed}: {type(problem).__name__}: {str(problem)[:3000]}",
                      flush=True)
        spark.stop()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
