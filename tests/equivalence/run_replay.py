"""Replay policies on many small tables: ``python -m tests.equivalence.run_replay [N [KIND …]]`` prints a line a kind.

For each kind N tables of three to seven people; every assignment of the secret values is released by the real maker, and
what an outsider infers who replays all of them is held against the promise. Without `informed` and with it.
"""

import sys
import time
from itertools import islice

from tests.equivalence.replay_scenes import KINDS, attack, scenes


def main() -> None:
    """Print for each kind how many tables and releases were tried, and how many break the promise."""
    n_scenes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(
        "| kind | reading | tables of people | releases | break the promise | certain of somebody | inferred over promised, at most | seconds |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for kind in sys.argv[2:] or KINDS:
        for informed in (False, True):
            begin = time.perf_counter()
            found = [attack(each) for each in islice(scenes(kind, informed=informed, seed=16), n_scenes)]
            cells = [
                f"{n_scenes:,} ({sum(each.n_tables for each in found):,} with answers)",
                f"{sum(each.n_releases for each in found):,}",
                f"{sum(each.n_broken for each in found):,}",
                f"{sum(each.n_certain for each in found):,}",
                f"{max(each.most_used for each in found):.3g}",
                f"{time.perf_counter() - begin:.0f}",
            ]
            print(f"| {kind} | {'informed' if informed else 'plain'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
