"""Adversarial rules of a table, with the entries that rest on them, for the experiments on rules."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.rules import Rules, fair, grades
from withhold.samples import synthetic
from withhold.table import Grid

__all__ = ["drawn", "mean", "mined", "protected", "sensitive_entries", "warm_up"]

Found = dict[str, float]
CHUNK_BYTES = 4_000_000


def warm_up() -> None:
    """Compile what will be timed."""
    table, private = synthetic(500, seed=1)
    fair(table, private, confidence=0.8, support=5)
    for blanking in (1, 2):
        grades(table, private, confidence=0.8, support=5, blanking=blanking)


def drawn(*, seed: int, **parameters: Any) -> tuple[Grid, NDArray[np.bool_]]:
    """Draw a table of the paper's generator; return it, and which of its cells are private."""
    table, private = synthetic(**parameters, seed=seed)
    grid = Grid.of(table)
    mask = np.zeros(grid.codes.shape, dtype=bool)
    mask[[row for row, _ in private], [grid.place(name) for _, name in private]] = True
    return grid, mask


def mined(grid: Grid, mask: NDArray[np.bool_], *, confidence: float, support: float) -> Found:
    """Return how many rules a table has, how many entries and rows they rest on, and how long it took to find them."""
    rules, seconds = _timed(fair, grid, mask, confidence=confidence, support=support)
    touched = sensitive_entries(grid, mask, rules)
    return {
        "rules": len(rules),
        "sensitive": int(touched.sum()),
        "share of rows": float(touched.any(axis=1).mean()),
        "seconds": seconds,
    }


def protected(grid: Grid, mask: NDArray[np.bool_], *, confidence: float, support: float, blanking: float) -> Found:
    """Return the entries blanked by the algorithm as printed and by ours, and the time of both."""
    limits: dict[str, Any] = {"confidence": confidence, "support": support}
    _, mining = _timed(fair, grid, mask, **limits)
    printed, printed_seconds = _timed(grades, grid, mask, blanking=blanking, rounds=1, give_back=False, **limits)
    ours, seconds = _timed(grades, grid, mask, blanking=blanking, **limits)
    return {
        "rules": printed.rules[0] if printed.rules else 0,
        "sensitive": printed.n_sensitive,
        "one pass": len(printed),
        "one pass safe": int(printed.is_safe),
        "until safe": ours.n_before,
        "ours": len(ours),
        "mining seconds": mining,
        "one pass seconds": printed_seconds,
        "seconds": seconds,
    }


def _timed(work: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, float]:
    """Return what a work returns, and its processor time: other work on the machine counts little."""
    begin = time.process_time()
    found = work(*arguments, **options)
    return found, time.process_time() - begin


def mean(runs: Sequence[Mapping[str, float]]) -> Found:
    """Return the mean of every figure over several runs."""
    return {name: float(np.mean([each[name] for each in runs])) for name in runs[0]}


def sensitive_entries(grid: Grid, mask: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Return which entries are relevant to a rule, as `Rules.sensitive` does, in little memory for very many rules.

    Rows are bits: the rows of a rule are the conjunction of the rows of its items.
    """
    offsets = np.append(0, np.cumsum(grid.n_values))[:-1]
    public = np.where(mask, -1, grid.codes)
    bits = np.concatenate(
        [np.packbits(public[:, j] == np.arange(n)[:, None], axis=1) for j, n in enumerate(grid.n_values)]
    )
    private = np.packbits(mask.T, axis=1)
    found = np.zeros_like(private)
    for chosen, columns, codes in _chunks(rules, CHUNK_BYTES // bits.shape[1] + 1):
        items = offsets[columns] + codes
        cover = np.bitwise_and.reduce([bits[items[:, place]] for place in range(items.shape[1])])
        target = rules.column[chosen]
        right = cover & bits[offsets[target] + rules.code[chosen]]
        either = right | (cover & private[target])
        for j in range(len(found)):
            found[j] |= np.bitwise_or.reduce(right[target == j], axis=0)
            found[j] |= np.bitwise_or.reduce(either[(columns == j).any(axis=1)], axis=0)
    return np.unpackbits(found, axis=1, count=grid.n_rows).T.astype(bool)


def _chunks(rules: Rules, size: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield rules of one length, with the columns and the values of their antecedents."""
    for length in np.unique(rules.length).tolist():
        of_length = np.flatnonzero(rules.length == length)
        for first in range(0, len(of_length), size):
            chosen = of_length[first : first + size]
            where = rules.antecedent_end[chosen][:, None] + np.arange(length)
            yield chosen, rules.antecedent_column[where], rules.antecedent_code[where]
