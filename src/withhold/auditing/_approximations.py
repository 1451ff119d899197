"""Numbers that stand for others: rounded ones, and means of groups; what they may stand for, and what they promise."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold.auditing._finding import Finding
from withhold.auditing._text_forms import number_of
from withhold.policy import ColumnSettings
from withhold.table import Interval, parse_interval

__all__ = ["Approximation", "check_numbers"]

_Flags = NDArray[np.bool_]
_Numbers = NDArray[np.float64]
NEAR = 1e-9


class Approximation:
    """The published numbers of a column that the policy rounds or averages.

    Examples
    --------
    >>> means = Approximation(ColumnSettings(type="number", publish="mean"), ["2", "11", "30"])
    >>> means.covers("11", np.array([1.0, 9, 12, 31])).tolist()
    [False, True, True, False]
    """

    def __init__(self, settings: ColumnSettings, texts: Sequence[str | None], *, is_shared: bool = False) -> None:
        self._is_shared = is_shared
        self._step = settings.round
        self._is_mean = settings.publish == "mean"
        numbers = np.array([number_of(text) for text in texts], dtype=np.float64)
        self._numbers = np.unique(numbers[np.isfinite(numbers)])

    def covers(self, text: str, values: _Numbers) -> _Flags:
        """Return which values a published number may stand for.

        A mean stands for values between its neighbours: groups lie beside each other, and so do their means. Where
        groups share means of several columns, it may stand for any.
        """
        number = number_of(text)
        if np.isnan(number):
            return np.zeros(values.shape, dtype=np.bool_)
        if self._step is not None:
            return np.asarray(np.abs(values - number) <= self._step / 2 + NEAR * max(abs(number), self._step))
        if not self._is_mean:
            return np.asarray(values == number)
        if self._is_shared:
            return np.asarray(np.isfinite(values))
        at = int(np.searchsorted(self._numbers, number))
        low = self._numbers[at - 1] if at else -np.inf
        high = self._numbers[at + 1] if at + 1 < self._numbers.size else np.inf
        return np.asarray((values > low) & (values < high))

    def is_one(self, key: str) -> bool:
        """Return whether a text may stand for other numbers."""
        return (self._is_mean or self._step is not None) and not np.isnan(number_of(key))


def check_numbers(
    settings: ColumnSettings,
    name: str,
    published: Sequence[str | None],
    cells: NDArray[np.int64],
    was: _Numbers | None,
    *,
    units: NDArray[np.int64] | None = None,
    has_units: bool = False,
) -> Iterator[Finding]:
    """Yield whether numbers are published as a column's settings say.

    Parameters
    ----------
    settings, name
        What the policy says about the column.
    published, cells
        Its distinct texts in the file, and for each row the place of its text.
    was
        For each row the number of the original; None where rows are not known.
    units
        For each row the number of its unit, where units share what is published; None where that is not known.
    has_units
        Whether the policy names a unit.
    """
    held = np.bincount(cells, minlength=len(published))
    if units is not None:
        held = np.bincount(_once(cells, units)[:, 0], minlength=len(published))
    who = "rows" if units is None else "units"
    numbers = np.array([number_of(text) for text in published], dtype=np.float64)
    forms = [None if text is None else parse_interval(text) for text in published]
    is_number = np.isfinite(numbers)
    is_complete = units is not None or not has_units
    if settings.publish == "mean":
        fewest = int(held[is_number & (held > 0)].min(initial=settings.publish_k)) if is_number.any() else 0
        is_true = was is None or _are_means(numbers, cells, was)
        says = f"every number of {name} is the mean of at least {settings.publish_k} {who}"
        broken = (
            "a number is no mean of what stood there"
            if fewest >= settings.publish_k
            else f"a number stands in {fewest}"
        )
        ok = is_true and fewest >= settings.publish_k
        yield _finding(name, settings.publish_k, fewest, ok, says, broken, is_complete=is_complete)
    if settings.round is not None:
        parts = numbers[is_number] / settings.round
        n_wrong = int(np.count_nonzero(np.abs(parts - np.round(parts)) > NEAR * np.maximum(np.abs(parts), 1)))
        says = f"every number of {name} is a multiple of {settings.round:g}"
        yield _finding(name, 0, n_wrong, n_wrong == 0, says, f"{n_wrong} numbers are none")
    for key, bound in (("top", settings.top), ("bottom", settings.bottom)):
        if bound is not None:
            found = _bounded(settings, name, key, bound, numbers, held, forms, was, units)
            yield replace(found, is_complete=is_complete)


def _once(cells: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return pairs of a cell and a unit, each once."""
    return np.unique(np.column_stack([cells, units]), axis=0)


