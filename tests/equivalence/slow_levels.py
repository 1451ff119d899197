"""Full-domain recoding, obviously: every combination of levels, rows in dictionaries, losses in fractions."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

Levels = tuple[int, ...]
Row = tuple[int, ...]
Meets = Callable[[Any, Sequence[int], Sequence[int]], bool]


class SlowLevels:
    """A table whose rows are lists, whose columns have `levels`, `prices`, `weight`, `finest` and `coarsest`.

    `meets(promise, weights, rows)` decides whether rows as one group keep a promise.
    """

    def __init__(
        self,
        columns: Sequence[Any],
        codes: Sequence[Row],
        weights: Sequence[int],
        promises: Sequence[Any],
        meets: Meets,
        most_withheld: Fraction,
    ) -> None:
        self.codes, self.weights, self.promises, self.meets = codes, weights, promises, meets
        self.columns = columns
        self.classes = [[[int(x) for x in line] for line in column.levels] for column in columns]
        self.prices = [[[Fraction(float(x)) for x in line] for line in column.prices] for column in columns]
        self.importance = [Fraction(column.weight) for column in columns]
        self.limit = most_withheld * sum(weights)
        self.read = sorted({c for promise in promises for c in promise.columns})

    def combinations(self) -> Iterator[Levels]:
        """Yield all combinations; a column that no promise reads stays at its finest level."""
        ranges = [
            range(column.finest, (column.coarsest if c in self.read else column.finest) + 1)
            for c, column in enumerate(self.columns)
        ]
        return product(*ranges)

    def groups(self, levels: Levels, rows: set[int], columns: Sequence[int]) -> dict[Row, list[int]]:
        """Return the rows that publish the same on some columns."""
        found: dict[Row, list[int]] = {}
        for i in sorted(rows):
            key = tuple(self.classes[c][levels[c]][self.codes[i][c]] for c in sorted(set(columns)))
            found.setdefault(key, []).append(i)
        return found

    def keeps(self, rows: Sequence[int]) -> bool:
        """Decide whether rows as one group keep every promise."""
        return all(self.meets(promise, self.weights, rows) for promise in self.promises)

    def is_allowed(self, levels: Levels, withheld: set[int]) -> bool:
        """Decide whether a release is allowed, from nothing but what it publishes."""
        rest = set(range(len(self.codes))) - withheld
        return (
            self.records(withheld) <= self.limit
            and (not withheld or self.keeps(sorted(withheld)))
            and all(
                self.meets(promise, self.weights, group)
                for promise in self.promises
                for group in self.groups(levels, rest, promise.columns).values()
            )
        )

    def records(self, rows: set[int]) -> int:
        """Return how many records some rows are."""
        return sum(self.weights[i] for i in rows)

    def loss(self, levels: Levels, withheld: set[int]) -> Fraction:
        """Return the price over records and columns."""
        total = Fraction(0)
        for i, row in enumerate(self.codes):
            for c, code in enumerate(row):
                price = Fraction(1) if i in withheld else self.prices[c][levels[c]][code]
                total += self.weights[i] * self.importance[c] * price
        return total

    def settle(self, levels: Levels, withheld: set[int]) -> set[int]:
        """Withhold all groups that break a promise, count again, until none does; promises about sizes come first."""
        sizes = [promise for promise in self.promises if not promise.rule.n_lanes]
        for promises in (sizes, self.promises):
            while broken := self.broken(levels, withheld, promises):
                withheld = withheld | broken
        return withheld

    def broken(self, levels: Levels, withheld: set[int], promises: Sequence[Any]) -> set[int]:
        """Return the rows of all groups that break a promise."""
        rest = set(range(len(self.codes))) - withheld
        return {
            i
            for promise in promises
            for group in self.groups(levels, rest, promise.columns).values()
            if not self.meets(promise, self.weights, group)
            for i in group
        }

    def withheld(self, levels: Levels, order: Sequence[tuple[int, ...]]) -> set[int] | None:
        """Return the rows to withhold at a combination, or None where it is not allowed.

        `order` ranks rows where two groups cost the same.
        """
        found = self.settle(levels, set())
        while self.records(found) <= self.limit and found and not self.keeps(sorted(found)):
            rest = set(range(len(self.codes))) - found
            groups = list(self.groups(levels, rest, self.read).values())

            def cost(group: list[int], found: set[int] = found) -> tuple[Fraction, tuple[int, ...]]:
                extra = self.loss(levels, found | set(group)) - self.loss(levels, found)
                return extra, min(order[i] for i in group)

            before = found
            for group in sorted(groups, key=cost):
                if self.records(found | set(group)) <= self.limit:
                    found = found | set(group)
                    if self.keeps(sorted(found)):
                        break
            if found == before or not self.keeps(sorted(found)):
                return None
            found = self.settle(levels, found)
        return found if self.records(found) <= self.limit else None

    def best(self, order: Sequence[tuple[int, ...]]) -> Fraction | None:
        """Return the smallest loss of all combinations, or None where none is allowed."""
        losses = []
        for levels in self.combinations():
            withheld = self.withheld(levels, order)
            if withheld is not None:
                losses.append(self.loss(levels, withheld))
        return min(losses, default=None)

    def best_of_all_choices(self) -> Fraction | None:
        """Return the smallest loss of all combinations and all sets of groups that may be withheld there."""
        losses = []
        for levels in self.combinations():
            groups = list(self.groups(levels, set(range(len(self.codes))), self.read).values())
            for some in chain.from_iterable(combinations(groups, n) for n in range(len(groups) + 1)):
                withheld = {i for group in some for i in group}
                if self.is_allowed(levels, withheld):
                    losses.append(self.loss(levels, withheld))
        return min(losses, default=None)
