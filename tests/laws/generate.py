"""Draws definitions and histories. A history is a list of batches; a batch holds, for each flow,
the rows that come with it. Arrival is batch by batch, flow by flow in the order of their names,
row by row (rule E4)."""
import dataclasses

import values
from values import Struct
from definition import Choice, Column, Definition, Expectation, Flow, Poison, time_type
from model import Delivery, empty_struct, invalid, is_partial, key_of, operation, time_key, time_value

NAMES = ["a", "B", "c_1", "Dd", "e f", "g"]


@dataclasses.dataclass
class History:
    definition: Definition
    batches: list                    # [batch][flow] -> rows
    seed: int = 0
    fresh: int = -1                  # the batch before which the target is refreshed in full

    def arrived(self, upto=None):
        """(flow, rows, batch) in the order of arrival."""
        definition, batches = self.definition, list(enumerate(self.batches[:upto]))
        if 0 <= self.fresh < len(batches):  # rule F2: all that came is read again
            merged = [[row for _, batch in batches[:self.fresh + 1] for row in batch[at]]
                      for at in range(len(definition.flows))]
            batches = [(self.fresh, merged)] + batches[self.fresh + 1:]
        done = set()
        for number, batch in batches:
            for at, rows in enumerate(batch):
                if at in done:
                    continue        # rule F1: a ONCE flow that has committed
                if definition.flows[at].once and rows:
                    done.add(at)
                yield at, rows, number

    def deliveries(self, upto=None):
        """What can be placed (rule E6)."""
        definition, found = self.definition, []
        for at, rows, number in self.arrived(upto):
            flow = definition.flows[at]
            columns = definition.source_columns(flow, number)
            names = tuple(c.name for c in columns)
            types = {c.name: c.type for c in columns} if definition.late_fields else {}
            before = self.columns_before(flow, number)
            found += [Delivery(at, row, names, flow.partial_at(number), types, before)
                      for row in rows if flow.snapshot or not invalid(definition, row)]
        return found

    def columns_before(self, flow, number):
        """Rule P3: what an event without a clause writes in a target of partial updates: the
        columns that the target has when it begins to be one, or by then. Nothing: all."""
        definition = self.definition
        if not definition.evolves or flow.partial_at(number) is not None:
            return None
        if number < flow.partial_since:
            upto = flow.partial_since - 1
        else:
            first = self.fresh if 0 <= self.fresh <= number else 0
            if not any(flow.partial_at(at) is not None for at in range(first, number + 1)):
                return None
            upto = number
        return {c.name: c.type for c in definition.output(upto)}

    def set_aside(self, upto=None):
        """(flow, reason) of what can't."""
        return [(self.definition.flows[at].name, invalid(self.definition, row))
                for at, rows, _ in self.arrived(upto) for row in rows
                if not self.definition.flows[at].snapshot and invalid(self.definition, row)]

    def size(self):
        return sum(len(rows) for batch in self.batches for rows in batch)


def some(random, items, least=0):
    picked = random.sample(items, random.randint(min(least, len(items)), len(items)))
    return [item for item in items if item in picked]


# ---- definitions ----

def draw_time(random, names):
    """One column, or a STRUCT of two or three (then its fields may be NULL)."""
    count = 1 if random.random() < 0.75 else random.randint(2, len(names))
    return [Column(name, random.choice(values.SEQUENCES)()) for name in names[:count]]


def draw_partial(random, columns):
    """None, the four spellings of partial updates, or a list (rules P1, P2)."""
    pick = random.randint(0, 4)
    if pick == 0:
        return Choice([], all_but=True)
    if pick in (1, 2):
        names = some(random, columns, least=1)
        return Choice(names, all_but=pick == 2 and len(names) < len(columns), style=pick)
    return "named" if pick == 3 else None