def _n_holders(end: float, was: _Numbers, units: NDArray[np.int64] | None) -> int:
    """Return how many rows, or units, of the original hold a number."""
    rows = np.flatnonzero(was == end)
    return int(rows.size if units is None else np.unique(units[rows]).size)


def _are_means(numbers: _Numbers, cells: NDArray[np.int64], was: _Numbers) -> bool:
    """Return whether each published number is the mean of what stood in its rows, as far as it is written out."""
    rows = np.isfinite(numbers[cells])
    if not np.isfinite(was[rows]).all():
        return False
    sizes = np.bincount(cells[rows], minlength=numbers.size)
    sums = np.bincount(cells[rows], weights=was[rows], minlength=numbers.size)
    known = sizes > 0
    means = sums[known] / sizes[known]
    return bool(np.allclose(means, numbers[known], rtol=NEAR, atol=_half_unit(numbers[known])))


def _half_unit(numbers: _Numbers) -> float:
    """Return half a unit of the last decimal that numbers are written with."""
    decimals = next((n for n in range(12) if np.array_equal(np.round(numbers, n), numbers)), 12)
    return 0.5 * 10.0**-decimals * (1 + NEAR)


def _bounded(
    settings: ColumnSettings,
    name: str,
    key: str,
    bound: float,
    numbers: _Numbers,
    held: NDArray[np.int64],
    forms: Sequence[Interval | None],
    was: _Numbers | None,
    units: NDArray[np.int64] | None,
) -> Finding:
    """Return whether nothing beyond a bound is published, and enough rows or units share what stands there instead.

    A bound that the policy leaves to the table may not be a number that fewer hold.
    """
    is_top = key == "top"
    ends = [
        (at, form.low if is_top else form.high)
        for at, form in enumerate(forms)
        if form is not None and _is_open(form, is_top)
    ]
    which = "largest" if is_top else "smallest"
    who = "rows" if units is None else "units"
    says = f"the {which} numbers of {name} are published as one text, of at least {settings.publish_k} {who}"
    if len(ends) != 1:
        return _finding(name, settings.publish_k, 0, False, says, f"{len(ends)} texts stand for them")
    place, end = ends[0]
    known = numbers[np.isfinite(numbers)]
    step = (settings.round or 0.0) / 2
    n_beyond = int((known > end + step).sum() if is_top else (known < end - step).sum())
    is_far = was is not None and not _is_inside(bound, end, was, is_top=is_top)
    fewest = int(held[place])
    broken = f"{n_beyond} numbers beyond it are published" if n_beyond else f"it stands in {fewest}"
    broken = "its bound lies beyond the one asked for" if is_far else broken
    n_holders = 0 if was is None or not 0 < bound < 1 else _n_holders(end, was, units)
    is_shown = 0 < n_holders < settings.publish_k
    broken = f"its bound is a number that only {n_holders} hold" if is_shown else broken
    ok = not n_beyond and not is_far and not is_shown and fewest >= settings.publish_k
    return _finding(name, settings.publish_k, fewest, ok, says, broken)


def _is_open(form: Interval, is_top: bool) -> bool:
    return form.high == np.inf if is_top else form.low == -np.inf


def _is_inside(bound: float, end: float, was: _Numbers, *, is_top: bool) -> bool:
    """Return whether a published bound is the one asked for, or lies on the inner side of the quantile asked for."""
    if not 0 < bound < 1:
        return end == bound
    known = was[np.isfinite(was)]
    share = float((known >= end).mean() if is_top else (known < end).mean())
    return share >= (1 - bound if is_top else bound) - NEAR


def _finding(
    name: str, asked: float, reached: float, ok: bool, says: str, broken: str, *, is_complete: bool = True
) -> Finding:
    return Finding(
        kind="numbers",
        where=f"columns.{name}",
        columns=(name,),
        asked=asked,
        reached=reached,
        ok=ok,
        says=says if ok else f"not {says}: {broken}",
        is_complete=is_complete,
    )
