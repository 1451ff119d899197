"""What a promise asks of a group, given how many of its rows hold each value: exact, and for many groups at once.

A histogram is a line of counts. For `Size` it is the number of rows alone; for the others the rows that hold each
value of a sensitive column, rows without an answer left out. All measures are kept by the union of two groups that
keep them, so a search from the top can rely on it: what a coarse group breaks, some part of it breaks too.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.table import Taxonomy

__all__ = ["Crowd", "Distance", "Distinct", "Entropy", "Measure", "Recursive", "Share", "Size"]

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]
NEAR = 1e-9
"""Floats this close to a bound are not trusted; integers decide."""


class Measure(ABC):
    """A figure of a group, and whether it is good enough."""

    is_lower_worse: ClassVar[bool] = True
    """Whether a lower figure is the worse one."""

    @property
    @abstractmethod
    def asked(self) -> float:
        """The bound."""

    @abstractmethod
    def figures(self, counts: Counts) -> Figures:
        """Return the figure of each group; one line of `counts` a group."""

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Return which groups are good enough; one without an answer always is."""
        found = self.figures(counts)
        met = found >= self.asked if self.is_lower_worse else found <= self.asked
        for group in np.flatnonzero(np.abs(found - self.asked) <= NEAR * max(1.0, abs(self.asked))):
            met[group] = self.is_met_exactly(counts[group])
        return np.asarray(met | (counts.sum(axis=1) == 0))

    def is_met_exactly(self, counts: Counts) -> bool:
        """Decide one group in integers."""
        found = float(self.figures(counts.reshape(1, -1))[0])
        return found >= self.asked if self.is_lower_worse else found <= self.asked

    @property
    def best(self) -> float:
        """The figure of a group that nothing is wrong with."""
        return float("inf") if self.is_lower_worse else 0.0

    def worse(self, one: Figures, other: Figures) -> Figures:
        """Return the worse of two figures, pair by pair."""
        return np.minimum(one, other) if self.is_lower_worse else np.maximum(one, other)


@dataclass(frozen=True)
class Crowd(Measure):
    """At least `k` of whatever is counted."""

    k: int

    @property
    def asked(self) -> float:
        """The bound."""
        return self.k

    def figures(self, counts: Counts) -> Figures:
        """Return the number of those counted."""
        return np.asarray(counts[:, 0], dtype=np.float64)

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Compare integers; a group without a row is good enough."""
        return np.asarray((counts[:, 0] >= self.k) | (counts.sum(axis=1) == 0))


class Size(Crowd):
    """At least `k` rows."""


@dataclass(frozen=True)
class Share(Measure):
    """No listed value is held by more than a share of the rows that answered."""

    values: tuple[int, ...]
    """The places of the sensitive values in a histogram."""
    at_most: float
    is_lower_worse = False

    @property
    def asked(self) -> float:
        """The bound."""
        return self.at_most

    def figures(self, counts: Counts) -> Figures:
        """Return the largest share of a sensitive value."""
        among = np.maximum(counts.sum(axis=1), 1)
        return np.asarray((counts[:, list(self.values)] / among[:, None]).max(axis=1))

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Return which groups are good enough: a quotient of integers is the same number however it came about."""
        return self.figures(counts) <= self.at_most


@dataclass(frozen=True)
class Distinct(Measure):
    """At least `l` different values."""

    l: int  # noqa: E741

    @property
    def asked(self) -> float:
        """The bound."""
        return self.l

    def figures(self, counts: Counts) -> Figures:
        """Return the number of different values."""
        return np.asarray(np.count_nonzero(counts, axis=1), dtype=np.float64)

    def is_met(self, counts: Counts) -> NDArray[np.bool_]:
        """Compare integers; a group without an answer is good enough."""
        n_values = np.count_nonzero(counts, axis=1)
        return np.asarray((n_values >= self.l) | (n_values == 0))


@dataclass(frozen=True)
class Entropy(Measure):
    """An entropy of at least that of `l` equally frequent values; the figure is the number of such values."""

    l: float  # noqa: E741

    @property
    def asked(self) -> float:
        """The bound."""
        return self.l

    def figures(self, counts: Counts) -> Figures:
        """Return how many equally frequent values have the same entropy."""
        among = np.maximum(counts.sum(axis=1, keepdims=True), 1)
        share = counts / among
        bits = np.where(counts > 0, share * np.log(np.where(counts > 0, share, 1.0)), 0.0)
        return np.asarray(np.exp(-bits.sum(axis=1)))

    def is_met_exactly(self, counts: Counts) -> bool:
        """Compare n^n with l^n times the product of c^c over all counts c."""
        held = [int(count) for count in counts if count]
        among = sum(held)
        if not among:
            return True
        bound = Fraction(repr(float(self.l)))
        right = bound.numerator**among
        for count in held:
            right *= count**count
        return bool(bound.denominator**among * among**among >= right)


