"""Adversarial rules: the paper's synthetic default, the growth with the rows, and Adult beside pyfim and mlxtend.

The synthetic table is that of section 6.1: 10,000 x 10, ten values each with Zipf factor 2, 1 % of the cells private;
support 0.1 %, confidence 80 %. Adult is that of section 6.2: 45,222 x 10, 30,000 private cells drawn at random,
support 2 %, confidence 80 %. All times are warm: compiled code is loaded, and the table is encoded.

pyfim and mlxtend, where they are installed, mine the published cells of the same Adult table at the same support. They
return frequent itemsets with one count; `fair` returns the rules, with the counts of public and of hidden rows.
"""

import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._measure import in_child, median_seconds, peak_mb
from withhold.methods import fair, grades
from withhold.samples import synthetic
from withhold.table import Grid, bins_of

SEEDS = range(10)
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "sex",
    "hours-per-week",
)


def run(*, data: Path | None, quick: bool = False) -> None:
    """Measure and print everything."""
    seeds = SEEDS[:2] if quick else SEEDS
    for blanking in (1, 30):
        print_synthetic(in_child(measure_synthetic, list(seeds), blanking), blanking)
    sizes = (2_000, 20_000) if quick else (10_000, 100_000)
    grown = [in_child(measure_growth, n_rows) for n_rows in sizes]
    for n_rows, m in zip(sizes, grown, strict=True):
        print(
            f"synthetic {n_rows:>7,} rows, support 0.05 %: {m['rules']:,} rules; mining {m['mine']:.2f} s, "
            f"protection {m['whole']:.2f} s, {m['entries']:,} entries; peak {m['peak']:.0f} MB"
        )
    print(
        f"growth {sizes[0]:,} to {sizes[1]:,} rows: mining {grown[1]['mine'] / grown[0]['mine']:.1f} times, "
        f"protection {grown[1]['whole'] / grown[0]['whole']:.1f} times"
    )
    print_adult(in_child(measure_adult, data))


def print_synthetic(m: dict[str, Any], blanking: int) -> None:
    print(f"synthetic default, blanking {blanking}, {len(m['rules'])} tables        lowest     mean  highest")
    for name, values in m.items():
        if name != "peak":
            print(f"  {name:<42} {min(values):>9,.4g} {statistics.mean(values):>8,.4g} {max(values):>8,.4g}")
    print(f"  peak MB {m['peak']:.0f}")


def print_adult(m: dict[str, Any]) -> None:
    print(
        f"Adult 45,222 x 10, 30,000 private: fair {m['mine']:.3f} s for {m['rules']:,} rules out of {m['nodes']:,} itemsets"
    )
    for name, (seconds, n_found) in m["others"].items():
        what = "not installed"
        if seconds is not None:
            what = f"{seconds:.3f} s for {n_found:,} found; fair takes {m['mine'] / seconds:.2f} times that"
        print(f"  {name}: {what}")
    for blanking, (seconds, once, before, entries, parts) in m["grades"].items():
        print(
            f"  protection, blanking {blanking:,}: {seconds:.1f} s ({parts}); one pass {once:,} entries (not sound), until "
            f"safe {before:,}, given back and exchanged {entries:,}"
        )
    print(f"  peak MB {m['peak']:.0f}")


def measure_synthetic(seeds: list[int], blanking: int) -> dict[str, Any]:
    """Time mining and protection of the synthetic default."""
    thresholds: dict[str, Any] = {"confidence": 0.8, "support": 0.001}
    names = (
        "rules",
        "sensitive",
        "one pass (not sound)",
        "until safe",
        "given back",
        "given back and exchanged",
        "mining s",
        "one pass s",
        "protection s",
    )
    m: dict[str, Any] = {name: [] for name in names}
    for seed in [seeds[0], *seeds]:
        table, private = synthetic(seed=seed)
        grid = Grid.of(table)
        mask = mask_of(grid, private)
        rules, mining = timed(lambda: fair(grid, mask, **thresholds))  # noqa: B023
        once, one_pass = timed(
            lambda: grades(grid, mask, blanking=blanking, rounds=1, give_back=False, **thresholds)  # noqa: B023
        )
        back, _ = timed(lambda: grades(grid, mask, blanking=blanking, exchanges=0, **thresholds))  # noqa: B023
        found, whole = timed(lambda: grades(grid, mask, blanking=blanking, **thresholds))  # noqa: B023
        assert found.is_safe
        numbers = (len(rules), found.n_sensitive, len(once), found.n_before, len(back), len(found))
        for name, number in zip(names, (*numbers, mining, one_pass, whole), strict=True):
            m[name].append(number)
    return {**{name: values[1:] for name, values in m.items()}, "peak": peak_mb()}


