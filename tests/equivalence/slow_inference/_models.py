"""The adversaries: naive Bayes and ID3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log2
from typing import Any

from slow_inference._base import GAIN_TOLERANCE, Cell, Table, updated_counts


@dataclass
class ClassModel:
    """What naive Bayes holds about one class. A predictor unknown in the tuple has no conditional."""

    prior: Fraction
    conditionals: dict[str, Fraction]
    posterior: Fraction


def _class_model(prior: Fraction, conditionals: dict[str, Fraction]) -> ClassModel:
    posterior = prior
    for conditional in conditionals.values():
        posterior *= conditional
    return ClassModel(prior, conditionals, posterior)


def _evidence(table: Table, number: int, target: str, predictors: Sequence[str]) -> list[str]:
    """The predictors whose value is known in the tuple."""
    return [
        column for column in table.in_order(predictors) if column != target and table.get(number, column) is not None
    ]


def nb_model(table: Table, number: int, target: str, predictors: Sequence[str]) -> dict[str, ClassModel]:
    """Naive Bayes under deletion, trained without the tuple."""
    known = [other for other in table.others(number) if table.get(other, target) is not None]
    models = {}
    for label in table.domains[target]:
        members = [other for other in known if table.get(other, target) == label]
        conditionals = {}
        for column in _evidence(table, number, target, predictors):
            matches = [other for other in members if table.get(other, column) == table.get(number, column)]
            conditionals[column] = Fraction(len(matches), len(members)) if members else Fraction(0)
        models[label] = _class_model(Fraction(len(members), len(known)) if known else Fraction(0), conditionals)
    return models


def nb_model_g(table: Table, number: int, target: str, predictors: Sequence[str]) -> dict[str, ClassModel]:
    """Naive Bayes under generalization: over the values below the tuple's generalized confidential value."""
    top = table.get(number, target)
    taxonomy = table.trees[target]
    training = [other for other in table.others(number) if taxonomy.is_at_or_below(table.get(other, target), top)]
    class_counts = updated_counts(taxonomy, _own_counts(table, training, target), top)
    models = {}
    for label in table.leaves_below(target, top):
        class_count = class_counts[label]
        conditionals = {}
        for column in _evidence(table, number, target, predictors):
            value_count = updated_value_count(table, number, target, label, column, table.get(number, column))
            conditionals[column] = value_count / class_count if class_count else Fraction(0)
        models[label] = _class_model(class_count / len(training) if training else Fraction(0), conditionals)
    return models


def _own_counts(table: Table, numbers: Iterable[int], column: str) -> dict[Cell, int]:
    """How many of the tuples carry each cell."""
    counts: dict[Cell, int] = {}
    for number in numbers:
        value = table.get(number, column)
        counts[value] = counts.get(value, 0) + 1
    return counts


def _labelled(table: Table, number: int, target: str, label: str) -> list[int]:
    """The other tuples labelled exactly so."""
    return [other for other in table.others(number) if table.get(other, target) == label]


def updated_value_count(table: Table, number: int, target: str, label: str, column: str, value: Cell) -> Fraction:
    """The updated count of a value among the other tuples labelled exactly so; unknown cells are at the root."""
    own = _own_counts(table, _labelled(table, number, target, label), column)
    return updated_counts(table.trees[column], own)[value]


def nb_posterior(table: Table, number: int, target: str, predictors: Sequence[str]) -> dict[str, Fraction]:
    """p(v) p(d|v) of every value of the domain, under deletion."""
    return {label: model.posterior for label, model in nb_model(table, number, target, predictors).items()}


def nb_posterior_g(table: Table, number: int, target: str, predictors: Sequence[str]) -> dict[str, Fraction]:
    """p(v) p(d|v) of every candidate value, under generalization."""
    return {label: model.posterior for label, model in nb_model_g(table, number, target, predictors).items()}


def is_predicted(posterior: dict[str, Fraction], actual: str) -> bool:
    """Whether the actual value is strictly above every other and above zero."""
    others = [p for value, p in posterior.items() if value != actual]
    return posterior[actual] > 0 and all(posterior[actual] > p for p in others)


def nb_predicts(table: Table, number: int, target: str, actual: str, predictors: Sequence[str]) -> bool:
    return is_predicted(nb_posterior(table, number, target, predictors), actual)


def nb_predicts_g(table: Table, number: int, target: str, actual: str, predictors: Sequence[str]) -> bool:
    """As `nb_predicts`; a single candidate value is no secret."""
    posterior = nb_posterior_g(table, number, target, predictors)
    return len(posterior) == 1 or is_predicted(posterior, actual)


def top_k(posterior: dict[str, Fraction], k: int | None) -> list[str]:
    """The k most probable values, ties at the edge in domain order; the result is in domain order."""
    ranked = sorted(posterior, key=lambda value: -posterior[value])
    chosen = ranked if k is None else ranked[:k]
    return [value for value in posterior if value in chosen]


def guess_candidates(posterior: dict[str, Fraction], actual: str, k: int | None) -> list[str]:
    """The values the random next best guess may be."""
    return [value for value in top_k(posterior, k) if value != actual and 0 < posterior[value] < posterior[actual]]


