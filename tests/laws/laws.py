#!/usr/bin/env python3
"""The laws of targets, end to end: random definitions and histories go through the whole program,
pipeline text in and tables out, and are compared with the law as tests/laws/model.py says it.

    laws.py [--lakebed build/lakebed] [--histories 300] [--seed N] [--jobs 2] [--forever]
            [--features bitemporal,partial,flows,evolve,snapshots,combined,expect,refuse]
            [--keep-going]

Every history is delivered several times into targets side by side: as drawn, at once, shuffled
and cut anew, with repeats, and read again by a full refresh; each must show what the model shows
for its own order of arrival, after every batch. Rows that refuse their batch change nothing. So order, cuts and repeats do not matter (laws 1 to 3, ties aside), and the
model itself is asked for laws 4 and 5. A failing history is made small and printed as a scenario.
Standard library only; the same seed draws the same histories.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import check                                                             # noqa: E402
import generate                                                          # noqa: E402
import model                                                             # noqa: E402
import values                                                            # noqa: E402
from program import NotBuilt                                             # noqa: E402

FEATURES = "bitemporal,partial,flows,evolve,snapshots,combined,expect,refuse"


def play(seed, features, lakebed, small_wanted=True):
    """(seed, what is wrong or "", its scenario, the clause that is not built or "", features)."""
    chance = random.Random(seed)
    history = generate.draw_history(chance, features, seed)
    drawn = generate.features(history)
    wrong = model_laws(history)
    if wrong:
        return seed, wrong, check.scenario(history), "", drawn
    variants = generate.variants(history, chance)
    try:
        wrong, suffix = check.check(history, variants, lakebed)
    except NotBuilt as refusal:
        return seed, "", "", str(refusal), drawn
    if not wrong:
        return seed, "", "", "", drawn
    if not small_wanted:
        return seed, wrong, "", "", drawn
    small = variants[suffix]
    alone = check.check(small, {"": small}, lakebed)[0]
    if alone:
        small, wrong = check.shrink(small, alone, lakebed)
    return seed, wrong, check.scenario(small), "", drawn


def model_laws(history):
    """The model against itself: laws 1, 3, 4 and 5."""
    definition = history.definition
    if definition.snapshots:
        return ""                   # their order is not free
    every = definition.sequence + definition.system
    plain = generate.without_ties(history, lambda row: generate.place_of(definition, row))
    deliveries = plain.deliveries()
    if definition.truncates:  # a truncate ties with every key
        truncates = {model.time_key(every, one.row) for one in deliveries
                     if model.operation(definition, one.row) == "truncate"}
        deliveries = [one for one in deliveries if model.time_key(every, one.row) not in truncates
                      or model.operation(definition, one.row) == "truncate"]
    columns = model.table_columns(definition, 10 ** 9)

    def rows(of, kind=definition.kind):
        shape = generate.dataclasses.replace(definition, kind=kind)
        return sorted(model.row_key(columns, row) for row in model.expected_rows(shape, of))

    whole = rows(deliveries)
    mixed = random.Random(history.seed).sample(deliveries, len(deliveries))
    if rows(mixed) != whole or rows(deliveries + mixed) != whole:
        return "the model itself depends on order or repeats"
    if definition.kind == "scd2" and not definition.track and not model.is_partial(definition):
        ends = [name for name, _ in columns].index("__END_AT")
        starts = ends - 1
        latest = sorted(row[:starts] for row in whole if row[ends] == values.NULL)
        if latest != sorted(row[:starts] for row in rows(deliveries, "scd1")):
            return "law 4: SCD type 1 is not the open rows of SCD type 2"
    if definition.kind == "bitemporal":
        now = sorted(row[:-2] for row in whole if row[-1] == values.NULL)
        ordered = sorted(deliveries, key=lambda one: model.time_key(definition.system, one.row))
        if now != sorted(row[:-2] for row in rows(ordered, "scd2")):
            return "law 5: SCD type 2 is not the current belief"
    return ""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lakebed", default=str(HERE.parents[1] / "build" / "lakebed"))
    parser.add_argument("--histories", type=int,
                        default=int(os.environ.get("LAKEBED_END_TO_END_HISTORIES", "300")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("LAKEBED_SEED", "1")))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--features", default=FEATURES)
    parser.add_argument("--forever", action="store_true", help="goes on until stopped")
    parser.add_argument("--keep-going", action="store_true", help="does not stop at a failure")
    parser.add_argument("--no-shrink", action="store_true", help="prints no scenario")
    options = parser.parse_args()
    options.lakebed = os.path.abspath(options.lakebed)
    options.features = set(options.features.split(","))
    if options.forever and "LAKEBED_SEED" not in os.environ:
        options.seed = int(time.time())
    return options


def main():
    options = parse_arguments()
    print(f"seed {options.seed}, {'endless' if options.forever else options.histories} histories",
          flush=True)
    played, failed, unbuilt, drawn = 0, 0, collections.Counter(), collections.Counter()
    next_seed, running = options.seed, set()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        while options.forever or played < options.histories:
            wanted = options.jobs * 2 if options.forever else options.histories - played
            while len(running) < min(options.jobs * 2, wanted):
                running.add(pool.submit(play, next_seed, options.features, options.lakebed,
                                        not options.no_shrink))
                next_seed += 1
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED)
            for seed, wrong, scenario, clause, features in (one.result() for one in done):
                drawn.update(features)
                unbuilt[clause] += bool(clause)
                played += not clause
                failed += bool(wrong)
                if wrong:
                    print(f"FAILED: seed {seed} (repeat it: --seed {seed} --histories 1)\n"
                          f"{wrong}\n{scenario}\n", flush=True)
            if failed and not options.keep_going:
                for one in running:
                    one.cancel()
                break
            if options.forever and played % 500 < len(done):
                print(f"{played} histories, {failed} failed", flush=True)
    print("drawn: " + ", ".join(f"{count} {name}" for name, count in drawn.most_common()))
    skipped = ", ".join(f"{count} {clause}" for clause, count in unbuilt.items() if count)
    print(f"{played - failed} histories hold, {failed} fail" +
          (f"; not built: {skipped}" if skipped else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
