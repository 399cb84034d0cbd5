"""Random CDC projects over all column types: their files, their feeds, and what must come out.

Used by readers.py and spark.py. A project is made from a seed alone. `Project.expected()` is an
independent, obvious reckoning of the rules (docs/semantics.md) in Python, so a table is compared
with it, with `lakebed sql`, and with other readers.
"""
import base64
import datetime
import decimal
import json
import math
import pathlib
import random
import struct
import subprocess

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
WORDS = ["", "a", "Ä", "straße", "line\nbreak", "quote \" ' \\", "x" * 60, "\U0001F40B", "null", "0"]


def micros(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


class Kind:
    """A column type: its DDL, random JSON values, and values in a form that compares."""

    def __init__(self, ddl, make, canon):
        self.ddl = ddl
        self.make = make
        self.canon_value = canon

    def random(self, rng):
        return None if rng.random() < 0.15 else self.make(rng)

    def canon(self, value):
        return None if value is None else self.canon_value(value)


def whole(bits):
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return lambda rng: rng.choice([low, high, 0, rng.randint(low, high), rng.randint(-9, 9)])


def number(value, pattern):
    if isinstance(value, str):
        value = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[value]
    return repr(struct.unpack(pattern, struct.pack(pattern, float(value)))[0])


def digits(precision, scale):
    def make(rng):
        unscaled = rng.randint(-(10 ** precision - 1), 10 ** precision - 1)
        return decimal.Decimal(unscaled).scaleb(-scale, decimal.Context(prec=60))
    return make


def moment(rng):
    when = EPOCH + datetime.timedelta(microseconds=rng.randint(-10 ** 15, 4 * 10 ** 15))
    return when.strftime("%Y-%m-%dT%H:%M:%S.%f")


def canon_moment(value):
    if isinstance(value, str):
        return micros(value)
    if value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    return (value - EPOCH) // datetime.timedelta(microseconds=1)


def canon_bytes(value):
    return base64.b64decode(value) if isinstance(value, str) else bytes(value)


def canon_decimal(value):
    text = format(decimal.Decimal(value), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


BOOLEAN = Kind("BOOLEAN", lambda rng: rng.random() < 0.5, bool)
TINYINT = Kind("TINYINT", whole(8), int)
SMALLINT = Kind("SMALLINT", whole(16), int)
INT = Kind("INT", whole(32), int)
BIGINT = Kind("BIGINT", whole(64), int)
FLOAT = Kind("FLOAT", lambda rng: rng.choice([0.1, -2.5, 3e38, 1e-30, 0.0]),
             lambda value: number(value, "<f"))
DOUBLE = Kind("DOUBLE", lambda rng: rng.choice([0.1, -2.5, 1e300, 5e-324, rng.uniform(-9, 9)]),
              lambda value: number(value, "<d"))
PRICE = Kind("DECIMAL(9, 2)", digits(9, 2), canon_decimal)
LONG_DECIMAL = Kind("DECIMAL(38, 10)", digits(38, 10), canon_decimal)
STRING = Kind("STRING", lambda rng: rng.choice(WORDS), str)
BINARY = Kind("BINARY", lambda rng: base64.b64encode(rng.randbytes(rng.randint(0, 9))).decode(),
              canon_bytes)
DATE = Kind("DATE", lambda rng: str(datetime.date(1900, 1, 1) +
                                    datetime.timedelta(days=rng.randint(0, 90000))),
            lambda value: value if isinstance(value, str) else value.isoformat()[:10])
TIMESTAMP = Kind("TIMESTAMP", lambda rng: moment(rng) + "Z", canon_moment)
TIMESTAMP_NTZ = Kind("TIMESTAMP_NTZ", moment, canon_moment)


def struct_of(**fields):
    def canon(value):
        return [fields[name].canon(value.get(name)) for name in fields]
    ddl = ", ".join(f"{name}: {kind.ddl}" for name, kind in fields.items())
    return Kind(f"STRUCT<{ddl}>",
                lambda rng: {name: kind.random(rng) for name, kind in fields.items()}, canon)


def array_of(kind):
    return Kind(f"ARRAY<{kind.ddl}>",
                lambda rng: [kind.random(rng) for _ in range(rng.randint(0, 3))],
                lambda value: [kind.canon(item) for item in value])


def map_of(kind):
    def canon(value):
        if isinstance(value, dict):
            pairs = value.items()
        else:
            pairs = [(item["key"], item["value"]) if isinstance(item, dict) else item
                     for item in value]
        return sorted([key, kind.canon(item)] for key, item in pairs)
    return Kind(f"MAP<STRING, {kind.ddl}>",
                lambda rng: {f"k{i}": kind.random(rng) for i in range(rng.randint(0, 3))}, canon)


KINDS = [BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, PRICE, LONG_DECIMAL, STRING,
         BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ, struct_of(a=INT, b=struct_of(c=STRING, d=DATE)),
         array_of(BIGINT), array_of(struct_of(x=DOUBLE, y=STRING)), map_of(INT),
         map_of(struct_of(p=PRICE))]
SPEC = """name: judged
storage: storage
catalog: main
database: default
libraries:
  - glob:
      include: transformations/**
"""


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


class Project:
    """One random project: a feed, and one target in both SCD types."""

    def __init__(self, seed, lakebed, root, odd_names=None, partitioned=None):
        self.rng = random.Random(seed)
        self.lakebed = lakebed
        self.root = pathlib.Path(root)
        self.odd_names = self.rng.random() < 0.3 if odd_names is None else odd_names
        self.partitioned = self.rng.random() < 0.3 if partitioned is None else partitioned
        self.generated = self.rng.random() < 0.4
        self.columns = self.make_columns()
        self.events = {}   # key -> {sequence: values, or None for a delete}
        self.batches = 0
        self.sequence = 0
        self.write_files()

    def make_columns(self):
        kinds = self.rng.sample(KINDS, self.rng.randint(6, len(KINDS)))
        columns = {"id": INT}
        if self.partitioned:
            columns["part"] = self.rng.choice([DATE, SMALLINT, STRING])
        for index, kind in enumerate(kinds):
            name = f"c{index}"
            if self.odd_names and index % 2:
                name = self.rng.choice(["a b", "x,y", "p;q", "{z}", "r=s", "ü"]) + str(index)
            columns[name] = kind
        return columns

    def write_files(self):
        (self.root / "transformations").mkdir(parents=True)
        (self.root / "spark-pipeline.yml").write_text(SPEC)
        columns = {**self.columns, "op": STRING, "seq": BIGINT}
        schema = ", ".join(f"{quoted(name)} {kind.ddl}" for name, kind in columns.items())
        partitions = " PARTITIONED BY (part)" if self.partitioned else ""
        text = ("CREATE TEMPORARY VIEW feed AS SELECT * FROM STREAM read_files('feeds', "
                f"format => 'json', schema => '{schema}');\n")
        for number_of_type in (1, 2):
            declared = self.declared(number_of_type) if self.generated else ""
            text += (f"CREATE OR REFRESH STREAMING TABLE t{number_of_type}{declared}{partitions};\n"
                     f"CREATE FLOW f{number_of_type} AS AUTO CDC INTO t{number_of_type} "
                     "FROM STREAM(feed) KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq "
                     f"COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE {number_of_type};\n")
        (self.root / "transformations" / "t.sql").write_text(text)

    def declared(self, scd_type):
        """A column list with generated columns, one of them of the time columns."""
        items = [f"{quoted(name)} {kind.ddl}" for name, kind in self.columns.items()]
        items.append("next_id BIGINT GENERATED ALWAYS AS (CAST(id AS BIGINT) + 1)")
        if scd_type == 2:
            items.append("is_open BOOLEAN GENERATED ALWAYS AS (__END_AT IS NULL)")
        return " (" + ", ".join(items) + ")"

    def table(self, scd_type):
        return self.root / "warehouse" / "main" / "default" / f"t{scd_type}"

    # ---- feeds ----

    def next_event(self, keys):
        key = self.rng.randint(1, keys)
        known = self.events.setdefault(key, {})
        if self.rng.random() < 0.2 and self.sequence > 10:
            sequence = self.rng.randint(1, self.sequence)   # a late one
        else:
            self.sequence += self.rng.randint(1, 3)
            sequence = self.sequence
        if sequence in known:
            return None
        if self.rng.random() < 0.15:
            known[sequence] = None
            return {"id": key, "op": "D", "seq": sequence}
        row = {name: kind.random(self.rng) for name, kind in self.columns.items()}
        if known and self.rng.random() < 0.2:   # the same values again
            row = dict(next((old for old in known.values() if old is not None), row))
        row["id"] = key
        if self.partitioned and row["part"] == "":
            row["part"] = None   # the empty text of a partition column is NULL in Delta
        known[sequence] = row
        return {**row, "op": "U", "seq": sequence}

    def add_batch(self, size=30, keys=40):
        self.batches += 1
        rows = [row for row in (self.next_event(keys) for _ in range(size)) if row]
        folder = self.root / "feeds"
        folder.mkdir(exist_ok=True)
        (folder / f"{self.batches:05d}.json").write_text(
            "".join(to_json(row) + "\n" for row in rows))

    def run(self):
        done = subprocess.run([self.lakebed, "run"], cwd=self.root, capture_output=True, text=True,
                              timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"lakebed run: exit {done.returncode}\n{done.stderr}")

    # ---- rows ----

    def output_columns(self, scd_type):
        columns = dict(self.columns)
        if self.generated:
            columns["next_id"] = BIGINT
        if scd_type == 1:
            return columns
        if self.generated:
            columns["is_open"] = BOOLEAN
        return {**columns, "__START_AT": BIGINT, "__END_AT": BIGINT}

    def with_generated(self, row):
        return {**row, "next_id": row["id"] + 1, "is_open": row.get("__END_AT") is None}

    def expected(self, scd_type):
        return self.expected_history() if scd_type == 2 else self.expected_current()

    def expected_current(self):
        rows = []
        for events in self.events.values():
            if events and events[max(events)] is not None:
                rows.append(self.with_generated(events[max(events)]))
        return self.canonical(rows, 1)

    def expected_history(self):
        rows = []
        for events in self.events.values():
            row = shape = None
            for sequence in sorted(events):
                values = events[sequence]
                now = None if values is None else self.shape(values)
                if row is not None and now != shape:
                    rows.append({**row, "__END_AT": sequence})
                    row = None
                if values is not None:
                    start = sequence if row is None else row["__START_AT"]
                    row, shape = {**values, "__START_AT": start, "__END_AT": None}, now
            if row is not None:
                rows.append(row)
        return self.canonical([self.with_generated(row) for row in rows], 2)

    def shape(self, row):
        return repr([kind.canon(row.get(name)) for name, kind in self.columns.items()])

    def canonical(self, rows, scd_type):
        """Rows as sorted texts that compare, whatever reader they come from."""
        columns = self.output_columns(scd_type)
        return sorted(repr([kind.canon(row.get(name)) for name, kind in columns.items()])
                      for row in rows)

    def sql(self, statement):
        done = subprocess.run([self.lakebed, "sql", "--format", "json", "-c", statement],
                              cwd=self.root, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"lakebed sql {statement}: exit {done.returncode}\n{done.stderr}")
        return [json.loads(line, parse_float=decimal.Decimal)
                for line in done.stdout.splitlines()]


def to_json(row):
    """JSON with decimals as numbers of all their digits."""
    def text(value):
        if isinstance(value, decimal.Decimal):
            return format(value, "f")
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(k)}: {text(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(text, value)) + "]"
        return json.dumps(value, ensure_ascii=False)
    return text(row)


def first_difference(got, want):
    extra = sorted(set(got) - set(want))[:2]
    missing = sorted(set(want) - set(got))[:2]
    return f"{len(got)} rows for {len(want)}\n  not wanted {extra}\n  missing {missing}"
