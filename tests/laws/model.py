"""The law as plainly as it can be said: from all rows ever delivered, in the order of arrival, to
the rows that the target must show. Works on values; knows no batch, no memory, no hash. Each
`rule` below is the sentence of docs/semantics.md under that number.
"""
import dataclasses

from definition import DELETE_OPS, TRUNCATE_OPS, time_type
from values import Struct


@dataclasses.dataclass
class Delivery:
    """A row of a source as it arrived: the flow that brought it, its values by column, and the
    columns that the source had at that time."""
    flow: int
    row: dict
    columns: tuple
    partial: object = None           # the flow's clause at that time (rule P3)
    types: dict = dataclasses.field(default_factory=dict)  # of columns that have other types now
    before: dict = None              # from before the clause: the columns of the target (rule P3)

    def get(self, name):
        return self.row.get(name) if name in self.columns else None


def operation(definition, row):
    """Rule E1: truncate, delete, upsert, tested in that order; NULL does not match."""
    op = row.get("op")
    if definition.truncates and op in TRUNCATE_OPS:
        return "truncate"
    if definition.deletes and op in DELETE_OPS:
        return "delete"
    return "upsert"


def time_value(columns, row):
    if len(columns) == 1:
        return row[columns[0].name]
    return {column.name: row.get(column.name) for column in columns}


def time_key(columns, row):
    """Rule E3: how events are ordered."""
    return time_type(columns).key(time_value(columns, row))


def at_version(definition, row, version):
    """A row of a snapshot as an event at its version."""
    columns = definition.sequence
    return {**row, **(version if len(columns) > 1 else {columns[0].name: version})}


def key_of(definition, row):
    return tuple(column.type.key(row.get(column.name)) for column in definition.keys)


# ---- values ----

def empty_struct(kind, value):
    """Rule P3: a struct whose leaves are all NULL reads as NULL."""
    if isinstance(kind, Struct) and value is not None:
        value = {name: empty_struct(field, value.get(name)) for name, field in kind.fields}
        return None if all(item is None for item in value.values()) else value
    return value


def filled(kind, old, new):
    """Rule P1: a NULL says nothing; in structs leaf by leaf."""
    if new is None:
        return old
    if isinstance(kind, Struct):
        old = old or {}
        return {name: filled(field, old.get(name), new.get(name)) for name, field in kind.fields}
    return new


def laid(kind, now, old, new):
    """A value of type `now` in a column of type `kind`: fields that it lacks are absent."""
    if not isinstance(kind, Struct) or now is kind:
        return new
    old, new, fields = old or {}, new or {}, dict(now.fields)
    return {name: laid(field, fields[name], old.get(name), new.get(name)) if name in fields
            else old.get(name) for name, field in kind.fields}


def is_partial(definition):
    return any(partial is not None for flow in definition.flows for partial in flow.partials)


def written(definition, state, delivery):
    """The row after an upsert, `state` being the row before it (None: there was none)."""
    partial = delivery.partial
    keys = {column.name for column in definition.keys}
    state = state or {}
    row = {}
    named = delivery.get("which")
    named = None if named is None else {name.lower() for name in named}
    for column in definition.output():
        old, new = state.get(column.name), delivery.get(column.name)
        present = column.name in delivery.columns
        now = delivery.types.get(column.name, column.type)
        if delivery.before is not None:       # rule P3: what there was then is written
            there = delivery.before.get(column.name)
            value = old if there is None else laid(column.type, there, old, new)
        elif column.name in keys or partial is None:
            value = new                       # rule F3: what is missing is NULL
        elif not present:
            value = old                       # rule F3: ... or absent
        elif partial == "named":              # rule P2
            own = named is None or column.name.lower() in named or column.name == "which"
            value = laid(column.type, now, old, new) if own else old
        else:                                 # rule P1
            value = filled(column.type, old, new) if partial.has(column.name) else \
                laid(column.type, now, old, new)
        row[column.name] = empty_struct(column.type, value) if is_partial(definition) else value
    return row


def values_key(definition, row, names=None):
    return tuple(column.type.key(row.get(column.name)) for column in definition.output()
                 if names is None or column.name in names)


# ---- snapshots ----

