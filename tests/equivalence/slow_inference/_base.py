"""What everything shares: constants, taxonomies and tables."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

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
        """The ancestor this many levels up; the root is its own parent."""
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
