"""Plays a history through the whole program and says what differs from the law; makes failing
histories small; prints them as scenarios."""
import copy
import dataclasses
import pathlib
import shutil
import tempfile

from definition import pipeline_text, settings_text
from model import expected_rows, is_partial, metrics, row_key, table_columns, tested
from program import Failed, Project
from values import json_text

SHARED_MEMORY = pathlib.Path("/dev/shm")


def differences(columns, got, want):
    """Rows as bags of values; names in any case, none too few or too many."""
    wanted_names = {name.lower() for name, _ in columns}
    rows = []
    for row in got:
        lowered = {name.lower(): value for name, value in row.items()}
        if set(lowered) != wanted_names:
            return f"columns are {sorted(lowered)}, must be {sorted(wanted_names)}"
        rows.append({name: lowered[name.lower()] for name, _ in columns})
    extra = [row_key(columns, row) for row in rows]
    lacking = []
    for row in want:
        key = row_key(columns, row)
        if key in extra:
            extra.remove(key)
        else:
            lacking.append(row)
    surplus = []
    for row in rows:
        key = row_key(columns, row)
        if key in extra:
            extra.remove(key)
            surplus.append(row)
    if not lacking and not surplus:
        return ""
    return "\n".join(["rows differ from the law:"] +
                     ["  only in the table: " + json_text(row) for row in surplus] +
                     ["  only by the law:   " + shown(columns, row) for row in lacking])


def shown(columns, row):
    return json_text({name: row.get(name) for name, _ in columns})


class Play:
    """One project in which every variant of a history has a target of its own."""

    def __init__(self, history, variants, lakebed, root):
        self.history = history
        self.variants = variants
        self.project = Project(lakebed, root)
        self.before = {suffix: [] for suffix in variants}

    def step(self, number):
        definition = self.history.definition
        suffixes = list(self.variants)
        self.project.write_definition(definition, number, suffixes)
        for at, (suffix, variant) in enumerate(self.variants.items()):
            if number < len(variant.batches):
                self.project.deliver(definition, suffix, variant.batches[number],
                                     1 + (number + at) % 3)
        counted = {}
        for suffix, variant in self.variants.items():
            if variant.fresh == number:
                counted.update(self.project.run("--full-refresh", "t" + suffix))
        counted = {**self.project.run(), **counted}
        tables = self.project.tables(["t" + suffix for suffix in suffixes])
        for suffix, variant in self.variants.items():
            wrong = self.compare(suffix, variant, number, tables.get("t" + suffix, []),
                                 counted.get("t" + suffix, {}))
            if wrong:
                return f"t{suffix} after batch {number + 1}: {wrong}", suffix
        poison = definition.poison
        if poison is not None and poison.batch == number:
            wrong = self.refuse(poison, tables.get("t", []))
            if wrong:
                return f"t after batch {number + 1} and rows that refuse theirs: {wrong}", ""
        return "", ""

    def refuse(self, poison, before):
        """Rows that refuse their batch leave the table as it was, and then they are gone."""
        definition = self.history.definition
        paths = self.project.add(definition.flows[poison.flow], "", poison.rows)
        wrong = self.project.refused(poison.code)
        for path in paths:
            (self.project.root / path).unlink()
        if not wrong and sorted(map(json_text, before)) != \
                sorted(map(json_text, self.project.tables(["t"]).get("t", []))):
            wrong = "the table changed"
        return wrong

    def check_quarantine(self):
        """Rule E6: what can't be placed, and nothing else."""
        for suffix, variant in self.variants.items():
            want = sorted((flow + suffix, reason) for flow, reason in variant.set_aside())
            got = sorted(self.project.quarantined("t" + suffix))
            if got != want:
                return f"t{suffix}__quarantine has {got}, must have {want}", suffix
        return "", ""

    def compare(self, suffix, variant, number, got, counted):
        definition = self.history.definition
        begun = variant.fresh if 0 <= variant.fresh <= number else 0
        columns = table_columns(definition, number, begun)
        delivered = variant.deliveries(number + 1)
        want = expected_rows(definition, delivered)
        wrong = differences(columns, got, want)
        if wrong:
            return wrong
        before, self.before[suffix] = self.before[suffix], delivered
        before = [] if variant.fresh == number else before
        if len(definition.flows) > 1:
            return ""           # each flow commits on its own, so a row may count twice
        for name, value in self.metrics(columns, before, delivered).items():
            if counted.get(name, 0) != value:
                return f"{name} is {counted.get(name, 0)}, must be {value} (rule F7)"
        if definition.expect is None or is_partial(definition):
            return ""
        for name, value in tested(definition, delivered[len(before):]).items():
            if counted.get(name, 0) != value:
                return f"{name} is {counted.get(name, 0)}, must be {value} (rule F6)"
        return ""

    def metrics(self, columns, before, delivered):
        """Rule F7: the batch is one commit; snapshots are one each (rule S2)."""
        definition = self.history.definition
        step = 1 if definition.snapshots else max(1, len(delivered) - len(before))
        total = {}
        for end in range(len(before), len(delivered), step):
            rows = [expected_rows(definition, delivered[:upto]) for upto in (end, end + step)]
            for name, value in metrics(definition, columns, *rows).items():
                total[name] = total.get(name, 0) + value
        return total


def check(history, variants, lakebed):
    """(what is wrong or "", the variant that shows it)."""
    root = tempfile.mkdtemp(prefix="laws-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None)
    try:
        play = Play(history, variants, lakebed, pathlib.Path(root) / "project")
        for number in range(max(len(variant.batches) for variant in variants.values())):
            wrong, suffix = play.step(number)
            if wrong:
                return wrong, suffix
        return play.check_quarantine() if history.definition.quarantine else ("", "")
    except Failed as problem:
        return str(problem), ""
    finally:
        shutil.rmtree(root, ignore_errors=True)


# ---- making it small ----

def simpler_definitions(history):
    """The history with a clause or a column less; what makes no sense fails otherwise and is not
    taken."""
    definition = history.definition
    for field, without in (("poison", None), ("select", None), ("track", None), ("expect", None),
                           ("strict", False), ("quarantine", False)):
        if getattr(definition, field) not in (None, False):
            smaller = copy.deepcopy(history)
            setattr(smaller.definition, field, without)
            yield smaller
    for column in definition.values[1:]:
        smaller = copy.deepcopy(history)
        drop_column(smaller, column.name)
        yield smaller
    if len(definition.keys) > 1:
        smaller = copy.deepcopy(history)
        name = smaller.definition.keys.pop().name
        drop_column(smaller, name)
        yield smaller


def drop_column(history, name):
    definition = history.definition
    definition.values = [column for column in definition.values if column.name != name]
    definition.order = [one for one in definition.order if one != name]
    for by_name in (definition.late_columns, definition.gone_columns, definition.late_fields):
        by_name.pop(name, None)
    for choice in (definition.select, definition.track,
                   *(partial for flow in definition.flows for partial in flow.partials)):
        if hasattr(choice, "names"):
            choice.names = [one for one in choice.names if one != name]
    for batch in history.batches:
        for rows in batch:
            for row in rows:
                row.pop(name, None)


def smaller_feeds(history):
    """Without a part of the rows, and with a batch merged into the one before."""
    places = [(b, f, r) for b, batch in enumerate(history.batches)
              for f, rows in enumerate(batch) for r in range(len(rows))]
    size = len(places) // 2
    while size >= 1:
        for first in range(0, len(places), size):
            gone = set(places[first:first + size])
            if len(gone) < len(places):
                yield dataclasses.replace(history, batches=[
                    [[row for r, row in enumerate(rows) if (b, f, r) not in gone]
                     for f, rows in enumerate(batch)] for b, batch in enumerate(history.batches)])
        size //= 2
    for number in range(1, len(history.batches)):
        if history.definition.is_pinned or history.fresh >= 0:
            break
        before, here = history.batches[number - 1:number + 1]
        merged = [left + right for left, right in zip(before, here)]
        yield dataclasses.replace(history, batches=history.batches[:number - 1] + [merged] +
                                  history.batches[number + 1:])


def same_kind(left, right):
    """Shrinking must not wander from wrong rows to a refusal."""
    return right != "" and ("rows differ" in left) == ("rows differ" in right) and \
        ("ended with" in left) == ("ended with" in right)


def shrink(history, wrong, lakebed, attempts=250):
    """A smaller history that is wrong in the same way, alone in its project."""
    progress = True
    while progress and attempts > 0:
        progress = False
        for make in (smaller_feeds, simpler_definitions):
            for candidate in make(history):
                attempts -= 1
                try:
                    found = check(candidate, {"": candidate}, lakebed)[0]
                except Exception:  # a definition that makes no sense
                    continue
                if same_kind(wrong, found):
                    history, wrong, progress = candidate, found, True
                    break
                if attempts <= 0:
                    return history, wrong
            if progress:
                break
    return history, wrong


def scenario(history):
    """The history in the language of tests/scenarios."""
    definition = history.definition
    lines = [f"=== scenario LAW-{history.seed}: a history that a random test found"]
    project = Project.__new__(Project)
    project.files = 0
    for number, batch in enumerate(history.batches):
        if number == 0:
            lines += ["=== setting " + line.strip()
                      for line in settings_text(definition).splitlines()]
        lines += ["=== file transformations/t.sql",
                  pipeline_text(definition, number).replace("/main/", "/")]
        for flow in definition.flows:
            below = [f"feeds/{flow.name}/{name}" for name in
                     (("rows", "versions") if flow.snapshot else ("",))]
            lines += ["=== shell mkdir -p " + " ".join(below)] if number == 0 else []
        for flow, rows in zip(definition.flows, batch):
            for path, part in project.files_of(flow, "", rows, 1 + number % 3):
                lines += ["=== feed " + path.replace("/main/", "/"), *map(json_text, part)]
        begun = history.fresh if 0 <= history.fresh <= number else 0
        columns = table_columns(definition, number, begun)
        want = expected_rows(definition, history.deliveries(number + 1))
        lines += ["=== run --full-refresh t"] if history.fresh == number else []
        lines += ["=== run", "=== sql SELECT * FROM t",
                  *([shown(columns, row) for row in want] or ["none"])]
    poison = definition.poison
    if poison is not None:
        lines += [f"# after batch {poison.batch + 1} flow {poison.flow} refuses ({poison.code})",
                  *("# " + json_text(row) for row in poison.rows)]
    return "\n".join(lines)
