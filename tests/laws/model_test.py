#!/usr/bin/env python3
"""The model against examples that were worked out by hand, rule by rule."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import values                                                            # noqa: E402
from definition import Choice, Column, Definition, Flow                  # noqa: E402
from model import Delivery, combined_rows, expected_rows                 # noqa: E402

NUMBER = values.INT
HELPERS = ["seq", "sys", "op", "which"]


def definition(kind, partial=None, track=None, flows=1, truncates=False):
    """Key id, columns a and b, sequence seq; nothing but id, a, b is selected."""
    return Definition(
        kind, [Column("id", NUMBER)], [Column("a", values.STRING), Column("b", NUMBER)],
        [Column("seq", NUMBER)], [Column("sys", NUMBER)] if kind == "bitemporal" else [],
        [Flow(f"f{at}", [], partial) for at in range(flows)], True, truncates,
        select=Choice(HELPERS, True), track=track, order=["id", "a", "b", *HELPERS])


def event(definition_, seq, a=None, b=None, op="I", key=1, system=None, which=None):
    row = {"id": key, "a": a, "b": b, "seq": seq, "sys": system, "op": op, "which": which}
    return Delivery(0, row, tuple(row), definition_.flows[0].partial)


class Model(unittest.TestCase):
    def rows(self, shape, *events):
        """Rows as short texts: values, then times."""
        names = ["a", "b"] + [name for name in (
            "__START_AT", "__END_AT", "__SYSTEM_START_AT", "__SYSTEM_END_AT")
            if shape.kind == "bitemporal" or (shape.kind == "scd2" and "SYSTEM" not in name)]
        return sorted(" ".join("-" if row[name] is None else str(row[name]) for name in names)
                      for row in expected_rows(shape, list(events)))

    def test_scd1(self):
        shape = definition("scd1", truncates=True)
        self.assertEqual(self.rows(shape, event(shape, 5, "new", 1), event(shape, 4, "old", 2)),
                         ["new 1"])                                            # rules A1, A2
        self.assertEqual(self.rows(shape, event(shape, 5, op="D"), event(shape, 4, "a")), [])
        self.assertEqual(self.rows(shape, event(shape, 5, "a"), event(shape, 5, "b")), ["b -"])
        self.assertEqual(self.rows(shape, event(shape, 5, "a", key=2), event(shape, 5, op="X"),
                                   event(shape, 5, "b"), event(shape, 4, "c")), ["b -"])  # T1

    def test_scd2(self):
        shape = definition("scd2")
        history = [event(shape, 10, "idle", 4), event(shape, 20, "idle", 5),
                   event(shape, 30, "run", 9), event(shape, 40, op="D"), event(shape, 50, "run", 9)]
        self.assertEqual(self.rows(shape, *history), [
            "idle 4 10 20", "idle 5 20 30", "run 9 30 40", "run 9 50 -"])       # rules B1, B3
        shape = definition("scd2", track=Choice(["a"]))
        self.assertEqual(self.rows(shape, *history), [
            "idle 5 10 30", "run 9 30 40", "run 9 50 -"])                       # rule B5
        self.assertEqual(self.rows(shape, *history, event(shape, 15, "run", 7)), [
            "idle 4 10 15", "idle 5 20 30", "run 7 15 20", "run 9 30 40", "run 9 50 -"])  # B2

    def test_partial(self):
        shape = definition("scd1", Choice([], True))
        self.assertEqual(self.rows(shape, event(shape, 20, "x"), event(shape, 10, "y", 5)),
                         ["x 5"])                                               # rules P1, P3
        self.assertEqual(self.rows(shape, event(shape, 10, "x", 5), event(shape, 20, op="D"),
                                   event(shape, 30, "y")), ["y -"])
        shape = definition("scd2", "named")
        self.assertEqual(self.rows(
            shape, event(shape, 10, "x", 5, which=None), event(shape, 20, "y", 6, which=["B"]),
            event(shape, 30, "z", 7, which=[])), ["x 5 10 20", "x 6 20 -"])     # rule P2

    def test_bitemporal(self):
        shape = definition("bitemporal")
        self.assertEqual(self.rows(
            shape, event(shape, 10, "a", system=100), event(shape, 10, "a2", system=150),
            event(shape, 30, op="D", system=300), event(shape, 40, "z", system=400)), [
                "a - 10 - 100 150", "a2 - 10 - 150 300", "a2 - 10 30 300 -",
                "z - 40 - 400 -"])                                              # rule C2
        self.assertEqual(self.rows(
            shape, event(shape, 10, "a", system=100), event(shape, 20, "c", system=300),
            event(shape, 10, "b", system=200)), [
                "a - 10 - 100 200", "b - 10 - 200 300", "b - 10 20 300 -",
                "c - 20 - 300 -"])                                              # rule C3
        self.assertEqual(self.rows(
            shape, event(shape, 1, "a", system=900), event(shape, 2, "b", system=900)), [
                "a - 1 2 900 -", "b - 2 - 900 -"])

    def test_snapshots(self):
        shape = definition("scd2")
        shape.flows[0].snapshot = True
        first = {"ver": 1, "rows": [{"id": 1, "a": "x", "b": 1}, {"id": 2, "a": "y", "b": 1}]}
        second = {"ver": 2, "rows": [{"id": 1, "a": "x", "b": 1}]}
        columns = ("id", "a", "b")
        deliveries = [Delivery(0, first, columns), Delivery(0, second, columns)]
        self.assertEqual(self.rows(shape, *deliveries), ["x 1 1 -", "y 1 1 2"])  # rule S1
        shape = definition("scd1", flows=2)
        shape.flows[0].snapshot = True
        feed = [Delivery(1, {"id": key, "a": "feed", "b": 0, "seq": seq, "op": "I"},
                         ("id", "a", "b", "seq", "op")) for key, seq in ((1, 2), (2, 3), (3, 1))]
        rows = combined_rows(shape, [deliveries[1], *feed])
        self.assertEqual(sorted((row["id"], row["a"]) for row in rows),
                         [(1, "x"), (2, "feed")])                               # rule M2


if __name__ == "__main__":
    unittest.main()
