"""What an ID3 tree infers about a hidden cell, whatever the order in which ties are broken.

The tree is the textbook's: split by the largest information gain, stop at one label, no column or no gain. Four times it may
have to choose between equals: the column to split by, the branch that training rows without a value join, the branch that the
asked row without a value takes, and the label of a leaf. A program takes the first in its order of columns and values. Every
order is tried here: a choice is kept as "this comes before that", and later choices must agree with it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from math import prod

from tests.equivalence.mixtures.adversaries import View

Order = frozenset[tuple[str, str, str]]
"""What was decided: in this column, this value comes before that one."""
Branches = dict[str, tuple[int, ...]]
NO_ORDER: Order = frozenset()
COLUMNS = "(columns)"
"""The order of the columns themselves."""


def firsts(order: Order, column: str, tied: Collection[str]) -> Iterator[tuple[str, Order]]:
    """Yield each of the tied values that may come first, with what that decides."""
    for one in sorted(tied):
        others = [other for other in tied if other != one]
        if not any(_comes_before(order, column, other, one) for other in others):
            yield one, order | {(column, one, other) for other in others}


def _comes_before(order: Order, column: str, one: str, other: str) -> bool:
    direct = [after for where, before, after in order if (where, before) == (column, one)]
    return other in direct or any(_comes_before(order, column, after, other) for after in direct)


class Id3:
    """The trees over one hidden cell's column.

    Parameters
    ----------
    view
        The release.
    target, predictors
        The column of the hidden cell, and those that predict it.
    but
        The row of the hidden cell, which does not train.
    labels
        The values that the cell may hold; None for any.
    """

    def __init__(
        self, view: View, target: str, predictors: Sequence[str], *, but: int, labels: Collection[str] | None = None
    ) -> None:
        self._view = view
        self._target = target
        self._predictors = tuple(predictors)
        rows = view.labelled(target, but=but)
        self._training = tuple(i for i in rows if labels is None or view.get(i, target) in labels)
        self._gains: dict[tuple[str, tuple[int, ...]], Fraction] = {}

    def answers(self, row: int | None, order: Order = NO_ORDER) -> Iterator[tuple[str | None, Order]]:
        """Yield what the tree says of a row, once for each way to break its ties; the row None has no values."""
        yield from self._descend(row, self._training, self._predictors, order)

    def _descend(
        self, row: int | None, training: tuple[int, ...], columns: tuple[str, ...], order: Order
    ) -> Iterator[tuple[str | None, Order]]:
        labels = Counter(str(self._view.get(i, self._target)) for i in training)
        splits = self._best_columns(training, columns) if len(labels) > 1 else []
        if not labels:
            yield None, order
        elif not splits:
            yield from firsts(order, self._target, most_frequent(labels))
        for column, chosen in firsts(order, COLUMNS, splits):
            rest = tuple(each for each in columns if each != column)
            for branches, joined in self._branches(training, column, chosen):
                for branch, taken in self._take(self._get(row, column), column, branches, joined):
                    yield from self._descend(row, branches[branch], rest, taken)

    def _best_columns(self, training: tuple[int, ...], columns: tuple[str, ...]) -> list[str]:
        """Return the columns with the largest gain; none if there is nothing to gain."""
        gains = {column: self._gain(column, training) for column in columns}
        best = max(gains.values(), default=Fraction(1))
        return [column for column, gain in gains.items() if gain == best > 1]

    def _gain(self, column: str, training: tuple[int, ...]) -> Fraction:
        """Return the information gain of a column, over rows with a value and times their share, as 2 ** (gain · rows)."""
        key = (column, training)
        if key not in self._gains:
            parts = self._by_value(training, column)
            whole = tuple(i for part in parts.values() for i in part)
            self._gains[key] = self._disorder(whole) / prod(
                (self._disorder(part) for part in parts.values()), start=Fraction(1)
            )
        return self._gains[key]

    def _disorder(self, rows: tuple[int, ...]) -> Fraction:
        """Return 2 ** (entropy of the labels · rows), which is exact: n^n / Π n_label^n_label."""
        counts = Counter(self._view.get(i, self._target) for i in rows)
        return Fraction(len(rows) ** len(rows), prod(n**n for n in counts.values()))

    def _by_value(self, training: tuple[int, ...], column: str) -> Branches:
        found: Branches = {}
        for i in training:
            text = self._get(i, column)
            if text is not None and not self._is_coarse(text, column):
                found[text] = (*found.get(text, ()), i)
        return found

    def _branches(self, training: tuple[int, ...], column: str, order: Order) -> Iterator[tuple[Branches, Order]]:
        """Yield the branches of a node; rows with no value, or a coarse one, join the largest branch that may be theirs."""
        branches = self._by_value(training, column)
        strays = [i for i in training if not any(i in part for part in branches.values())]
        kinds = sorted({str(self._get(i, column) or "") for i in strays})

        def join(left: list[str], so_far: Branches, order: Order) -> Iterator[tuple[Branches, Order]]:
            if not left:
                yield so_far, order
                return
            joining = tuple(i for i in strays if str(self._get(i, column) or "") == left[0])
            for branch, taken in self._take(left[0] or None, column, branches, order):
                yield from join(left[1:], {**so_far, branch: (*so_far[branch], *joining)}, taken)

        yield from join(kinds, branches, order)

    def _take(self, text: str | None, column: str, branches: Branches, order: Order) -> Iterator[tuple[str, Order]]:
        """Yield the branch of a value: its own, else the largest below it, else the largest of all."""
        if text in branches:
            yield str(text), order
            return
        below = [branch for branch in branches if text is not None and self._lies_below(branch, text, column)]
        sizes = Counter({branch: len(branches[branch]) for branch in below or branches})
        yield from firsts(order, column, most_frequent(sizes))

    def _get(self, row: int | None, column: str) -> str | None:
        return self._view.get(row, column)

    def _is_coarse(self, text: str, column: str) -> bool:
        return self._view.with_trees and bool(self._view.trees[column].children.get(text))

    def _lies_below(self, text: str, other: str, column: str) -> bool:
        return self._view.with_trees and self._view.trees[column].is_below(text, other)


def most_frequent(counts: Counter[str]) -> list[str]:
    return [value for value, n in counts.items() if n == max(counts.values())]
