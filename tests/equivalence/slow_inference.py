"""A slow reference of the suppression algorithms against classification based inference.

A. Azgin Hintoglu: Suppressing Microdata to Prevent Classification Based Inference, Sabanci University, 2011.
Tuples are numbered from 1. None is the unknown value and the root of every taxonomy; other inner nodes of a taxonomy
are cells like any other. Probabilities are exact fractions, recomputed from the whole table after every change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import inf, log2
from typing import Any, Protocol

Cell = str | None  # None: unknown, the root of every taxonomy
Step = dict[str, Any]
Number = Fraction | float  # a float only where the value is infinite
Nested = dict[str, Any]  # a taxonomy: {root: {child: {...}, leaf: None}}

UNKNOWN = "?"
FLAT_ROOT = "ANY"
GAIN_TOLERANCE = 1e-12
MOST_ROUNDS = 10

NOT_NEEDED = "not_needed"
COIN_STOP = "coin_stop"
SUPPRESSED = "suppressed"
DELETED = "deleted"


# Taxonomies


class Taxonomy:
    """A tree of the values of one column. The root is None, whatever its label."""

    def __init__(self, nested: Nested) -> None:
        ((self.root_label, below),) = nested.items()
        self.children: dict[Cell, list[Cell]] = {}
        self.parent: dict[Cell, Cell] = {}
        self._add(None, below)

    def _add(self, node: Cell, below: Nested | None) -> None:
        self.children[node] = list(below or {})
        for child, deeper in (below or {}).items():
            if child in self.parent:
                raise ValueError(f"{child!r} occurs twice in the taxonomy")
            self.parent[child] = node
            self._add(child, deeper)

    def nodes(self, top: Cell = None) -> list[Cell]:
        """The node and all below it, parents before children."""
        found: list[Cell] = [top]
        for child in self.children[top]:
            found.extend(self.nodes(child))
        return found

    def is_leaf(self, node: Cell) -> bool:
        return node is not None and not self.children[node]

    def generalize(self, node: Cell, levels: int) -> Cell:
        """The ancestor so many levels up; the root is its own parent."""
        for _ in range(levels):
            node = None if node is None else self.parent[node]
        return node

    def is_below(self, node: Cell, ancestor: Cell) -> bool:
        """Whether the node is a strict descendant."""
        while node is not None:
            node = self.parent[node]
            if node == ancestor:
                return True
        return False

    def is_at_or_below(self, node: Cell, ancestor: Cell) -> bool:
        return node == ancestor or self.is_below(node, ancestor)

    def path_up(self, node: Cell) -> list[Cell]:
        """The strict ancestors, the root last."""
        path: list[Cell] = []
        while node is not None:
            node = self.parent[node]
            path.append(node)
        return path

    def depth(self) -> int:
        return max(len(self.path_up(node)) for node in self.nodes())

    def label(self, node: Cell) -> str:
        return self.root_label if node is None else node


def aggregated_counts(taxonomy: Taxonomy, own: dict[Cell, int], top: Cell = None) -> dict[Cell, Fraction]:
    """The own counts summed upward, for the nodes at and below the top."""
    total: dict[Cell, Fraction] = {}
    for node in reversed(taxonomy.nodes(top)):
        total[node] = Fraction(own.get(node, 0)) + sum(total[child] for child in taxonomy.children[node])
    return total


def updated_counts(taxonomy: Taxonomy, own: dict[Cell, int], top: Cell = None) -> dict[Cell, Fraction]:
    """The aggregated counts, with what a node holds beyond its children handed down in proportion to them."""
    total = aggregated_counts(taxonomy, own, top)
    updated = {top: total[top]}
    for node in taxonomy.nodes(top):
        children = taxonomy.children[node]
        held = sum((total[child] for child in children), Fraction(0))
        surplus = updated[node] - held
        for child in children:
            share = total[child] / held if held else Fraction(1, len(children))
            updated[child] = total[child] + surplus * share
    return updated


# Tables


@dataclass
class Table:
    """Rows of cells. A column without a domain has its values in order of appearance."""

    columns: list[str]
    rows: list[list[Cell]]
    domains: dict[str, list[str]] = field(default_factory=dict)
    taxonomies: dict[str, Nested] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.trees = {column: Taxonomy(nested) for column, nested in self.taxonomies.items()}
        for column, tree in self.trees.items():
            position = self.columns.index(column)
            for row in self.rows:
                if row[position] == tree.root_label:
                    row[position] = None
        for position, column in enumerate(self.columns):
            if column not in self.domains:
                seen = [row[position] for row in self.rows if row[position] is not None]
                inner = [node for node in seen if column in self.trees and not self.trees[column].is_leaf(node)]
                self.domains[column] = [str(value) for value in dict.fromkeys(seen) if value not in inner]
            if column not in self.trees:
                self.trees[column] = Taxonomy({FLAT_ROOT: dict.fromkeys(self.domains[column])})

    def copy(self) -> Table:
        """A table with rows of its own."""
        other = copy(self)
        other.rows = [list(row) for row in self.rows]
        return other

    def numbers(self) -> range:
        """The numbers of the tuples."""
        return range(1, len(self.rows) + 1)

    def get(self, number: int, column: str) -> Cell:
        return self.rows[number - 1][self.columns.index(column)]

    def put(self, number: int, column: str, value: Cell) -> None:
        self.rows[number - 1][self.columns.index(column)] = value

    def blank(self, number: int) -> None:
        """Make every cell of a tuple unknown."""
        self.rows[number - 1] = [None] * len(self.columns)

    def others(self, number: int) -> list[int]:
        return [other for other in self.numbers() if other != number]

    def in_order(self, columns: Iterable[str]) -> list[str]:
        """Columns in the order of the table."""
        return sorted(columns, key=self.columns.index)

    def leaves_below(self, column: str, node: Cell) -> list[str]:
        """The primitive values below a node, or the value itself, in domain order."""
        return [value for value in self.domains[column] if self.trees[column].is_at_or_below(value, node)]

    def value_order(self, column: str, value: Cell) -> int:
        """The place of a value: primitive values in domain order, then inner nodes from the root down."""
        domain = self.domains[column]
        if value in domain:
            return domain.index(str(value))
        return len(domain) + self.trees[column].nodes().index(value)


def changes_between(before: Table, after: Table) -> list[list[int | str]]:
    """Every changed cell as [tuple, attribute, new value]."""
    found: list[list[int | str]] = []
    for number in before.numbers():
        for column in before.columns:
            new = after.get(number, column)
            if new != before.get(number, column):
                found.append([number, column, UNKNOWN if new is None else new])
    return found


# Choices


class Choices(Protocol):
    """The source of the random choices."""

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        """The random next best guess among the candidates."""

    def coin(self) -> bool:
        """Whether to go on although only two values are possible."""


class MostProbable:
    """The most probable candidate, the first in domain order on ties; the coin says go on."""

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        return max(candidates, key=lambda value: posterior[value])

    def coin(self) -> bool:
        return True


class Scripted:
    """Answers from a list, in order. `left` holds those not asked for yet."""

    def __init__(self, answers: Sequence[tuple[str, Any]]) -> None:
        self.left = list(answers)

    def _next(self, kind: str) -> Any:
        expected, answer = self.left.pop(0)
        if expected != kind:
            raise AssertionError(f"asked for {kind}, the next answer is a {expected}")
        return answer

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        answer = str(self._next("rnbg"))
        if answer not in candidates:
            raise AssertionError(f"{answer!r} is not among {candidates}")
        return answer

    def coin(self) -> bool:
        return bool(self._next("coin"))


class Seeded:
    """Choices at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, candidates: list[str], posterior: dict[str, Fraction]) -> str:
        return self.random.choice(candidates)

    def coin(self) -> bool:
        return self.random.random() < 0.5


