#!/usr/bin/env python3
"""Runs the scenario scripts beside this file through the whole program (standard library only).

    run.py [--lakebed build/lakebed] [--jobs N] [--keep FOLDER] [--list] [TEXT ...]

TEXT picks the scenarios whose name holds it. A script (*.test) holds scenarios; each plays in a
fresh project of its own (catalog main, schema default, pipeline files below transformations/,
where an empty one lies; `${feeds}` is the folder feeds/, with an empty folder feed). A line that begins with `=== ` is a step, the lines up to the
next one are its body; `#` begins a comment line outside of bodies.

    === scenario NAME: what it shows       NAME begins with the rule's number, where there is one
    === cdc COLUMNS                        writes transformations/t.sql: a view `feed` of the files
    clauses                                below feeds/feed with those columns, a target `t`, and a
                                           flow `apply_feed` with the clauses of the body; again
                                           at each such step, so a flow can change between runs
    === target TEXT                        what the next cdc step writes after the target's name
    === file PATH / === feed [PATH]        writes the body; a feed without PATH is the next file
                                           below feeds/feed, with .gz it is compressed
    === setting KEY: VALUE                 adds a line to `configuration`
    === remove PATH
    === shell COMMAND                      which finds the program as $LAKEBED
    === clock SECONDS                      the program's clock is this much ahead from here on
    === run / dry-run / cli ARGUMENTS      runs the program; the body holds expectations
    === sql STATEMENT                      the body holds rows, one JSON object a line, compared as
                                           a bag; or `none` for no rows; or expectations
    === ordered sql STATEMENT              the same, rows in order
    === files PATTERN                      the body holds the number of files that match
    === mark / === untouched               no file of the warehouse differs from the mark
    === refuses CODE [RUN]                 transformations/t.sql with the clauses of the body (or
                                           with its text, where that has CREATE) is refused with
                                           CODE: exit 2 by dry-run, exit RUN (default 2) by run; no
                                           file of the warehouse changes, then t.sql is as before
    === refuses-batch CODE                 the body as next file of the feed is refused by run with
                                           exit 1, no file of the warehouse changes, then it is gone

Expectations: `exit N` (default 0), `error CODE` (standard error begins so), `says TEXT`,
`silent TEXT` (must not be said), `at FILE:LINE:COLUMN`.
"""
import argparse
import concurrent.futures
import decimal
import gzip
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SPEC = """name: scenario
storage: storage
catalog: main
database: default
libraries:
  - glob:
      include: transformations/**
configuration:
  feeds: "{root}/feeds"
"""
CDC = """CREATE TEMPORARY VIEW feed AS
SELECT * FROM STREAM read_files('${{feeds}}/feed', format => 'json', schema => '{schema}');
CREATE OR REFRESH STREAMING TABLE t{target};
CREATE FLOW apply_feed AS AUTO CDC INTO t
FROM STREAM(feed)
{clauses};
"""


class Wrong(Exception):
    """A scenario that does not hold."""


def canonical(value):
    """Values as they compare: numbers by value, objects by name, all else as it is."""
    if isinstance(value, dict):
        return ["{"] + sorted([name.lower(), canonical(item)] for name, item in value.items())
    if isinstance(value, list):
        return ["["] + [canonical(item) for item in value]
    if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
        number = decimal.Decimal(repr(value) if isinstance(value, float) else value)
        return "number " + str(number.normalize() + 0)
    return repr(value)


def read_rows(lines):
    try:
        return [json.loads(line, parse_float=decimal.Decimal) for line in lines if line.strip()]
    except ValueError as problem:
        raise Wrong(f"not JSON lines: {problem}\n" + "\n".join(lines[:5])) from problem


def shown(rows):
    return "\n".join("    " + json.dumps(row, default=str, ensure_ascii=False) for row in rows) \
        or "    (no rows)"


