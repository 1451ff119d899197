"""The check of closeness: the distribution of every published group against that of the table, counted anew."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding
from withhold.requirements._check import Question
from withhold.requirements._sensitive_check import Histograms, check_histograms
from withhold.requirements.closeness._requirement import Closeness
from withhold.table import Taxonomy, is_number

__all__ = ["check"]

Exact = list[list[int]]


def check(question: Question) -> list[Finding]:
    """Check that no group is too far from the table: in the file, and in the original where it is there."""
    requirement = question.policy.require[question.number]
    assert isinstance(requirement, Closeness)
    names, sensitive = ", ".join(requirement.columns), requirement.sensitive

    def says(worst: float, n_broken: int) -> str:
        if n_broken:
            groups = "combination is" if n_broken == 1 else "combinations are"
            return f"{n_broken:,} {groups} farther than {requirement.t:g} from the {sensitive} of the table ({names})"
        asked = f"(asked: {requirement.t:g})"
        return f"no combination of {names} is farther than {worst:.4f} from the {sensitive} of the table {asked}"

    def measure(found: Histograms) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        return _distances(_values_only(question, requirement, found), requirement, question)

    return check_histograms(question, requirement, requirement.t, measure, says, is_lower_worse=False)


def _values_only(question: Question, requirement: Closeness, found: Histograms) -> Histograms:
    """Leave out texts that are no values of the column, such as coarser ones: they have no place in a distribution."""
    meaning = question.sight.meaning(requirement.sensitive)
    kept = [i for i, label in enumerate(found.labels) if label in meaning.labels or not meaning.is_coarse(label)]
    found.counts = found.counts[:, kept]
    found.labels = [found.labels[i] for i in kept]
    return found


def _distances(
    found: Histograms, requirement: Closeness, question: Question
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    counts = found.counts[found.counts.sum(axis=1) > 0]
    whole = found.whole
    if requirement.distance == "equal":
        sums, scale = [[i] for i in range(len(found.labels))], [Fraction(1, 2)] * len(found.labels)
    elif requirement.distance == "ordered":
        order = _order(found.labels, question, requirement)
        sums = [order[: i + 1] for i in range(len(order) - 1)]
        scale = [Fraction(1, max(_n_places(found.labels, question, requirement) - 1, 1))] * len(sums)
    else:
        sums, scale = _below(found.labels, _tree(question, requirement))
    inside = np.zeros((len(sums), len(found.labels)))
    for line, members in enumerate(sums):
        inside[line, members] = 1
    shares = counts / counts.sum(axis=1, keepdims=True) - whole / max(int(whole.sum()), 1)
    figures = np.abs(shares @ inside.T) @ np.array([float(each) for each in scale])
    met = figures < requirement.t
    for group in np.flatnonzero(np.abs(figures - requirement.t) < 1e-7).tolist():
        met[group] = _exactly(counts[group], whole, sums, scale) <= Fraction(repr(float(requirement.t)))
    return figures, met


def _exactly(
    counts: NDArray[np.int64], whole: NDArray[np.int64], sums: Sequence[Sequence[int]], scale: Sequence[Fraction]
) -> Fraction:
    among, n_rows, total = int(counts.sum()), int(whole.sum()), Fraction(0)
    for members, weight in zip(sums, scale, strict=True):
        here, there = int(counts[list(members)].sum()), int(whole[list(members)].sum())
        total += weight * abs(Fraction(here, among) - Fraction(there, n_rows))
    return total


def _tree(question: Question, requirement: Closeness) -> Taxonomy | None:
    return question.sight.meaning(requirement.sensitive).tree


def _places(question: Question, requirement: Closeness) -> list[str]:
    """Return the values of the column in order: bins, numbers, the leaves of the taxonomy, or texts."""
    meaning = question.sight.meaning(requirement.sensitive)
    labels = _occurring(question, requirement)
    if meaning.labels:
        return [label for label in meaning.labels if label in labels]
    if meaning.tree is not None:
        return [str(leaf) for leaf in meaning.tree.leaves if leaf in labels]
    if meaning.is_number and all(map(is_number, labels)):
        return sorted(labels, key=float)
    return sorted(labels)


def _occurring(question: Question, requirement: Closeness) -> set[str]:
    """Return the values that somebody answered: in the original, or where it is not there in the file."""
    meaning, original = question.sight.meaning(requirement.sensitive), question.original
    if original is None or not meaning.values:
        return {*meaning.coded()[1]}
    lookup, labels = meaning.coded_values()
    if not question.sight.has_rows:  # a dictionary lists what some row holds
        return {labels[code] for code in np.unique(lookup).tolist() if code >= 0}
    cells = np.delete(original.store.cells(requirement.sensitive), question.sight.unanswered(requirement.sensitive))
    return {labels[code] for code in np.unique(lookup[cells]).tolist() if code >= 0}


def _order(labels: Sequence[str], question: Question, requirement: Closeness) -> list[int]:
    """Return the places of values in the order of the column."""
    place = {label: i for i, label in enumerate(_places(question, requirement))}
    return sorted(range(len(labels)), key=lambda i: (place.get(labels[i], len(place)), labels[i]))


def _n_places(labels: Sequence[str], question: Question, requirement: Closeness) -> int:
    """Return how many values the column has."""
    return len({*_places(question, requirement), *labels})


def _below(labels: Sequence[str], tree: Taxonomy | None) -> tuple[list[list[int]], list[Fraction]]:
    """Return for each node but the root which values lie below it, and half of how much its parent is higher."""
    if tree is None:
        return [[i] for i in range(len(labels))], [Fraction(1, 2)] * len(labels)
    height = dict.fromkeys(range(tree.n_nodes), 0)
    for node in range(tree.n_nodes - 1, 0, -1):
        if tree.labels[node] is not None:
            above = int(tree.parent[node])
            height[above] = max(height[above], height[node] + 1)
    leaf = {label: i for i, label in enumerate(tree.leaves)}
    sums, scale = [], []
    for node in range(1, tree.n_nodes):
        if tree.labels[node] is None:
            continue
        inside = [i for i, label in enumerate(labels) if tree.first[node] <= leaf.get(label, -1) < tree.last[node]]
        sums.append(inside)
        scale.append(Fraction(height[int(tree.parent[node])] - height[node], 2 * max(height[0], 1)))
    return sums, scale
