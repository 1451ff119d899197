"""The moves of the search: a node of a column's cut, and how it can be refined."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._information import ClassCounts
from withhold.methods.refine._target_sums import TargetSums
from withhold.table import WITHHELD, CategoryRecoding, DraftColumn, NumberRecoding, Numbers, Recoding, Taxonomy

__all__ = ["Choice", "Column", "DisclosureColumn", "Kept", "Move", "Node", "NumberColumn", "TaxonomyColumn"]

Choice = Literal["score", "gain"]
Kept = ClassCounts | TargetSums
"""What ranks moves: the target's classes, or its numbers."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a column's cut: a range of codes under one name."""

    first: int
    """The first code it covers."""
    last: int
    """One behind the last code it covers."""
    label: str | None
    """How it reads; None is missing."""
    key: int = -1
    """Its number in the taxonomy, where there is one."""
    is_rest: bool = False
    """Whether it stands for all values of its column that are still withheld."""


@dataclass(frozen=True, slots=True)
class Move:
    """A node and the children that would take its place."""

    node: Node
    """What is refined."""
    children: tuple[Node, ...]
    """What takes its place."""
    gain: float
    """Its information about the target."""
    is_beneficial: bool
    """Whether the records of the node hold two classes, or two numbers, of the target."""
    method: Literal["tds", "pda"] = "tds"
    """Whose move it is: a specialization or split (TDS), or a disclosure (PDA)."""


class Column(Protocol):
    """A column that the search may refine."""

    name: str
    n_codes: int
    can_choose: bool
    """Whether another split may be tried where the first one is not valid."""

    def root(self) -> Node:
        """Return the node that covers everything."""

    def move(self, node: Node, allowed: NDArray[np.bool_] | None = None) -> Move | None:
        """Return the best way to split `node`, or None where there is none.

        `allowed` says for each code of the node whether a split may begin there.
        """

    def recoding(self, cut: list[Node], missing_marks: frozenset[str]) -> Recoding:
        """Return what is published under a cut."""

    def draft_node(self, column: DraftColumn, node: Node, above: int, *, is_root: bool) -> int:
        """Return the node of a draft that stands for a node of the cut; `above` stands for its parent."""


class TaxonomyColumn:
    """A column of categories: a move replaces a node by its children in the taxonomy."""

    can_choose = False

    def __init__(self, name: str, taxonomy: Taxonomy, counts: Kept) -> None:
        self.name = name
        self.n_codes = taxonomy.n_leaves
        self._taxonomy = taxonomy
        self._counts = counts

    def root(self) -> Node:
        """Return the root of the taxonomy."""
        return self._node(0)

    def move(self, node: Node, allowed: NDArray[np.bool_] | None = None) -> Move | None:
        """Return the specialization of `node`, or None for a leaf."""
        children = tuple(self._node(child) for child in self._taxonomy.children(node.key))
        if not children:
            return None
        gain = self._counts.gain([(child.first, child.last) for child in children])
        return Move(node, children, gain, self._counts.is_beneficial(node.first, node.last))

    def recoding(self, cut: list[Node], missing_marks: frozenset[str]) -> CategoryRecoding:
        """Return what is published under a cut; the root reads as withheld."""
        leaves = self._taxonomy.leaves
        published: dict[str, str] = {}
        missing: str | None = None
        for node in cut:
            label = WITHHELD if node.key == 0 else node.label
            for code in range(node.first, node.last):
                leaf = leaves[code]
                if leaf is None:
                    missing = label
                else:
                    published[leaf] = str(label)
        if len(cut) == 1 and cut[0].key == 0:
            missing = WITHHELD
        return CategoryRecoding(column=self.name, published=published, missing=missing, missing_marks=missing_marks)

    def draft_node(self, column: DraftColumn, node: Node, above: int, *, is_root: bool) -> int:
        """Return the node of the taxonomy."""
        return node.key

    def _node(self, key: int) -> Node:
        tree = self._taxonomy
        return Node(int(tree.first[key]), int(tree.last[key]), tree.labels[key], key)


class NumberColumn:
    """A column of numbers: a move splits an interval in two where that is most informative about the target.

    Where some cells are missing, the first move also distinguishes missing from numbers. On its own that says little of
    the target, and would be put off until it is no longer valid.
    """

    can_choose = True

    def __init__(self, name: str, numbers: Numbers, counts: Kept) -> None:
        self.name = name
        self.n_codes = numbers.n_codes
        self._numbers = numbers
        self._counts = counts

    def root(self) -> Node:
        """Return the interval over everything; its name is ``*`` where it also covers missing."""
        if self._numbers.missing_code is None:
            return self._interval(0, self._numbers.n_values)
        return Node(0, self.n_codes, WITHHELD)

    def move(self, node: Node, allowed: NDArray[np.bool_] | None = None) -> Move | None:
        """Return the best split of an interval, or None where it holds a single value.

        The first move of a column with missing cells distinguishes only these where splits are restricted.
        """
        missing = self._numbers.missing_code
        if missing is not None and node.last > missing:
            if node.first >= missing or missing == 0:
                return None
            point = (
                self._counts.best_split(0, missing, self._numbers.may_begin(0, missing)) if allowed is None else None
            )
            numbers = ((0, missing),) if point is None else ((0, point), (point, missing))
            children = (*(self._interval(*ends) for ends in numbers), Node(missing, missing + 1, None))
        else:
            may_begin = self._numbers.may_begin(node.first, node.last)
            if may_begin is not None:
                allowed = may_begin if allowed is None else allowed & may_begin
            point = self._counts.best_split(node.first, node.last, allowed)
            if point is None:
                return None
            children = (self._interval(node.first, point), self._interval(point, node.last))
        gain = self._counts.gain([(child.first, child.last) for child in children])
        return Move(node, children, gain, self._counts.is_beneficial(node.first, node.last))

    def recoding(self, cut: list[Node], missing_marks: frozenset[str]) -> NumberRecoding:
        """Return what is published under a cut; the whole range reads as withheld."""
        numbers = self._numbers
        withheld = len(cut) == 1
        intervals = sorted((node for node in cut if node.first < numbers.n_values), key=lambda node: node.first)
        return NumberRecoding(
            column=self.name,
            starts=tuple(numbers.edges(node.first, min(node.last, numbers.n_values))[0] for node in intervals),
            labels=tuple(WITHHELD if withheld else str(node.label) for node in intervals),
            high=numbers.high,
            missing=WITHHELD if withheld else None,
            missing_marks=missing_marks,
            is_open=numbers.is_open,
        )

    def draft_node(self, column: DraftColumn, node: Node, above: int, *, is_root: bool) -> int:
        """Return the root, the node of missing, or a new interval."""
        if is_root or node.label == WITHHELD:
            return 0
        if node.label is None:
            assert column.missing is not None
            return column.missing
        return column.add(node.label, node.first, min(node.last, self._numbers.n_values), above)

    def _interval(self, first: int, last: int) -> Node:
        return Node(first, last, self._numbers.interval(first, last))


class DisclosureColumn:
    """A column whose values are withheld and then disclosed one by one.

    Parameters
    ----------
    name
        The column.
    values
        For each code its value; None is missing.
    counts
        Records by code and class.
    choice
        ``"score"``: every withheld value is a candidate, ranked by score with all other moves. ``"gain"``: only the
        value of largest gain is, as an interval has only its best split.
    """

    can_choose = False

    def __init__(self, name: str, values: Sequence[str | None], counts: Kept, *, choice: Choice) -> None:
        self.name = name
        self.values = tuple(values)
        self.n_codes = len(self.values)
        self.choice = choice
        self.first_move = -1
        self._counts = counts
        self.is_withheld = counts.by_code().sum(axis=1) > 0
        ranked = sorted(range(self.n_codes), key=lambda code: (self.values[code] is None, self.values[code] or ""))
        self.order = np.empty(self.n_codes, dtype=np.int64)
        self.order[ranked] = np.arange(self.n_codes)

    def root(self) -> Node:
        """Return the rest, which covers everything at first."""
        return Node(0, self.n_codes, WITHHELD, is_rest=True)

    def move(self, node: Node, allowed: NDArray[np.bool_] | None = None) -> Move | None:
        """Return None: a value that was disclosed cannot be refined."""
        return None

    def move_of(self, code: int) -> Move:
        """Return the disclosure of one value."""
        child = self._leaf(code)
        return Move(child, (child,), float(self.gains()[code]), self.is_beneficial(), method="pda")

    def disclose(self, code: int) -> Node:
        """Take one value out of the rest; return its node."""
        self.is_withheld[code] = False
        return self._leaf(code)

    def gains(self) -> NDArray[np.float64]:
        """Return for each withheld code the information about the target that disclosing it gives."""
        return self._counts.disclosure_gains(self.is_withheld)

    def is_beneficial(self) -> bool:
        """Return whether the records of the rest hold two classes, or, class-free, any record."""
        return self._counts.is_mixed(self.is_withheld)

    def withheld_values(self) -> tuple[str | None, ...]:
        """Return the values that are still withheld, sorted, missing last."""
        codes = np.flatnonzero(self.is_withheld)
        return tuple(self.values[code] for code in sorted(codes.tolist(), key=lambda code: int(self.order[code])))

    def recoding(self, cut: list[Node], missing_marks: frozenset[str]) -> CategoryRecoding:
        """Return what is published: disclosed values as they are, all others withheld."""
        disclosed = {node.label for node in cut if not node.is_rest}
        published = {value: value if value in disclosed else WITHHELD for value in self.values if value is not None}
        return CategoryRecoding(
            column=self.name,
            published=published,
            missing=None if None in disclosed else WITHHELD,
            missing_marks=missing_marks,
        )

    def draft_node(self, column: DraftColumn, node: Node, above: int, *, is_root: bool) -> int:
        """Return the root for the rest, else the value's own node."""
        return 0 if node.is_rest else int(column.leaves[node.first])

    def _leaf(self, code: int) -> Node:
        return Node(code, code + 1, self.values[code])
