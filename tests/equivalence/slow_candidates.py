"""Who could be which row, the obvious way: every pair, and every assignment of all rows to people."""

from collections.abc import Callable, Sequence
from itertools import permutations

Fits = Callable[[str, str, str], bool]


def candidates(release: Sequence[dict[str, str]], people: Sequence[dict[str, str]], fits: Fits) -> list[set[int]]:
    """Return for each person the rows whose every text may stand for his value."""
    return [
        {j for j, row in enumerate(release) if all(fits(name, row[name], person[name]) for name in row)}
        for person in people
    ]


def left_by_register(found: Sequence[set[int]], n_rows: int) -> list[set[int]]:
    """Return for each person the rows that he has in some assignment of all rows to different people.

    A person beyond the rows of the file has none of them, which is row -1, -2 and so on.
    """
    slots = [*range(n_rows), *range(-1, n_rows - len(found) - 1, -1)]
    left: list[set[int]] = [set() for _ in found]
    for order in permutations(slots):
        if all(slot < 0 or slot in own for slot, own in zip(order, found, strict=True)):
            for slot, own in zip(order, left, strict=True):
                own.add(slot)
    return left