def draw_flows(random, kind, keys, columns, features):
    count = 1 if kind == "bitemporal" or random.random() < 0.75 or "flows" not in features \
        else random.randint(2, 3)
    flows = [Flow(f"flow{at}", []) for at in range(count)]
    if count > 1 and random.random() < 0.3:
        flows[random.randrange(count)].once = True
    if count > 1:
        for flow in flows:
            flow.lacks = [c.name for c in columns if random.random() < 0.3]
        for name in [c.name for c in columns if all(c.name in f.lacks for f in flows)]:
            flows[0].lacks.remove(name)
    if "partial" in features and kind != "bitemporal" and random.random() < 0.5:
        mixed = random.random() < 0.4        # flows of one target with clauses of their own
        same = draw_partial(random, [c.name for c in columns])
        for flow in flows:
            same = draw_partial(random, [c.name for c in columns]) if mixed else same
            flow.partial = same
            if isinstance(same, Choice) and same.names:
                names = [n for n in same.names if n not in flow.lacks]
                flow.partial = Choice(names, same.all_but, same.style) if names else None
        if count == 1 and "evolve" in features and random.random() < 0.2:
            later = draw_partial(random, [c.name for c in columns])
            flows[0].changes = (random.randint(1, 2), later)
    return flows


def draw_selection(random, definition):
    """COLUMNS: everything, a list, or all but a list; keys stay (rule A3)."""
    fixed = {column.name for column in definition.keys}
    fixed |= {column.name for column in definition.values[:1]}
    if len(definition.flows) > 1 or definition.evolves:
        fixed |= {column.name for column in definition.values}  # each list must name what is there
    free = [name for name in definition.all_columns if name not in fixed]
    if random.random() < 0.2 or not free:
        return None
    helpers = [name for name in free if name in ("op", "which") or name.startswith(("seq", "sys"))]
    left_out = some(random, free) if random.random() < 0.3 else helpers
    if not left_out:
        return None
    if random.random() < 0.5 and len(definition.flows) == 1 and not definition.evolves:
        return Choice([n for n in definition.all_columns if n not in left_out], False,
                      definition.style)
    return Choice(left_out, True, definition.style)


def draw_tracking(random, definition):
    if definition.kind != "scd2" or random.random() < 0.5 or definition.evolves or \
            len(definition.flows) > 1:
        return None
    names = some(random, [column.name for column in definition.output()], least=1)
    return Choice(names, random.random() < 0.5, definition.style)


def draw_snapshots(random, features):
    """A snapshot flow (rules S1, S2), maybe with feeds beside it (rules M1, M2)."""
    combined = "combined" in features and random.random() < 0.5
    kind = "scd1" if combined else random.choice(["scd1", "scd2"])
    keys = [Column(name, random.choice(values.KEYS)) for name in ["id", "k2"][:random.randint(1, 2)]]
    columns = [Column(name, random.choice(values.VALUES))
               for name in NAMES[:random.choice([1, 2, 3])]]
    time = draw_time(random, ["seq", "seq2"])
    if combined or random.random() < 0.8:
        time = time[:1]
    flows = [Flow("snap", [], snapshot=True, once=not combined and random.random() < 0.15)]
    if combined:
        flows = random.sample([Flow("feed", []), Flow("zone", [])], random.randint(1, 2)) + flows
        flows.sort(key=lambda flow: flow.name)
    definition = Definition(kind, keys, columns, time, [], flows, deletes=True,
                            truncates=combined and random.random() < 0.2,
                            style=random.randint(0, 5))
    order = [c.name for c in [*keys, *columns]]
    order += [time[0].name, "op"] if combined else []
    definition.order = random.sample(order, len(order))
    if combined:
        definition.select = Choice([time[0].name, "op"], True)
    definition.track = draw_tracking(random, definition)
    if "expect" in features and not combined and random.random() < 0.4:
        definition.expect = draw_expectation(random, definition)
    return definition