def snapshot_events(definition, deliveries):
    """Rule S1: what a snapshot says against the one before, as events at its version."""
    present = {}
    for delivery in deliveries:
        version, rows = delivery.row["ver"], delivery.row["rows"]
        now = {key_of(definition, row): row for row in rows}
        for key, row in now.items():
            if key not in present or \
                    values_key(definition, row) != values_key(definition, present[key]):
                yield Delivery(delivery.flow, at_version(definition, row, version),
                               delivery.columns)
        for key, row in present.items():
            if key not in now:
                gone = {**at_version(definition, row, version), "op": "D"}
                yield Delivery(delivery.flow, gone, delivery.columns)
        present = now


def combined_rows(definition, deliveries):
    """Rule M2: the latest snapshot and the events above it; what lies at it or below, known key
    or not, changes nothing."""
    kind = time_type(definition.sequence)
    snapshots = [one for one in deliveries if definition.flows[one.flow].snapshot]
    events = [one for one in deliveries if not definition.flows[one.flow].snapshot]
    if snapshots:
        latest = max(snapshots, key=lambda one: kind.key(one.row["ver"]))
        floor = kind.key(latest.row["ver"])
        events = [Delivery(latest.flow, at_version(definition, row, latest.row["ver"]),
                           latest.columns) for row in latest.row["rows"]] + \
                 [one for one in events if time_key(definition.sequence, one.row) > floor]
    return scd1_rows(definition, events)


# ---- events of a key in order ----

def surviving(definition, deliveries):
    """Per key: its events by sequence, each a list in the order of arrival; truncates done."""
    keys, floor = {}, None
    for delivery in deliveries:
        at = time_key(definition.sequence, delivery.row)
        if operation(definition, delivery.row) == "truncate":  # rule T1
            for history in keys.values():
                for sequence in [s for s in history if s <= at]:
                    del history[sequence]
            floor = at if floor is None else max(floor, at)
        elif floor is None or at >= floor:
            history = keys.setdefault(key_of(definition, delivery.row), {})
            history.setdefault(at, []).append(delivery)        # rule E4
    return keys


def states(definition, history):
    """The state after each sequence: (sequence value, row or None), in order (rules E3, P3)."""
    found, state = [], None
    for sequence in sorted(history):
        for delivery in history[sequence]:
            if operation(definition, delivery.row) == "delete":
                state = None
            else:
                state = written(definition, state, delivery)
        last = history[sequence][-1]
        found.append((time_value(definition.sequence, last.row), state))
    return found


def hidden(definition, row):
    """Rule F6: rows that an expectation drops; NULL fails."""
    expect = definition.expect
    return expect is not None and expect.action == "DROP ROW" and not expect.met(row)


def tested(definition, deliveries):
    """Rule F6: how many rows met the expectation, and how many did not."""
    rows = []
    for delivery in deliveries:
        if definition.flows[delivery.flow].snapshot:
            rows += delivery.row["rows"]
        elif operation(definition, delivery.row) == "upsert":
            rows.append({name: delivery.get(name) for name in delivery.row})
    met = sum(definition.expect.met(row) for row in rows)
    return {"passed_records": met, "failed_records": len(rows) - met}


def invalid(definition, row):
    """Rule E6: why an event can't be placed, or nothing."""
    if len(definition.sequence) == 1 and row.get(definition.sequence[0].name) is None:
        return "NULL_SEQUENCE"
    if len(definition.system) == 1 and row.get(definition.system[0].name) is None:
        return "NULL_SYSTEM_SEQUENCE"
    if operation(definition, row) != "truncate" and \
            any(row.get(column.name) is None for column in definition.keys):
        return "NULL_KEY"
    return ""


# ---- targets ----

def scd1_rows(definition, deliveries):
    """Rule A1: the greatest event."""
    rows = []
    for history in surviving(definition, deliveries).values():
        after = states(definition, history)
        if after and after[-1][1] is not None and not hidden(definition, after[-1][1]):
            rows.append(after[-1][1])
    return rows


