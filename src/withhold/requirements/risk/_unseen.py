"""Risks without a look at what is sensitive: everybody might hold the heaviest value.

Whose cells are withheld, and which, then depends on the other columns and on the policy alone. So a blank says nothing
of whom it protects, however much an outsider knows of the method.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from withhold.table import UNKNOWN, Draft, Grid

__all__ = ["heaviest", "unseen_grid"]


def heaviest(sensitive: Mapping[str, float | Mapping[str, float]]) -> dict[str, float]:
    """Return for each sensitive column the largest weight that the policy gives a value of it.

    Examples
    --------
    >>> heaviest({"dropout": {"yes": 1.0, "no": 0.1}, "income": 0.5})
    {'dropout': 1.0, 'income': 0.5}
    """
    return {
        name: max(given.values(), default=0.0) if isinstance(given, Mapping) else given
        for name, given in sensitive.items()
    }


def unseen_grid(
    draft: Draft, names: tuple[str, ...], sensitive: Mapping[str, float], known: Mapping[str, float]
) -> Grid:
    """Return the columns of a draft in which nothing sensitive can be read, only where it is withheld.

    A sensitive column that outsiders may know as well is read as if each of its values stood in one row alone: that
    never understates a risk, and does not depend on how often a value occurs. A missing cell counts like any other.
    """
    grid = draft.grid([name for name in names if name not in sensitive]).with_sorted_values()
    labels = dict(zip(grid.columns, grid.labels, strict=True))
    codes: dict[str, NDArray[np.int32]] = {name: grid.codes[:, j] for j, name in enumerate(grid.columns)}
    for name in (name for name in names if name in sensitive):
        is_alone = known.get(name, 0.0) > 0
        labels[name] = tuple(map(str, range(draft.n_rows))) if is_alone else ("any",)
        held = np.arange(draft.n_rows, dtype=np.int32) if is_alone else np.zeros(draft.n_rows, dtype=np.int32)
        codes[name] = np.where(draft.column(name).nodes == 0, UNKNOWN, held).astype(np.int32)
    return Grid(names, tuple(labels[name] for name in names), np.column_stack([codes[name] for name in names]))