def draw_evolution(random, definition):
    """A column that comes late, one that goes, a struct that gets a field (rule F3)."""
    listed = {name for flow in definition.flows for partial in flow.partials
              if isinstance(partial, Choice) for name in partial.names}
    free = [column for column in definition.values[1:] if column.name not in listed]
    for column in free:
        pick = random.random()
        if pick < 0.4:
            definition.late_columns[column.name] = random.randint(1, 2)
        elif pick < 0.6 and not definition.named:
            definition.gone_columns[column.name] = random.randint(1, 3)
        elif isinstance(column.type, Struct):
            definition.late_fields[column.name] = (random.randint(1, 2), less(random, column.type))


def less(random, kind):
    """The struct without one of its fields, or with one that has fewer."""
    fields = list(kind.fields)
    at = random.randrange(len(fields))
    inner = fields[at][1]
    if isinstance(inner, Struct):
        fields[at] = (fields[at][0], less(random, inner))
    else:
        del fields[at]
    return Struct(fields)


def draw_definition(random, features):
    if "snapshots" in features and random.random() < (0.2 if len(features) > 2 else 1):
        return draw_snapshots(random, features)
    kinds = ["scd1", "scd1", "scd2", "scd2", "scd2"]
    kinds += ["bitemporal"] * (20 if len(features) == 1 else 2) if "bitemporal" in features else []
    kind = random.choice(kinds)
    keys = [Column(name, random.choice(values.KEYS))
            for name in ["id", "Key 2", "k3"][:random.choice([1, 1, 1, 2, 3])]]
    columns = [Column(name, random.choice(values.VALUES))
               for name in NAMES[:random.choice([1, 2, 2, 3, 4, 6])]]
    if "expect" in features and random.random() < 0.4:
        columns[0].type = values.INT    # what an expectation can test
    definition = Definition(
        kind, keys, columns, draw_time(random, ["seq", "seq2", "Seq3"]),
        draw_time(random, ["sys", "sys2"]) if kind == "bitemporal" else [],
        draw_flows(random, kind, keys, columns, features), deletes=random.random() < 0.8,
        truncates=kind == "scd1" and random.random() < 0.4, style=random.randint(0, 5))
    order = [c.name for c in [*keys, *columns, *definition.sequence, *definition.system]]
    order += ["op"] if definition.deletes or definition.truncates else []
    order += ["which"] if definition.named else []
    definition.order = random.sample(order, len(order))
    partials = {repr(partial) for flow in definition.flows for partial in flow.partials}
    mixed = len(definition.flows) > 1 and len(partials) > 1 and "None" in partials
    if "evolve" in features and len(columns) > 1 and random.random() < 0.3 and not mixed and \
            not any(flow.once for flow in definition.flows):
        draw_evolution(random, definition)
    definition.select = draw_selection(random, definition)
    definition.track = draw_tracking(random, definition)
    if "expect" in features and random.random() < 0.5:
        definition.expect = draw_expectation(random, definition)
    pick = random.random()
    if "refuse" in features and not definition.is_pinned:
        definition.strict = pick < 0.15
        definition.quarantine = pick > 0.85 and not any(flow.once for flow in definition.flows)
    return definition


def draw_expectation(random, definition):
    """A least value of a column that is always there."""
    numbers = [c.name for c in definition.output() if c in definition.values and
               c.type is values.INT and c.name not in definition.late_columns and
               c.name not in definition.gone_columns and
               not any(c.name in flow.lacks for flow in definition.flows)]
    if not numbers:
        return None
    action = random.choice(["DROP ROW", "DROP ROW", "DROP ROW", "", "FAIL UPDATE"])
    least = -100 if action == "FAIL UPDATE" else random.choice([-1, 0, 1, 2])
    return Expectation(numbers[0], least, action)


# ---- histories ----