class _Coin:
    """The coin of one confidential value: tossed at most once."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.answer: bool | None = None

    def go_on(self) -> bool:
        if self.answer is None:
            self.answer = self.choices.coin()
        return self.answer


# Naive Bayes


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


# The outcome of a run


@dataclass
class Outcome:
    """The released table and how it came about. Several confidential cells have one status each, in given order."""

    status: str
    table: Table
    changes: list[list[int | str]]
    steps: list[Step]
    guess: str | None = None
    statuses: list[str] = field(default_factory=list)


def _outcome(status: str, before: Table, after: Table, steps: list[Step], guess: str | None = None) -> Outcome:
    return Outcome(status, after, changes_between(before, after), steps, guess, [status])


def _deleted(before: Table, number: int, steps: list[Step], guess: str | None = None) -> Outcome:
    """Everything reverted, then the tuple blanked."""
    after = before.copy()
    after.blank(number)
    return _outcome(DELETED, before, after, steps, guess)


def _actual(table: Table, number: int, target: str) -> str:
    """The confidential value, which has to be a primitive one."""
    value = table.get(number, target)
    if value is None or value not in table.domains[target]:
        raise ValueError(f"tuple {number} has no primitive value of {target!r}")
    return value


def nrd(table: Table, number: int) -> Outcome:
    """Naive row deletion."""
    return _deleted(table, number, [])


@dataclass
class _Run:
    """One confidential value being suppressed. `table` is changed in place."""

    table: Table
    number: int
    target: str
    actual: str
    predictors: list[str]
    k: int | None
    choices: Choices
    coin: _Coin
    steps: list[Step]
    guess: str | None = None

    def with_table(self, table: Table) -> _Run:
        return _Run(
            table,
            self.number,
            self.target,
            self.actual,
            self.predictors,
            self.k,
            self.choices,
            self.coin,
            self.steps,
        )

    def posterior(self) -> dict[str, Fraction]:
        return nb_posterior(self.table, self.number, self.target, self.predictors)

    def posterior_g(self) -> dict[str, Fraction]:
        return nb_posterior_g(self.table, self.number, self.target, self.predictors)

    def evidence(self) -> list[str]:
        return _evidence(self.table, self.number, self.target, self.predictors)

    def members(self, label: str) -> list[int]:
        return _labelled(self.table, self.number, self.target, label)

    def sharing(self, label: str, column: str) -> list[int]:
        """The other tuples of a class that share the tuple's value."""
        own = self.table.get(self.number, column)
        return [other for other in self.members(label) if own is not None and self.table.get(other, column) == own]

    def draw(self, posterior: dict[str, Fraction]) -> bool:
        """Draw the random next best guess, if there is a candidate."""
        candidates = guess_candidates(posterior, self.actual, self.k)
        if not candidates:
            return False
        self.guess = self.choices.pick(candidates, posterior)
        self.steps.append({"action": "rnbg", "value": self.guess, "candidates": candidates})
        return True


def _predictors(table: Table, target: str, predictors: Sequence[str] | None) -> list[str]:
    """The predictors in table order: all attributes by default, never the target."""
    listed = table.columns if predictors is None else predictors
    return [column for column in table.in_order(listed) if column != target]


def _run(
    table: Table, number: int, target: str, predictors: Sequence[str] | None, k: int | None, choices: Choices | None
) -> _Run:
    """A run on a copy of the table. All attributes predict by default."""
    choices = choices if choices is not None else MostProbable()
    columns = _predictors(table, target, predictors)
    actual = _actual(table, number, target)
    return _Run(table.copy(), number, target, actual, columns, k, choices, _Coin(choices), [])