def fingerprint(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and "pending" not in path.parts:
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


class Project:
    """One scenario's project on disk, and the steps that may happen to it."""

    def __init__(self, lakebed, root):
        self.lakebed = lakebed
        self.root = pathlib.Path(root)
        self.feeds = 0
        self.target = ""
        self.schema = ""
        self.marked = {}
        self.environment = dict(os.environ)
        (self.root / "feeds" / "feed").mkdir(parents=True)
        self.write("transformations/empty.sql", "-- No pipeline file is a project error.\n")
        (self.root / "spark-pipeline.yml").write_text(SPEC.format(root=self.root))

    def step(self, head, body):
        for word in ("ordered sql", "dry-run", "refuses-batch", "refuses"):
            if head.startswith(word):
                return getattr(self, word.replace(" ", "_").replace("-", "_"))(
                    head[len(word):].strip(), body)
        word, _, rest = head.partition(" ")
        action = getattr(self, f"do_{word}", None)
        if action is None:
            raise Wrong(f"unknown step {word}")
        return action(rest.strip(), body)

    # ---- files ----

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        target.write_bytes(gzip.compress(data) if path.endswith(".gz") else data)

    def do_file(self, path, body):
        self.write(path, "\n".join(body) + "\n")

    def do_feed(self, path, body):
        self.feeds += 1
        self.write(path or f"feeds/feed/{self.feeds:04d}.json", "\n".join(body) + "\n")

    def do_target(self, text, body):
        self.target = " " + "\n".join([text, *body])

    def do_cdc(self, schema, body):
        self.schema = schema
        text = CDC.format(schema=schema.replace("'", "\\'"), target=self.target,
                          clauses="\n".join(line for line in body if line.strip()))
        self.write("transformations/t.sql", text)

    def refuses(self, text, body):
        code, _, exit_of_run = text.partition(" ")
        place = self.root / "transformations" / "t.sql"
        before = place.read_bytes() if place.exists() else None
        if any("CREATE " in line for line in body):
            self.write("transformations/t.sql", "\n".join(body) + "\n")
        else:
            self.do_cdc(self.schema, body)
        self.do_mark()
        self.expect(self.call("dry-run"), ["exit 2", "error " + code])
        self.expect(self.call("run"), ["exit " + (exit_of_run or "2"), "error " + code])
        self.do_untouched()
        if before is None:
            place.unlink()
        else:
            place.write_bytes(before)

    def refuses_batch(self, code, body):
        path = self.root / "feeds" / "feed" / f"{self.feeds + 1:04d}.json"
        path.write_text("\n".join(body) + "\n")
        self.do_mark()
        self.expect(self.call("run"), ["exit 1", "error " + code])
        self.do_untouched()
        path.unlink()

    def do_setting(self, text, _):
        key, _, value = text.partition(":")
        with open(self.root / "spark-pipeline.yml", "a", encoding="utf-8") as spec:
            spec.write(f"  {key.strip()}: {json.dumps(value.strip())}\n")

    def do_clock(self, seconds, _):
        self.environment["LAKEBED_TEST_CLOCK"] = seconds

    def do_remove(self, path, _):
        target = self.root / path
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    def do_shell(self, command, _):
        environment = {**self.environment, "LAKEBED": self.lakebed}
        subprocess.run(command, shell=True, check=True, cwd=self.root, env=environment)

    # ---- the program ----

    def call(self, *arguments):
        return subprocess.run([self.lakebed, *arguments], cwd=self.root, capture_output=True,
                              text=True, timeout=120, env=self.environment)

    def expect(self, result, body):
        wanted_exit = 0
        text = result.stdout + result.stderr
        for line in body:
            word, _, rest = line.strip().partition(" ")
            if word == "exit":
                wanted_exit = int(rest)
            elif word == "error" and not any(
                    part.startswith(rest + ":") for part in result.stderr.splitlines()):
                raise Wrong(f"must fail with {rest}, but said\n{text[-1500:]}")
            elif word == "says" and rest not in text:
                raise Wrong(f"must say {rest!r}, but said\n{text[-1500:]}")
            elif word == "silent" and rest in text:
                raise Wrong(f"must not say {rest!r}, but said\n{text[-1500:]}")
            elif word == "at" and f"--> {rest}" not in text:
                raise Wrong(f"must point at {rest}, but said\n{text[-1500:]}")
            elif word not in ("exit", "error", "says", "silent", "at", ""):
                raise Wrong(f"unknown expectation {line!r}")
        if result.returncode != wanted_exit:
            raise Wrong(f"exit {result.returncode}, want {wanted_exit}\n{text[-1500:]}")

    def do_run(self, arguments, body):
        self.expect(self.call("run", *shlex.split(arguments)), body)

    def dry_run(self, arguments, body):
        self.expect(self.call("dry-run", *shlex.split(arguments)), body)

    def do_cli(self, arguments, body):
        self.expect(self.call(*shlex.split(arguments)), body)

    def do_sql(self, statement, body, ordered=False):
        body = [line for line in body if line.strip()]
        result = self.call("sql", "--format", "json", "-c", statement)
        rows = [line for line in body if line.startswith("{")]
        self.expect(result, [line for line in body if line not in rows and line != "none"])
        if not rows and "none" not in body:
            return
        got, want = read_rows(result.stdout.splitlines()), read_rows(rows)
        order = (lambda items: items) if ordered else (lambda items: sorted(map(repr, items)))
        if order([canonical(row) for row in got]) != order([canonical(row) for row in want]):
            raise Wrong(f"sql {statement}\n  got\n{shown(got)}\n  want\n{shown(want)}")

    def ordered_sql(self, statement, body):
        self.do_sql(statement, body, ordered=True)

    # ---- what lies on disk ----

    def do_files(self, pattern, body):
        found = sorted(str(path.relative_to(self.root)) for path in self.root.glob(pattern))
        if len(found) != int(body[0]):
            raise Wrong(f"{len(found)} files match {pattern}, want {body[0]}\n" + "\n".join(found))

    def do_mark(self, *_):
        self.marked = fingerprint(self.root / "warehouse")

    def do_untouched(self, *_):
        now = fingerprint(self.root / "warehouse")
        differ = sorted(name for name in self.marked.keys() | now.keys()
                        if self.marked.get(name) != now.get(name))
        if differ:
            raise Wrong("changed since the mark: " + ", ".join(differ))


def read_script(path):
    """The scenarios of a script: (name, title, [(line number, head, body)])."""
    scenarios, body = [], None
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line.startswith("=== scenario "):
            name, _, title = line[len("=== scenario "):].partition(":")
            scenarios.append((name.strip(), title.strip(), []))
            body = None
        elif line.startswith("=== "):
            body = []
            scenarios[-1][2].append((f"{path.name}:{number}", line[4:].strip(), body))
        elif body is not None and not (line.startswith("# ") and not body):
            body.append(line)
    for _, _, steps in scenarios:
        for _, _, lines in steps:
            while lines and not lines[-1].strip():
                lines.pop()
    return scenarios


def play(lakebed, scenario, keep):
    """Plays one scenario; what is wrong with it, or ""."""
    name, _, steps = scenario
    root = tempfile.mkdtemp(prefix="scenario-")
    place = "start"
    try:
        project = Project(lakebed, pathlib.Path(root) / "project")
        for place, head, body in steps:
            project.step(head, body)
    except (Wrong, subprocess.SubprocessError, OSError, ValueError) as problem:
        return f"{name} ({place}): {problem}"
    finally:
        if keep:
            shutil.copytree(root, pathlib.Path(keep) / name, dirs_exist_ok=True)
        subprocess.run(["chmod", "-R", "u+w", root], check=False)
        shutil.rmtree(root, ignore_errors=True)
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lakebed", default=str(HERE.parents[1] / "build" / "lakebed"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("texts", nargs="*")
    options = parser.parse_args()
    scenarios = [scenario for path in sorted(HERE.glob("*.test")) for scenario in read_script(path)
                 if not options.texts or any(text in scenario[0] for text in options.texts)]
    names = [scenario[0] for scenario in scenarios]
    if len(names) != len(set(names)):
        sys.exit(f"two scenarios share a name: {sorted(n for n in names if names.count(n) > 1)}")
    if options.list:
        print("\n".join(f"{name}: {title}" for name, title, _ in scenarios))
        return
    lakebed = os.path.abspath(options.lakebed)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda one: play(lakebed, one, options.keep), scenarios))
    failed = [result for result in results if result]
    for result in failed:
        print(f"FAILED {result}\n")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed or not results else 0)


if __name__ == "__main__":
    main()