class Pools:
    """Few keys, sequences and rows, so that events meet; narrow sequences make ties."""

    def __init__(self, random, definition):
        self.random = random
        self.definition = definition
        self.keys = [[column.type.draw(random) for column in definition.keys]
                     for _ in range(random.choice([1, 1, 2, 3, 5]))]
        width = random.choice([3, 6, 12, 40])
        self.times = {}
        for columns in (definition.sequence, definition.system):
            for at, column in enumerate(columns):
                pool = column.type.pool
                picked = random.sample(pool, min(len(pool), width))
                self.times[column.name] = picked + ([None] * (1 + width // 8)
                                                    if len(columns) > 1 and at >= 0 else [])
        self.pools = {column.name: [column.type.draw(random) for _ in range(random.randint(1, 3))]
                      for column in definition.values}
        if any(flow.changes for flow in definition.flows):
            self.forget_empty_structs()
        self.nulls = random.choice([0.0, 0.1, 0.5])
        self.deletes = random.choice([0.05, 0.2, 0.4])
        self.truncates = random.choice([0.03, 0.1])

    def forget_empty_structs(self):
        """What is no NULL before updates are partial reads as NULL then (rule P3)."""
        for column in self.definition.values:
            self.pools[column.name] = [empty_struct(column.type, value)
                                       for value in self.pools[column.name]]
        for key in self.keys:
            for at, column in enumerate(self.definition.keys):
                while empty_struct(column.type, key[at]) is None:
                    key[at] = column.type.draw(self.random)

    def op(self):
        if self.definition.deletes and self.random.random() < self.deletes:
            return "D"
        if self.definition.truncates and self.random.random() < self.truncates:
            return self.random.choice(["T", "X"])
        return self.random.choice(["I", "U", None, "x"])

    def row(self, flow, batch):
        random, definition = self.random, self.definition
        names = [column.name for column in definition.source_columns(flow, batch)]
        row = {}
        if "op" in names:
            row["op"] = self.op()
        for column, value in zip(definition.keys, random.choice(self.keys)):
            row[column.name] = value
        if row.get("op") in ("T", "X") and definition.truncates and random.random() < 0.5:
            row.update({column.name: None for column in definition.keys})
        for name, pool in self.times.items():
            row[name] = random.choice(pool)
        for name, pool in self.pools.items():
            if name in names:
                row[name] = None if random.random() < self.nulls else random.choice(pool)
        if "which" in names:
            row["which"] = self.which(names)
        if definition.quarantine and random.random() < 0.15:
            self.spoil(row)
        columns = definition.source_columns(flow, batch)
        row = {column.name: pruned(column.type, row[column.name]) for column in columns}
        if any(one.changes for one in definition.flows):
            row = {column.name: empty_struct(column.type, row[column.name]) for column in columns}
        return row

    def spoil(self, row):
        """Makes it an event that can't be placed, mostly (rule E6)."""
        columns = [*self.definition.keys]
        for time in (self.definition.sequence, self.definition.system):
            columns += time if len(time) == 1 else []
        row[self.random.choice(columns).name] = None

    def which(self, names):
        if self.random.random() < 0.1:
            return None
        return [name.upper() if self.random.random() < 0.2 else name
                for name in some(self.random, names)]


    def version_pool(self):
        """Versions to come, in their order."""
        columns = self.definition.sequence
        drawn = [{c.name: self.random.choice(self.times[c.name]) for c in columns}
                 for _ in range(5)]
        drawn = {time_key(columns, row): time_value(columns, row) for row in drawn
                 if len(columns) > 1 or row[columns[0].name] is not None}
        return [drawn[key] for key in sorted(drawn)]

    def snapshot(self, version):
        """A row for some of the keys; in a key NULL is a value (rule S3)."""
        random, definition, rows = self.random, self.definition, {}
        if len(definition.flows) == 1 and random.random() < 0.1:
            self.keys.append([None] * len(definition.keys))
        for key in random.sample(self.keys, random.randint(0, len(self.keys))):
            row = {column.name: value for column, value in zip(definition.keys, key)}
            for name, pool in self.pools.items():
                row[name] = None if random.random() < self.nulls else random.choice(pool)
            rows[key_of(definition, row)] = row
        return {"ver": version, "rows": list(rows.values())}


def pruned(kind, value):
    """The value with the fields of the type only."""
    if not isinstance(kind, Struct) or value is None:
        return value
    return {name: pruned(field, value.get(name)) for name, field in kind.fields}


def draw_poison(random, definition, batches):
    """Rows that refuse their batch whole (rules E4, E6, F6), or nothing."""
    number = random.randrange(len(batches))
    at = random.randrange(len(definition.flows))
    flow = definition.flows[at]
    if flow.snapshot or flow.once:
        return None
    pools = Pools(random, definition)
    rows = [pools.row(flow, number) for _ in range(random.randint(1, 3))]
    row = random.choice(rows)
    code = "AUTOCDC_MICROBATCH_VALIDATION."
    if definition.strict:
        late_counts = definition.kind != "scd1" or not is_partial(definition)
        if definition.truncates or definition.snapshots or not late_counts:
            return None
        other = dict(row, op="I") if "op" in row else dict(row)
        rows.append(other)
        name = definition.values[0].name
        kind = definition.at(definition.values[0], number).type
        if name not in row or not definition.selects(name) or isinstance(kind, Struct):
            return None
        pair = random.sample(kind.pool, 2)
        if kind.key(pair[0]) == kind.key(pair[1]):
            return None
        for one, value in zip((row, other), pair):
            one.update({name: value}, **({"op": "I"} if "op" in one else {}))
            if "which" in one:
                one["which"] = None
        return Poison(number, at, rows, code + "SEQUENCE_TIE")
    if definition.expect is not None and definition.expect.action == "FAIL UPDATE":
        row[definition.expect.column] = -1000
        if "op" in row:
            row["op"] = "U"
        if "which" in row:
            row["which"] = None
        if is_partial(definition) and definition.kind == "scd1":
            return None             # what is late puts out no row of its own
        return Poison(number, at, rows, "EXPECTATION_VIOLATION")
    if definition.quarantine:
        return None
    pools.spoil(row)
    reason = invalid(definition, row)
    return Poison(number, at, rows, code + reason) if reason else None


def draw_snapshot_batches(random, definition, size):
    pools = Pools(random, definition)
    count = random.choice([1, 2, 3])
    batches = [[[] for _ in definition.flows] for _ in range(count)]
    for version in pools.version_pool():
        place = random.randrange(count)
        batches[place][definition.snapshots[0]].append(version)
    pending = [v for batch in batches for v in batch[definition.snapshots[0]]]
    pending.sort(key=time_type(definition.sequence).key)
    for batch in batches:
        for at, flow in enumerate(definition.flows):
            if flow.snapshot:
                batch[at] = [pools.snapshot(pending.pop(0)) for _ in batch[at]]
            else:
                batch[at] = [pools.row(flow, 0) for _ in range(random.randint(0, size // count))]
    return batches


def draw_batches(random, definition, size):
    pools, batches, seen = Pools(random, definition), [], []
    count = random.choice([1, 2, 3, 4]) if not definition.is_pinned else random.randint(3, 4)
    for number in range(count):
        batch = [[] for _ in definition.flows]
        empty = number > 0 and definition.is_pinned and random.random() < 0.15
        for _ in range(0 if empty else max(1, size // count)):
            at = random.randrange(len(definition.flows))
            if seen and random.random() < 0.1:
                again = random.choice(seen)          # a repeat, maybe by another batch
                batch[again[0]].append(again[1])
                continue
            row = pools.row(definition.flows[at], number)
            batch[at].append(row)
            seen.append((at, row))
        batches.append(batch)
    return batches


def draw_history(random, features, seed):
    definition = draw_definition(random, features)
    size = random.choice([4, 8, 16, 16, 30, 30, 60])
    draw = draw_snapshot_batches if definition.snapshots else draw_batches
    history = History(definition, draw(random, definition, size), seed)
    if "refuse" in features and random.random() < 0.4:
        definition.poison = draw_poison(random, definition, history.batches)
    if definition.strict or (definition.evolves and is_partial(definition)):
        # Where a delete and a partial event tie, it is not remembered that the delete wrote NULL
        # to columns that come later.
        return without_ties(history, lambda row: place_of(definition, row))
    return history


def features(history):
    """What is in a history, by name: so that it can be seen that everything is drawn."""
    definition, flows = history.definition, history.definition.flows
    partials = [partial for flow in flows for partial in flow.partials]
    feeds = [flow for flow in flows if not flow.snapshot]
    expect = definition.expect
    found = {
        definition.kind: True, "partial": is_partial(definition),
        "partial and plain flows": len(flows) > 1 and len(set(map(repr, partials))) > 1,
        "rewritten clause": any(flow.changes for flow in flows),
        "truncate": definition.truncates, "several feeds": len(feeds) > 1,
        "once": any(flow.once for flow in flows), "snapshots": bool(definition.snapshots),
        "combined": bool(definition.snapshots and feeds),
        "late columns": bool(definition.late_columns), "gone columns": bool(definition.gone_columns),
        "late fields": bool(definition.late_fields), "tracked list": definition.track is not None,
        "expectation": expect is not None,
        "hidden rows": expect is not None and expect.action == "DROP ROW",
        "hidden rows, partial": expect is not None and expect.action == "DROP ROW" and
                                is_partial(definition),
        "onSequenceTie": definition.strict, "quarantine": definition.quarantine,
        "refused batch": definition.poison is not None}
    return [name for name, there in found.items() if there]


def place_of(definition, row):
    """What must not occur twice where nothing is to tie."""
    return (operation(definition, row) == "truncate" or key_of(definition, row),
            time_key(definition.sequence + definition.system, row))


# ---- the same events, delivered otherwise ----

def variants(history, random):
    """Suffix -> batches: as drawn; at once; shuffled and cut anew; with repeats (laws 1, 2, 3);
    read again after a full refresh (rule F2). Columns that come late pin events to their batches,
    so only these two remain then."""
    fresh = random.randrange(len(history.batches))
    found = {suffix: dataclasses.replace(history, batches=batches)
             for suffix, batches in delivered_otherwise(history, random).items()}
    found["_fresh"] = dataclasses.replace(history, fresh=fresh)
    return found


def delivered_otherwise(history, random):
    definition = history.definition
    found, flows = {"": history.batches}, len(definition.flows)
    if definition.snapshots:
        found["_one"] = [[[row for batch in history.batches for row in batch[at]]
                          for at in range(flows)]]
        found["_each"] = [[[row] if at == place else [] for place in range(flows)]
                          for at in random.sample(range(flows), flows)
                          for batch in history.batches for row in batch[at]][:8]
        return found
    if any(flow.once for flow in definition.flows):
        return found                # what a ONCE flow takes depends on when it comes
    repeated = [[list(rows) for rows in batch] for batch in history.batches]
    for number in range(1, len(repeated)):
        for at in range(flows):
            old = [row for batch in history.batches[:number] for row in batch[at]]
            repeated[number][at] += random.sample(old, len(old) // 3)
    found["_again"] = repeated
    if definition.is_pinned:
        return found
    everything = [[row for batch in history.batches for row in batch[at]] for at in range(flows)]
    found["_one"] = [everything]
    mixed = [(at, row) for at in range(flows) for row in everything[at]]
    random.shuffle(mixed)
    count = random.randint(1, len(history.batches) + 1)
    shuffled = [[[] for _ in range(flows)] for _ in range(count)]
    for number, (at, row) in enumerate(mixed):
        shuffled[number * count // len(mixed)][at].append(row)
    found["_mixed"] = shuffled
    return found


def without_ties(history, of):
    """The same history with only the first event at each place in order (ties aside)."""
    seen, batches = set(), []
    for batch in history.batches:
        kept = []
        for rows in batch:
            fresh = [row for row in rows if of(row) not in seen and not seen.add(of(row))]
            kept.append(fresh)
        batches.append(kept)
    return dataclasses.replace(history, batches=batches)