# DECP, INCP and DROPP


def _decrease(run: _Run, guess: str) -> None:
    """Hide maximum impact values until the actual value is no more probable than the guess."""
    posterior = run.posterior()
    while posterior[run.actual] > posterior[guess]:
        counts = {column: len(run.sharing(run.actual, column)) for column in run.evidence()}
        eligible = [column for column in counts if counts[column] > 1]
        if not eligible:
            return
        column = min(eligible, key=lambda each: counts[each])
        tuples = run.sharing(run.actual, column)
        run.steps.append(
            {"action": "maximum impact attribute", "attribute": column, "counts": counts, "tuples": tuples}
        )
        for other in tuples[:-1]:
            if posterior[run.actual] > posterior[guess]:
                run.table.put(other, column, None)
                posterior = run.posterior()
                run.steps.append(
                    {
                        "action": "hide",
                        "tuple": other,
                        "attribute": column,
                        "p_actual": str(posterior[run.actual]),
                        "p_rnbg": str(posterior[guess]),
                    }
                )


def _increase(run: _Run, guess: str) -> None:
    """Hide the class of tuples of better guesses that have nothing in common with the tuple; then decrease."""
    posterior = run.posterior()
    guesses = next_best_guess_set(posterior, run.actual, guess, run.k)
    run.steps.append({"action": "next best guess set", "values": guesses})
    for value in guesses:
        shared = {other for column in run.evidence() for other in run.sharing(value, column)}
        tuples = [other for other in run.members(value) if other not in shared]
        run.steps.append({"action": "nothing in common", "value": value, "tuples": tuples})
        for other in tuples:
            if posterior[run.actual] > posterior[value]:
                run.table.put(other, run.target, None)
                posterior = run.posterior()
                run.steps.append(
                    {
                        "action": "hide",
                        "tuple": other,
                        "attribute": run.target,
                        "p_actual": str(posterior[run.actual]),
                        "p_guess": str(posterior[value]),
                    }
                )
    if is_predicted(posterior, run.actual):
        run.steps.append({"action": "continue with DECP"})
        _decrease(run, guess)


def _ratio(numerator: Number, denominator: Number) -> Number:
    """The quotient; infinite over zero."""
    if not denominator:
        return inf
    return numerator / denominator


def _drop(run: _Run, guess: str) -> None:
    """Hide maximum impact values of the tuple until the actual value is no more probable than the guess."""
    posterior = run.posterior()
    while posterior[run.actual] > posterior[guess]:
        counts: dict[str, Any] = {}
        best = None
        highest: Number = Fraction(0)
        for column in run.evidence():
            actual, other = len(run.sharing(run.actual, column)), len(run.sharing(guess, column))
            # actual / class > other / class, cross-multiplied
            eligible = actual * len(run.members(guess)) > other * len(run.members(run.actual))
            counts[column] = {"actual": actual, "rnbg": other, "eligible": eligible}
            ratio = _ratio(Fraction(actual), Fraction(other))
            if eligible and ratio > highest:
                best, highest = column, ratio
        if best is None:
            return
        run.table.put(run.number, best, None)
        posterior = run.posterior()
        run.steps.append(
            {
                "action": "hide",
                "tuple": run.number,
                "attribute": best,
                "counts": counts,
                "p_actual": str(posterior[run.actual]),
                "p_rnbg": str(posterior[guess]),
            }
        )


def _suppress(run: _Run, work: Callable[[_Run, str], None]) -> str:
    """Hide the confidential value, and work on the table if naive Bayes predicts it."""
    run.table.put(run.number, run.target, None)
    posterior = run.posterior()
    if not is_predicted(posterior, run.actual):
        return NOT_NEEDED
    if len(run.table.domains[run.target]) == 2 and not run.coin.go_on():
        return COIN_STOP
    if not run.draw(posterior):
        return DELETED
    assert run.guess is not None
    work(run, run.guess)
    return DELETED if is_predicted(run.posterior(), run.actual) else SUPPRESSED


def _finish(before: Table, run: _Run, status: str) -> Outcome:
    if status == DELETED:
        return _deleted(before, run.number, run.steps, run.guess)
    return _outcome(status, before, run.table, run.steps, run.guess)


def decp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Decrease the probability of the actual value by hiding cells of other tuples (Figure 3.2)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _decrease))


def incp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Increase the probability of other values by hiding classes of other tuples (Figure 3.3)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _increase))


def dropp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Drop the probability of the actual value by hiding cells of the tuple itself (Figure 3.4)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _drop))


# HID3


def _id3_hide(run: _Run, node: Node) -> bool:
    if node.column is None:
        ok = node.label != run.actual
        run.steps.append({"action": "leaf", "label": node.label, "ok": ok})
        return ok
    if classify(run.table, run.number, node) != run.actual:
        run.steps.append({"action": "not predicted from", "node": node.column})
        return True
    own = run.table.get(run.number, node.column)
    most_common = _most_common(node)
    matching = [] if own is None else _ranked_matching(run.table, node, own)
    match = matching[0] if matching else None
    run.steps.append({"action": "visit", "node": node.column, "most_common": most_common, "match": match})
    if match is None:
        return _id3_hide(run, node.branches[most_common])
    if match != most_common and _id3_hide(run, node.branches[match]):
        return True
    run.table.put(run.number, node.column, None)
    run.steps.append({"action": "hide", "tuple": run.number, "attribute": node.column})
    if _id3_hide(run, node.branches[most_common]):
        return True
    run.table.put(run.number, node.column, own)
    run.steps.append({"action": "revert", "tuple": run.number, "attribute": node.column})
    return False


