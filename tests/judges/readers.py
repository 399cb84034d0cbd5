#!/usr/bin/env python3
"""Other programs read our tables after every batch, and must see the rows that we see.

    readers.py [--lakebed build/lakebed] [--projects N] [--seed N] [--only readme|quarantine|random|long]

Readers: DuckDB's delta extension, deltalake's scan() and QueryBuilder, Polars (not under column
mapping, which it refuses). Whole tables row for row, and filtered reads, whose answers depend on
the statistics that we write. Needs build/venv (tools/setup_python). Projects are random; the seed
of a failing one is printed and repeats it with --projects 1.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import deltalake
import duckdb
import polars
import pyarrow
from duckdb_extensions import import_extension

import table_project
from table_project import BIGINT, DATE, INT, PRICE, STRING, TIMESTAMP, Project, first_difference

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "faults"))

import faults  # noqa: E402


def open_duckdb(folder):
    connection = duckdb.connect()
    connection.execute(f"SET extension_directory='{folder}/extensions'")
    import_extension("delta", con=connection)
    connection.execute("LOAD delta")
    connection.execute("SET TimeZone='UTC'")
    connection.execute("SET enable_external_file_cache=false")
    return connection


class Readers:
    """What can read a table, by name: each takes a folder and a condition and yields rows."""

    def __init__(self, folder):
        self.connection = open_duckdb(folder)

    def duckdb(self, path, where="TRUE"):
        result = self.connection.execute(f"SELECT * FROM delta_scan('{path}') WHERE {where}")
        return result.to_arrow_table().to_pylist()

    def deltalake(self, path, where="TRUE"):
        builder = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(str(path)))
        return pyarrow.table(builder.execute(f"SELECT * FROM t WHERE {where}").read_all()) \
            .to_pylist()

    @staticmethod
    def scan(path):
        batches = deltalake.DeltaTable(str(path)).scan()
        return pyarrow.table(batches.read_all() if hasattr(batches, "read_all") else batches) \
            .to_pylist()

    @staticmethod
    def polars(path):
        return polars.scan_delta(str(path)).collect().to_arrow().to_pylist()


def conditions(project, rng):
    """Conditions that all dialects spell alike, apart from the quotes of names."""
    literals = {INT: lambda: str(rng.randint(0, 40)), BIGINT: lambda: str(rng.randint(-9, 9)),
                PRICE: lambda: f"{rng.randint(-999, 999)}.25",
                STRING: lambda: f"'{rng.choice(['a', 'm', 'x', 'Ä'])}'",
                DATE: lambda: f"DATE '{1900 + rng.randint(0, 240)}-06-15'",
                TIMESTAMP: lambda: f"TIMESTAMP '{1950 + rng.randint(0, 140)}-06-15 12:00:00'"}
    for name, kind in project.columns.items():
        yield name, "IS NULL"
        if kind in literals:
            yield name, f"{rng.choice(['<', '>=', '='])} {literals[kind]()}"


def compare(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {first_difference(got, want)}")


def check_table(project, readers, scd_type, filtered):
    path = project.table(scd_type)
    name = f"t{scd_type}"
    want = project.expected(scd_type)

    def canonical(rows):
        return project.canonical(rows, scd_type)
    compare(f"lakebed sql, {name}", canonical(project.sql(f"SELECT * FROM {name}")), want)
    compare(f"DuckDB, {name}", canonical(readers.duckdb(path)), want)
    compare(f"QueryBuilder, {name}", canonical(readers.deltalake(path)), want)
    compare(f"scan(), {name}", canonical(readers.scan(path)), want)
    if not project.odd_names:
        compare(f"Polars, {name}", canonical(readers.polars(path)), want)
    if not filtered:
        return
    for column, condition in conditions(project, project.rng):
        ours = canonical(project.sql(
            f"SELECT * FROM {name} WHERE {table_project.quoted(column)} {condition}"))
        for reader in ("duckdb", "deltalake"):
            rows = getattr(readers, reader)(path, f'"{column}" {condition}')
            compare(f"{reader}, {name} where {column} {condition}", canonical(rows), ours)


def random_project(seed, lakebed, folder, batches):
    # Every other one is partitioned under plain names, which all readers take.
    plain = {} if seed % 2 else {"odd_names": False, "partitioned": True}
    project = Project(seed, lakebed, pathlib.Path(folder) / "project", **plain)
    readers = Readers(folder)
    for batch in range(batches):
        project.add_batch()
        project.run()
        for scd_type in (1, 2):
            check_table(project, readers, scd_type, filtered=batch == batches - 1)


def long_project(seed, lakebed, folder):
    """Enough commits to cross a checkpoint."""
    project = Project(seed, lakebed, pathlib.Path(folder) / "project", odd_names=False,
                      partitioned=False)
    readers = Readers(folder)
    for batch in range(106):
        project.add_batch(size=4)
        project.run()
        if batch % 35 == 34 or batch == 105:
            for scd_type in (1, 2):
                check_table(project, readers, scd_type, filtered=False)
    if not list(project.table(1).glob("_delta_log/*.checkpoint.parquet")):
        raise AssertionError("no checkpoint after 106 batches")


def quarantine(lakebed, folder):
    """Rule E6: the quarantine is a table like any other, also once its small files were merged."""
    project = faults.Project(lakebed, pathlib.Path(folder) / "project", random.Random(1), 1)
    project.quarantine()
    for _ in range(45):
        project.add_bad_feed()
    project.run()
    project.check_quarantine()
    path = project.table.parent / "t__quarantine"
    readers = Readers(folder)
    for reader in ("duckdb", "deltalake", "polars"):
        rows = getattr(readers, reader)(path)
        if sorted(json.loads(row["event"])["v"] for row in rows) != sorted(project.bad):
            raise AssertionError(f"{reader}: {len(rows)} events, must be {len(project.bad)}")
        named = {"flow", "reason", "source", "position", "quarantined_at", "event"}
        if any(set(row) != named or None in row.values() for row in rows):
            raise AssertionError(f"{reader}: {rows[0]}")


def readme(lakebed, folder):
    """The README's first pipeline and its ways to read the tables, as they stand there."""
    text = (HERE.parents[1] / "README.md").read_text()
    start = re.search(r"^    build/lakebed init shop\n(?:    .*\n)+", text, re.M).group()
    script = re.sub(r"(\.\./)?build/lakebed", lambda _: lakebed, start)
    done = subprocess.run(["bash", "-e"], input=script, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0 or "Ockham" not in done.stdout:
        raise AssertionError(f"README's first pipeline: {done.stdout}{done.stderr}")
    python = next(block for block in re.findall(r"```python\n(.*?)```", text, re.S)
                  if "deltalake" in block)
    done = subprocess.run([sys.executable, "-c", python], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode != 0 or done.stdout.count("Grace") < 2:
        raise AssertionError(f"README's Python: {done.stdout}{done.stderr}")
    query = re.search(r"SELECT \* FROM (delta_scan\('.*?'\)[^;]*);", text).group()
    query = query.replace("'shop/", f"'{folder}/shop/")
    if len(open_duckdb(folder).execute(query).fetchall()) != 2:
        raise AssertionError("README's DuckDB query")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lakebed", default=str(HERE.parents[1] / "build" / "lakebed"))
    parser.add_argument("--projects", type=int, default=4)
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["readme", "quarantine", "random", "long"])
    options = parser.parse_args()
    lakebed = os.path.abspath(options.lakebed)
    tasks = [("readme", lambda folder: readme(lakebed, folder)),
             ("quarantine", lambda folder: quarantine(lakebed, folder))]
    for seed in range(options.seed, options.seed + options.projects):
        tasks.append((f"random, seed {seed}", lambda folder, seed=seed: random_project(
            seed, lakebed, folder, options.batches)))
    tasks.append((f"long, seed {options.seed}",
                  lambda folder: long_project(options.seed, lakebed, folder)))
    failed = passed = 0
    for name, task in tasks:
        if options.only and not name.startswith(options.only):
            continue
        with tempfile.TemporaryDirectory(prefix="readers-") as folder:
            try:
                task(folder)
                passed += 1
                print(f"ok {name}", flush=True)
            except Exception as problem:  # a reader's refusal is a finding like any other
                failed += 1
                print(f"FAILED {name}: {type(problem).__name__}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
