"""Local recoding, obviously: what a group must meet, in fractions, and the best partition of a tiny table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod

import numpy as np

from withhold.methods.local import Promise, Recoded, Rule, TreeColumn
from withhold.methods.local._forms import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, SHARE, SIZE
from withhold.table import Taxonomy


def texts(made: Recoded, column: int) -> list[object]:
    """Return the published text of each row; a withheld one is the root or None, here always a star."""
    found = made.published(column)
    star = 0 if isinstance(made.columns[column], TreeColumn) else None
    return ["*" if found.values[code] == star else found.values[code] for code in found.codes]


def keeps(made: Recoded, promise: Promise) -> bool:
    """Recount every group of equal texts."""
    lines = list(zip(*(texts(made, c) for c in sorted(set(promise.columns))), strict=True))
    groups: dict[object, list[int]] = {}
    for i, line in enumerate(lines):
        groups.setdefault(line, []).append(i)
    return all(meets(promise, made.weights, rows) for rows in groups.values())


def meets(promise: Promise, weights: Sequence[int], rows: Sequence[int]) -> bool:
    """Decide whether rows as one group meet a promise, in integers and fractions."""
    rule = promise.rule
    if rule.form == SIZE:
        return sum(int(weights[i]) for i in rows) >= rule.least
    held: Counter[int] = Counter()
    assert promise.lanes is not None
    for i in rows:
        if promise.lanes[i] >= 0:
            held[int(promise.lanes[i])] += int(weights[i])
    return not held or meets_sensitive(rule, [held[lane] for lane in range(rule.n_lanes)])


def meets_sensitive(rule: Rule, counts: Sequence[int]) -> bool:
    """Decide whether answers meet a rule."""
    total, ratio = sum(counts), Fraction(rule.upper, rule.lower)
    if rule.form == SHARE:
        return all(counts[lane] / total <= rule.at_most for lane in rule.listed)
    if rule.form == DISTINCT:
        return sum(count > 0 for count in counts) >= rule.least
    if rule.form == ENTROPY:
        return Fraction(total) ** total >= ratio**total * prod(count**count for count in counts)
    if rule.form == RECURSIVE:
        ranked = sorted(counts, reverse=True)
        return ranked[0] < ratio * sum(ranked[rule.least - 1 :])
    return distance(rule, counts) <= ratio


def distance(rule: Rule, counts: Sequence[int]) -> Fraction:
    """Return the distance of answers from the whole table's."""
    whole = [int(each) for each in rule.whole]
    extra = [Fraction(a, sum(counts)) - Fraction(b, sum(whole)) for a, b in zip(counts, whole, strict=True)]
    if rule.form == EQUAL:
        return sum((abs(each) for each in extra), Fraction(0)) / 2
    if rule.form == ORDERED:
        steps = max(len(extra) - 1, 1)
        return sum((abs(sum(extra[: i + 1], Fraction(0))) for i in range(len(extra))), Fraction(0)) / steps

    return hierarchical(SENSITIVE, extra)


SENSITIVE = Taxonomy.from_nested({"*": {"m": {"0": {}, "1": {}}, "n": {"o": {"2": {}}, "3": {}}}})


def hierarchical(tree: Taxonomy, extra: Sequence[Fraction]) -> Fraction:
    """Return the distance as the paper has it: the smaller of surplus and shortage moves, at the node's height."""

    def height(node: int) -> int:
        return max((1 + height(child) for child in tree.children(node)), default=0)

    def walk(node: int) -> tuple[Fraction, Fraction]:
        if not tree.children(node):
            return extra[int(tree.first[node])], Fraction(0)
        below = [walk(child) for child in tree.children(node)]
        more = sum((each for each, _ in below if each > 0), Fraction(0))
        less = -sum((each for each, _ in below if each < 0), Fraction(0))
        moved = Fraction(height(node), height(0)) * min(more, less)
        return more - less, moved + sum((cost for _, cost in below), Fraction(0))

    return walk(0)[1]


def partitions(n: int) -> Iterator[list[list[int]]]:
    """Yield all partitions of n rows."""
    if n == 0:
        yield []
        return
    for smaller in partitions(n - 1):
        for i in range(len(smaller)):
            yield [*smaller[:i], [*smaller[i], n - 1], *smaller[i + 1 :]]
        yield [*smaller, [n - 1]]


def price(made: Recoded, rows: Sequence[int], codes: np.ndarray, columns: Sequence[int]) -> float:
    """Return the price of one row of a group."""
    total = 0.0
    for c in columns:
        column = made.columns[c]
        held = sorted({int(codes[i, c]) for i in rows})
        each = column.price(held) if hasattr(column, "most") else column.price(held[0], held[-1])  # type: ignore[call-arg]
        total += each * column.weight
    return total


def best_loss(made: Recoded, codes: np.ndarray, promises: Sequence[Promise], columns: Sequence[int]) -> float:
    """Return the smallest loss of any partition into groups that meet all promises."""
    best = float("inf")
    fine: dict[tuple[int, ...], float | None] = {}
    for partition in partitions(codes.shape[0]):
        loss = 0.0
        for rows in partition:
            key = tuple(rows)
            if key not in fine:
                is_fine = all(meets(promise, made.weights, rows) for promise in promises)
                n_records = int(sum(made.weights[i] for i in rows))
                fine[key] = n_records * price(made, rows, codes, columns) if is_fine else None
            cost = fine[key]
            if cost is None:
                break
            loss += cost
        else:
            best = min(best, loss)
    return best