def next_best_guess_set(posterior: dict[str, Fraction], actual: str, guess: str, k: int | None) -> list[str]:
    return [value for value in top_k(posterior, k) if value != actual and posterior[value] >= posterior[guess]]


# ID3


@dataclass
class Node:
    """A node of a decision tree: a leaf if it splits on nothing."""

    size: int
    label: Cell
    column: str | None = None
    branches: dict[str, Node] = field(default_factory=dict)

    def as_golden(self) -> dict[str, Any]:
        if self.column is None:
            return {"leaf": self.label, "n": self.size}
        branches = {value: child.as_golden() for value, child in self.branches.items()}
        return {"split": self.column, "n": self.size, "branches": branches}


def _entropy(table: Table, numbers: Sequence[int], target: str) -> float:
    counts = [count for count in _own_counts(table, numbers, target).values() if count]
    return -sum(count / len(numbers) * log2(count / len(numbers)) for count in counts)


def _groups(table: Table, numbers: Sequence[int], column: str) -> dict[str, list[int]]:
    """The tuples of each primitive value that occurs, in domain order."""
    groups = {
        value: [number for number in numbers if table.get(number, column) == value] for value in table.domains[column]
    }
    return {value: members for value, members in groups.items() if members}


def information_gain(table: Table, numbers: Sequence[int], target: str, column: str) -> float:
    """The gain over the tuples with a primitive value, times their share."""
    groups = _groups(table, numbers, column)
    known = [number for members in groups.values() for number in members]
    if not known:
        return 0.0
    rest = sum(len(members) / len(known) * _entropy(table, members, target) for members in groups.values())
    return len(known) / len(numbers) * (_entropy(table, known, target) - rest)


def _largest(sizes: dict[str, int]) -> str:
    """The value with the largest size, the first on ties."""
    return max(sizes, key=lambda value: sizes[value])


def _matching(table: Table, column: str, value: Cell, branches: Iterable[str]) -> list[str]:
    """The branches at or below a value; none for unknown."""
    if value is None:
        return []
    return [branch for branch in branches if table.trees[column].is_at_or_below(branch, value)]


def _grow(table: Table, numbers: Sequence[int], target: str, columns: Sequence[str]) -> Node:
    counts = {label: sum(table.get(number, target) == label for number in numbers) for label in table.domains[target]}
    if not numbers:
        return Node(0, None)
    node = Node(len(numbers), _largest(counts))
    if sum(count > 0 for count in counts.values()) == 1:
        return node
    best, best_gain = None, 0.0
    for column in columns:
        gain = information_gain(table, numbers, target, column)
        if gain > best_gain + GAIN_TOLERANCE:
            best, best_gain = column, gain
    if best is None:
        return node
    groups = _groups(table, numbers, best)
    sizes = {value: len(members) for value, members in groups.items()}
    grouped = {number for members in groups.values() for number in members}
    for number in numbers:
        if number not in grouped:
            matching = _matching(table, best, table.get(number, best), groups) or list(groups)
            groups[_largest({value: sizes[value] for value in matching})].append(number)
    node.column = best
    rest = [column for column in columns if column != best]
    node.branches = {value: _grow(table, members, target, rest) for value, members in groups.items()}
    return node


def id3_tree(
    table: Table, number: int, target: str, predictors: Sequence[str], labels: Sequence[str] | None = None
) -> Node:
    """The tree grown without the tuple, from the tuples with one of the labels (all of the domain by default)."""
    labels = table.domains[target] if labels is None else labels
    training = [other for other in table.others(number) if table.get(other, target) in labels]
    columns = [column for column in table.in_order(predictors) if column != target]
    return _grow(table, training, target, columns)


def _most_common(node: Node) -> str:
    return _largest({value: child.size for value, child in node.branches.items()})


def _ranked_matching(table: Table, node: Node, value: Cell) -> list[str]:
    """The branches a value may take, the largest first, ties in domain order. Unknown may take all."""
    assert node.column is not None
    matching = list(node.branches) if value is None else _matching(table, node.column, value, node.branches)
    return sorted(matching, key=lambda branch: -node.branches[branch].size)


def classify(table: Table, number: int, node: Node) -> Cell:
    """The label of the leaf the tuple reaches."""
    while node.column is not None:
        matching = _ranked_matching(table, node, table.get(number, node.column))
        node = node.branches[matching[0] if matching else _most_common(node)]
    return node.label


def id3_predicts(table: Table, number: int, target: str, actual: str, predictors: Sequence[str]) -> bool:
    return classify(table, number, id3_tree(table, number, target, predictors)) == actual


def id3_predicts_g(table: Table, number: int, target: str, actual: str, predictors: Sequence[str]) -> bool:
    """Whether the tree over the candidate values gives the actual one; a single candidate is no secret."""
    labels = table.leaves_below(target, table.get(number, target))
    return len(labels) == 1 or classify(table, number, id3_tree(table, number, target, predictors, labels)) == actual