def measure_growth(n_rows: int) -> dict[str, Any]:
    """Time mining and protection of a synthetic table of this size, at the support of Figure 9."""
    thresholds: dict[str, Any] = {"confidence": 0.8, "support": 0.0005}
    small, cells = synthetic(rows=500)
    grades(small, cells, confidence=0.8, support=5)
    table, private = synthetic(rows=n_rows)
    grid = Grid.of(table)
    mask = mask_of(grid, private)
    rules, mine = timed(lambda: fair(grid, mask, **thresholds))
    mine = min(mine, median_seconds(lambda: fair(grid, mask, **thresholds)))
    found, whole = timed(lambda: grades(grid, mask, **thresholds))
    return {"rules": len(rules), "mine": mine, "whole": whole, "entries": len(found), "peak": peak_mb()}


def measure_adult(data: Path | None) -> dict[str, Any]:
    """Time mining of Adult beside other miners, and its protection."""
    grid, mask = adult(data)
    thresholds: dict[str, Any] = {"confidence": 0.8, "support": 0.02}
    rules = fair(grid, mask, **thresholds)
    m: dict[str, Any] = {"rules": len(rules), "nodes": rules.n_nodes}
    m["mine"] = median_seconds(lambda: fair(grid, mask, **thresholds), runs=7)
    m["others"] = {
        "pyfim FP-growth, itemsets": other(pyfim, grid, mask, "s"),
        "pyfim FP-growth, rules of 80 %": other(pyfim, grid, mask, "r"),
        "mlxtend FP-growth, itemsets": other(mlxtend, grid, mask),
    }
    small, cells = synthetic(rows=500)
    for blanking in (1, 2):
        grades(small, cells, confidence=0.8, support=5, blanking=blanking)
    m["grades"] = {}
    for blanking in (1, 1_000, 10_000):
        found, seconds = timed(lambda: grades(grid, mask, blanking=blanking, **thresholds))  # noqa: B023
        parts = ", ".join(f"{name} {part:.1f}" for name, part in found.seconds.items())
        m["grades"][blanking] = (seconds, found.n_one_pass, found.n_before, len(found), parts)
    m["peak"] = peak_mb()
    return m


def other(miner: Any, *arguments: Any) -> tuple[float | None, int]:
    """Return the time of another miner, and how much it found."""
    try:
        work = miner(*arguments)
    except ImportError:
        return None, 0
    return median_seconds(work, runs=7), len(work())


def pyfim(grid: Grid, mask: Any, target: str) -> Any:
    """Return the work of pyfim on the published cells, as lists of numbers."""
    import fim  # type: ignore[import-not-found]

    numbers = np.where(mask | (grid.codes < 0), -1, grid.codes + np.arange(len(grid.columns)) * 1_000)
    rows = [[item for item in row if item >= 0] for row in numbers.tolist()]
    return lambda: fim.fpgrowth(rows, target=target, supp=2, conf=80, zmin=1, report="a")


def mlxtend(grid: Grid, mask: Any) -> Any:
    """Return the work of mlxtend on the published cells, as a frame of truth values."""
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth  # type: ignore[import-not-found]

    shown = np.where(mask, -1, grid.codes)
    columns = {(j, v): shown[:, j] == v for j, n in enumerate(grid.n_values) for v in range(n)}
    frame = pd.DataFrame(columns)
    frame.columns = range(len(columns))
    return lambda: fpgrowth(frame, min_support=0.02)


def adult(data: Path | None) -> tuple[Grid, Any]:
    """Return Adult as in section 6.2 of the paper, and 30,000 private cells."""
    from benchmarks._adult import blown_up
    from withhold import Table

    frame = blown_up(data, 45_222)[list(COLUMNS)]
    columns: dict[str, Any] = {name: frame[name].to_numpy() for name in COLUMNS}
    for name, n_bins, how in (("age", 10, "quantile"), ("hours-per-week", 10, "quantile"), ("fnlwgt", 150, "width")):
        bins = bins_of(columns[name], n_bins, how=how)  # type: ignore[arg-type]
        columns[name] = np.array(bins.labels("midpoint"), dtype=object)[bins.codes(columns[name])]
    grid = Grid.of(Table.from_columns(columns))
    mask = np.zeros(grid.codes.shape, dtype=bool)
    mask.ravel()[np.random.default_rng(0).choice(mask.size, 30_000, replace=False)] = True
    return grid, mask


def mask_of(grid: Grid, private: list[tuple[int, str]]) -> Any:
    """Return which cells are private."""
    mask = np.zeros(grid.codes.shape, dtype=bool)
    mask[[row for row, _ in private], [grid.place(name) for _, name in private]] = True
    return mask


def timed(work: Any) -> tuple[Any, float]:
    """Return what a work returns, and its time."""
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin
