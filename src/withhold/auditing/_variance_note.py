"""What analysts lose who predict a number."""

from collections.abc import Sequence

import numpy as np

from withhold.auditing._text_forms import number_of
from withhold.metrics import variance_explained
from withhold.table import Grid

__all__ = ["variance_note"]


def variance_note(before: Grid, after: Grid, target: str, columns: Sequence[str]) -> str:
    """Return a sentence about how much of a target's variance some columns explain, in the original and in the file.

    Examples
    --------
    >>> from withhold.table import Table
    >>> was = Grid.of(Table.from_columns({"age": [20, 30, 40, 50], "pay": [1, 2, 5, 6]}))
    >>> now = Grid.of(Table.from_columns({"age": ["< 35", "< 35", "≥ 35", "≥ 35"], "pay": [1, 2, 5, 6]}))
    >>> variance_note(was, now, "pay", ["age"])
    'pay is a number: age explains 94% of its variance in the file, 100% in the original, on the same rows.'
    """
    if not columns:
        return f"{target} is a number, and nothing that predicts it was changed."
    now, was = (f"{_explained(grid, target, columns):.0%}" for grid in (after, before))
    verb = "explains" if len(columns) == 1 else "explain"
    return (
        f"{target} is a number: {', '.join(columns)} {verb} {now} of its variance in the file, {was} in the original, "
        "on the same rows."
    )


def _explained(grid: Grid, target: str, columns: Sequence[str]) -> float:
    place = grid.place(target)
    numbers = np.array([*(number_of(label) for label in grid.labels[place]), np.nan], dtype=np.float64)
    groups = np.zeros(len(grid.codes), dtype=np.int64)
    for name in columns:
        codes = grid.codes[:, grid.place(name)].astype(np.int64) + 1
        groups = np.unique(groups * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1].reshape(-1)
    return variance_explained(groups, numbers[grid.codes[:, place]])
