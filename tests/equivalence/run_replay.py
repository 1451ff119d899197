"""Replay policies on many small tables: ``python -m tests.equivalence.run_replay [N [KIND …]]`` prints a line a kind.

For each kind N tables or a few more, of three to seven people: people and policies are drawn, every assignment of the
secret values is released by the real maker, and what an outsider infers who replays all of them is held against the
promise. Without `informed` and with it. Tables that a policy refuses are not counted.
"""

import sys
import time
from collections.abc import Iterator

from tests.equivalence.replay_scenes import KINDS, Outcome, attack, scenes


def outcomes(kind: str, *, informed: bool, n_tables: int) -> Iterator[Outcome]:
    """Yield what is inferred, up to a number of tables."""
    n_done = 0
    for scene in scenes(kind, informed=informed, seed=16):
        found = attack(scene)
        yield found
        n_done += found.n_tables
        if n_done >= n_tables:
            return


def main() -> None:
    """Print for each kind how many tables and releases were tried, and how many break the promise."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    head = ["kind", "reading", "tables", "people and policies", "releases", "break the promise", "certain of somebody"]
    head += ["inferred over promised, at most", "seconds"]
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}", flush=True)
    for kind in sys.argv[2:] or KINDS:
        for informed in (False, True):
            begin = time.process_time()
            found = list(outcomes(kind, informed=informed, n_tables=n_tables))
            sums = [sum(getattr(each, name) for each in found) for name in ("n_releases", "n_broken", "n_certain")]
            cells = [f"{sum(each.n_tables for each in found):,}", f"{len(found):,}", *(f"{each:,}" for each in sums)]
            cells += [f"{max(each.most_used for each in found):.3g}", f"{time.process_time() - begin:.0f}"]
            print(f"| {kind} | {'informed' if informed else 'plain'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
