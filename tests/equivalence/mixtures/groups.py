"""Promises about groups: anonymity, templates, diversity and closeness, by counting.

A group is the rows that publish the same texts in the columns of a requirement. What a group says of a sensitive column
is counted twice: what its people answered (the truth), and what is published of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import prod
from typing import Any

from tests.equivalence.mixtures.meaning import BLANKS, MISSING, WITHHELD, Column, Tree

Row = dict[str, str]
Cell = tuple[int, str]
Requirement = dict[str, Any]
Histogram = Counter[str]


class Tables:
    """The original and the release, row by row, and what the columns mean."""

    def __init__(
        self,
        original: Sequence[Row],
        published: Sequence[Row],
        columns: dict[str, Column],
        unanswered: set[Cell],
        *,
        with_truth: bool = True,
    ) -> None:
        self.original = original
        self.published = published
        self.columns = columns
        self.with_truth = with_truth
        self._unanswered = unanswered

    def groups(self, names: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
        """Return the rows of each combination; a missing cell is any value where its column says so."""

        def are_alike(name: str, one: str, other: str) -> bool:
            return one == other or (self.columns[name].missing == "any" and MISSING in (one, other))

        combinations = sorted({tuple(row[name] for name in names) for row in self.published})
        return {
            texts: [
                i
                for i, row in enumerate(self.published)
                if all(are_alike(name, row[name], text) for name, text in zip(names, texts, strict=True))
            ]
            for texts in combinations
        }

    def truth(self, members: Sequence[int], name: str, *, in_bins: bool = True) -> Histogram:
        """Count what stood in a column; neither missing cells nor those hidden from the informed are answers.

        A number that is published in bins counts as its bin: nobody can learn more of it.
        """
        column = self.columns[name]
        answered = [i for i in members if (i, name) not in self._unanswered]
        values = [column.value(self.original[i][name]) for i in answered]
        if column.bins is not None and in_bins:
            values = [value if value == MISSING else column.bin(value) for value in values]
        return Counter(value for value in values if value != MISSING)

    def shown(self, members: Sequence[int], name: str) -> Histogram:
        """Count what is published in a column, neither withheld nor missing."""
        texts = [self.published[i][name] for i in members]
        return Counter(text for text in texts if text not in BLANKS)

    def readings(self, name: str) -> dict[str, Callable[[Sequence[int]], Histogram]]:
        """Return both ways to count a sensitive column."""
        found: dict[str, Callable[[Sequence[int]], Histogram]] = {}
        if self.with_truth:
            found["in truth"] = lambda members: self.truth(members, name)
        found["as published"] = lambda members: self.shown(members, name)
        return found


def anonymity(tables: Tables, requirement: Requirement) -> Iterator[str]:
    if requirement.get("blanks") == "any":
        yield from weak_anonymity(tables, requirement["columns"], requirement["k"])
        return
    for texts, members in tables.groups(requirement["columns"]).items():
        if len(members) < requirement["k"]:
            yield f"{len(members)} rows share {texts}, fewer than {requirement['k']}"


def weak_anonymity(tables: Tables, names: Sequence[str], k: int) -> Iterator[str]:
    """Yield the rows that may be the same as too few, a blank being any value, and rare rows without a blank."""
    rows = [
        tuple(None if _is_any(tables.columns[name], row[name]) else row[name] for name in names)
        for row in tables.published
    ]
    for i, row in enumerate(rows):
        pairs = [list(zip(row, other, strict=True)) for other in rows]
        n_same = sum(all(a is None or b is None or a == b for a, b in each) for each in pairs)
        if n_same < k:
            yield f"row {i} may be the same as {n_same} rows, fewer than {k}"
        if None not in row and rows.count(row) < k:
            yield f"row {i} has no blank and equals {rows.count(row)} rows, fewer than {k}"


def _is_any(column: Column, text: str) -> bool:
    return text == WITHHELD or (text == MISSING and column.missing == "any")


def template(tables: Tables, requirement: Requirement) -> Iterator[str]:
    for name, values in requirement["hide"].items():
        column = tables.columns[name]
        for value in map(column.value, [values] if isinstance(values, str) else values):
            for texts, members in tables.groups(requirement["given"]).items():
                truth, shown = tables.truth(members, name, in_bins=False), tables.shown(members, name)
                is_it = {text: column.can_only_be(text, value) for text in shown}
                decided = {text: n for text, n in shown.items() if is_it[text] or not column.may_be(text, value)}
                said = sum(n for text, n in decided.items() if is_it[text])
                if tables.with_truth and _is_above(truth[value], sum(truth.values()), requirement["at_most"]):
                    yield f"{texts} implies {name} = {value} in truth: {truth[value]} of {sum(truth.values())}"
                if _is_above(said, sum(decided.values()), requirement["at_most"]):
                    yield f"{texts} implies {name} = {value} as published: {said} of {sum(decided.values())}"


def _is_above(held: int, among: int, at_most: float) -> bool:
    return among > 0 and not held / among <= at_most


def diversity(tables: Tables, requirement: Requirement) -> Iterator[str]:
    name = requirement["sensitive"]
    for texts, members in tables.groups(requirement["columns"]).items():
        for how, count in tables.readings(name).items():
            if not is_diverse(count(members), requirement):
                yield f"{texts} is not diverse in {name} {how}: {sorted(count(members).values())}"


def is_diverse(histogram: Histogram, requirement: Requirement) -> bool:
    counts = sorted(histogram.values(), reverse=True)
    n, model = sum(counts), requirement.get("model", "distinct")
    if n == 0:
        return True
    if model == "distinct":
        return len(counts) >= requirement["l"]
    if model == "entropy":  # entropy >= log(l), with both sides raised to the power of n
        return n**n >= Fraction(str(requirement["l"])) ** n * prod(each**each for each in counts)
    return counts[0] < Fraction(str(requirement["c"])) * sum(counts[requirement["l"] - 1 :])


def closeness(tables: Tables, requirement: Requirement) -> Iterator[str]:
    name = requirement["sensitive"]
    column = tables.columns[name]
    everybody = range(len(tables.published))
    order = values_in_order(column, tables.truth(everybody, name))
    known = {*column.values, *column.bin_names()}
    for texts, members in tables.groups(requirement["columns"]).items():
        for how, count in tables.readings(name).items():
            of_group = Counter({value: n for value, n in count(members).items() if value in known})
            of_table = Counter({value: n for value, n in count(everybody).items() if value in known})
            if not of_group:
                continue
            apart = distance(of_group, of_table, order, requirement.get("distance", "equal"), column.tree)
            if apart > Fraction(str(requirement["t"])):
                yield f"{texts} is {apart} from the table in {name} {how}, more than {requirement['t']}"


def values_in_order(column: Column, histogram: Histogram) -> list[str]:
    """Return the values of a column: numbers by size, else as the taxonomy has them, else as texts."""
    if column.is_number:
        return sorted(histogram, key=lambda value: Fraction(value.strip("[").partition(",")[0]))
    if column.tree is not None:
        return [leaf for leaf in column.tree.leaves if leaf in histogram]
    return sorted(histogram)


def distance(one: Histogram, other: Histogram, order: Sequence[str], how: str, tree: Tree | None) -> Fraction:
    """Return how far two histograms are apart, as shares."""
    extra = {
        value: Fraction(one[value], sum(one.values())) - Fraction(other[value], sum(other.values()))
        for value in {*one, *other, *order}
    }
    if how == "ordered":
        steps = accumulate(extra[value] for value in order)
        return sum(map(abs, steps), Fraction(0)) / max(len(order) - 1, 1)
    if how == "taxonomy" and tree is not None:
        return _hierarchical(tree, extra)
    return sum(map(abs, extra.values()), Fraction(0)) / 2


def _hierarchical(tree: Tree, extra: dict[str, Fraction]) -> Fraction:
    """Return the distance of Li, Li and Venkatasubramanian (2007): what must be carried across each node."""
    cost = Fraction(0)
    for node, children in tree.children.items():
        held = [
            sum((extra.get(leaf, Fraction(0)) for leaf in tree.leaves_below(child)), Fraction(0)) for child in children
        ]
        above, below = sum(each for each in held if each > 0), -sum(each for each in held if each < 0)
        cost += Fraction(tree.height(node), tree.height(tree.root)) * min(above, below)
    return cost


def is_deleted(row: Row) -> bool:
    """Return whether nothing of a row is published."""
    return all(text == WITHHELD for text in row.values())
