"""Chapter 5 of the suppression thesis on Wisconsin Breast Cancer and Car Evaluation, with `auto` beside it.

Run ``python -m experiments.thesis [--data FOLDER] [--out FOLDER] [--quick]``; the plots need the extra ``report``, the
support vector machine the extra ``audit``. Writes ``results.json``, ``summary.md`` and the figures. With ``--quick``
one realisation on a sample of the cells, else five on all of them: about half an hour.

A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.inference import GENERALIZING, HYBRID, SINGLE, Cell, Guesses, load, one_cell_per_row, runner, time_cells

from experiments._cells import NO_METHOD, Bench
from experiments._plots import draw
from experiments._summary import summarize
from experiments._svm import LinearSvm
from withhold.methods import inference
from withhold.methods.inference import RandomChoices
from withhold.metrics import SuccessRate

TABLES = ("wisconsin", "car")
IN_TURN = (*SINGLE, "nrd")
SIZES = tuple(range(10, 101, 10))
SHARED_ROWS = (2, 4, 6, 8, 10)
SHARED_COLUMNS = (2, 3, 4, 5, 6)
N_SETS = 20
WAYS = ("each on a fresh copy", "one after the other", "together")
Results = dict[str, Any]


def main() -> None:
    """Run all experiments and write what they gave."""
    parser = argparse.ArgumentParser(prog="python -m experiments.thesis", description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds car/car.data …; else WITHHOLD_DATA")
    parser.add_argument("--out", type=Path, default=Path("results/thesis"), help="where to write")
    parser.add_argument("--quick", action="store_true", help="one realisation on a sample")
    options = parser.parse_args()
    results = run(data=options.data, quick=options.quick)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    (options.out / "summary.md").write_text(summarize(results), encoding="utf-8")
    draw(results, options.out)


def run(*, data: Path | None, quick: bool) -> Results:
    """Return the results of all experiments."""
    n_realisations = 1 if quick else 5
    results: Results = {"realisations": n_realisations, "quick": quick}
    for name in TABLES:
        table = load(data, name)
        benches = {"": Bench(table, "delete")}
        if name == "wisconsin":
            benches["_g"] = Bench(table, "generalize")
        drawn = [one_cell_per_row(table, np.random.default_rng(seed)) for seed in range(n_realisations)]
        cells = [each[::20] if quick else each for each in drawn]
        say(f"{name}: {len(cells[0])} cells a realisation")
        results[name] = {
            "rows": table.n_rows,
            "times": times(benches, cells),
            "cells": one_by_one(benches, cells, numbers=name == "wisconsin"),
            "growing": growing(benches, drawn, SIZES[:2] if quick else SIZES),
            "all at once": all_at_once(benches[""], cells),
        }
        if name == "wisconsin":
            results[name]["enhanced"] = enhanced(benches, n_realisations, 3 if quick else N_SETS)
    return results


def say(text: str) -> None:
    """Print what is being done."""
    print(time.strftime("%H:%M:%S"), text, flush=True)


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
    say("times: done")
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
        say(f"one by one: realisation {seed + 1} done")
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
        say(f"growing numbers: realisation {seed + 1} done")
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
    say("all at once: done")
    return {metric: mean_of([each[metric] for each in runs]) for metric in runs[0]}


def enhanced(benches: dict[str, Bench], n_realisations: int, n_sets: int) -> Results:
    """Figure 5.7: the many-cell versions beside the same cells one by one, as total direct distances."""
    found: Results = {}
    for suffix, bench in benches.items():
        found[f"decp{suffix}"] = totals(bench, f"decp{suffix}", SHARED_ROWS, same_value, n_realisations, n_sets)
        found[f"dropp{suffix}"] = totals(bench, f"dropp{suffix}", SHARED_COLUMNS, same_row, n_realisations, n_sets)
    say("enhanced: done")
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


if __name__ == "__main__":
    main()
