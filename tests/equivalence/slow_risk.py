"""Record risk from its definition: every known set, every record, in fractions. No code is shared with the package."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations

Row = Sequence[str | None]


def subsets(columns: Sequence[int]) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(columns, size) for size in range(len(columns) + 1)))


def matches(one: Row, other: Row, known: Sequence[int], blank: str) -> bool:
    for j in known:
        if blank == "ignore" and one[j] is None:
            continue
        if blank == "wildcard" and (one[j] is None or other[j] is None):
            continue
        if one[j] != other[j]:
            return False
    return True


def frequency(rows: Sequence[Row], one: Row, known: Sequence[int], blank: str) -> int:
    return sum(matches(one, other, known, blank) for other in rows)


def contribution(rows, one, known, chances, weights, *, alpha, blank, complement=False) -> Fraction:
    """What one known set adds to the risk of a record."""
    if blank == "exclude" and any(one[j] is None for j in known):
        return Fraction(0)
    chance = Fraction(1)
    for j, each in enumerate(chances):
        if j in known:
            chance *= each
        elif complement:
            chance *= 1 - each
    if chance == 0:
        return Fraction(0)
    outside = sum(
        (weights[j].get(one[j], Fraction(0)) for j in range(len(one)) if j not in known and one[j] is not None),
        Fraction(0),
    )
    return chance * alpha * outside / frequency(rows, one, known, blank)


def slow_risks(rows, chances, weights, *, alpha=Fraction(100), blank="exclude", complement=False) -> list[Fraction]:
    """Return the risk of every record; `weights` maps the values of each column to their sensitivity."""
    sets = subsets(range(len(chances)))
    done: dict[tuple, Fraction] = {}
    for row in rows:
        if tuple(row) not in done:
            done[tuple(row)] = sum(
                (
                    contribution(rows, row, s, chances, weights, alpha=alpha, blank=blank, complement=complement)
                    for s in sets
                ),
                Fraction(0),
            )
    return [done[tuple(row)] for row in rows]


def slow_minimal_uniques(rows: Sequence[Row], max_size: int) -> set[tuple[int, tuple[int, ...]]]:
    """Return each record with each set of columns on which it is alone, unless it is alone on a part of it."""
    found: set[tuple[int, tuple[int, ...]]] = set()
    for known in subsets(range(len(rows[0]))):
        if len(known) > max_size:
            continue
        for i, row in enumerate(rows):
            alone = sum(all(row[j] == other[j] for j in known) for other in rows) == 1
            if alone and not any((i, part) in found for part in subsets(known) if part != known):
                found.add((i, known))
    return {(i, known) for i, known in found if known}
