"""Chapter 5 of the suppression thesis on Wisconsin Breast Cancer and Car Evaluation, with `auto` beside it.

The support vector machine needs the extra ``audit``. A quick run is one realisation on a sample of the cells, else five
on all of them: about twelve minutes.

A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from benchmarks.inference import GENERALIZING, HYBRID, SINGLE, Cell, Guesses, load, one_cell_per_row, runner, time_cells

from experiments._cells import NO_METHOD, Bench
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
    title="Chapter 5: Tables 5.2 and 5.3, Figures 5.1 to 5.7, with `auto` beside them",
    data=("breast-cancer-wisconsin/breast-cancer-wisconsin.data", "car/car.data"),
    seeds=(0, 1, 2, 3, 4),
    parameters={"every": 1, "sizes": list(range(10, 101, 10)), "sets": 20},
    quick={"seeds": (0,), "every": 20, "sizes": [10, 20], "sets": 3},
)


def run(context: Context) -> Results:
    """Return the results of all experiments."""
    every, sizes, n_sets = (context.parameters[name] for name in ("every", "sizes", "sets"))
    results: Results = {"realisations": len(context.seeds), "quick": every > 1}
    for name in TABLES:
        table = load(context.data, name)
        benches = {"": Bench(table, "delete")}
        if name == "wisconsin":
            benches["_g"] = Bench(table, "generalize")
        drawn = [one_cell_per_row(table, np.random.default_rng(seed)) for seed in context.seeds]
        cells = [each[::every] for each in drawn]
        context.say(f"{name}: {len(cells[0])} cells a realisation")
        works: dict[str, Callable[[], Results]] = {
            "times": partial(times, benches, cells),
            "cells": partial(one_by_one, benches, cells, numbers=name == "wisconsin"),
            "growing": partial(growing, benches, drawn, sizes),
            "all at once": partial(all_at_once, benches[""], cells),
        }
        if name == "wisconsin":
            works["enhanced"] = partial(enhanced, benches, len(context.seeds), n_sets)
        results[name] = {"rows": table.n_rows}
        for part, work in works.items():
            results[name][part] = context.part(f"{name} {part}", work)
            context.say(f"{name}: {part} done")
    return results


def choices_for(*seed: int) -> Guesses:
    """Return random choices that can be repeated."""
    return Guesses(np.random.default_rng(seed))


def names_for(suffix: str, names: Sequence[str]) -> list[str]:
    """Return the names of algorithms that delete, or of those that generalise."""
    return [f"{name}{suffix}" for name in names]


def times(benches: dict[str, Bench], cells: Sequence[Sequence[Cell]]) -> Results:
    """Table 5.2: the time per confidential value, mean over the realisations."""
    found: Results = {}
    for suffix, bench in benches.items():
        for algorithm in (*SINGLE, *HYBRID, "auto") if not suffix else GENERALIZING:
            each = [time_cells(bench.sheet, algorithm, list(chosen)) for chosen in cells]
            found[algorithm] = {figure: float(np.mean([m[figure] for m in each])) for figure in ("mean", "median")}
    return found


def one_by_one(benches: dict[str, Bench], cells: Sequence[Sequence[Cell]], *, numbers: bool) -> Results:
    """Table 5.3 and figures 5.1 and 5.6: each cell on a fresh copy; success and direct distance."""
    machines = [LinearSvm("svm")] + ([LinearSvm("svm, numbers", as_numbers=True)] if numbers else [])
    rates: dict[str, dict[str, SuccessRate]] = defaultdict(dict)
    distances: dict[str, list[list[int]]] = defaultdict(list)
    kept: dict[str, list[list[bool]]] = defaultdict(list)
    for seed, chosen in enumerate(cells):
        for machine in machines:
            machine.forget()
        for suffix, bench in benches.items():
            names = names_for(suffix, (*SINGLE, "nrd", *HYBRID)) + ([] if suffix else [NO_METHOD, "auto"])
            for algorithm in [name for name in names if name != "nrd_g"]:
                choices = choices_for(seed, 1)
                asked = machines if algorithm in (NO_METHOD, "auto", *names_for(suffix, SINGLE)) else []
                distances[algorithm].append([])
                kept[algorithm].append([])
                for cell in chosen:
                    done = bench.protect(algorithm, cell, choices)
                    for adversary, success in bench.successes(cell, done, asked).items():
                        rates[algorithm][adversary] = rates[algorithm].get(adversary, NOTHING) + success
                    distances[algorithm][-1].append(1 if done is None else done.n_changed)
                    kept[algorithm][-1].append(done is None or done.status != "deleted")
    return {name: told(name, rates[name], distances, kept) for name in distances}


NOTHING = SuccessRate(n_cells=0, n_recovered=0, n_deleted=0)


def told(
    name: str, rates: dict[str, SuccessRate], distances: dict[str, list[list[int]]], kept: dict[str, list[list[bool]]]
) -> Results:
    """Return what the cells of one algorithm add up to; `auto` also on the cells whose rows the algorithm keeps."""
    flags = np.concatenate(kept[name])
    every, of_auto = np.concatenate(distances[name]), np.concatenate(distances["auto"])
    found: Results = {
        "direct distance": [float(np.mean(each)) for each in distances[name]],
        "median distance": float(np.median(every)),
        "deleted": float(1 - flags.mean()),
        "distance where kept": float(every[flags].mean()) if flags.any() else None,
        "auto where kept": float(of_auto[flags].mean()) if flags.any() else None,
    }
    for adversary, rate in rates.items():
        found[adversary] = {"rate": rate.rate, "with deleted": rate.rate_with_deleted}
    return found


def growing(benches: dict[str, Bench], drawn: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> Results:
    """Figures 5.2 to 5.5: every metric for growing numbers of confidential values."""
    found: dict[str, dict[int, list[Results]]] = defaultdict(lambda: defaultdict(list))
    for seed, chosen in enumerate(drawn):
        order = np.random.default_rng([seed, 2]).permutation(len(chosen))[: max(sizes)]
        cells = [chosen[i] for i in order]
        for n in sizes:
            for suffix, bench in benches.items():
                for algorithm in [name for name in names_for(suffix, IN_TURN) if name != "nrd_g"]:
                    found[algorithm][n].append(bench.in_turn(algorithm, cells[:n], choices_for(seed, 3)))
            found["auto"][n].append(benches[""].at_once(cells[:n], choices_for(seed, 3)))
    return {
        name: {
            str(n): {metric: mean_of([each[metric] for each in runs]) for metric in runs[0]} for n, runs in of.items()
        }
        for name, of in found.items()
    }


def mean_of(values: Sequence[float]) -> float | None:
    """Return the mean of the finite values; None where there is none."""
    finite = [value for value in values if math.isfinite(value)]
    return float(np.mean(finite)) if finite else None


def all_at_once(bench: Bench, cells: Sequence[Sequence[Cell]]) -> Results:
    """Hide one cell of every row at once, with `auto`."""
    runs = []
    for seed, chosen in enumerate(cells):
        begin = time.process_time()
        found = bench.at_once(chosen, choices_for(seed, 4))
        runs.append(found | {"seconds": time.process_time() - begin, "cells": len(chosen)})
    return {metric: mean_of([each[metric] for each in runs]) for metric in runs[0]}


def enhanced(benches: dict[str, Bench], n_realisations: int, n_sets: int) -> Results:
    """Figure 5.7: the many-cell versions beside the same cells one by one, as total direct distances."""
    found: Results = {}
    for suffix, bench in benches.items():
        found[f"decp{suffix}"] = totals(bench, f"decp{suffix}", SHARED_ROWS, same_value, n_realisations, n_sets)
        found[f"dropp{suffix}"] = totals(bench, f"dropp{suffix}", SHARED_COLUMNS, same_row, n_realisations, n_sets)
    return found


def totals(
    bench: Bench,
    algorithm: str,
    sizes: Sequence[int],
    pick: Callable[[Bench, int, np.random.Generator], list[Cell]],
    n_realisations: int,
    n_sets: int,
) -> Results:
    """Return the mean total direct distance of an algorithm and of its many-cell version, for numbers of cells."""
    found: Results = {}
    for n in sizes:
        triples = []
        for seed in range(n_realisations * n_sets):
            cells = pick(bench, n, np.random.default_rng([seed, n]))
            runs = [choices_for(seed, n) for _ in range(3)]
            apart = sum(runner(algorithm)(bench.sheet, *cell, runs[0]).n_changed for cell in cells)
            in_turn = bench.in_turn(algorithm, cells, runs[1])["direct distance"]
            triples.append((apart, in_turn, together(bench, algorithm, cells, runs[2])))
        found[str(n)] = dict(zip(WAYS, np.mean(triples, axis=0).tolist(), strict=True))
    return found


def together(bench: Bench, algorithm: str, cells: Sequence[Cell], choices: RandomChoices) -> int:
    """Return the direct distance of the many-cell version."""
    if algorithm.startswith("decp"):
        run_many = inference.e_decp_g if algorithm.endswith("_g") else inference.e_decp
        return run_many(bench.sheet, [row for row, _ in cells], cells[0][1], rng=choices).n_changed
    run_row = inference.e_dropp_g if algorithm.endswith("_g") else inference.e_dropp
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
