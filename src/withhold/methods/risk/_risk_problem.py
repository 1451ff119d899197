"""What is asked: the table as codes, who may know what, what is sensitive; checked, one sentence for each mistake."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InputError, did_you_mean
from withhold.methods.risk._encode import Blank
from withhold.table import Grid, Table

__all__ = ["Problem", "Sensitive", "problem_of"]

Sensitive = Mapping[str, float | Mapping[str, float]]
_Floats = NDArray[np.float64]
MAX_KNOWN = 63


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table and what its publisher assumes about outsiders."""

    grid: Grid
    chances: _Floats
    """For each column the chance that an outsider knows it."""
    weights: list[_Floats]
    """For each column the sensitivity of its values."""
    alpha: float
    blank: Blank
    complement: bool
    counts: NDArray[np.int64] | None = None
    """How many records each row stands for; None where that is one."""

    @property
    def n_records(self) -> int:
        """The number of records."""
        return self.grid.n_rows if self.counts is None else int(self.counts.sum())

    def n_of(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> int:
        """Return how many records some rows stand for, by their places or as flags."""
        if self.counts is not None:
            return int(self.counts[rows].sum())
        return int(rows.sum()) if rows.dtype == np.bool_ else int(rows.size)

    def with_codes(self, codes: NDArray[np.int32], kept: NDArray[np.bool_] | None = None) -> "Problem":
        """Return the same question about other cells, of the `kept` rows."""
        rows: NDArray[np.int32] = codes if kept is None else codes[kept]
        counts = self.counts if kept is None or self.counts is None else self.counts[kept]
        return replace(self, grid=Grid(self.grid.columns, self.grid.labels, rows), counts=counts)

    def without(self, column: int) -> "Problem":
        """Return the same question where nobody knows a column."""
        chances = self.chances.copy()
        chances[column] = 0.0
        return replace(self, chances=chances)

    def sensitivity(self, *, known: bool | None = None) -> _Floats:
        """Return for each row the summed sensitivity of its cells: all, of known columns, or of the others."""
        total = np.zeros(self.grid.n_rows)
        for j, weights in enumerate(self.weights):
            if weights.any() and (known is None or known == bool(self.chances[j] > 0)):
                total += self.cell_weights(j)
        return total

    def cell_weights(self, j: int) -> _Floats:
        """Return the sensitivity of the cells of a column; a blank has none."""
        found: _Floats = np.append(self.weights[j], 0.0)[self.grid.codes[:, j]]
        return found


def problem_of(
    table: Table | Grid,
    known: Mapping[str, float],
    sensitive: Sensitive,
    *,
    alpha: float,
    blank: Blank = "exclude",
    complement: bool = False,
    counts: NDArray[np.int64] | None = None,
) -> Problem:
    """Check what is asked and return it in arrays."""
    names = table.columns if isinstance(table, Grid) else table.names
    for name in (*known, *sensitive):
        if name not in names:
            raise InputError(f'risk: there is no column "{name}"{did_you_mean(name, names)}')
    if not sensitive:
        raise InputError("risk: `sensitive` names no column; at least one must be sensitive.")
    _check_share(alpha, "`alpha`", highest=math.inf)
    if alpha <= 0:
        raise InputError(f"risk: `alpha` must be a number above 0; got {alpha!r}.")
    if blank not in get_args(Blank):
        raise InputError(f"risk: `blank` must be one of {', '.join(get_args(Blank))}; got {blank!r}.")
    for name, chance in known.items():
        _check_share(chance, f'the chance that "{name}" is known')
    n_known = sum(chance > 0 for chance in known.values())
    if n_known > MAX_KNOWN:
        raise InputError(f"risk: at most {MAX_KNOWN} columns may have a positive chance to be known; got {n_known}.")
    used = [name for name in names if name in known or name in sensitive]
    grid = table if isinstance(table, Grid) else Grid.of(table, used)
    chances = np.array([float(known.get(name, 0.0)) for name in grid.columns])
    weights = [
        _weights(name, labels, sensitive.get(name, 0.0)) for name, labels in zip(grid.columns, grid.labels, strict=True)
    ]
    return Problem(grid, chances, weights, float(alpha), blank, complement, _checked_counts(counts, grid.n_rows))


def _checked_counts(counts: NDArray[np.int64] | None, n_rows: int) -> NDArray[np.int64] | None:
    if counts is None:
        return None
    given = np.asarray(counts)
    if given.shape != (n_rows,) or not np.issubdtype(given.dtype, np.integer) or (given < 1).any():
        raise InputError(f"risk: `counts` must hold an integer of at least 1 for each of {n_rows:,} rows.")
    return given.astype(np.int64)


def _weights(name: str, labels: tuple[str, ...], given: float | Mapping[str, float]) -> _Floats:
    if not isinstance(given, Mapping):
        _check_share(given, f'the weight of "{name}"')
        return np.full(len(labels), float(given))
    place = {label: code for code, label in enumerate(labels)}
    weights = np.zeros(len(labels))
    for value, weight in given.items():
        _check_share(weight, f'a weight of "{name}"')
        if value in place:
            weights[place[value]] = weight
    return weights


def _check_share(value: object, what: str, *, highest: float = 1.0) -> None:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) <= highest or not math.isfinite(float(value)):  # type: ignore[arg-type]
        wanted = "a number from 0 to 1" if highest == 1.0 else "a number above 0"
        raise InputError(f"risk: {what} must be {wanted}; got {value!r}.")
