"""The metrics of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import inf, log2

from slow_inference._base import Cell, Table, changes_between, updated_counts
from slow_inference._models import _own_counts


def direct_distance(before: Table, after: Table) -> int:
    """How many cells differ."""
    return len(changes_between(before, after))


def _weights(table: Table, column: str) -> dict[Cell, dict[str, Fraction]]:
    """How each known cell of a column is shared out over the primitive values, by the updated counts."""
    taxonomy = table.trees[column]
    own = _own_counts(table, table.numbers(), column)
    own.pop(None, None)
    updated = updated_counts(taxonomy, own)
    weights: dict[Cell, dict[str, Fraction]] = {}
    for cell in own:
        leaves = table.leaves_below(column, cell)
        total = sum((updated[leaf] for leaf in leaves), Fraction(0))
        weights[cell] = {leaf: updated[leaf] / total for leaf in leaves}
    return weights


def distribution(table: Table, column: str) -> dict[str, Fraction]:
    """The distribution of the known cells of a column; empty if there is none."""
    weights = _weights(table, column)
    known = [number for number in table.numbers() if table.get(number, column) is not None]
    shares: dict[str, Fraction] = {}
    for number in known:
        for value, weight in weights[table.get(number, column)].items():
            shares[value] = shares.get(value, Fraction(0)) + weight / len(known)
    return shares


def kld(before: Table, after: Table, column: str) -> float:
    """The Kullback Leibler distance of one column, in bits."""
    old, new = distribution(before, column), distribution(after, column)
    total = 0.0
    for value, p in old.items():
        if p and not new.get(value):
            return inf
        if p:
            total += float(p) * log2(p / new[value])
    return total


def skld(before: Table, after: Table, columns: Sequence[str]) -> float:
    """The sum of the Kullback Leibler distances."""
    return sum(kld(before, after, column) for column in columns)


def mutual_information(table: Table, first: str, second: str) -> float:
    """The mutual information of two columns over the tuples that know both, in bits; exactly 0 if independent."""
    weights = {column: _weights(table, column) for column in (first, second)}
    both = [
        number
        for number in table.numbers()
        if table.get(number, first) is not None and table.get(number, second) is not None
    ]
    joint: dict[tuple[str, str], Fraction] = {}
    left: dict[str, Fraction] = {}
    right: dict[str, Fraction] = {}
    for number in both:
        for one, weight in weights[first][table.get(number, first)].items():
            for other, weight_too in weights[second][table.get(number, second)].items():
                share = weight * weight_too / len(both)
                joint[one, other] = joint.get((one, other), Fraction(0)) + share
                left[one] = left.get(one, Fraction(0)) + share
                right[other] = right.get(other, Fraction(0)) + share
    pairs = [(p, left[one] * right[other]) for (one, other), p in joint.items() if p]
    if all(p == product for p, product in pairs):
        return 0.0
    return sum(float(p) * log2(p / product) for p, product in pairs)


def acmi(before: Table, after: Table, columns: Sequence[str]) -> float:
    """The average ratio of the mutual information before and after, over the pairs of columns."""
    ratios = []
    for first, second in combinations(columns, 2):
        old, new = mutual_information(before, first, second), mutual_information(after, first, second)
        if new:
            ratios.append(old / new)
        else:
            ratios.append(inf if old else 1.0)
    return sum(ratios) / len(ratios)


def conditional_entropy(before: Table, after: Table, column: str) -> float:
    """The entropy of the original column given the released one, in bits; original unknowns are not summed over."""
    pairs: dict[tuple[Cell, Cell], int] = {}
    for number in before.numbers():
        pair = (before.get(number, column), after.get(number, column))
        pairs[pair] = pairs.get(pair, 0) + 1
    released = _own_counts(after, after.numbers(), column)
    return sum(
        count / len(before.rows) * log2(released[new] / count) for (old, new), count in pairs.items() if old is not None
    )


def sce(before: Table, after: Table, columns: Sequence[str]) -> float:
    """The sum of the conditional entropies."""
    return sum(conditional_entropy(before, after, column) for column in columns)
