"""Replay informed policies on many small tables: ``python -m tests.equivalence.run_replay [N]`` prints a line a kind.

For each kind N tables of three to six people with random jobs; every assignment of a sensitive value is released, and
what an outsider infers who replays all of them is held against the promise.
"""

import sys
from typing import Any

import numpy as np
from tests.equivalence.replay_attacker import as_rows, replay
from tests.equivalence.test_replay import is_kept

import withhold as wh

ASKED: dict[str, dict[str, Any]] = {
    "template": {"given": ["job"], "hide": {"ill": ["yes"]}, "at_most": 0.5},
    "diversity": {"columns": ["job"], "sensitive": "ill", "l": 2},
    "closeness": {"columns": ["job"], "sensitive": "ill", "t": 0.25},
}
KINDS: dict[str, Any] = {"template": wh.Template, "diversity": wh.Diversity, "closeness": wh.Closeness}


def main() -> None:
    """Print for each kind how many tables and releases were tried, and how many break the promise."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(16)
    for kind, asked in ASKED.items():
        for informed in ({}, {"informed": True, "groups_of": 2}):
            requirement = KINDS[kind](**asked, **informed)
            counts = np.zeros(3, dtype=np.int64)
            for _ in range(n_tables):
                known = {"job": rng.choice(list("ABC"), int(rng.integers(3, 6))).tolist()}
                found = replay(known, "ill", ["yes", "no"], as_rows(wh.Policy([requirement])))
                broken = sum(not is_kept(requirement, people, tables[0]) for tables, people in found)
                counts += [sum(len(tables) for tables, _ in found), len(found), broken]
            print(f"{kind}, {'informed' if informed else 'plain'}: {n_tables} tables of people, {counts[0]} tables with "
                  f"answers, {counts[1]} releases, {counts[2]} of which break the promise", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
