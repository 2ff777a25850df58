"""Is the verdict on a table right? Two hundred tables without structure, and tables of which we know what is in them.

PYTHONPATH=tests python benchmarks/tables.py --json dimred_lessons/classroom/measurements/tables.json
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from tqdm import tqdm

from dimred_lessons.tables import examine
from support.known_tables import KNOWN, NO_STRUCTURE, right

UNKNOWN = ("nothing", "too few rows")


def without_structure(samples):
    """For each kind, how many tables there were, and in how many a structure was found."""
    found = {}
    for place, (kind, make) in enumerate(tqdm(NO_STRUCTURE.items())):
        ends = [examine(make(np.random.default_rng([place, seed])), maps=False).kind for seed in range(samples)]
        found[kind] = {"tables": samples, "structure": sum(end not in UNKNOWN for end in ends), "ends": Counter(ends)}
    return found


def with_structure(sizes, samples):
    """For each kind and number of rows, how often the end was right, and how often else that the rows are too few."""
    found = {}
    for place, (name, (make, kind, count)) in enumerate(tqdm(KNOWN.items())):
        for n in sizes:
            tables = [make(np.random.default_rng([place, n, seed]), n) for seed in range(samples)]
            ends = [examine(table, maps=False) for table in tables]
            found[f"{name}, {n} rows"] = {
                "tables": samples,
                "right": sum(right(end, kind, count) for end in ends),
                "unknown": sum(not right(end, kind, count) and "too few" in end.verdict.lower() for end in ends),
                "ends": Counter(f"{end.kind} {end.chance.n_components}" for end in ends),
            }
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=12, help="tables of each kind")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {
        "without structure": without_structure(given.samples),
        "with structure": with_structure(given.sizes, given.samples),
    }
    for title, rows in found.items():
        print(title)
        for name, row in rows.items():
            numbers = [f"{key} {value}" for key, value in row.items() if key != "ends"]
            print(f"  {name:<45}", *numbers, dict(row["ends"]))
    every = found["without structure"].values()
    print(f"structure in {sum(row['structure'] for row in every)} of {sum(row['tables'] for row in every)} without any")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