def _hid3(run: _Run) -> str:
    run.table.put(run.number, run.target, None)
    tree = id3_tree(run.table, run.number, run.target, run.predictors)
    if classify(run.table, run.number, tree) != run.actual:
        return NOT_NEEDED
    if len(run.table.domains[run.target]) == 2 and not run.coin.go_on():
        return COIN_STOP
    return SUPPRESSED if _id3_hide(run, tree) else DELETED


def hid3(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Hide cells of the tuple so that the decision tree leads elsewhere (Figure 3.5). k is not used."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _hid3(run))


# Generalization


def _max_level(run: _Run) -> int:
    return max(run.table.trees[column].depth() for column in run.table.columns)


def _impact_counts(table: Table, members: Sequence[int], column: str, value: Cell, level: int) -> tuple[int, int, int]:
    """F1, F2 and F3 of Definition 4.4 for a value among the members of a class."""
    taxonomy = table.trees[column]
    low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
    cells = [table.get(member, column) for member in members]
    return (
        sum(cell == low for cell in cells),
        sum(taxonomy.is_below(cell, high) for cell in cells),
        sum(taxonomy.is_below(cell, low) for cell in cells),
    )


def _may_generalize(counts: tuple[int, int, int], level: int) -> bool:
    """Whether a value is a candidate at a level, given its F1, F2 and F3."""
    f1, f2, _ = counts
    return f1 > 1 if level == 1 else f1 >= 1 and f2 > 1


def _impact_ratio(counts: tuple[int, int, int]) -> Fraction:
    """The factor by which generalizing one instance changes the probability."""
    f1, f2, f3 = counts
    return Fraction(f1 + f3 - 1, f1 + f3) * Fraction(f2, f2 - 1)


def _decrease_g(run: _Run, guess: str) -> None:
    """Generalize maximum impact values, level by level."""
    posterior = run.posterior_g()
    for level in range(1, _max_level(run) + 1):
        while posterior[run.actual] > posterior[guess]:
            members = run.members(run.actual)
            ratios: dict[str, Any] = {}
            best = None
            smallest: Number = inf
            for column in run.evidence():
                taxonomy, own = run.table.trees[column], run.table.get(run.number, column)
                if taxonomy.generalize(own, level - 1) is None:
                    continue
                counts = _impact_counts(run.table, members, column, own, level)
                if not _may_generalize(counts, level):
                    continue
                ratio = _impact_ratio(counts)
                ratios[column] = {"F1": counts[0], "F2": counts[1], "F3": counts[2], "ratio": str(ratio)}
                if ratio < smallest:
                    best, smallest = column, ratio
            if best is None:
                break
            taxonomy, own = run.table.trees[best], run.table.get(run.number, best)
            low, high = taxonomy.generalize(own, level - 1), taxonomy.generalize(own, level)
            tuples = [member for member in members if run.table.get(member, best) == low]
            run.steps.append(
                {
                    "action": "maximum impact attribute",
                    "level": level,
                    "attribute": best,
                    "ratios": ratios,
                    "tuples": tuples,
                }
            )
            for other in tuples[:-1] if level == 1 else tuples:
                if posterior[run.actual] > posterior[guess]:
                    run.table.put(other, best, high)
                    posterior = run.posterior_g()
                    run.steps.append(
                        {
                            "action": "generalize",
                            "tuple": other,
                            "attribute": best,
                            "to": taxonomy.label(high),
                            "p_actual": str(posterior[run.actual]),
                            "p_rnbg": str(posterior[guess]),
                        }
                    )


def _has_common(run: _Run, other: int) -> bool:
    """Whether some predictor is known in both tuples with one value at or below the other."""
    for column in run.evidence():
        own, value = run.table.get(run.number, column), run.table.get(other, column)
        taxonomy = run.table.trees[column]
        if value is not None and (taxonomy.is_at_or_below(own, value) or taxonomy.is_at_or_below(value, own)):
            return True
    return False


def _increase_g(run: _Run, guess: str) -> None:
    """Generalize the class of tuples of better guesses that have nothing in common with the tuple."""
    posterior = run.posterior_g()
    taxonomy = run.table.trees[run.target]
    guesses = next_best_guess_set(posterior, run.actual, guess, run.k)
    for level in range(1, _max_level(run) + 1):
        for value in guesses:
            low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
            if low is None:
                continue
            tuples = [
                other
                for other in run.table.others(run.number)
                if run.table.get(other, run.target) == low and not _has_common(run, other)
            ]
            run.steps.append({"action": "nothing in common", "value": value, "level": level, "tuples": tuples})
            for other in tuples:
                if posterior[run.actual] > posterior[value]:
                    run.table.put(other, run.target, high)
                    posterior = run.posterior_g()
                    run.steps.append(
                        {
                            "action": "generalize",
                            "tuple": other,
                            "attribute": run.target,
                            "to": taxonomy.label(high),
                            "p_actual": str(posterior[run.actual]),
                            "p_guess": str(posterior[value]),
                        }
                    )


def _tuple_impact(
    table: Table, number: int, target: str, actual: str, guess: str, column: str
) -> tuple[dict[str, str], Number]:
    """The updated counts of Definition 4.6 for the tuple's value and its parent, and their ratio."""
    low = table.get(number, column)
    high = table.trees[column].generalize(low, 1)
    rnbg_high = updated_value_count(table, number, target, guess, column, high)
    rnbg_low = updated_value_count(table, number, target, guess, column, low)
    actual_high = updated_value_count(table, number, target, actual, column, high)
    actual_low = updated_value_count(table, number, target, actual, column, low)
    ratio = _ratio(rnbg_high * actual_low, rnbg_low * actual_high)
    shown = {
        "rnbg_high": str(rnbg_high),
        "rnbg_low": str(rnbg_low),
        "actual_high": str(actual_high),
        "actual_low": str(actual_low),
        "ratio": str(ratio),
    }
    return shown, ratio


def _drop_g(run: _Run, guess: str) -> None:
    """Generalize values of the tuple, each once per level, the maximum impact first."""
    posterior = run.posterior_g()
    for level in range(1, _max_level(run) + 1):
        waiting = run.evidence()
        while waiting and posterior[run.actual] > posterior[guess]:
            shown: dict[str, Any] = {}
            impact: dict[str, Number] = {}
            for column in waiting:
                shown[column], impact[column] = _tuple_impact(
                    run.table, run.number, run.target, run.actual, guess, column
                )
            best = max(waiting, key=lambda column: impact[column])
            waiting = [column for column in waiting if column != best]
            taxonomy = run.table.trees[best]
            high = taxonomy.generalize(run.table.get(run.number, best), 1)
            run.table.put(run.number, best, high)
            posterior = run.posterior_g()
            run.steps.append(
                {
                    "action": "generalize",
                    "level": level,
                    "tuple": run.number,
                    "attribute": best,
                    "to": taxonomy.label(high),
                    "ratios": shown,
                    "p_actual": str(posterior[run.actual]),
                    "p_rnbg": str(posterior[guess]),
                }
            )


def _id3_hide_g(run: _Run, node: Node) -> bool:
    if node.column is None:
        ok = node.label != run.actual
        run.steps.append({"action": "leaf", "label": node.label, "ok": ok})
        return ok
    if classify(run.table, run.number, node) != run.actual:
        run.steps.append({"action": "not predicted from", "node": node.column})
        return True
    column, taxonomy = node.column, run.table.trees[node.column]
    own = run.table.get(run.number, column)
    most_common = _most_common(node)
    matching = _ranked_matching(run.table, node, own)
    run.steps.append({"action": "visit", "node": column, "most_common": most_common, "matching": matching})
    if own is None or not matching:
        return _id3_hide_g(run, node.branches[most_common])
    value: Cell = own
    while True:
        if matching[0] != most_common and _id3_hide_g(run, node.branches[matching[0]]):
            return True
        tried_another = matching[0] != most_common
        if value is not None:
            value = taxonomy.generalize(value, 1)
            run.table.put(run.number, column, value)
            matching = _ranked_matching(run.table, node, value)
            run.steps.append(
                {
                    "action": "generalize",
                    "tuple": run.number,
                    "attribute": column,
                    "to": taxonomy.label(value),
                    "matching": matching,
                }
            )
        if tried_another and value is not None:
            continue
        if _id3_hide_g(run, node.branches[matching[0]]):
            return True
        if value is None:
            break
    run.table.put(run.number, column, own)
    run.steps.append({"action": "revert", "tuple": run.number, "attribute": column})
    return False


def _levels(run: _Run) -> list[Cell]:
    """The generalizations of the confidential value to try: from where the cell stands upward."""
    path = run.table.trees[run.target].path_up(run.actual)
    current = run.table.get(run.number, run.target)
    return path if current == run.actual else path[path.index(current) :]


def _suppress_g(run: _Run, work: Callable[[_Run, str], None]) -> tuple[str, _Run]:
    """Generalize the confidential value level by level until naive Bayes can be kept from predicting it."""
    for generalized in _levels(run):
        attempt = run.with_table(run.table.copy())
        attempt.table.put(run.number, run.target, generalized)
        posterior = attempt.posterior_g()
        if len(posterior) == 1:
            continue
        if not is_predicted(posterior, run.actual):
            return NOT_NEEDED, attempt
        if len(posterior) == 2 and not run.coin.go_on():
            return COIN_STOP, attempt
        if not attempt.draw(posterior):
            continue
        assert attempt.guess is not None
        work(attempt, attempt.guess)
        if not is_predicted(attempt.posterior_g(), run.actual):
            return SUPPRESSED, attempt
    return DELETED, run


def _suppress_by_decrease_g(run: _Run) -> tuple[str, _Run]:
    return _suppress_g(run, _decrease_g)


def _suppress_by_increase_g(run: _Run) -> tuple[str, _Run]:
    status, done = _suppress_g(run, _increase_g)
    if status == DELETED:
        run.steps.append({"action": "continue with DECP-G"})
        return _suppress_g(run, _decrease_g)
    return status, done


def _suppress_by_drop_g(run: _Run) -> tuple[str, _Run]:
    return _suppress_g(run, _drop_g)


def _hid3_g(run: _Run) -> tuple[str, _Run]:
    for generalized in _levels(run):
        attempt = run.with_table(run.table.copy())
        attempt.table.put(run.number, run.target, generalized)
        labels = run.table.leaves_below(run.target, generalized)
        if len(labels) == 1:
            continue
        tree = id3_tree(attempt.table, run.number, run.target, run.predictors, labels)
        if classify(attempt.table, run.number, tree) != run.actual:
            return NOT_NEEDED, attempt
        if len(labels) == 2 and not run.coin.go_on():
            return COIN_STOP, attempt
        if _id3_hide_g(attempt, tree):
            return SUPPRESSED, attempt
    return DELETED, run


def decp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DECP by generalization (Figure 4.4)."""
    status, done = _suppress_by_decrease_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def incp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """INCP by generalization (Figure 4.5)."""
    status, done = _suppress_by_increase_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def dropp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP by generalization (Figure 4.6)."""
    status, done = _suppress_by_drop_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def hid3_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """HID3 by generalization (Figure 4.7). k is not used."""
    status, done = _hid3_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


# Hybrids


def _in_place(work: Callable[[_Run, str], None]) -> Callable[[_Run], tuple[str, _Run]]:
    def suppress(run: _Run) -> tuple[str, _Run]:
        return _suppress(run, work), run

    return suppress


def _hid3_in_place(run: _Run) -> tuple[str, _Run]:
    return _hid3(run), run


_SECOND: dict[str, Callable[[_Run], tuple[str, _Run]]] = {
    "DECP": _in_place(_decrease),
    "INCP": _in_place(_increase),
    "DROPP": _in_place(_drop),
    "DECP-G": _suppress_by_decrease_g,
    "INCP-G": _suppress_by_increase_g,
    "DROPP-G": _suppress_by_drop_g,
}


def hybrid(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    second: str = "DECP",
) -> Outcome:
    """HID3 (HID3-G), then another algorithm on its output, again while either model predicts."""
    generalizes = second.endswith("-G")
    first: Callable[[_Run], tuple[str, _Run]] = _hid3_g if generalizes else _hid3_in_place
    nb, id3 = (nb_predicts_g, id3_predicts_g) if generalizes else (nb_predicts, id3_predicts)
    run = _run(table, number, target, predictors, k, choices)
    overall, guess = NOT_NEEDED, None
    for _ in range(MOST_ROUNDS):
        for algorithm in (first, _SECOND[second]):
            status, done = algorithm(run)
            if status == DELETED:
                return _deleted(table, number, run.steps)
            run, guess = done, done.guess or guess
            if status == COIN_STOP:
                return _outcome(COIN_STOP, table, run.table, run.steps)
            if status == SUPPRESSED:
                overall = SUPPRESSED
        asked = (run.table, number, target, run.actual, run.predictors)
        if not nb(*asked) and not id3(*asked):
            return _outcome(overall, table, run.table, run.steps, guess)
    return _deleted(table, number, run.steps)


# Several confidential values


def _several(statuses: list[str], before: Table, after: Table, steps: list[Step]) -> Outcome:
    """The outcome for several values; the overall status is the gravest."""
    overall = next(each for each in (DELETED, SUPPRESSED, COIN_STOP, NOT_NEEDED) if each in statuses)
    return Outcome(overall, after, changes_between(before, after), steps, None, statuses)


def _shown(posterior: dict[str, Fraction]) -> dict[str, str]:
    return {value: str(p) for value, p in posterior.items()}


def _same_actual(table: Table, numbers: Sequence[int], target: str) -> str:
    (actual,) = {_actual(table, number, target) for number in numbers}
    return actual


def _sorted_impacts(table: Table, impacts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Primary impact descending, secondary ascending, then attribute and value order."""
    return sorted(
        impacts,
        key=lambda each: (
            -each["primary"],
            each["secondary"],
            table.columns.index(each["attribute"]),
            table.value_order(each["attribute"], each["value"]),
        ),
    )


def e_decp(
    table: Table,
    numbers: Sequence[int],
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    literal: bool = False,
) -> Outcome:
    """DECP for tuples that share one confidential value (Figure 3.7).

    A value nobody left to protect carries is skipped unless `literal`.
    """
    choices = choices if choices is not None else MostProbable()
    actual = _same_actual(table, numbers, target)
    columns = _predictors(table, target, predictors)
    work = table.copy()
    steps: list[Step] = []
    for number in numbers:
        work.put(number, target, None)
    status: dict[int, str] = {}
    guess: dict[int, str] = {}
    for number in numbers:
        posterior = nb_posterior(work, number, target, columns)
        if not is_predicted(posterior, actual):
            status[number] = NOT_NEEDED
            continue
        if len(work.domains[target]) == 2 and not choices.coin():
            status[number] = COIN_STOP
            continue
        status[number] = SUPPRESSED  # unless it is deleted at the end
        candidates = guess_candidates(posterior, actual, k)
        if candidates:
            guess[number] = choices.pick(candidates, posterior)
            steps.append({"action": "rnbg", "tuple": number, "value": guess[number], "p": _shown(posterior)})
    left = list(guess)
    if left:
        _hide_shared_values(work, left, guess, target, actual, columns, steps, literal)
    _blank_the_predicted(work, status, target, actual, columns, steps, nb_predicts)
    return _several([status[number] for number in numbers], table, work, steps)


def _hide_shared_values(
    work: Table,
    left: list[int],
    guess: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    steps: list[Step],
    literal: bool,
) -> None:
    """Hide instances of the values of the tuples, those of most tuples first."""
    members = [number for number in work.numbers() if work.get(number, target) == actual]
    impacts: list[dict[str, Any]] = []
    for column in columns:
        for value in work.domains[column]:
            primary = sum(work.get(number, column) == value for number in left)
            secondary = sum(work.get(member, column) == value for member in members)
            if primary or literal:
                impacts.append({"attribute": column, "value": value, "primary": primary, "secondary": secondary})
    impacts = _sorted_impacts(work, impacts)
    steps.append({"action": "sorted", "values": impacts})
    for impact in impacts:
        column, value = impact["attribute"], impact["value"]
        for other in [member for member in members if work.get(member, column) == value][:-1]:
            carried = any(work.get(number, column) == value for number in left)
            if left and (carried or literal):
                work.put(other, column, None)
                left = [number for number in left if _is_above(work, number, target, actual, guess[number], columns)]
                steps.append({"action": "hide", "tuple": other, "attribute": column, "left": left})


def _is_above(table: Table, number: int, target: str, actual: str, guess: str, columns: Sequence[str]) -> bool:
    """Whether the actual value is still more probable than the guess, under deletion."""
    posterior = nb_posterior(table, number, target, columns)
    return posterior[actual] > posterior[guess]


def _is_above_g(table: Table, number: int, target: str, actual: str, guess: str, columns: Sequence[str]) -> bool:
    """Whether the actual value is still more probable than the guess, under generalization."""
    posterior = nb_posterior_g(table, number, target, columns)
    return posterior[actual] > posterior[guess]


def _blank_the_predicted(
    work: Table,
    status: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    steps: list[Step],
    predicts: Callable[[Table, int, str, str, Sequence[str]], bool],
) -> None:
    """Delete tuples until none of those to protect is predicted."""
    while True:
        watched = [number for number in status if status[number] in (SUPPRESSED, NOT_NEEDED)]
        exposed = [number for number in watched if predicts(work, number, target, actual, columns)]
        if not exposed:
            return
        for number in exposed:
            work.blank(number)
            status[number] = DELETED
            steps.append({"action": "delete tuple", "tuple": number})


def e_dropp(
    table: Table,
    number: int,
    targets: Sequence[str],
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP for several confidential values of one tuple (Figure 3.8)."""
    choices = choices if choices is not None else MostProbable()
    actual = {target: _actual(table, number, target) for target in targets}
    columns = table.in_order(predictors if predictors is not None else table.columns)
    work = table.copy()
    steps: list[Step] = []
    for target in targets:
        work.put(number, target, None)
    status: dict[str, str] = {}
    guess: dict[str, str] = {}
    for target in targets:
        posterior = nb_posterior(work, number, target, columns)
        if not is_predicted(posterior, actual[target]):
            status[target] = NOT_NEEDED
            continue
        if len(work.domains[target]) == 2 and not choices.coin():
            status[target] = COIN_STOP
            continue
        status[target] = SUPPRESSED  # unless the tuple is deleted at the end
        candidates = guess_candidates(posterior, actual[target], k)
        if candidates:
            guess[target] = choices.pick(candidates, posterior)
            steps.append({"action": "rnbg", "attribute": target, "value": guess[target], "p": _shown(posterior)})
    if guess:
        impact: dict[str, Number] = {}
        for column in columns:
            own = work.get(number, column)
            if own is not None:
                ratios = []
                for target in guess:
                    held = [work.get(other, column) == own for other in _labelled(work, number, target, actual[target])]
                    others = [
                        work.get(other, column) == own for other in _labelled(work, number, target, guess[target])
                    ]
                    ratios.append(_ratio(Fraction(sum(held)), Fraction(sum(others))))
                impact[column] = sum(ratios) / len(ratios)
        order = sorted(impact, key=lambda column: -impact[column])
        steps.append({"action": "sorted", "impact": {column: str(impact[column]) for column in order}})
        for column in order:
            work.put(number, column, None)
            left = [
                target for target in guess if _is_above(work, number, target, actual[target], guess[target], columns)
            ]
            steps.append({"action": "hide", "tuple": number, "attribute": column, "left": left})
            if not left:
                break
    watched = [target for target in targets if status[target] != COIN_STOP]
    if any(nb_predicts(work, number, target, actual[target], columns) for target in watched):
        steps.append({"action": "delete tuple", "tuple": number})
        gone = _deleted(table, number, steps)
        return _several([DELETED] * len(targets), table, gone.table, steps)
    return _several([status[target] for target in targets], table, work, steps)


def e_decp_g(
    table: Table,
    numbers: Sequence[int],
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    literal: bool = False,
) -> Outcome:
    """DECP-G for tuples that share one confidential value (Figure 4.9)."""
    choices = choices if choices is not None else MostProbable()
    actual = _same_actual(table, numbers, target)
    columns = _predictors(table, target, predictors)
    work = table.copy()
    steps: list[Step] = []
    coins = {number: _Coin(choices) for number in numbers}
    status: dict[int, str] = {}
    drawn: set[int] = set()  # tuples that ever had a guess
    pending = list(numbers)
    deepest = max(tree.depth() for tree in work.trees.values())
    for generalized in work.trees[target].path_up(actual):
        if not pending:
            break
        for number in pending:
            work.put(number, target, generalized)
        candidates_here = work.leaves_below(target, generalized)
        if len(candidates_here) == 1:
            continue
        guess: dict[int, str] = {}
        for level in range(1, deepest + 1):
            for number in list(pending):
                posterior = nb_posterior_g(work, number, target, columns)
                if not is_predicted(posterior, actual):
                    status[number] = SUPPRESSED if number in drawn else NOT_NEEDED
                    pending.remove(number)
                elif level == 1:
                    if len(candidates_here) == 2 and not coins[number].go_on():
                        status[number] = COIN_STOP
                        pending.remove(number)
                        continue
                    candidates = guess_candidates(posterior, actual, k)
                    if candidates:
                        guess[number] = choices.pick(candidates, posterior)
                        drawn.add(number)
                        steps.append({"action": "rnbg", "value": guess[number], "candidates": candidates})
            left = [number for number in pending if number in guess]
            if not left:
                break
            protected = _generalize_shared_values(work, left, guess, target, actual, columns, level, steps, literal)
            for number in protected:
                status[number] = SUPPRESSED
                pending.remove(number)
    for number in pending:
        status[number] = SUPPRESSED  # unless it is predicted
    _blank_the_predicted(work, status, target, actual, columns, steps, nb_predicts_g)
    return _several([status[number] for number in numbers], table, work, steps)


def _generalize_shared_values(
    work: Table,
    left: list[int],
    guess: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    level: int,
    steps: list[Step],
    literal: bool,
) -> list[int]:
    """Generalize instances of the values of the tuples at one level. Returns the tuples that are protected now."""
    started = list(left)
    members = [number for number in work.numbers() if work.get(number, target) == actual]
    impacts: list[dict[str, Any]] = []
    for column in columns:
        taxonomy = work.trees[column]
        for value in taxonomy.nodes():
            primary = sum(work.get(number, column) == value for number in left)
            counts = _impact_counts(work, members, column, value, level)
            reachable = taxonomy.generalize(value, level - 1) is not None and _may_generalize(counts, level)
            if reachable and (primary or (literal and taxonomy.is_leaf(value))):
                secondary = _impact_ratio(counts)
                impacts.append({"attribute": column, "value": value, "primary": primary, "secondary": secondary})
    for impact in _sorted_impacts(work, impacts):
        column, value = impact["attribute"], impact["value"]
        taxonomy = work.trees[column]
        low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
        if not _may_generalize(_impact_counts(work, members, column, value, level), level):
            continue
        tuples = [member for member in members if work.get(member, column) == low]
        for other in tuples[:-1] if level == 1 else tuples:
            carried = any(work.get(number, column) == value for number in left)
            if left and (carried or literal):
                work.put(other, column, high)
                left = [number for number in left if _is_above_g(work, number, target, actual, guess[number], columns)]
                steps.append(
                    {
                        "action": "generalize",
                        "tuple": other,
                        "attribute": column,
                        "to": taxonomy.label(high),
                        "left": left,
                    }
                )
    return [number for number in started if number not in left]


def e_dropp_g(
    table: Table,
    number: int,
    targets: Sequence[str],
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP-G for several confidential values of one tuple (Figure 4.10)."""
    choices = choices if choices is not None else MostProbable()
    actual = {target: _actual(table, number, target) for target in targets}
    columns = table.in_order(predictors if predictors is not None else table.columns)
    work = table.copy()
    steps: list[Step] = []
    coins = {target: _Coin(choices) for target in targets}
    status = dict.fromkeys(targets, NOT_NEEDED)
    deepest = max(tree.depth() for tree in work.trees.values())
    pending = list(targets)
    for target_level in range(1, deepest + 1):
        for target in pending:
            work.put(number, target, work.trees[target].generalize(actual[target], target_level))
        guess: dict[str, str] = {}
        for target in pending:
            posterior = nb_posterior_g(work, number, target, columns)
            if len(posterior) == 1 or not is_predicted(posterior, actual[target]):
                continue
            if len(posterior) == 2 and not coins[target].go_on():
                status[target] = COIN_STOP
                continue
            candidates = guess_candidates(posterior, actual[target], k)
            if candidates:
                guess[target] = choices.pick(candidates, posterior)
                status[target] = SUPPRESSED  # unless the tuple is deleted at the end
                steps.append({"action": "rnbg", "value": guess[target], "candidates": candidates})
        _drop_shared_g(table, work, number, targets, actual, guess, columns, deepest, steps)
        pending = [
            target
            for target in targets
            if status[target] != COIN_STOP and nb_predicts_g(work, number, target, actual[target], columns)
        ]
        if not pending:
            return _several([status[target] for target in targets], table, work, steps)
    steps.append({"action": "delete tuple", "tuple": number})
    gone = _deleted(table, number, steps)
    return _several([DELETED] * len(targets), table, gone.table, steps)


def _drop_shared_g(
    before: Table,
    work: Table,
    number: int,
    targets: Sequence[str],
    actual: dict[str, str],
    guess: dict[str, str],
    columns: Sequence[str],
    deepest: int,
    steps: list[Step],
) -> None:
    """Generalize cells of the tuple that are not confidential, level by level, by their average impact.

    A cell climbs at the level that follows on where it stands, counted from its original value.
    """

    def exposed() -> list[str]:
        return [target for target in guess if _is_above_g(work, number, target, actual[target], guess[target], columns)]

    for level in range(1, deepest + 1):
        left = exposed()
        if not left:
            return
        impact: dict[str, Number] = {}
        for column in columns:
            current = work.get(number, column)
            low = work.trees[column].generalize(before.get(number, column), level - 1)
            if column not in targets and current is not None and current == low:
                ratios = [
                    _tuple_impact(work, number, target, actual[target], guess[target], column)[1] for target in left
                ]
                impact[column] = sum(ratios) / len(ratios)
        for column in sorted(impact, key=lambda each: -impact[each]):
            taxonomy = work.trees[column]
            high = taxonomy.generalize(work.get(number, column), 1)
            work.put(number, column, high)
            left = exposed()
            steps.append(
                {
                    "action": "generalize",
                    "tuple": number,
                    "attribute": column,
                    "to": taxonomy.label(high),
                    "left": left,
                }
            )
            if not left:
                return


# Metrics


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


# Brute force

NAIVE_BAYES = "naive_bayes"
ID3 = "id3"
BOTH = "both"


def protecting_hidings(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    against: str = NAIVE_BAYES,
) -> list[tuple[str, ...]]:
    """Every set of predictor cells of the tuple whose hiding, with the confidential cell, keeps it from prediction.

    The smallest sets come first.
    """
    run = _run(table, number, target, predictors, None, None)
    run.table.put(number, target, None)
    tree = id3_tree(run.table, number, target, run.predictors)
    found = []
    for size in range(len(run.evidence()) + 1):
        for hidden in combinations(_evidence(table, number, target, run.predictors), size):
            trial = run.table.copy()
            for column in hidden:
                trial.put(number, column, None)
            predicted = {
                NAIVE_BAYES: nb_predicts(trial, number, target, run.actual, run.predictors),
                ID3: classify(trial, number, tree) == run.actual,
            }
            predicted[BOTH] = predicted[NAIVE_BAYES] or predicted[ID3]
            if not predicted[against]:
                found.append(hidden)
    return found


def any_hiding_in_tuple_protects(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    against: str = NAIVE_BAYES,
) -> bool:
    """Whether hiding some predictor cells of the tuple, or none, keeps the hidden confidential cell from prediction."""
    return bool(protecting_hidings(table, number, target, predictors, against))
