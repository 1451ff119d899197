"""Chapter 5 of the suppression thesis on Wisconsin Breast Cancer and Car Evaluation, with `auto` beside it.

The support vector machine needs the extra ``audit``. A quick run is one realisation on a sample of the cells, else five
on all of them: about twenty minutes. The -G algorithms run twice: with the coin that the thesis tosses where two
candidate values are left, and without it.

A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from benchmarks.inference import HYBRID, SINGLE, Cell, load, one_cell_per_row, time_cells

from experiments._cells import NO_COIN, NO_METHOD, Bench, choices_for
from experiments._plots import draw
from experiments._registry import Context, Results, Spec
from experiments._summary import report
from experiments._svm import LinearSvm
from withhold.methods import inference
from withhold.methods.inference import RandomChoices
from withhold.metrics import SuccessRate

__all__ = ["SPEC", "draw", "report", "run"]

TABLES = ("wisconsin", "car")
IN_TURN = (*SINGLE, "nrd")
SHARED_ROWS = (2, 4, 6, 8, 10)
SHARED_COLUMNS = (2, 3, 4, 5, 6)
WAYS = ("each on a fresh copy", "one after the other", "together")


SPEC = Spec(
    name="thesis",
    paper="thesis",
    title="Chapter 5: Tables 5.1 to 5.3, Figures 5.1 to 5.7, with `auto` beside them",
    data=("breast-cancer-wisconsin/breast-cancer-wisconsin.data", "car/car.data"),
    seeds=(0, 1, 2, 3, 4),
    parameters={"every": 1, "sizes": list(range(10, 101, 10)), "sets": 20},
    quick={"seeds": (0,), "every": 60, "sizes": [10, 20], "sets": 2},
)


def run(context: Context) -> Results:
    """Return the results of all experiments."""
    every, sizes, n_sets = (context.parameters[name] for name in ("every", "sizes", "sets"))
    results: Results = {"realisations": len(context.seeds), "quick": every > 1}
    for name in TABLES:
        table = load(context.data, name)
        benches = {"": Bench(table, "delete")}
        if name == "wisconsin":
            benches |= dict.fromkeys(("_g", f"_g{NO_COIN}"), Bench(table, "generalize"))
        drawn = {seed: one_cell_per_row(table, np.random.default_rng(seed)) for seed in context.seeds}
        cells = {seed: each[::every] for seed, each in drawn.items()}
        context.say(f"{name}: {len(cells[context.seeds[0]])} cells a realisation")
        works: dict[str, Callable[[], Results]] = {
            "times": partial(times, benches, cells),
            "cells": partial(one_by_one, benches, cells, numbers=name == "wisconsin"),
            "growing": partial(growing, benches, drawn, sizes),
            "all at once": partial(all_at_once, benches[""], cells),
        }
        if name == "wisconsin":
            works["enhanced"] = partial(enhanced, benches, context.seeds, n_sets)
        results[name] = described(benches[""])
        for part, work in works.items():
            results[name][part] = context.part(f"{name} {part}", work)
            context.say(f"{name}: {part} done")
    return results


def described(bench: Bench) -> Results:
    """Table 5.1: the size of a table; and how many pairs of columns share any information."""
    grid = bench.sheet.grid
    shared = [
        mutual_information(grid.codes[:, i], grid.codes[:, j]) for j in range(len(grid.columns)) for i in range(j)
    ]
    return {
        "rows": grid.n_rows,
        "columns": len(grid.columns),
        "unknown": int((grid.codes < 0).sum()),
        "pairs": len(shared),
        "pairs without information": sum(bits < 1e-9 for bits in shared),
    }


def mutual_information(one: Any, other: Any) -> float:
    """Return the mutual information of two columns in bits, over the rows where both are known."""
    known = (one >= 0) & (other >= 0)
    joint = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(joint, (one[known], other[known]), 1 / known.sum())
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / apart[there])).sum())


def names_for(suffix: str, names: Sequence[str]) -> list[str]:
    """Return the names of algorithms that delete, or of those that generalise; row deletion is the same in all."""
    return [f"{name}{suffix}" for name in names if not suffix or name != "nrd"]


def times(benches: dict[str, Bench], cells: dict[int, Sequence[Cell]]) -> Results:
    """Table 5.2: the time per confidential value, mean over the realisations."""
    found: Results = {}
    for suffix, bench in benches.items():
        for algorithm in names_for(suffix, (*SINGLE, *HYBRID)) + ([] if suffix else ["auto"]):
            plain = algorithm.removesuffix(NO_COIN)
            each = [
                time_cells(bench.sheet, plain, list(chosen), choices_for(algorithm, seed, 5))
                for seed, chosen in cells.items()
            ]
            found[algorithm] = {figure: float(np.mean([m[figure] for m in each])) for figure in ("mean", "median")}
    return found


def one_by_one(benches: dict[str, Bench], cells: dict[int, Sequence[Cell]], *, numbers: bool) -> Results:
    """Table 5.3 and figures 5.1 and 5.6: each cell on a fresh copy; success and direct distance."""
    machines = [LinearSvm("svm")] + ([LinearSvm("svm, numbers", as_numbers=True)] if numbers else [])
    found: dict[str, list[Results]] = defaultdict(list)
    for seed, chosen in cells.items():
        for machine in machines:
            machine.forget()
        for suffix, bench in benches.items():
            names = names_for(suffix, (*SINGLE, "nrd", *HYBRID)) + ([] if suffix else [NO_METHOD, "auto"])
            for algorithm in names:
                asked = machines if algorithm in (NO_METHOD, "auto", *names_for(suffix, SINGLE)) else []
                found[algorithm].append(
                    one_realisation(bench, algorithm, chosen, choices_for(algorithm, seed, 1), asked)
                )
    return {name: figures(runs, found["auto"]) for name, runs in found.items()}


def one_realisation(
    bench: Bench, algorithm: str, cells: Sequence[Cell], choices: RandomChoices, machines: Sequence[LinearSvm]
) -> Results:
    """Protect every cell on a fresh copy; return for each its distance and status, and the success in all."""
    rates: dict[str, SuccessRate] = {}
    distances, statuses = [], []
    for cell in cells:
        done = bench.protect(algorithm, cell, choices)
        for adversary, success in bench.successes(cell, done, machines).items():
            rates[adversary] = rates.get(adversary, NOTHING) + success
        distances.append(1 if done is None else done.n_changed)
        statuses.append("hidden" if done is None else done.status)
    return {"rates": rates, "distances": np.array(distances), "statuses": np.array(statuses)}


NOTHING = SuccessRate(n_cells=0, n_recovered=0, n_deleted=0)


def figures(runs: Sequence[Results], of_auto: Sequence[Results]) -> Results:
    """Return what the cells of one algorithm add up to; `auto` also on the cells whose rows the algorithm keeps."""
    statuses, every, other = (
        np.concatenate([run[what] for run in which])
        for which, what in ((runs, "statuses"), (runs, "distances"), (of_auto, "distances"))
    )
    kept = statuses != "deleted"
    found: Results = {
        "direct distance": [float(run["distances"].mean()) for run in runs],
        "median distance": float(np.median(every)),
        "deleted": float(1 - kept.mean()),
        "stopped by the coin": float((statuses == "coin_stop").mean()),
        "distance where kept": float(every[kept].mean()) if kept.any() else None,
        "auto where kept": float(other[kept].mean()) if kept.any() else None,
    }
    for adversary in runs[0]["rates"]:
        each = [run["rates"][adversary] for run in runs]
        rate = sum(each, start=NOTHING)
        found[adversary] = {
            "rate": rate.rate,
            "with deleted": rate.rate_with_deleted,
            "each with deleted": [one.rate_with_deleted for one in each],
        }
    return found


def growing(benches: dict[str, Bench], drawn: dict[int, Sequence[Cell]], sizes: Sequence[int]) -> Results:
    """Figures 5.2 to 5.5: every metric for growing numbers of confidential values, one figure for each realisation."""
    found: dict[str, dict[int, list[Results]]] = defaultdict(lambda: defaultdict(list))
    for seed, chosen in drawn.items():
        order = np.random.default_rng([seed, 2]).permutation(len(chosen))[: max(sizes)]
        cells = [chosen[i] for i in order]
        for n in sizes:
            for suffix, bench in benches.items():
                for algorithm in names_for(suffix, IN_TURN):
                    choices = choices_for(algorithm, seed, 3)
                    found[algorithm][n].append(bench.in_turn(algorithm, cells[:n], choices))
            found["auto"][n].append(benches[""].at_once(cells[:n], choices_for("auto", seed, 3)))
    return {name: {str(n): listed(runs) for n, runs in of.items()} for name, of in found.items()}


def listed(runs: Sequence[Results]) -> Results:
    """Return each metric as a list over the realisations; None stands for infinity, which JSON cannot hold."""
    return {
        metric: [value if math.isfinite(value) else None for value in (run[metric] for run in runs)]
        for metric in runs[0]
    }


def all_at_once(bench: Bench, cells: dict[int, Sequence[Cell]]) -> Results:
    """Hide one cell of every row at once, with `auto`."""
    runs = []
    for seed, chosen in cells.items():
        begin = time.process_time()
        found = bench.at_once(chosen, choices_for("auto", seed, 4))
        runs.append(found | {"seconds": time.process_time() - begin, "cells": len(chosen)})
    return listed(runs)


def enhanced(benches: dict[str, Bench], seeds: Sequence[int], n_sets: int) -> Results:
    """Figure 5.7: the many-cell versions beside the same cells one by one, as total direct distances."""
    found: Results = {}
    for suffix, bench in benches.items():
        found[f"decp{suffix}"] = totals(bench, f"decp{suffix}", SHARED_ROWS, same_value, seeds, n_sets)
        found[f"dropp{suffix}"] = totals(bench, f"dropp{suffix}", SHARED_COLUMNS, same_row, seeds, n_sets)
    return found


def totals(
    bench: Bench,
    algorithm: str,
    sizes: Sequence[int],
    pick: Callable[[Bench, int, np.random.Generator], list[Cell]],
    seeds: Sequence[int],
    n_sets: int,
) -> Results:
    """Return the total direct distance of an algorithm and of its many-cell version, for numbers of cells.

    Each realisation is the mean over several sets of cells.
    """
    found: Results = {}
    for n in sizes:
        means = [
            np.mean([three_ways(bench, algorithm, pick, n, (seed, place, n)) for place in range(n_sets)], axis=0)
            for seed in seeds
        ]
        found[str(n)] = dict(zip(WAYS, np.transpose(means).tolist(), strict=True))
    return found


def three_ways(
    bench: Bench,
    algorithm: str,
    pick: Callable[[Bench, int, np.random.Generator], list[Cell]],
    n: int,
    seed: tuple[int, int, int],
) -> tuple[int, int, int]:
    """Draw a set of cells and return the direct distance in each of the `WAYS`."""
    cells = pick(bench, n, np.random.default_rng(seed))
    runs = [choices_for(algorithm, *seed, 6) for _ in WAYS]
    apart = [bench.protect(algorithm, cell, runs[0]) for cell in cells]
    in_turn = bench.in_turn(algorithm, cells, runs[1])["direct distance"]
    return sum(done.n_changed for done in apart if done), in_turn, together(bench, algorithm, cells, runs[2])


def together(bench: Bench, algorithm: str, cells: Sequence[Cell], choices: RandomChoices) -> int:
    """Return the direct distance of the many-cell version."""
    generalizes = "_g" in algorithm
    if algorithm.startswith("decp"):
        run_many = inference.e_decp_g if generalizes else inference.e_decp
        return run_many(bench.sheet, [row for row, _ in cells], cells[0][1], rng=choices).n_changed
    run_row = inference.e_dropp_g if generalizes else inference.e_dropp
    return run_row(bench.sheet, cells[0][0], [column for _, column in cells], rng=choices).n_changed


def same_value(bench: Bench, n: int, rng: np.random.Generator) -> list[Cell]:
    """Return cells of one column that hold the same value."""
    grid = bench.sheet.grid
    while True:
        j = int(rng.choice(np.flatnonzero(grid.n_values > 2)))
        rows = np.flatnonzero(grid.codes[:, j] == rng.integers(grid.n_values[j]))
        if rows.size >= n:
            return [(int(row), grid.columns[j]) for row in rng.choice(rows, n, replace=False)]


def same_row(bench: Bench, n: int, rng: np.random.Generator) -> list[Cell]:
    """Return cells of one row."""
    grid = bench.sheet.grid
    while True:
        row = int(rng.integers(grid.n_rows))
        columns = np.flatnonzero((grid.n_values > 2) & (grid.codes[row] >= 0))
        if columns.size >= n:
            return [(row, grid.columns[j]) for j in rng.choice(columns, n, replace=False)]
