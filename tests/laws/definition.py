"""Random definitions of flows into one target, and their pipeline text."""
import dataclasses
import typing

import values
from values import STRING, Struct, Type

DELETE_OPS, TRUNCATE_OPS = ("D", "X"), ("T", "X")  # X is both: a truncate (rule E1)
KINDS = {"scd1": "SCD TYPE 1", "scd2": "SCD TYPE 2", "bitemporal": "BITEMPORAL"}


@dataclasses.dataclass
class Column:
    name: str
    type: Type

    @property
    def quoted(self):
        return self.name if self.name.isalnum() and self.name.isascii() else f"`{self.name}`"

    @property
    def declared(self):
        return f"{self.quoted} {self.type.text}"


@dataclasses.dataclass
class Choice:
    """A list of names: `ON a, b` or `ON * EXCEPT (a, b)`; no names and all_but: everything."""
    names: list
    all_but: bool = False
    style: int = 0

    def has(self, name):
        return (name in self.names) != self.all_but

    def text(self, columns):
        listed = ", ".join(spelled(columns[name], self.style) for name in self.names)
        if self.all_but:
            return f"* EXCEPT ({listed})"
        return f"({listed})" if self.style % 2 else listed


@dataclasses.dataclass
class Expectation:
    """`column >= least`, NULL failing; or one that only a poisoned row fails (FAIL UPDATE)."""
    column: str
    least: int
    action: str                      # "", "DROP ROW", "FAIL UPDATE"

    @property
    def text(self):
        name = Column(self.column, None).quoted
        tested = f"coalesce({name}, 0)" if self.action == "FAIL UPDATE" else name
        action = f" ON VIOLATION {self.action}" if self.action else ""
        return f" (CONSTRAINT good EXPECT ({tested} >= {self.least}){action})"

    def met(self, row):
        value = row.get(self.column)
        if value is None:
            return self.action == "FAIL UPDATE"
        return value >= self.least


@dataclasses.dataclass
class Poison:
    """Rows that the batch after `batch` brings and that refuse it with `code`; then they go."""
    batch: int
    flow: int
    rows: list
    code: str


@dataclasses.dataclass
class Flow:
    name: str
    lacks: list                      # columns of values that it does not deliver
    partial: typing.Any = None       # None, Choice (IGNORE NULL UPDATES), or "named"
    once: bool = False
    snapshot: bool = False           # of snapshots with versions, not of events
    changes: tuple = ()              # (batch, partial from then on): the clause was rewritten

    def partial_at(self, batch):
        return self.changes[1] if self.changes and batch >= self.changes[0] else self.partial

    @property
    def partial_since(self):
        """The batch with which events begin to be partial, where others came before it."""
        began = self.changes and self.partial is None and self.changes[1] is not None
        return self.changes[0] if began else 0

    @property
    def partials(self):
        return [self.partial] + ([self.changes[1]] if self.changes else [])


@dataclasses.dataclass
class Definition:
    kind: str
    keys: list
    values: list
    sequence: list                   # several: STRUCT(...)
    system: list                     # of bitemporal targets
    flows: list
    deletes: bool
    truncates: bool
    select: typing.Any = None        # Choice or None
    track: typing.Any = None         # Choice or None
    expect: typing.Any = None        # Expectation or None
    strict: bool = False             # lakebed.cdc.onSequenceTie: fail
    quarantine: bool = False         # lakebed.cdc.onInvalidEvent: quarantine
    poison: typing.Any = None        # Poison or None
    order: list = dataclasses.field(default_factory=list)   # of the source's columns
    late_columns: dict = dataclasses.field(default_factory=dict)  # name -> first batch that has it
    gone_columns: dict = dataclasses.field(default_factory=dict)  # name -> first batch without it
    late_fields: dict = dataclasses.field(default_factory=dict)   # name -> (batch, type before it)
    style: int = 0

    @property
    def named(self):
        return any("named" in flow.partials for flow in self.flows)

    @property
    def is_pinned(self):
        """What the pipeline's text says depends on the batch, so events keep theirs."""
        return self.evolves or any(flow.changes for flow in self.flows)

    @property
    def evolves(self):
        return bool(self.late_columns or self.gone_columns or self.late_fields)

    @property
    def all_columns(self):
        """Every column of the sources by name, in their order."""
        extra = [Column("op", STRING)] + ([Column("which", STRING_LIST)] if self.named else [])
        found = {column.name: column for column in
                 [*self.keys, *self.values, *self.sequence, *self.system, *extra]}
        return {name: found[name] for name in self.order if name in found}

    @property
    def snapshots(self):
        return [at for at, flow in enumerate(self.flows) if flow.snapshot]

    def source_columns(self, flow, batch):
        """What the flow's source delivers at that batch; snapshots have only keys and values."""
        plain = {column.name for column in [*self.keys, *self.values]}
        return [self.at(column, batch) for name, column in self.all_columns.items()
                if name not in flow.lacks and (name in plain or not flow.snapshot) and
                self.late_columns.get(name, 0) <= batch < self.gone_columns.get(name, 10 ** 10)]

    def at(self, column, batch):
        """The column with the fields that it has at that batch."""
        first, before = self.late_fields.get(column.name, (0, None))
        return Column(column.name, before) if batch < first else column

    def selects(self, name):
        return self.select is None or self.select.has(name)

    def output(self, batch=10 ** 9, since=0):
        """The target's selected columns (the union over flows and batches so far)."""
        batches = range(since, min(batch, 9) + 1) if self.gone_columns else [batch]
        delivered = {column.name for flow in self.flows for one in batches
                     for column in self.source_columns(flow, one)}
        return [self.at(column, batch) for name, column in self.all_columns.items()
                if name in delivered and self.selects(name)]

    def tracked(self):
        keys = {column.name for column in self.keys}
        return [column.name for column in self.output() if column.name not in keys and
                (self.track is None or self.track.has(column.name))]


STRING_LIST = Type("ARRAY<STRING>", [], lambda items: tuple(item.encode() for item in items),
                   False, False)


def spelled(column, style):
    """A name in one of the cases that mean the same (rule E7)."""
    if style % 3 == 1:
        return Column(column.name.upper(), column.type).quoted
    return column.quoted


def time_type(columns):
    """The type of SEQUENCE BY: of the column, or a struct."""
    if len(columns) == 1:
        return columns[0].type
    return Struct([(column.name, column.type) for column in columns])


# ---- pipeline text ----

def sequence_text(columns, style):
    names = [spelled(column, style) for column in columns]
    return names[0] if len(names) == 1 else f"STRUCT({', '.join(names)})"


def partial_text(definition, partial):
    if partial is None:
        return []
    if partial == "named":
        return ["COLUMNS TO UPDATE which"]
    if partial.all_but and not partial.names:
        return ["IGNORE NULL UPDATES"]
    return ["IGNORE NULL UPDATES ON " + partial.text(definition.all_columns)]


def clauses(definition, flow, batch):
    style = definition.style
    lines = []
    if definition.deletes:
        lines.append("APPLY AS DELETE WHEN op IN ('D', 'X')" if style % 2 else
                     "APPLY AS DELETE WHEN op = 'D' OR op = \"X\"")
    if definition.truncates:
        lines.append("APPLY AS TRUNCATE WHEN op = 'T' OR op = 'X'")
    lines.append("SEQUENCE BY " + sequence_text(definition.sequence, style))
    if definition.system:
        lines.append("SYSTEM SEQUENCE BY " + sequence_text(definition.system, 0))
    if definition.select is not None:
        lines.append("COLUMNS " + definition.select.text(definition.all_columns))
    if definition.kind != "scd1" or style % 2:
        lines.append("STORED AS " + KINDS[definition.kind])
    if definition.track is not None:
        lines.append("TRACK HISTORY ON " + definition.track.text(definition.all_columns))
    partial = partial_text(definition, flow.partial_at(batch))
    return partial + lines if style % 2 else lines + partial


def pipeline_text(definition, batch, variant=""):
    """The SQL of one target `t<variant>`, fed from ${feeds}/<variant or "main">/<flow>."""
    parts = [f"CREATE OR REFRESH STREAMING TABLE t{variant}{target_text(definition)};"]
    for flow in definition.flows:
        make = snapshot_text if flow.snapshot else feed_text
        parts.append(make(definition, flow, batch, variant))
    return "\n".join(parts) + "\n"


def feed_text(definition, flow, batch, variant):
    view = f"{flow.name}{variant}_feed"
    schema = ", ".join(c.declared for c in definition.source_columns(flow, batch))
    keys = ", ".join(spelled(key, definition.style) for key in definition.keys)
    once = " ONCE" if flow.once else ""
    return "\n".join([
        f"CREATE TEMPORARY VIEW {view} AS",
        f"SELECT * FROM STREAM read_files('${{feeds}}/{variant or 'main'}/{flow.name}', "
        "format => 'json',", f"  schema => '{schema}');",
        f"CREATE FLOW {flow.name}{variant} AS AUTO CDC{once} INTO t{variant}",
        f"FROM STREAM({view})", f"KEYS ({keys})", *clauses(definition, flow, batch)]) + ";"


def snapshot_text(definition, flow, batch, variant):
    """Snapshots lie as rows with their version in one folder, the versions in another (rule S4)."""
    folder = f"${{feeds}}/{variant or 'main'}/{flow.name}"
    version = f"ver {time_type(definition.sequence).text}"
    columns = definition.source_columns(flow, batch)
    schema = ", ".join([version] + [c.declared for c in columns])
    keys = ", ".join(spelled(key, definition.style) for key in definition.keys)
    lines = [
        f"CREATE FLOW {flow.name}{variant} AS AUTO CDC{' ONCE' if flow.once else ''} "
        f"INTO t{variant}", "FROM SNAPSHOT (",
        f"  SELECT {', '.join(c.quoted for c in columns)}",
        f"  FROM read_files('{folder}/rows', format => 'json',", f"    schema => '{schema}')",
        "  WHERE ver = (SELECT ver FROM current_snapshot_version())", ")", "WITH VERSION (",
        f"  SELECT ver FROM read_files('{folder}/versions', format => 'json', "
        f"schema => '{version}')", "  WHERE NOT EXISTS (SELECT 1 FROM last_snapshot_version())",
        "    OR ver > (SELECT ver FROM last_snapshot_version())", "  ORDER BY ver LIMIT 1", ")",
        f"KEYS ({keys})", "STORED AS " + KINDS[definition.kind]]
    if definition.track is not None:
        lines.append("TRACK HISTORY ON " + definition.track.text(definition.all_columns))
    return "\n".join(lines) + ";"


def target_text(definition):
    return "" if definition.expect is None else definition.expect.text


def settings_text(definition):
    """Lines of the specification's `configuration`."""
    lines = ["  lakebed.cdc.onSequenceTie: fail"] if definition.strict else []
    lines += ["  lakebed.cdc.onInvalidEvent: quarantine"] if definition.quarantine else []
    return "".join(line + "\n" for line in lines)
