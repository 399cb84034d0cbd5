"""The whole program: pipeline text in, tables out."""
import decimal
import json
import pathlib
import subprocess

from definition import pipeline_text, settings_text
from values import json_text

SPEC = """name: laws
storage: storage
catalog: main
database: default
libraries:
  - glob:
      include: transformations/**
configuration:
  feeds: "{root}/feeds"
"""


class Failed(Exception):
    """The program said no, or its answer can't be read."""


class NotBuilt(Exception):
    """The program refuses a clause that it does not know yet."""


class Project:
    def __init__(self, lakebed, root):
        self.lakebed = lakebed
        self.root = pathlib.Path(root)
        self.files = 0
        (self.root / "transformations").mkdir(parents=True)
        (self.root / "spark-pipeline.yml").write_text(SPEC.format(root=self.root))

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def write_definition(self, definition, batch, suffixes):
        self.write("spark-pipeline.yml", SPEC.format(root=self.root) + settings_text(definition))
        for suffix in suffixes:
            self.write(f"transformations/t{suffix}.sql",
                       pipeline_text(definition, batch, suffix))
            for flow in definition.flows:
                folder = self.root / "feeds" / (suffix or "main") / flow.name
                for below in ("rows", "versions") if flow.snapshot else ("",):
                    (folder / below).mkdir(parents=True, exist_ok=True)

    def deliver(self, definition, suffix, batch, pieces=1):
        """Writes the rows of a batch as `pieces` files a flow; the later names are written first,
        as names decide and not times (rule E4)."""
        for flow, rows in zip(definition.flows, batch):
            for path, part in reversed(self.files_of(flow, suffix, rows, pieces)):
                self.write(path, "".join(json_text(row) + "\n" for row in part))

    def add(self, flow, suffix, rows):
        """Writes the rows as one more file; its paths."""
        written = self.files_of(flow, suffix, rows, 1)
        for path, part in written:
            self.write(path, "".join(json_text(row) + "\n" for row in part))
        return [path for path, _ in written]

    def files_of(self, flow, suffix, rows, pieces):
        """(path, rows) of the files that bring these rows, or these snapshots."""
        self.files += 1
        if flow.snapshot:
            folder = f"feeds/{suffix or 'main'}/{flow.name}"
            return [(f"{folder}/versions/{self.files:04}.json",
                     [{"ver": snapshot["ver"]} for snapshot in rows]),
                    (f"{folder}/rows/{self.files:04}.json",
                     [{"ver": one["ver"], **row} for one in rows for row in one["rows"]])]
        step = max(1, -(-len(rows) // pieces))
        return [(f"feeds/{suffix or 'main'}/{flow.name}/{self.files:04}_{at:02}.json",
                 rows[at * step:(at + 1) * step]) for at in range(-(-len(rows) // step))]

    def call(self, *arguments):
        return subprocess.run([self.lakebed, *arguments], cwd=self.root, capture_output=True,
                              text=True, timeout=120, check=False)

    def refused(self, code):
        """An update that must fail with that code; what is wrong, or nothing."""
        result = self.call("run")
        if result.returncode == 1 and code in result.stderr:
            return ""
        return f"run ended with {result.returncode} instead of 1 and {code}\n{result.stderr[-2000:]}"

    def run(self, *arguments):
        """One update; the sum of the metrics by table."""
        result = self.call("run", *arguments, "--json")
        if "NOT_BUILT_YET" in result.stderr:
            raise NotBuilt(result.stderr.split(":", 1)[0])
        if result.returncode != 0:
            raise Failed(f"run ended with {result.returncode}\n{result.stderr[-2000:]}")
        metrics = {}
        for line in result.stdout.splitlines():
            event = json.loads(line)
            found = event.get("details", {}).get("flow_progress", {}).get("metrics")
            if found:
                table = event["origin"]["dataset_name"].rpartition(".")[2]
                total = metrics.setdefault(table, {})
                for name, value in found.items():
                    if isinstance(value, int):
                        total[name] = total.get(name, 0) + value
                quality = event["details"]["flow_progress"].get("data_quality", {})
                for one in quality.get("expectations", []):
                    for name in ("passed_records", "failed_records"):
                        total[name] = total.get(name, 0) + one[name]
        return metrics

    def tables(self, names):
        """The rows of several tables in one call."""
        self.write("read.sql", "".join(f"SELECT '{name}' AS `table of`; SELECT * FROM {name};\n"
                                       for name in names))
        result = self.call("sql", "--format", "json", "-f", "read.sql")
        if result.returncode != 0:
            raise Failed(f"sql ended with {result.returncode}\n{result.stderr[-2000:]}")
        found, rows = {}, []
        for line in result.stdout.splitlines():
            row = json.loads(line, parse_float=decimal.Decimal)
            if list(row) == ["table of"]:
                rows = found.setdefault(row["table of"], [])
            else:
                rows.append(row)
        return found

    def quarantined(self, name):
        """(flow, reason) of every event that was set aside."""
        if not (self.root / "warehouse" / "main" / "default" / f"{name}__quarantine").exists():
            return []
        return [(row["flow"], row["reason"]) for row in
                self.tables([f"{name}__quarantine"])[f"{name}__quarantine"]]
