"""Record risk on the synthetic school registry: exact, decided at a threshold, certified; suppression; minimal uniques.

The threshold is set so that 1.55 % of the records are above it, the share of the paper. Wall time and processor time are both
printed: on free cores the wall time is near half of the processor time on two of them. The floor is one sort of the packed
rows, which every measurement starts with.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._measure import in_child, peak_mb
from withhold.methods import high_risk, minimal_uniques, record_risk, suppress_risk
from withhold.methods.risk._measure import Measure
from withhold.methods.risk._risk_problem import problem_of
from withhold.metrics import record_ncp
from withhold.samples import school_registry
from withhold.table import Grid

PAPER_ROWS = 1_009_993
PAPER_SHARE = 0.0155
SAMPLE = {"n_rows": 4_000, "seed": 1}
"""The records that the threshold is set on."""
ADULT = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
JOBS = (
    ("exact", 100_000, 12),
    ("exact", 100_000, 16),
    ("exact", 100_000, 20),
    ("decide", 10_000, 27),
    ("decide", 100_000, 27),
    ("decide", PAPER_ROWS, 27),
    ("1 %", PAPER_ROWS, 20),
    ("10 %", 100_000, 27),
    ("10 %", PAPER_ROWS, 27),
    ("suppress", 100_000, 27),
    ("suppress", PAPER_ROWS, 27),
)


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure every job in a process of its own and print it."""
    print(f"{'rows':>10} {'columns':>7} {'job':>9} {'wall s':>8} {'cpu s':>8} {'sort s':>7} {'peak MB':>8}  found")
    for job, n_rows, n_columns in JOBS:
        if quick and n_rows * n_columns > 1_700_000:
            continue
        m = in_child(measure, job, n_rows, n_columns)
        print(
            f"{n_rows:>10,} {n_columns:>7} {job:>9} {m['wall']:>8.2f} {m['cpu']:>8.2f} {m['sort']:>7.3f} {m['peak']:>8.0f}"
            f"  {m['found']}",
            flush=True,
        )
    m = in_child(measure_uniques, data)
    print(f"minimal uniques, Adult {m['rows']:,} x 8: {m['wall']:.3f} s; {m['found']}")


def measure(job: str, n_rows: int, n_columns: int) -> dict[str, Any]:
    """Time one job on the first columns of the registry, after a small one that compiles everything."""
    small = asked(500, n_columns)
    work(job, *small, at_most=100.0)
    grid, known, sensitive = asked(n_rows, n_columns)
    at_most = threshold(grid, known, sensitive, **SAMPLE) if job in ("decide", "suppress") else 0.0
    codes = grid.codes
    begin = time.perf_counter()
    np.argsort(codes.astype(np.int64) @ (np.int64(3) ** np.arange(n_columns, dtype=np.int64)))
    sort = time.perf_counter() - begin
    found: list[str] = []
    wall, cpu = timed(lambda: found.append(work(job, grid, known, sensitive, at_most=at_most)))
    return {"wall": wall, "cpu": cpu, "sort": sort, "peak": peak_mb(), "found": found[0]}


def work(job: str, grid: Grid, known: Any, sensitive: Any, *, at_most: float) -> str:
    """Do one job and report what came of it."""
    if job == "decide":
        above = high_risk(grid, known, sensitive, at_most=at_most)
        return f"{above.mean():.2%} above {at_most:.3g}, none undecided"
    if job == "suppress":
        done = suppress_risk(grid, known, sensitive, at_most=at_most)
        lost = record_ncp(done.published, original=done.original)
        quasi = [name for name in grid.columns if known[name] > 0.01]
        rounds = " ".join(str(each.above) for each in done.rounds)
        return (
            f"{rounds} 0 above {at_most:.3g}; NCP {lost:.3%} ({record_ncp(done.published, columns=quasi):.3%} of the "
            f"quasi-identifiers); {done.sensitive} sensitive cells, {done.given_back} given back; left {done.still_above}"
        )
    relative = {"exact": 0.0, "1 %": 0.01, "10 %": 0.1}[job]
    risk = record_risk(grid, known, sensitive, relative=relative)
    width = (risk.high - risk.low) / 2 / np.where(risk.low > 0, risk.low, 1.0)
    return f"each record within {width.max():.2g} of itself"


def threshold(grid: Grid, known: Any, sensitive: Any, *, n_rows: int, seed: int) -> float:
    """Return a threshold that the paper's share of the records is above, from a sample measured closely."""
    problem = problem_of(grid, known, sensitive, alpha=100.0)
    chosen = np.zeros(grid.n_rows, dtype=bool)
    chosen[np.random.default_rng(seed).choice(grid.n_rows, min(n_rows, grid.n_rows), replace=False)] = True
    measure = Measure(problem)
    measure.narrow(absolute=0.0, relative=0.05, among=chosen)
    return float(f"{np.quantile(((measure.low + measure.high) / 2)[chosen], 1 - PAPER_SHARE):.3g}")


def measure_uniques(data: Path | None) -> dict[str, Any]:
    """Time all minimal uniques of eight columns of Adult."""
    from benchmarks._adult import blown_up

    frame = blown_up(data, 45_222)
    names = {name: np.unique(frame[name].to_numpy().astype(str), return_inverse=True) for name in ADULT}
    codes = np.stack([inverse for _, inverse in names.values()], axis=1).astype(np.int32)
    grid = Grid(tuple(ADULT), tuple(tuple(values.tolist()) for values, _ in names.values()), codes)
    minimal_uniques(grid)
    wall, _ = timed(lambda: minimal_uniques(grid))
    return {"rows": grid.n_rows, "wall": wall, "found": repr(minimal_uniques(grid))}


def timed(job: Callable[[], object]) -> tuple[float, float]:
    """Return wall time and processor time of a job."""
    begin, before = time.perf_counter(), os.times()
    job()
    after = os.times()
    return time.perf_counter() - begin, after.user + after.system - before.user - before.system


def asked(n_rows: int, n_columns: int) -> tuple[Grid, dict[str, float], dict[str, Any]]:
    registry = school_registry(n_rows)
    grid = Grid.of(registry.table(n_columns))
    known = {name: registry.known[name] for name in grid.columns}
    return grid, known, {name: weights for name, weights in registry.sensitive.items() if name in known}
