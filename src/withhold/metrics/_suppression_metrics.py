"""What withholding single cells lost, and how uncertain it left an outsider."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from withhold.metrics._shared_out import Column, columns_of, count_pairs
from withhold.table import Grid, Table, Taxonomy

__all__ = [
    "SuppressionMetrics",
    "acmi",
    "conditional_entropy",
    "direct_distance",
    "kullback_leibler",
    "mutual_information",
    "suppression_metrics",
]

ROUNDING = 1e-12
"""A joint distribution this close to the product of its marginals is compared with it exactly."""
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionMetrics:
    """Every metric of a table in which cells were withheld; see `suppression_metrics`."""

    direct_distance: int
    """How many cells differ."""
    kullback_leibler: dict[str, float]
    """For each column how far its distribution moved, in bits."""
    acmi: float
    """The average change in mutual information: 1 where nothing changed, above where dependence was lost."""
    conditional_entropy: dict[str, float]
    """For each column how uncertain the original is, given the published one, in bits."""

    @property
    def skld(self) -> float:
        """The sum of the Kullback-Leibler distances."""
        return sum(self.kullback_leibler.values())

    @property
    def sce(self) -> float:
        """The sum of the conditional entropies."""
        return sum(self.conditional_entropy.values())


def suppression_metrics(
    before: Grid | Table,
    after: Grid | Table,
    *,
    columns: Sequence[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> SuppressionMetrics:
    """Return what withholding single cells lost: direct and Kullback-Leibler distances, ACMI, conditional entropies.

    Parameters
    ----------
    before
        The original table.
    after
        The published one: the same rows, in the same order. A deleted row is a row of unknown cells.
    columns
        The columns to look at; all where None.
    taxonomies
        The trees of columns in which cells may be coarse. Domains that were given to a table count too.

    Notes
    -----
    Unknown is a missing cell, ``*``, and the root of a tree. Distributions are over known cells; a coarse cell is
    shared out over the values below it, in proportion to how often they occur. Linear in the rows, quadratic in the
    columns.

    References
    ----------
    A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011, section 2.4.

    Examples
    --------
    >>> from withhold import Table
    >>> before = Table.from_columns({"sex": ["f", "m", "f", "m"], "job": ["cook", "smith", "cook", "cook"]})
    >>> after = Table.from_columns({"sex": ["f", "m", "f", "m"], "job": ["cook", "*", "*", "cook"]})
    >>> found = suppression_metrics(before, after)
    >>> found.direct_distance, found.kullback_leibler, found.sce
    (2, {'sex': 0.0, 'job': inf}, 0.5)
    """
    pairs = columns_of([before, after], columns, taxonomies)
    return SuppressionMetrics(
        direct_distance=sum(_distance(*pair) for pair in pairs),
        kullback_leibler={old.name: _divergence(old, new) for old, new in pairs},
        acmi=_average_change(_information([old for old, _ in pairs]), _information([new for _, new in pairs])),
        conditional_entropy={old.name: _entropy(old, new) for old, new in pairs},
    )


def direct_distance(
    before: Grid | Table,
    after: Grid | Table,
    *,
    columns: Sequence[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> int:
    """Count the cells that differ, hidden ones included; a deleted row counts its known cells.

    Parameters are those of `suppression_metrics`.

    Examples
    --------
    >>> from withhold import samples
    >>> from withhold.table import Grid
    >>> grid = Grid.of(samples.thesis_table1())
    >>> direct_distance(grid, grid.with_cells({(1, "Diagnosis"): "*", (5, "Chest Pain"): "*"}))
    2
    """
    return sum(_distance(*pair) for pair in columns_of([before, after], columns, taxonomies))


def kullback_leibler(
    before: Grid | Table,
    after: Grid | Table,
    *,
    columns: Sequence[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> dict[str, float]:
    """Return for each column the Kullback-Leibler distance of its distribution before from the one after, in bits.

    Infinite where a value occurred before and does not any more. Parameters are those of `suppression_metrics`.

    Examples
    --------
    >>> from withhold import samples
    >>> from withhold.table import Grid
    >>> grid = Grid.of(samples.thesis_table1())
    >>> hidden = grid.with_cells({(1, "Diagnosis"): "*"})
    >>> round(kullback_leibler(grid, hidden, columns=["Diagnosis"])["Diagnosis"], 6)
    0.014536
    """
    return {old.name: _divergence(old, new) for old, new in columns_of([before, after], columns, taxonomies)}


def mutual_information(
    table: Grid | Table, *, columns: Sequence[str] | None = None, taxonomies: Mapping[str, Taxonomy] | None = None
) -> dict[Pair, float]:
    """Return for each pair of columns their mutual information over the rows that know both, in bits.

    Exactly 0 where they are independent. Parameters are those of `suppression_metrics`.

    Examples
    --------
    >>> from withhold import Table
    >>> mutual_information(Table.from_columns({"sex": ["f", "m", "f", "m"], "title": ["Ms", "Mr", "Ms", "Mr"]}))
    {('sex', 'title'): 1.0}
    """
    return _information([column for (column,) in columns_of([table], columns, taxonomies)])


def acmi(
    before: Grid | Table,
    after: Grid | Table,
    *,
    columns: Sequence[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> float:
    """Return the average change in mutual information: the mean ratio before to after over all pairs of columns.

    1 where nothing changed, above 1 where dependence was lost. A pair that is independent after counts 1 if it was so
    before, else it makes the mean infinite. Not a number for less than two columns. Parameters are those of
    `suppression_metrics`.

    Examples
    --------
    >>> from withhold import samples
    >>> from withhold.table import Grid
    >>> grid = Grid.of(samples.thesis_table1())
    >>> blanks = {(1, "Indigestion"): "*", (1, "Palpitation"): "*", (1, "Diagnosis"): "*"}
    >>> round(acmi(grid, grid.with_cells(blanks), columns=grid.columns[3:]), 4)
    1.224
    """
    pairs = columns_of([before, after], columns, taxonomies)
    return _average_change(_information([old for old, _ in pairs]), _information([new for _, new in pairs]))


def conditional_entropy(
    before: Grid | Table,
    after: Grid | Table,
    *,
    columns: Sequence[str] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> dict[str, float]:
    """Return for each column the entropy of the original given the published one, in bits.

    It is how uncertain an outsider is about the cells. Cells that were unknown before are not summed over. Parameters
    are those of `suppression_metrics`.

    Examples
    --------
    >>> from withhold import Table
    >>> before, after = Table.from_columns({"sex": ["f", "m", "f"]}), Table.from_columns({"sex": ["f", "*", "*"]})
    >>> round(conditional_entropy(before, after)["sex"], 4)
    0.6667
    """
    return {old.name: _entropy(old, new) for old, new in columns_of([before, after], columns, taxonomies)}


def _distance(old: Column, new: Column) -> int:
    return int(np.count_nonzero(old.nodes != new.nodes))


def _divergence(old: Column, new: Column) -> float:
    was, now = old.distribution(), new.distribution()
    place = np.searchsorted(now.keys, was.keys)
    if not now.keys.size:
        return math.inf if was.keys.size else 0.0
    if np.any(now.keys[np.minimum(place, now.keys.size - 1)] != was.keys):
        return math.inf
    shares = was.shares
    return max(float((shares * np.log2(shares / now.shares[place])).sum()), 0.0)


def _information(columns: Sequence[Column]) -> dict[Pair, float]:
    return {(a.name, b.name): _mutual(a, b) for a, b in combinations(columns, 2)}


def _mutual(first: Column, second: Column) -> float:
    joint = first.joint(second)
    if not joint.keys.size:
        return 0.0
    one, other = joint.keys // second.n_nodes, joint.keys % second.n_nodes
    shares = joint.shares
    apart = np.bincount(one, weights=shares)[one] * np.bincount(other, weights=shares)[other]
    if np.all(np.abs(shares - apart) <= ROUNDING * apart) and first.is_independent(second):
        return 0.0
    return max(float((shares * np.log2(shares / apart)).sum()), 0.0)


def _average_change(before: Mapping[Pair, float], after: Mapping[Pair, float]) -> float:
    if not before:
        return math.nan
    ratios = [_ratio(before[pair], after[pair]) for pair in before]
    return sum(ratios) / len(ratios)


def _ratio(before: float, after: float) -> float:
    if after == 0:
        return math.inf if before > 0 else 1.0
    return before / after


def _entropy(old: Column, new: Column) -> float:
    # UNKNOWN is -1: one more than the nodes makes it a value of its own.
    n = new.n_nodes + 1
    pairs, counts = count_pairs(old.nodes + 1, new.nodes + 1, old.n_nodes + 1, n)
    published = np.bincount(new.nodes + 1, minlength=n)
    known = pairs >= n
    together, among = counts[known], published[pairs[known] % n]
    return max(float((together / old.nodes.size * np.log2(among / together)).sum()), 0.0)
