"""Speed kept: ``python -m benchmarks.ratios [JOB]... [--update]``, which is what ``make bench`` runs.

Each job is timed beside a yardstick of the same run: one sort by NumPy and one GROUP BY by DuckDB on a single thread.
The ratio of their CPU seconds hardly depends on the machine, or on who else uses it. A ratio that is worse by half than
the committed one is an error. ``--update`` commits to the ratios of this run.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import withhold as wh
from withhold.cli.demo import write_clinic
from withhold.cli.warm import policies_of
from withhold.requirements import KINDS

COMMITTED = Path(__file__).parent / "ratios.json"
FOUND = Path("build") / "ratios.json"
WORSE = 1.5
RUNS = 3
ROWS = {"hidden": 3_000, "risk": 8_000}
REGISTRY = (50_000, 16)
MANY_ROWS = 5_000
Job = Callable[[], object]


def main() -> int:
    """Measure, compare, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratios", description=__doc__)
    parser.add_argument("jobs", nargs="*", help="names, or their beginnings; all without any")
    parser.add_argument("--update", action="store_true", help="commit to what is found")
    options = parser.parse_args()
    committed: dict[str, float] = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: measure(name, job, committed.get(name))
            for name, job in jobs(Path(folder))
            if not options.jobs or name.startswith(tuple(options.jobs))
        }
    if options.update:
        write(COMMITTED, committed | found)
        return 0
    FOUND.parent.mkdir(exist_ok=True)
    write(FOUND, found)
    return verdict(found, committed, is_whole=not options.jobs)


def verdict(found: dict[str, float], committed: dict[str, float], *, is_whole: bool) -> int:
    """Print what is worse than was committed to, and return 1 where there is such a job."""
    worse = [name for name, ratio in found.items() if ratio > WORSE * committed.get(name, float("inf"))]
    gone = sorted(committed.keys() - found.keys()) if is_whole else []
    new = sorted(found.keys() - committed.keys())
    for name in worse:
        print(
            f"bench: {name} is {found[name] / committed[name]:.2f} times the committed ratio of {committed[name]:.2f}"
        )
    for name in (*gone, *new):
        print(f"bench: {name} is {'committed to, but not measured' if name in gone else 'new'}. Hint: --update")
    return 1 if worse or gone or new else 0


def measure(name: str, job: Job, committed: float | None) -> float:
    """Return the CPU seconds of a job, divided by those of the yardstick around it: the median of several."""
    job()  # what is loaded or compiled once is not measured
    ratios = []
    for _ in range(RUNS):
        before, work, after = seconds(yardstick), seconds(job), seconds(yardstick)
        ratios.append(2 * work / (before + after))
    ratio = statistics.median(ratios)
    beside = "new" if committed is None else f"committed {committed:.2f}"
    print(f"{name:>24} {ratio:>8.2f}  ({beside}; {work:.2f} CPU s)", flush=True)
    return round(ratio, 3)


def seconds(work: Job) -> float:
    """Return the CPU seconds of all threads."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def yardstick() -> None:
    """Sort numbers, and group rows on one thread."""
    import duckdb

    numbers = np.random.default_rng(0).integers(0, 1 << 40, 1_500_000)
    numbers.sort(kind="quicksort")
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = "SELECT hash(i) % 60 AS a, hash(i + 7) % 50 AS b, hash(i + 9) % 40 AS c FROM range(400000) AS t(i)"
        connection.execute(f"SELECT count(*) FROM (SELECT a, b, c, count(*) FROM ({rows}) GROUP BY ALL)").fetchall()


def jobs(folder: Path) -> Iterator[tuple[str, Job]]:
    """Yield the main jobs: a release of every kind, each way to recode, and the checks of a written file."""
    for kind in KINDS:
        place = folder / kind
        place.mkdir()
        patients = write_clinic(place, rows=ROWS.get(kind, MANY_ROWS), seed=0)
        for number, policy in enumerate(policies_of(kind)):
            name = f"{kind} {policy.recoding}" if policy.require[0].refines else f"{kind} cells {number + 1}"
            yield name, release(patients, policy)
    yield "audit", audit(patients)
    yield "risk registry", registry_risk


@cache
def registry() -> tuple[Any, ...]:
    """Return the school registry, and what is asked of it."""
    from benchmarks.risk import asked

    return asked(*REGISTRY)


def registry_risk() -> None:
    """Measure the risk of each record exactly: hardly anything but compiled loops."""
    from benchmarks.risk import work

    work("exact", *registry(), at_most=0.0)


def release(patients: Path, policy: wh.Policy) -> Job:
    """Return the work of a release, from file to file."""
    from withhold.releasing import release_file

    return lambda: release_file(patients, policy, patients.with_name("out.csv"), rng=0)


def audit(patients: Path) -> Job:
    """Return the work of the checks of a written file."""
    policy = next(iter(policies_of("anonymity")))
    made = patients.with_name("checked.csv")
    wh.release(patients, policy).write(made)
    return lambda: wh.audit(made, policy, original=patients, attack=False)


def write(path: Path, ratios: dict[str, Any]) -> None:
    """Write ratios, sorted by name."""
    path.write_text(json.dumps(dict(sorted(ratios.items())), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