def scd2_rows(definition, deliveries):
    """Rule B1: runs of equal tracked values; rule B3: a delete ends, the next begins anew."""
    rows, tracked = [], definition.tracked()
    for history in surviving(definition, deliveries).values():
        open_row = None
        for sequence, state in states(definition, history):
            if state is not None and hidden(definition, state):  # rule F6
                state = None
            if open_row is not None and state is not None and \
                    values_key(definition, open_row, tracked) == \
                    values_key(definition, state, tracked):
                open_row.update(state)
                continue
            if open_row is not None:
                open_row["__END_AT"] = sequence
            open_row = None
            if state is not None:
                open_row = dict(state, __START_AT=sequence, __END_AT=None)
                rows.append(open_row)
    return rows


def belief(definition, events):
    """Rule C2 at one system time: of `events` (in order of system time, then arrival) the last of
    each business time, in order; equal neighbours are one."""
    latest = {}
    for delivery in events:
        latest[time_key(definition.sequence, delivery.row)] = delivery
    rows, open_row = [], None
    for _, delivery in sorted(latest.items(), key=lambda item: item[0]):
        start = time_value(definition.sequence, delivery.row)
        state = None if operation(definition, delivery.row) == "delete" else \
            written(definition, None, delivery)
        if state is not None and hidden(definition, state):  # rule F6
            state = None
        if open_row is not None and state is not None and \
                values_key(definition, open_row) == values_key(definition, state):
            continue
        if open_row is not None:
            open_row["__END_AT"] = start
        open_row = None if state is None else dict(state, __START_AT=start, __END_AT=None)
        if open_row is not None:
            rows.append(open_row)
    return rows


def bitemporal_rows(definition, deliveries):
    """Rule C2: every row of a belief, over each longest system interval in which it is one."""
    rows = []
    keys = {}
    for delivery in deliveries:
        keys.setdefault(key_of(definition, delivery.row), []).append(delivery)
    business = time_type(definition.sequence)
    for events in keys.values():
        steps = {time_key(definition.system, event.row): time_value(definition.system, event.row)
                 for event in events}
        events = sorted(events, key=lambda event: time_key(definition.system, event.row))
        standing = {}
        for at in sorted(steps):
            now = {}
            for row in belief(definition, [event for event in events if
                                           time_key(definition.system, event.row) <= at]):
                identity = (values_key(definition, row), business.key(row["__START_AT"]),
                            business.key(row["__END_AT"]))
                now[identity] = standing.get(identity) or dict(
                    row, __SYSTEM_START_AT=steps[at], __SYSTEM_END_AT=None)
            for identity, row in standing.items():
                if identity not in now:
                    row["__SYSTEM_END_AT"] = steps[at]
                    rows.append(row)
            standing = now
        rows += standing.values()
    return rows


def expected_rows(definition, deliveries):
    if definition.snapshots and len(definition.flows) > 1:
        return combined_rows(definition, deliveries)
    if definition.snapshots:
        deliveries = list(snapshot_events(definition, deliveries))
    make = {"scd1": scd1_rows, "scd2": scd2_rows, "bitemporal": bitemporal_rows}
    return make[definition.kind](definition, deliveries)


# ---- comparing ----

def table_columns(definition, batch, since=0):
    """Name and type of the target's columns once batches from `since` up to `batch` came."""
    columns = [(column.name, column.type) for column in definition.output(batch, since)]
    business = time_type(definition.sequence)
    if definition.kind != "scd1":
        columns += [("__START_AT", business), ("__END_AT", business)]
    if definition.kind == "bitemporal":
        system = time_type(definition.system)
        columns += [("__SYSTEM_START_AT", system), ("__SYSTEM_END_AT", system)]
    return columns


def row_key(columns, row):
    return tuple(kind.key(row.get(name)) for name, kind in columns)


def identity(definition, columns, row):
    """Rule F9: what makes a row the same row before and after."""
    names = {column.name for column in definition.keys} | {"__START_AT", "__SYSTEM_START_AT"}
    return tuple(kind.key(row.get(name)) for name, kind in columns if name in names)


def metrics(definition, columns, before, after):
    """Rule F7: visible rows added or changed, and removed."""
    old = {identity(definition, columns, row): row_key(columns, row) for row in before}
    new = {identity(definition, columns, row): row_key(columns, row) for row in after}
    return {"num_upserted_rows": sum(old.get(one) != row for one, row in new.items()),
            "num_deleted_rows": sum(one not in new for one in old)}



