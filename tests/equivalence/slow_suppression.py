"""Cell suppression where a blank is any value, by its definition: loops over all pairs, and all sets of blanks."""

from collections.abc import Sequence
from itertools import product

Cell = int | None
"""A value, or None for a blank."""
Row = tuple[Cell, ...]


def may_be_same(one: Row, other: Row) -> bool:
    """Tell whether two rows agree on every column, a blank being any value."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def is_valid(rows: Sequence[Row], k: int) -> bool:
    """Tell whether each row may be the same as k rows, and each row without a blank equals k rows."""
    for row in rows:
        if sum(may_be_same(row, other) for other in rows) < k:
            return False
        if None not in row and sum(row == other for other in rows) < k:
            return False
    return True


def blanked(row: Row, columns: Sequence[bool]) -> Row:
    """Return a row with some cells blank."""
    return tuple(None if is_blank else cell for cell, is_blank in zip(row, columns, strict=True))


def least_cost(rows: Sequence[Row], k: int, costs: Sequence[float], keep: Sequence[int] = ()) -> float | None:
    """Return the smallest cost of blanks with which the rows are valid, over all sets of blanks; None if none is."""
    n_columns = len(rows[0])
    best = None
    options = [
        choice for choice in product([False, True], repeat=n_columns) if not any(choice[column] for column in keep)
    ]
    prices = [sum(cost for cost, chosen in zip(costs, choice, strict=True) if chosen) for choice in options]

    def extend(place: int, made: list[Row], spent: float) -> None:
        nonlocal best
        if best is not None and spent >= best:
            return
        if place == len(rows):
            if is_valid(made, k):
                best = spent
            return
        for choice, price in zip(options, prices, strict=True):
            extend(place + 1, [*made, blanked(rows[place], choice)], spent + price)

    extend(0, [], 0.0)
    return best
