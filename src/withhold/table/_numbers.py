"""Columns of numbers: no tree is given, intervals grow while a method runs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "format_number", "is_number"]


class Numbers:
    """The domain of a column of numbers: its sorted distinct values within published bounds.

    Code ``i`` is the i-th smallest value; where the column has missing values, the last code is *missing*.
    An interval is a range of codes ``[first, last)``; it reads ``[20, 40)``, or ``[40, 90]`` where it ends at the
    upper bound.

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

    __slots__ = ("high", "low", "missing_code", "values")

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

    @property
    def n_values(self) -> int:
        """The number of distinct numbers, missing left out."""
        return int(self.values.size)

    @property
    def n_codes(self) -> int:
        """The number of codes, one for each distinct number and one for missing where it occurs."""
        return self.n_values + (self.missing_code is not None)

    def edges(self, first: int, last: int) -> tuple[float, float]:
        """Return the lower and the upper end of the interval that covers the codes ``first … last - 1``."""
        low = self.low if first == 0 else float(self.values[first])
        high = self.high if last == self.n_values else float(self.values[last])
        return low, high

    def interval(self, first: int, last: int) -> str:
        """Return how the interval over the codes ``first … last - 1`` reads."""
        low, high = self.edges(first, last)
        return f"[{format_number(low)}, {format_number(high)}{']' if last == self.n_values else ')'}"

    def __repr__(self) -> str:
        return f"<Numbers {self.interval(0, self.n_values)}: {self.n_values} values>"


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
