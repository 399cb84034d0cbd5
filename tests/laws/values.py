"""Types of columns: how they are written in SQL, values to draw, and how values compare.

`key(value)` turns a JSON value, as a feed or `lakebed sql` spells it, into a Python value that is
equal and ordered as the law says: NULL lowest, NaN greatest and equal to itself, -0.0 equal to
0.0, texts by bytes, structs field by field (rule E3).
"""
import datetime
import decimal
import json

NULL = (0,)


class Type:
    """A type; `pool` are the values it draws from (few, so that values meet)."""

    def __init__(self, text, pool, plain_key, ordered=True, can_be_key=True):
        self.text = text
        self.pool = pool
        self.plain_key = plain_key
        self.ordered = ordered
        self.can_be_key = can_be_key

    def draw(self, random):
        return random.choice(self.pool)

    def key(self, value):
        return NULL if value is None else (1, self.plain_key(value))


class Struct(Type):
    """STRUCT of (name, type); fields may be NULL, and so may the whole."""

    def __init__(self, fields):
        self.fields = fields
        ordered = all(kind.ordered for _, kind in fields)
        super().__init__("STRUCT<" + ", ".join(f"{n}: {k.text}" for n, k in fields) + ">", [],
                         self.struct_key, ordered, ordered)

    def struct_key(self, value):
        by_name = {name.lower(): item for name, item in value.items()}
        return tuple(kind.key(by_name.get(name.lower())) for name, kind in self.fields)

    def draw(self, random):
        return {name: None if random.random() < 0.25 else kind.draw(random)
                for name, kind in self.fields}


def number_key(value):
    if isinstance(value, str):
        value = float(value.replace("INF", "inf"))
    if value != value:
        return (1, 0)
    return (0, decimal.Decimal(repr(value)) if isinstance(value, float) else
            decimal.Decimal(value))


def moment_key(text):
    text = text.replace(" ", "T").replace("Z", "")
    if "." in text:
        head, _, part = text.partition(".")
        text = head + "." + part.ljust(6, "0")
    return datetime.datetime.fromisoformat(text)


def text_key(text):
    return text.encode()


def list_key(items):
    return tuple(INT.key(item) for item in items)


def map_key(items):
    return tuple(sorted((name, INT.key(item)) for name, item in items.items()))


def dec(*texts):
    return [decimal.Decimal(text) for text in texts]


INT = Type("INT", [-2, -1, 0, 1, 2, 3, 2147483647], number_key)
BIGINT = Type("BIGINT", [-5, 0, 1, 2, 3, 4, 5, 9007199254740992, 9007199254740993,
                         -9223372036854775808], number_key)
STRING = Type("STRING", ["", "a", "A", "b", "b ", "ba", "\u00e4", "\uffee", "\U0001f600",
                         "a long text with a common beginning, 1",
                         "a long text with a common beginning, 2"], text_key)
DOUBLE = Type("DOUBLE", [-1.5, -0.0, 0.0, 2.5, 1e300, -1e-300, "NaN"], number_key)
DECIMAL = Type("DECIMAL(10, 2)", dec("-1.50", "0", "0.01", "1.5", "99999999.99"), number_key)
WIDE = Type("DECIMAL(38, 4)", dec("-1.0000", "0", "1", "1.0001", "12345678901234567890123.4567",
                                  "12345678901234567890123.4568"), number_key)
DATE = Type("DATE", ["1969-12-31", "2024-02-29", "2024-03-01", "2024-12-31", "9999-12-31"],
            text_key)
TIMESTAMP = Type("TIMESTAMP", ["1969-12-31T23:59:59.999Z", "2024-01-01T00:00:00Z",
                               "2024-01-01T00:00:00.000001Z", "2024-01-01T00:00:00.5Z",
                               "2024-06-01T12:00:00Z"], moment_key)
BOOLEAN = Type("BOOLEAN", [False, True], int)
ARRAY = Type("ARRAY<INT>", [[], [1], [1, None], [None], [2, 1]], list_key, False, False)
MAP = Type("MAP<STRING, INT>", [{}, {"a": 1}, {"a": 2, "b": None}, {"b": 1}], map_key, False, False)
PAIR = Struct([("x", INT), ("y", STRING)])
NEST = Struct([("p", Struct([("q", DATE), ("r", ARRAY)])), ("s", BOOLEAN)])

SCALARS = [INT, BIGINT, STRING, DOUBLE, DECIMAL, WIDE, DATE, TIMESTAMP, BOOLEAN]
VALUES = [*SCALARS, INT, STRING, ARRAY, MAP, PAIR, PAIR, NEST]
KEYS = [INT, INT, BIGINT, STRING, STRING, DOUBLE, DECIMAL, DATE, TIMESTAMP, PAIR]


def long_sequence():
    return Type("BIGINT", list(range(1, 60)), number_key)


def text_sequence():
    return Type("STRING", [f"v{number:03}" for number in range(30)] + ["", "v", "\u00e4"], text_key)


def moment_sequence():
    return Type("TIMESTAMP", [f"2024-01-01T00:{m:02}:00.{f}Z" for m in range(15)
                              for f in ("0", "000001", "5")], moment_key)


def date_sequence():
    return Type("DATE", [f"2024-{m:02}-{d:02}" for m in range(1, 12) for d in (1, 9, 28)], text_key)


def wide_sequence():
    return Type("DECIMAL(38, 4)", dec(*[f"{high}{low}" for high in ("", "1234567890123456789")
                                        for low in ("1", "1.0001", "2", "7.5", "70", "71.25")]),
                number_key)


def double_sequence():
    return Type("DOUBLE", [-1e300, -3.5, -1.0, -0.0, 0.0, 1e-300, 1.0, 1.5, 2.0, 7.25, 1e9, "NaN"],
                number_key)


SEQUENCES = [long_sequence, text_sequence, moment_sequence, date_sequence, wide_sequence,
             double_sequence, lambda: INT]


def json_text(value):
    """JSON with decimals as plain numbers."""
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(n)}: {json_text(v)}" for n, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(json_text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
