#!/usr/bin/env python3
"""Writes the vector tables of tests/vectors: what a real Spark answers to each expression.

Inputs are tests/vectors/inputs/*.txt: one expression a line (a whole query where the line begins
with SELECT, FROM t after an expression reads inline VALUES); lines that begin with # are comments.
<<a ;; b>> in a line stands for each of its alternatives, so one line may be many vectors.

Outputs are tests/vectors/<name>.jsonl, one vector a line: {"sql", "type", "value"} or {"sql",
"error"}. The value is what to_json prints for the one row. Session: ANSI on; UTC, or the
zone that the end of the name says (_berlin, _york).

Needs pyspark 4.3.0 and a JDK 17 or later; run it as
    python3 tools/spark_vectors.py [name ...]
"""

import itertools
import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vectors"
ZONES = {"berlin": "Europe/Berlin", "york": "America/New_York"}
CHOICE = re.compile(r"<<(.*?)>>(?!>)")


def expanded(line):
    parts = CHOICE.split(line)
    choices = [[p] if i % 2 == 0 else re.split(r" ?;; ?", p) for i, p in enumerate(parts)]
    for combination in itertools.product(*choices):
        yield "".join(combination)


def read_inputs(path):
    seen = set()
    for line in path.read_text().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        for sql in expanded(line):
            if sql not in seen:
                seen.add(sql)
                yield sql


def query_of(sql):
    return sql if sql.upper().startswith(("SELECT ", "WITH ", "VALUES ")) else f"SELECT {sql}"


def answer(spark, sql):
    try:
        frame = spark.sql(query_of(sql))
        types = [field.dataType.simpleString() for field in frame.schema]
        names = [f"c{i}" for i in range(len(types))]
        rows = frame.toDF(*names).selectExpr(f"to_json(struct({', '.join(names)}), "
                                             "map('ignoreNullFields', 'false')) AS j").collect()
        return {"sql": sql, "type": ", ".join(types),
                "value": "[" + ",".join(row.j for row in rows) + "]"}
    except Exception as error:  # whatever Spark reports: only its condition matters
        condition = getattr(error, "getCondition", lambda: None)()
        if condition is None:
            found = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", str(error))
            condition = found.group(1) if found else "UNKNOWN"
        return {"sql": sql, "error": condition}


def main():
    from pyspark.sql import SparkSession

    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.sql.ansi.enabled", "true")
             .config("spark.sql.shuffle.partitions", "1")
             .config("spark.sql.warehouse.dir", tempfile.mkdtemp()).getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    wanted = set(sys.argv[1:])
    total = 0
    for path in sorted((ROOT / "inputs").glob("*.txt")):
        if wanted and path.stem not in wanted:
            continue
        # dates_berlin: the session's zone is that of the city.
        zone = ZONES.get(path.stem.rpartition("_")[2], "UTC")
        spark.conf.set("spark.sql.session.timeZone", zone)
        lines = [json.dumps(answer(spark, sql), ensure_ascii=False) for sql in read_inputs(path)]
        (ROOT / f"{path.stem}.jsonl").write_text("\n".join(lines) + "\n")
        print(f"{path.stem}: {len(lines)} vectors")
        total += len(lines)
    print(f"{total} vectors")


if __name__ == "__main__":
    main()
