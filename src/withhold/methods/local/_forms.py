"""What may be asked of a group of rows: a form, its parameters, and where its counts lie."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.table import Taxonomy

__all__ = [
    "DISTINCT",
    "ENTROPY",
    "EQUAL",
    "ORDERED",
    "RECURSIVE",
    "SHARE",
    "SIZE",
    "SUM",
    "TAXONOMY",
    "Rule",
    "at_least",
    "at_least_together",
    "at_most_share",
    "distinct_values",
    "entropy_of",
    "equal_distance",
    "ordered_distance",
    "recursive_values",
    "taxonomy_distance",
]

SIZE, SHARE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, TAXONOMY, SUM = range(9)

NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class Rule(NamedTuple):
    """One question about the histogram of a group, readable by compiled code.

    The histogram is a line of int64: lane 0 is the number of rows, the lanes ``first … first + n_lanes - 1`` are the
    numbers of rows that hold each sensitive value. Rows without an answer stand in lane 0 only.

    See Also
    --------
    at_least, at_most_share, distinct_values, entropy_of, recursive_values : make a rule.
    equal_distance, ordered_distance, taxonomy_distance : make a rule about the distance from the whole table.
    """

    form: int
    """SIZE, SHARE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, TAXONOMY or SUM."""
    first: int
    """The first lane of the sensitive values."""
    n_lanes: int
    """The number of sensitive values."""
    least: int
    """k of SIZE, l of DISTINCT and RECURSIVE, the least total of SUM."""
    upper: int
    """The numerator of l (ENTROPY), c (RECURSIVE) or t (distances)."""
    lower: int
    """The denominator of the same."""
    at_most: float
    """The largest share (SHARE)."""
    listed: Array
    """The lanes, counted from `first`, whose shares are limited (SHARE)."""
    whole: Array
    """The histogram of the whole table (distances), or what a row of each lane counts (SUM)."""
    begin: Array
    """The first lane below each node but the root (TAXONOMY)."""
    end: Array
    """The lane behind the last one below each node (TAXONOMY)."""
    step: Array
    """By how much the height of a node's parent exceeds its own (TAXONOMY)."""
    height: int
    """The height of the tree (TAXONOMY)."""


def at_least(k: int) -> Rule:
    """Return the rule that a group has at least `k` rows."""
    return _rule(SIZE, n_lanes=0, least=k)


def at_least_together(amounts: Sequence[int] | Array, least: int) -> Rule:
    """Return the rule that the rows of a group count at least `least` together, one of lane i ``amounts[i]``."""
    counted = np.ascontiguousarray(amounts, dtype=np.int64)
    return _rule(SUM, n_lanes=counted.size, least=least)._replace(whole=counted)


def at_most_share(n_lanes: int, listed: Iterable[int], at_most: float) -> Rule:
    """Return the rule that each listed value has at most that share of the answered rows, as floats divide."""
    return _rule(SHARE, n_lanes=n_lanes, at_most=float(at_most), listed=np.array(sorted(listed), dtype=np.int64))


def distinct_values(n_lanes: int, l: int) -> Rule:  # noqa: E741
    """Return the rule that a group holds at least `l` different values."""
    return _rule(DISTINCT, n_lanes=n_lanes, least=l)


def entropy_of(n_lanes: int, l: float | str | Fraction) -> Rule:  # noqa: E741
    """Return the rule that the entropy of a group's values is at least log `l`."""
    return _rule(ENTROPY, n_lanes=n_lanes, ratio=l)


def recursive_values(n_lanes: int, l: int, c: float | str | Fraction) -> Rule:  # noqa: E741
    """Return the rule of recursive (c, l)-diversity: the most frequent value has fewer rows than c times the tail."""
    return _rule(RECURSIVE, n_lanes=n_lanes, least=l, ratio=c)


def equal_distance(whole: Sequence[int] | Array, t: float | str | Fraction) -> Rule:
    """Return the rule that half the L1 distance of a group's shares from the whole table's is at most `t`."""
    return _distance(EQUAL, whole, t)


def ordered_distance(whole: Sequence[int] | Array, t: float | str | Fraction) -> Rule:
    """Return the rule that the earth mover's distance over ordered values is at most `t`."""
    return _distance(ORDERED, whole, t)


def taxonomy_distance(whole: Sequence[int] | Array, t: float | str | Fraction, taxonomy: Taxonomy) -> Rule:
    """Return the rule that the hierarchical distance is at most `t`; lane i is the i-th leaf of the tree.

    Notes
    -----
    At a node the smaller of its children's surplus and shortage is moved, at the cost of the node's height. Surplus and
    shortage differ by the node's own extra and sum up to those of its children without their signs. Hence the distance
    is half the sum, over all nodes but the root, of the extra without its sign times the height up to the parent.

    References
    ----------
    Li, Li, Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007.
    """
    parent = taxonomy.parent.astype(np.int64)
    height = np.zeros(taxonomy.n_nodes, dtype=np.int64)
    for node in range(taxonomy.n_nodes - 1, 0, -1):
        height[parent[node]] = max(height[parent[node]], height[node] + 1)
    return _distance(TAXONOMY, whole, t)._replace(
        begin=taxonomy.first[1:].astype(np.int64),
        end=taxonomy.last[1:].astype(np.int64),
        step=(height[parent] - height)[1:],
        height=max(int(height[0]), 1),
    )


def _distance(form: int, whole: Sequence[int] | Array, t: float | str | Fraction) -> Rule:
    counts = np.ascontiguousarray(whole, dtype=np.int64)
    return _rule(form, n_lanes=counts.size, ratio=t)._replace(whole=counts)


def _rule(
    form: int,
    *,
    n_lanes: int,
    least: int = 0,
    ratio: float | str | Fraction = 1,
    at_most: float = 1.0,
    listed: Array = NONE,
) -> Rule:
    # a number is read by its decimal text: 0.1 is one tenth, not the nearest binary fraction
    exact = ratio if isinstance(ratio, Fraction) else Fraction(str(ratio))
    return Rule(form, 1, n_lanes, least, exact.numerator, exact.denominator, at_most, listed, NONE, NONE, NONE, NONE, 1)
