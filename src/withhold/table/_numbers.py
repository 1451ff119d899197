"""Columns of numbers: no tree is given, intervals grow while a method runs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "format_number", "is_number"]


class Numbers:
    """The domain of a column of numbers: its sorted distinct values within published bounds.

    Code ``i`` is the i-th smallest value; where the column has missing values, the last code is *missing*.
    An interval is a range of codes ``[first, last)``; it reads ``[20, 40)``, or ``[40, 90]`` where it ends at the
    upper bound. Where bounds are no secret of a table but its own smallest and largest value, `with_cuts` keeps them
    out of the texts.

    Parameters
    ----------
    values
        The distinct finite values, ascending.
    bounds
        The published lower and upper bound; the smallest and largest value where None.
    missing
        Whether some cells of the column are missing.

    Examples
    --------
    >>> hours = Numbers([30, 37, 44], bounds=(1, 99))
    >>> hours.interval(0, 1), hours.interval(1, 3)
    ('[1, 37)', '[37, 99]')
    """

    __slots__ = ("cuts", "high", "is_open", "low", "missing_code", "values")

    def __init__(
        self,
        values: Sequence[float] | NDArray[np.float64],
        *,
        bounds: tuple[float, float] | None = None,
        missing: bool = False,
    ) -> None:
        self.values: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
        if bounds is None:
            bounds = (float(self.values[0]), float(self.values[-1])) if self.values.size else (0.0, 0.0)
        self.low, self.high = float(bounds[0]), float(bounds[1])
        self.missing_code: int | None = self.values.size if missing else None
        self.cuts: NDArray[np.float64] | None = None
        """For each value where an interval begins that holds it and what is larger; NaN: none may. None: at itself."""
        self.is_open = False
        """Whether the outermost intervals read ``< 20`` and ``≥ 85``, and do not show the bounds."""

    def with_cuts(self, cuts: NDArray[np.float64] | None, *, is_open: bool) -> "Numbers":
        """Return the same numbers with other edges of intervals.

        Examples
        --------
        >>> ages = Numbers([17, 23, 90]).with_cuts(np.array([np.nan, 20, 50]), is_open=True)
        >>> ages.interval(0, 1), ages.interval(1, 2), ages.interval(2, 3), ages.interval(0, 3)
        ('< 20', '[20, 50)', '≥ 50', '*')
        """
        made = Numbers(self.values, bounds=(self.low, self.high), missing=self.missing_code is not None)
        made.cuts, made.is_open = cuts, is_open
        return made

    @property
    def n_values(self) -> int:
        """The number of distinct numbers, missing left out."""
        return int(self.values.size)

    @property
    def n_codes(self) -> int:
        """The number of codes, one for each distinct number and one for missing where it occurs."""
        return self.n_values + (self.missing_code is not None)

    def may_begin(self, first: int, last: int) -> NDArray[np.bool_] | None:
        """Return for the codes ``first … last - 1`` whether an interval may begin there; None: at each of them."""
        return None if self.cuts is None else np.isfinite(self.cuts[first:last])

    def edges(self, first: int, last: int) -> tuple[float, float]:
        """Return the lower and the upper end of the interval that covers the codes ``first … last - 1``."""
        begins = self.values if self.cuts is None else self.cuts
        low = self.low if first == 0 else float(begins[first])
        high = self.high if last == self.n_values else float(begins[last])
        return low, high

    def interval(self, first: int, last: int) -> str:
        """Return how the interval over the codes ``first … last - 1`` reads."""
        low, high = (format_number(end) for end in self.edges(first, last))
        if self.is_open and (first == 0 or last == self.n_values):
            return f"≥ {low}" if first else f"< {high}" if last < self.n_values else "*"
        return f"[{low}, {high}{']' if last == self.n_values else ')'}"

    def __repr__(self) -> str:
        return f"<Numbers [{format_number(self.low)}, {format_number(self.high)}]: {self.n_values} values>"


def format_number(number: float) -> str:
    """Return the shortest text of a number; integers carry no point.

    Examples
    --------
    >>> format_number(40.0), format_number(0.1)
    ('40', '0.1')
    """
    number = float(number)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def is_number(text: str) -> bool:
    """Return whether a text is a finite number.

    Examples
    --------
    >>> is_number("-9"), is_number("?")
    (True, False)
    """
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