@dataclass(frozen=True)
class Recursive(Measure):
    """The most frequent value is less than `c` times as frequent as all from the `l`-th on together.

    The figure is the largest `l` for which that holds.
    """

    c: float
    l: int  # noqa: E741

    @property
    def asked(self) -> float:
        """The bound."""
        return self.l

    def figures(self, counts: Counts) -> Figures:
        """Return the largest number of values for which it holds, 0 where it holds for none."""
        falling = -np.sort(-counts, axis=1)
        rest = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]
        bound = Fraction(repr(float(self.c)))
        holds = falling[:, :1] * bound.denominator < bound.numerator * rest
        return np.asarray(holds.sum(axis=1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Distance(Measure):
    """The distribution of a group is at most `t` away from that of the table.

    The distance is a sum of weighted absolute differences of shares: of values (equal), of sums up to a value
    (ordered), or of sums below a node (taxonomy). `lines` says which values each sum adds up.
    """

    t: float
    whole: Counts
    """How many rows of the table hold each value."""
    lines: NDArray[np.int8]
    """For each sum which values it adds up."""
    weights: tuple[Fraction, ...]
    """What each sum weighs."""
    how: str = "equal"
    """Which distance it is: ``equal``, ``ordered`` or ``taxonomy``."""
    tree: Taxonomy | None = None
    """The taxonomy, for the distance along it."""
    is_lower_worse = False

    @property
    def asked(self) -> float:
        """The bound."""
        return self.t

    def figures(self, counts: Counts) -> Figures:
        """Return the distance of each group."""
        among = np.maximum(counts.sum(axis=1, keepdims=True), 1)
        apart = counts / among - self.whole / max(int(self.whole.sum()), 1)
        sums = np.abs(apart @ self.lines.T.astype(np.float64))
        found = np.asarray(sums @ np.array([float(weight) for weight in self.weights]))
        return np.where(counts.sum(axis=1) == 0, 0.0, found)

    def is_met_exactly(self, counts: Counts) -> bool:
        """Add up fractions."""
        among, n_rows = int(counts.sum()), int(self.whole.sum())
        total = Fraction(0)
        for line, weight in zip(self.lines, self.weights, strict=True):
            inside = np.flatnonzero(line)
            here, there = int(counts[inside].sum()), int(self.whole[inside].sum())
            total += weight * abs(here * n_rows - there * among)
        return total <= Fraction(repr(float(self.t))) * among * n_rows

    @classmethod
    def equal(cls, t: float, whole: Counts) -> "Distance":
        """Return the measure in which all values are equally far apart."""
        n = whole.size
        return cls(t, whole, np.eye(n, dtype=np.int8), (Fraction(1, 2),) * n)

    @classmethod
    def ordered(cls, t: float, whole: Counts, occurs: NDArray[np.bool_] | None = None) -> "Distance":
        """Return the measure in which values are apart by their places among those that occur in the table."""
        places = np.flatnonzero(whole > 0 if occurs is None else occurs)
        lines = np.zeros((max(places.size - 1, 0), whole.size), dtype=np.int8)
        for i in range(len(lines)):
            lines[i, places[: i + 1]] = 1
        return cls(t, whole, lines, (Fraction(1, max(places.size - 1, 1)),) * len(lines), "ordered")

    @classmethod
    def along(cls, t: float, whole: Counts, tree: Taxonomy) -> "Distance":
        """Return the measure in which values are apart by the height of their common node.

        Parameters
        ----------
        t, whole
            The bound, and the histogram of the table.
        tree
            The taxonomy; value i is its leaf i, and missing is no value.

        Notes
        -----
        Values that must be exchanged meet at their common node, which costs its height over that of the tree (Li, Li,
        Venkatasubramanian 2007). That is the same as paying, for each node but the root, the difference of its
        parent's height and its own, halved, for what flows through it.
        """
        kept = [node for node in range(tree.n_nodes) if tree.labels[node] is not None]
        place = {node: i for i, node in enumerate(kept)}
        parents = [place.get(int(tree.parent[node]), -1) for node in kept]
        places = [place.get(int(node), 0) for node in tree.leaf_nodes]
        n_nodes = len(parents)
        height = [0] * n_nodes
        below = np.zeros((n_nodes, whole.size), dtype=np.int8)
        for value, node in enumerate(places):
            below[node, value] = 1
        for node in range(n_nodes - 1, 0, -1):
            height[parents[node]] = max(height[parents[node]], height[node] + 1)
            below[parents[node]] |= below[node]
        top = max(height[0], 1)
        steps = tuple(Fraction(height[parents[node]] - height[node], 2 * top) for node in range(1, n_nodes))
        return cls(t, whole, below[1:], steps, "taxonomy", tree)
