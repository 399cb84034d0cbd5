#!/usr/bin/env python3
"""What must hold when programs die, race, meet full disks or damaged files (standard library only).

    faults.py [--lakebed build/lakebed] [--seed N] [NAME ...]

Each case plays in a fresh project: a feed of JSON files into a SCD target `t`. What the table must
hold is computed here from the events, never by the program. The seed is printed; give it again to
repeat a run as far as the machine's timing allows.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SPEC = """name: faults
storage: storage
catalog: main
database: default
libraries:
  - glob:
      include: transformations/**
"""
SQL = """CREATE OR REFRESH STREAMING TABLE t{clauses};
CREATE FLOW f AS AUTO CDC INTO t
FROM STREAM read_files('{feed}', format => 'json', maxFilesPerTrigger => 1,
                       schema => 'id INT, v STRING, op STRING, seq INT')
KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq
COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE {scd};
"""


class Wrong(Exception):
    """A case that does not hold."""


def need(condition, text):
    if not condition:
        raise Wrong(text)


class Project:
    def __init__(self, lakebed, root, rng, scd=2):
        self.lakebed, self.root, self.rng, self.scd = lakebed, pathlib.Path(root), rng, scd
        self.feed = self.root / "feed"
        self.table = self.root / "warehouse" / "main" / "default" / "t"
        self.feed.mkdir(parents=True)
        (self.root / "transformations").mkdir()
        (self.root / "spark-pipeline.yml").write_text(SPEC)
        self.write_sql()
        self.events, self.files, self.bad = [], 0, []

    def write_sql(self, clauses=""):
        (self.root / "transformations" / "t.sql").write_text(
            SQL.format(feed=self.feed, scd=self.scd, clauses=clauses))

    def add_feed(self, files, rows=12, keys=40):
        """Files of events with sequences of their own; every seventh comes late."""
        first = len(self.events) + 1
        sequences = list(range(first, first + files * rows))
        for at in range(0, len(sequences), 7):
            other = self.rng.randrange(len(sequences))
            sequences[at], sequences[other] = sequences[other], sequences[at]
        for number in range(files):
            batch = [{"id": self.rng.randrange(keys), "v": self.rng.choice("xyz"),
                      "op": "D" if self.rng.random() < 0.1 else "U", "seq": sequence}
                     for sequence in sequences[number * rows:(number + 1) * rows]]
            self.write_feed(batch)
            self.events += batch

    def write_feed(self, batch):
        lines = "".join(json.dumps(event) + "\n" for event in batch)
        (self.feed / f"{self.files:05d}.json").write_text(lines)
        self.files += 1

    # ---- events that can't be placed (rule E6) ----

    def quarantine(self):
        (self.root / "spark-pipeline.yml").write_text(
            SPEC + "configuration:\n  lakebed.cdc.onInvalidEvent: quarantine\n")

    def add_bad_feed(self):
        """One file of good events and bad ones; `v` of a bad one is its own number."""
        self.add_feed(1, rows=3)
        path = self.feed / f"{self.files - 1:05d}.json"
        lines = path.read_text().splitlines()
        for _ in range(self.rng.randint(1, 3)):
            self.bad.append(f"bad {len(self.bad)}")
            event = {"id": 1, "v": self.bad[-1], "op": "U", "seq": 1}
            event[self.rng.choice(["id", "seq"])] = None
            lines.insert(self.rng.randint(0, len(lines)), json.dumps(event))
        fresh = self.root / "fresh.json"  # a feed's file appears whole
        fresh.write_text("".join(line + "\n" for line in lines))
        fresh.replace(path)

    def kill_behind_quarantine(self):
        """Starts a run and kills it when the quarantine has a commit that its target lacks; 1 where
        that came to be."""
        aside = self.table.parent / "t__quarantine" / "_delta_log"
        child = subprocess.Popen(self.command("run"), cwd=self.root, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while child.poll() is None:
            before = len(self.log())
            begun = len(list(aside.glob("0*.json")))
            while child.poll() is None and len(list(aside.glob("0*.json"))) == begun:
                pass
            if child.poll() is not None:
                break
            child.send_signal(signal.SIGSTOP)
            if begun > 0 and len(self.log()) == before:
                child.kill()
                child.wait()
                return 1
            child.send_signal(signal.SIGCONT)
        child.wait()
        return 0

    def check_quarantine(self):
        done = subprocess.run(
            self.command("sql", "--format", "json", "-c",
                         "SELECT flow, reason, source, position, event:v AS v, event:id IS NULL AS "
                         "no_key FROM t__quarantine"),
            cwd=self.root, capture_output=True, text=True, timeout=60)
        need(done.returncode == 0, done.stderr[-1500:])
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        got, want = sorted(row["v"] for row in rows), sorted(self.bad)
        need(got == want, f"set aside: {len(got)} events, want {len(want)}; "
                          f"{sorted(set(want) - set(got))[:5]} are lacking")
        for row in rows:
            reason = "NULL_KEY" if row["no_key"] else "NULL_SEQUENCE"
            need(row["flow"] == "f" and row["reason"] == reason, f"wrong fields: {row}")
            need(".json" in row["source"] and row["position"] >= 1, f"wrong place: {row}")

    def live_files(self, table):
        live = set()
        for path in sorted((self.table.parent / table / "_delta_log").glob("0*.json")):
            for action in map(json.loads, path.read_text().splitlines()):
                if "add" in action:
                    live.add(action["add"]["path"])
                if "remove" in action:
                    live.discard(action["remove"]["path"])
        return live

    def operations(self, table):
        return [action["commitInfo"]["operation"]
                for path in sorted((self.table.parent / table / "_delta_log").glob("0*.json"))
                for action in map(json.loads, path.read_text().splitlines())
                if "commitInfo" in action]

    def expected(self):
        rows = []
        for key in {event["id"] for event in self.events}:
            rows += self.expected_of(sorted((e for e in self.events if e["id"] == key),
                                            key=lambda event: event["seq"]))
        return sorted(rows)

    def expected_of(self, events):
        if self.scd == 1:
            last = events[-1]
            return [] if last["op"] == "D" else [json.dumps({"id": last["id"], "v": last["v"]})]
        rows, open_row = [], None
        for event in events + [None]:
            value = None if event is None or event["op"] == "D" else event["v"]
            if open_row and event is not None and value == open_row["v"]:
                continue
            if open_row:
                open_row["__END_AT"] = event["seq"] if event else None
                rows.append(json.dumps(open_row))
            open_row = {"id": event["id"], "v": value, "__START_AT": event["seq"]} \
                if value is not None else None
        return rows

    def command(self, *arguments):
        return [self.lakebed, *arguments]

    def run(self, wanted=0, code=""):
        done = subprocess.run(self.command("run"), cwd=self.root, capture_output=True, text=True,
                              timeout=60)
        text = done.stdout + done.stderr
        need(done.returncode == wanted, f"exit {done.returncode}, want {wanted}\n{text[-1500:]}")
        need(code in text, f"{code} is not named:\n{text[-1500:]}")
        need("upkeep" not in text, text[-1500:])
        return text

    def start(self):
        return subprocess.Popen(self.command("run"), cwd=self.root, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def rows(self):
        done = subprocess.run(self.command("sql", "--format", "json", "-c", "SELECT * FROM t"),
                              cwd=self.root, capture_output=True, text=True, timeout=60)
        need(done.returncode == 0, done.stderr[-1500:])
        return sorted(json.dumps(json.loads(line)) for line in done.stdout.splitlines())

    def check(self):
        got, want = self.rows(), self.expected()
        need(got == want, f"{len(got)} rows, want {len(want)}; differing: "
                          f"{sorted(set(got) ^ set(want))[:6]}")
        numbers = [int(path.stem) for path in self.log()]
        need(numbers == list(range(len(numbers))), f"the log has a gap: {numbers}")

    def log(self):
        return sorted((self.table / "_delta_log").glob("0*.json"))

    def actions(self):
        return [[json.loads(line) for line in path.read_text().splitlines()]
                for path in self.log()]

    def content(self):
        """Everything but marks of living programs, as path and bytes."""
        return {str(path.relative_to(self.table)): path.read_bytes()
                for path in sorted(self.table.rglob("*"))
                if path.is_file() and "pending" not in path.parts}


# ---- cases ----

def case_killed(project):
    """Killed at any moment, the next run goes on; no file of the dead stays."""
    for _ in range(12):
        project.add_feed(4)
        child = project.start()
        time.sleep(project.rng.random() * 0.15)
        child.kill()
        child.communicate()
        if project.log():
            project.rows()  # whatever was reached can be read
    project.run()
    project.run()
    project.check()
    pending = list((project.table / "_lakebed" / "pending").glob("*"))
    need(not pending, f"left behind: {pending}")
    named = {action["add"]["path"] for actions in project.actions() for action in actions
             if "add" in action}
    orphans = {path.name for path in project.table.glob("*.parquet")} - named
    need(not orphans, f"files of dead programs: {sorted(orphans)[:3]}")


def case_reset_killed(project):
    """Rule F2: dead between emptying and replay, the next run fills the table without the flag."""
    project.add_feed(10)
    project.run()
    for _ in range(3):
        begun = len(project.log())
        child = subprocess.Popen(project.command("run", "--full-refresh", "t"), cwd=project.root,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while child.poll() is None and len(project.log()) == begun:
            time.sleep(0.001)
        child.kill()
        child.wait()
        operations = [action["commitInfo"]["operation"] for actions in project.actions()[begun:]
                      for action in actions if "commitInfo" in action]
        need(operations[:1] == ["FULL REFRESH"], f"the table was not emptied: {operations}")
        need(len(operations) < 10, "the replay had ended")
        if len(operations) == 1:
            need(not project.rows(), "an emptied table must read as empty")
        project.run()
        project.check()


def case_two_at_once(project):
    """Two runs of one project: each event once, both end well."""
    for _ in range(8):
        project.add_feed(3)
        children = [project.start() for _ in range(2)]
        for child in children:
            text, _ = child.communicate(timeout=60)
            need(child.returncode == 0, f"exit {child.returncode}\n{text[-1500:]}")
        project.check()


def case_stopped(project):
    """A run that sleeps while another one finishes does no harm when it wakes."""
    project.add_feed(1)
    project.run()
    for _ in range(5):
        project.add_feed(6)
        child = project.start()
        time.sleep(0.02 + project.rng.random() * 0.12)
        child.send_signal(signal.SIGSTOP)
        try:
            project.run()
        finally:
            child.send_signal(signal.SIGCONT)
        text, _ = child.communicate(timeout=60)
        need(child.returncode == 0, f"exit {child.returncode}\n{text[-1500:]}")
        project.check()


def case_replayed(project):
    """Rule E5: the same events under new names add and remove no file."""
    project.add_feed(3)
    project.run()
    before = len(project.log())
    project.write_feed(project.events)
    project.run()
    project.check()
    for actions in project.actions()[before:]:
        need(not any("add" in action or "remove" in action for action in actions),
             "a replay moved files")
    need(len(project.log()) > before, "a replay must record its progress")


def case_disk_full(project):
    """A full disk is named, nothing is half-written, the next run goes on."""
    if os.geteuid() != 0:
        return "skipped: mounting needs root"
    disk = project.root / "warehouse"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        return "skipped: no mount here"
    try:
        project.add_feed(2)
        project.run()
        project.check()
        want = project.rows()
        ballast = disk / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        project.add_feed(2)
        text = project.run(1)
        need("STORE.NO_SPACE: " in text or "DISK_FULL: " in text, text[-1500:])
        ballast.unlink(missing_ok=True)
        need(project.rows() == want, "a failed run changed the table")
        project.run()
        project.check()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    return ""


def case_no_permission(project):
    """A folder that can't be written is named, and the next run goes on."""
    if os.geteuid() == 0:
        return "skipped: root may write everywhere"
    project.add_feed(2)
    project.run()
    want = project.rows()
    project.add_feed(2)
    folders = [project.table, *(p for p in project.table.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        project.run(1, "NO_PERMISSION")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    need(project.rows() == want, "a failed run changed the table")
    project.run()
    project.check()
    return ""


def case_damaged(project):
    """A damaged log, manifest or vector is named; nothing is written; repaired, all goes on."""
    project.add_feed(4)
    project.run()
    project.add_feed(2)
    state = project.table / "_lakebed" / "state"
    vectors = sorted((project.table / "_lakebed" / "dv").glob("*"))
    need(vectors, "no vector to damage")
    victims = [(project.log()[-1], "DELTA_LOG"),
               (sorted(state.glob("*.manifest"))[-1], "STATE_DAMAGED")]
    for victim, code in victims:
        whole = victim.read_bytes()
        for damaged in (whole[:len(whole) // 2], b"", bytes([whole[0] ^ 0x55]) + whole[1:]):
            victim.write_bytes(damaged)
            before = project.content()
            project.run(1, code)
            need(project.content() == before, f"written in spite of {code}")
        victim.write_bytes(whole)
    project.run()
    project.check()


def case_changed_by_others(project):
    """A commit of another writer: refused by name, nothing written."""
    project.add_feed(2)
    project.run()
    add = next(action["add"] for actions in reversed(project.actions()) for action in actions
               if "add" in action)
    copy = "part-foreign.parquet"
    shutil.copyfile(project.table / add["path"], project.table / copy)
    last = project.log()[-1]
    info = next(a["commitInfo"] for a in project.actions()[-1] if "commitInfo" in a)
    info = {"timestamp": info["timestamp"] + 1, "operation": "WRITE",
            "inCommitTimestamp": info["inCommitTimestamp"] + 1}
    add = {name: value for name, value in add.items() if name != "deletionVector"}
    add["path"] = copy
    (last.parent / f"{int(last.stem) + 1:020d}.json").write_text(
        json.dumps({"commitInfo": info}) + "\n" + json.dumps({"add": add}) + "\n")
    project.add_feed(1)
    before = project.content()
    project.run(1, "TARGET_CHANGED_BY_OTHERS")
    need(project.content() == before, "written in spite of another writer")


def case_small_files(project):
    """Many small batches: files are merged, readers see the same, late events find their rows."""
    for _ in range(3):
        project.add_feed(40, keys=400)
        project.run()
        project.check()
    operations = [action["commitInfo"]["operation"] for actions in project.actions()
                  for action in actions if "commitInfo" in action]
    need("OPTIMIZE" in operations, "no file was merged")
    for actions in project.actions():
        if any(a.get("commitInfo", {}).get("operation") == "OPTIMIZE" for a in actions):
            moved = [a.get("add") or a.get("remove") for a in actions if "add" in a or "remove" in a]
            need(all(not file["dataChange"] for file in moved), "OPTIMIZE says that data changed")


def case_small_files_beside_a_large_one(project):
    """Rows that move are few beside what the memory holds: their entries are found by key."""
    project.add_feed(1, rows=8000, keys=20000)
    project.run()
    for _ in range(2):
        project.add_feed(40, rows=4, keys=20000)
        project.run()
        project.check()
    need(any("num_moved_rows" in action["commitInfo"].get("operationMetrics", {})
             for actions in project.actions() for action in actions if "commitInfo" in action),
         "no file was merged")
    large = max((action["add"] for actions in project.actions() for action in actions
                 if "add" in action), key=lambda add: add["size"])
    removed = [action["remove"]["path"] for actions in project.actions() for action in actions
               if "remove" in action and not action["remove"]["dataChange"]]
    need(large["path"] not in removed, "the large file moved, too")


def case_small_files_of_partitions(project):
    """Partitions of many small files: each row stays in the files of its partition."""
    project.write_sql(" PARTITIONED BY (v)")
    for _ in range(2):
        project.add_feed(40, keys=400)
        project.run()
        project.check()
    need(any("num_moved_rows" in action["commitInfo"].get("operationMetrics", {})
             for actions in project.actions() for action in actions if "commitInfo" in action),
         "no file was merged")


def case_quarantine_killed(project):
    """Rule E6: dead between the quarantine's commit and the target's, an event that can't be placed
    is there once after the next run; small files of the quarantine are merged, but none of a write
    whose target has not committed."""
    project.quarantine()
    dead = 0
    for number in range(40):
        project.add_bad_feed()
        if number % 4 == 3:
            dead += project.kill_behind_quarantine()
    project.run()
    project.check()
    project.check_quarantine()
    need(dead > 0, "no program died between the two commits")
    files = len(project.live_files("t__quarantine"))
    need(files < 40, f"{files} files in the quarantine: none were merged")
    operations = project.operations("t__quarantine")
    need("OPTIMIZE" in operations, "no file of the quarantine was merged")
    return f"passed, {dead} died between the commits"


def case_quarantine_two_at_once(project):
    """Two programs that see other parts of the feed: each bad event is set aside once."""
    project.quarantine()
    for _ in range(10):
        children = []
        for _ in range(3):
            project.add_bad_feed()
            children.append(project.start())
        for child in children:
            child.communicate(timeout=60)
    project.run()
    project.check()
    project.check_quarantine()


def case_quarantine_reset_killed(project):
    """Rule F2: dead between the full refresh and its replay, the quarantine is filled anew, too."""
    project.quarantine()
    for _ in range(10):
        project.add_bad_feed()
    project.run()
    for _ in range(3):
        begun = len(project.log())
        child = subprocess.Popen(project.command("run", "--full-refresh", "t"), cwd=project.root,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while child.poll() is None and len(project.log()) == begun:
            pass
        child.kill()
        child.wait()
        project.run()
        project.check()
        project.check_quarantine()


CASES = [(case_killed, 2), (case_reset_killed, 1), (case_reset_killed, 2),
         (case_two_at_once, 1), (case_two_at_once, 2), (case_stopped, 2),
         (case_replayed, 2), (case_disk_full, 2), (case_no_permission, 2), (case_damaged, 2),
         (case_changed_by_others, 1), (case_small_files, 1), (case_small_files, 2),
         (case_small_files_beside_a_large_one, 1), (case_small_files_beside_a_large_one, 2),
         (case_small_files_of_partitions, 1), (case_small_files_of_partitions, 2),
         (case_quarantine_killed, 1), (case_quarantine_killed, 2),
         (case_quarantine_two_at_once, 1), (case_quarantine_reset_killed, 2)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lakebed", default=str(HERE.parents[1] / "build" / "lakebed"))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    lakebed = str(pathlib.Path(arguments.lakebed).resolve())
    print(f"seed {arguments.seed}")
    failed = 0
    for case, scd in CASES:
        name = f"{case.__name__.removeprefix('case_')}_scd{scd}"
        if arguments.names and not any(text in name for text in arguments.names):
            continue
        root = tempfile.mkdtemp(prefix="faults-")
        begin = time.monotonic()
        try:
            note = case(Project(lakebed, root, random.Random(arguments.seed), scd)) or "passed"
        except (Wrong, OSError, ValueError, subprocess.SubprocessError) as problem:
            note, failed = f"FAILED: {problem}", failed + 1
        finally:
            shutil.rmtree(root, ignore_errors=True)
        print(f"{name}: {note} ({time.monotonic() - begin:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
