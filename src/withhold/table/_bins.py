"""Numbers in bins, for the methods that need categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.errors import InputError
from withhold.table._numbers import format_number
from withhold.table._round_cuts import round_around, round_cuts

__all__ = ["Bins", "bins_of"]


@dataclass(frozen=True, slots=True)
class Bins:
    """Half-open bins between edges; the last one contains its upper edge.

    Every value of the column is published as its bin, so that a private one cannot be inferred from its precision.

    Examples
    --------
    >>> age = Bins(edges=(0, 18, 65, 120))
    >>> age.labels(), age.labels("midpoint")
    (('[0, 18)', '[18, 65)', '[65, 120]'), ('9', '41.5', '92.5'))
    >>> age.codes([3, 18, 120, float("nan"), 121]).tolist()
    [0, 1, 2, -1, 2]
    """

    edges: tuple[float, ...]
    """The edges, ascending; one more than there are bins."""
    texts: tuple[str, ...] | None = None
    """What is published for each bin, where that is neither its interval nor its middle."""
    is_open: bool = False
    """Whether the outer bins read ``< 20`` and ``≥ 85``: where the numbers of a table end is not shown."""

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges, dtype=np.float64)
        if edges.ndim != 1 or edges.size < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
            raise InputError("Bins: `edges` must be at least two finite numbers, each larger than the one before.")

    @property
    def n_bins(self) -> int:
        """The number of bins."""
        return len(self.edges) - 1

    def codes(self, values: ArrayLike) -> NDArray[np.int32]:
        """Return the bin of each value, -1 for a missing one (NaN). A value beyond the edges is in the outer bin."""
        numbers = np.asarray(values, dtype=np.float64)
        found = np.searchsorted(np.asarray(self.edges)[1:-1], numbers, side="right")
        return np.where(np.isnan(numbers), -1, found).astype(np.int32)

    def labels(self, style: Literal["interval", "midpoint", "mean"] = "interval") -> tuple[str, ...]:
        """Return what is published for each bin: the interval, or the number in its middle."""
        if self.texts is not None:
            return self.texts
        pairs = list(zip(self.edges[:-1], self.edges[1:], strict=True))
        if style == "midpoint":
            return tuple(format_number((low + high) / 2) for low, high in pairs)
        if style != "interval":
            raise InputError(f'Bins: a label is "interval" or "midpoint"; got {style!r}.')
        texts = [f"[{format_number(low)}, {format_number(high)})" for low, high in pairs]
        if self.is_open and self.n_bins > 1:
            return (f"< {format_number(self.edges[1])}", *texts[1:-1], f"≥ {format_number(self.edges[-2])}")
        return (*texts[:-1], f"{texts[-1][:-1]}]")


def bins_of(
    values: ArrayLike,
    bins: int | Sequence[float],
    *,
    how: Literal["quantile", "width"] = "quantile",
    private: ArrayLike | None = None,
    least: int | None = None,
    units: ArrayLike | None = None,
) -> Bins:
    """Return bins for a column of numbers.

    Parameters
    ----------
    values
        The numbers; NaN is missing.
    bins
        How many bins to make, at least 1; or their edges.
    how
        ``"quantile"`` puts about as many values in each bin, ``"width"`` makes bins of one width. Quantiles that fall
        together are one edge, so there may be fewer bins. Quantiles of whole numbers are whole.
    private
        Which values are private. Edges are taken from the other ones only: an edge that a private value decided would
        reveal something of it. Private values beyond the edges are in the outer bins.
    least
        With a number of bins: how many values must be equal for an edge to be that number. Edges are round numbers
        between neighbours then, and the outer bins are open, so that none shows what a single person holds. None
        takes edges as they are computed, with the smallest and the largest value among them.
    units
        Which values belong together, as a number for each: equal ones of one unit count once for `least`.

    Examples
    --------
    >>> bins_of([17, 18, 23, 40, 41, 90], 2, least=5).labels()
    ('< 30', '≥ 30')
    >>> bins_of([1, 2, 3, 4, 90], 2, private=[False, False, False, False, True]).labels()
    ('[1, 3)', '[3, 4]')
    """
    if not isinstance(bins, int | np.integer):
        return Bins(edges=tuple(float(edge) for edge in bins))
    if isinstance(bins, bool) or bins < 1:
        raise InputError(f"bins_of: `bins` must be an integer of at least 1, or edges; got {bins!r}.")
    if how not in ("quantile", "width"):
        raise InputError(f'bins_of: `how` must be "quantile" or "width"; got {how!r}.')
    numbers = np.asarray(values, dtype=np.float64)
    public = np.isfinite(numbers) if private is None else np.isfinite(numbers) & ~np.asarray(private, dtype=np.bool_)
    numbers = numbers[public]
    who = np.arange(numbers.size) if units is None else np.asarray(units)[public]
    if numbers.size == 0 or numbers.min() == numbers.max():
        raise InputError("bins_of: a column needs two different values that are not private; give the edges.")
    if how == "quantile":
        edges = np.quantile(numbers, np.linspace(0, 1, int(bins) + 1))
        if np.array_equal(numbers, np.round(numbers)):
            edges = np.ceil(edges)  # the same bins of whole numbers, with edges that read like them
        edges = np.unique(edges)
    else:
        edges = np.linspace(numbers.min(), numbers.max(), int(bins) + 1)
    return Bins(edges=tuple(edges.tolist())) if least is None else _rounded(edges, numbers, who, least)


def _rounded(edges: NDArray[np.float64], numbers: NDArray[np.float64], who: NDArray[np.int64], least: int) -> Bins:
    """Return bins with the same values in them, but round edges and open ends."""
    values, places = np.unique(numbers, return_inverse=True)
    pairs = np.unique(np.column_stack([places.reshape(-1), who]), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=values.size)
    cuts = round_cuts(values, counts, least=least)[np.searchsorted(values, edges[1:-1])]
    low, high = round_around(float(values[0]), float(values[-1]))
    return Bins(edges=(low, *np.unique(cuts[np.isfinite(cuts)]).tolist(), high), is_open=True)
