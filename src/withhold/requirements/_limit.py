"""No column is emptied silently: a limit on what one requirement may withhold of it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import TooMuchWithheldError
from withhold.requirements._guard import Guard

__all__ = ["as_shares", "check_limit", "shares_withheld"]


def shares_withheld(
    guard: Guard, names: Sequence[str], *, deleted: NDArray[np.bool_] | None = None
) -> dict[str, tuple[int, int]]:
    """Return for each column how many cells a requirement withholds, and of how many.

    Cells that are missing, that a policy hides itself, and those of deleted rows count in neither number: the owner
    asked for them, or is shown them apart.
    """
    job, found = guard.job, {}
    for name in names:
        is_counted = np.asarray(job.table.answered(name)[job.table.store.cells(name)], dtype=np.bool_).copy()
        is_counted[job.rows_hidden(name)] = False
        if deleted is not None:
            is_counted &= ~deleted
        n_withheld = 0
        for reason, rows in job.draft.reasons_of(name):
            if reason.requirement == guard.number:
                is_blank = job.draft.column(name).nodes[rows] == 0
                n_withheld += job.draft.n_cells(rows[is_counted[rows] & is_blank])
        found[name] = n_withheld, job.draft.n_cells(np.flatnonzero(is_counted))
    return found


def check_limit(
    guard: Guard, names: Sequence[str], most: float, *, hint: str, deleted: NDArray[np.bool_] | None = None
) -> None:
    """Refuse to withhold more of a column than the owner allows; the worst column is named.

    Raises
    ------
    TooMuchWithheldError
        Where a column would lose a share above `most`.
    """
    shares = shares_withheld(guard, names, deleted=deleted) if most < 1 else {}
    # A share is compared by dividing: 3 of 10 and ``0.3`` are the same number, while ``0.1 * 3`` is not.
    over = {name: n / n_all for name, (n, n_all) in shares.items() if n_all and n / n_all > most}
    if not over:
        return
    column = max(over, key=lambda name: over[name])
    n_withheld, n_all = shares[column]
    says = guard.job.policy.require[guard.number].says
    raise TooMuchWithheldError(
        f"require[{guard.number}]: to keep its promise ({says}), {n_withheld:,} of {n_all:,} cells of column "
        f'"{column}" would be withheld, a share of {over[column]:.3f}, where `most_withheld` allows {most:g}. '
        f"Hint: {hint}, or "
        f"raise `most_withheld` up to 1.",
        requirement=guard.number,
        asked=most,
        reached=over[column],
        column=column,
    )


def as_shares(counts: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Return which share of each column is withheld, the largest first; columns that lost nothing are left out."""
    shares = {name: n / n_all for name, (n, n_all) in counts.items() if n}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
