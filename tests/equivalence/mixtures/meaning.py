"""What a text means, in the original and in a release. Nothing of the package is used.

A release is a table of texts: ``*`` is withheld, the empty text is missing, everything else says something. What it says
depends on the column: a number, an interval of numbers, a node of the column's taxonomy, or a category.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

WITHHELD = "*"
MISSING = ""
BLANKS = (WITHHELD, MISSING)

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
OUTER = re.compile(rf"(<|≥) ({NUMBER})")
INTERVAL = re.compile(rf"\[({NUMBER}), ({NUMBER})([\])])")


def number(text: str) -> Decimal | None:
    return Decimal(text) if re.fullmatch(NUMBER, text) else None


def one_spelling(text: str) -> str:
    """Return a number in its one form: `1.0`, `1` and `01` are `1`, `-0.0` is `0`."""
    value = number(text)
    if value is None:
        return text
    return "0" if value == 0 else f"{value.normalize():f}"


class Tree:
    """A taxonomy, from nested dictionaries: ``{"Any": {"Kitchen": ["cook", "baker"], "Office": {"clerk": {}}}}``."""

    def __init__(self, nested: dict[str, Any]) -> None:
        ((self.root, below),) = nested.items()
        self._nested = below
        self.parent: dict[str, str] = {}
        self.children: dict[str, list[str]] = {}
        self._add(self.root, below)
        self.leaves = [node for node, below in self.children.items() if not below]

    def _add(self, node: str, below: Any) -> None:
        self.children[node] = list(below)
        for child in below:
            self.parent[child] = node
            self._add(child, below[child] if isinstance(below, dict) else {})

    def with_leaves(self, texts: Iterable[str]) -> "Tree":
        """Return the tree with further leaves right below its root."""
        below = self._nested if isinstance(self._nested, dict) else {leaf: {} for leaf in self._nested}
        return Tree({self.root: {**below, **{text: {} for text in texts if text not in self.children}}})

    def is_below(self, node: str, other: str) -> bool:
        """Return whether a node lies strictly below another."""
        while node in self.parent:
            node = self.parent[node]
            if node == other:
                return True
        return False

    def leaves_below(self, node: str) -> list[str]:
        """Return the leaves at or below a node."""
        return [leaf for leaf in self.leaves if leaf == node or self.is_below(leaf, node)]

    def height(self, node: str) -> int:
        """Return the length of the longest way down to a leaf."""
        return max((1 + self.height(child) for child in self.children[node]), default=0)


class Column:
    """One column: what stood in it, and what its published texts may stand for."""

    def __init__(
        self,
        name: str,
        settings: dict[str, Any],
        marks: Iterable[str],
        texts: Sequence[str],
        hidden: Iterable[int] = (),
    ) -> None:
        """`hidden` are the rows whose cells of this column some requirement hides."""
        self.name = name
        self.is_number = settings.get("type") == "number"
        self.tree = Tree(settings["taxonomy"]) if settings.get("taxonomy") else None
        self.missing: str = settings.get("missing", "value")
        self.bins = settings.get("bins")
        self.hasmidpoints = settings.get("publish") == "midpoint"
        self._marks = set(marks)
        self._number_marks = {number(mark) for mark in self._marks} - {None}
        values = dict.fromkeys(self.value(text) for text in texts)
        self.values = [value for value in values if value != MISSING]
        left = set(range(len(texts))) - set(hidden)
        public = [self.value(texts[i]) for i in sorted(left)]
        self._edges = _edges(self.bins, [Fraction(value) for value in public if number(value) is not None])

    def bin(self, value: str) -> str:
        """Return a name for the bin of a number; beyond the edges it is the outer one."""
        place = bisect_right(self._edges[1:-1], Fraction(value))
        return f"[{place}, {place + 1})"

    def bin_names(self) -> list[str]:
        """Return the names of all bins; none where the column is not put in bins."""
        return [f"[{place}, {place + 1})" for place in range(len(self._edges) - 1)]

    def value(self, text: str) -> str:
        """Return what an original cell holds, in its one spelling; the empty text where it is missing."""
        if text in BLANKS or text in self._marks:
            return MISSING
        if not self.is_number:
            return text
        return MISSING if number(text) in self._number_marks else one_spelling(text)

    def is_coarser(self, text: str, value: str) -> bool:
        """Return whether a published text stands for a value among others: above it in the tree, or an interval."""
        if self.tree is not None:
            return text != self.tree.root and self.tree.is_below(value, text)
        if value == MISSING:
            return False
        if not self.is_number:
            members = text[1:-1].split(", ") if text.startswith("{") and text.endswith("}") else []
            return len(set(members)) == len(members) > 1 and value in members and set(members) <= set(self.values)
        if self.hasmidpoints and text == self.midpoint(value):
            return True
        outer = OUTER.fullmatch(text)
        if outer is not None:
            return Decimal(value) < Decimal(outer[2]) if outer[1] == "<" else Decimal(value) >= Decimal(outer[2])
        found = INTERVAL.fullmatch(text)
        if found is None:
            return False
        low, held, high = Decimal(found[1]), Decimal(value), Decimal(found[2])
        return low <= held < high or (held == high and found[3] == "]")

    def may_be(self, text: str, value: str) -> bool:
        """Return whether a published text is a value, or stands for it among others."""
        return text == value or self.is_coarser(text, value)

    def may_replace(self, text: str, original: str) -> bool:
        """Return whether a cell of a column that a requirement reads may be published so."""
        value = self.value(original)
        if text == WITHHELD:
            return True
        if value == MISSING:
            return text == MISSING and self.missing != "withhold"
        # A number in bins is never published to the digit.
        return self.is_coarser(text, value) or (text == value and self.bins is None)

    def all_values(self) -> list[str]:
        """Return every value that is known: of the original, and of the taxonomy."""
        return list(dict.fromkeys([*self.values, *(self.tree.leaves if self.tree else ())]))

    def can_only_be(self, text: str, value: str) -> bool:
        """Return whether a published text is a value, or stands for no other one that is known."""
        return {other for other in {*self.all_values(), value} if self.may_be(text, other)} == {value}

    def read_as(self, value: str, published: Iterable[str]) -> set[str]:
        """Return the published texts that give a value away: itself, else the narrowest that stand for it.

        A value that no published text stands for gives itself.
        """
        texts = {text for text in published if text not in BLANKS and self.may_be(text, value)}
        if value in texts or not texts:
            return {value}
        width = {text: sum(self.may_be(text, other) for other in self.all_values()) for text in texts}
        return {text for text in texts if width[text] == min(width.values())}

    def midpoint(self, value: str) -> str | None:
        """Return the middle of the bin of a value, where the policy gives the edges."""
        edges = [Decimal(str(edge)) for edge in self.bins] if isinstance(self.bins, list) else []
        for low, high in pairwise(edges):
            if low <= Decimal(value) < high or Decimal(value) == high == edges[-1]:
                return one_spelling(str((low + high) / 2))
        return None


def _edges(bins: int | list[float] | None, public: list[Fraction]) -> list[Fraction]:
    """Return the edges of bins: as given, or the quantiles of the numbers that are not hidden; empty without bins."""
    if isinstance(bins, list):
        return [Fraction(str(edge)) for edge in bins]
    if bins is None or not public:
        return []
    public = sorted(public)
    edges = []
    for step in range(bins + 1):
        place = Fraction((len(public) - 1) * step, bins)
        low = public[int(place)]
        high = public[ceil(place)]
        edges.append(low + (high - low) * (place - int(place)))
    if all(value.denominator == 1 for value in public):
        edges = [Fraction(ceil(edge)) for edge in edges]
    return sorted(set(edges))
