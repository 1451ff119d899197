"""What must be withheld: everything, or the rows that no group may hold because a column may not be coarser."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.local._forms import DISTINCT, SHARE, SIZE, SUM
from withhold.methods.local._local_columns import Column
from withhold.methods.local._measures import figure_of, is_met
from withhold.methods.local._prices import fixed_parts
from withhold.methods.local._problem import Promise, numbered

__all__ = ["check_whole", "forced"]


def check_whole(promises: Sequence[Promise], weights: NDArray[np.int64]) -> None:
    """Raise unless the whole table as one group keeps every promise."""
    together = np.zeros(weights.size, dtype=np.int64)
    for i, promise in enumerate(promises):
        counts = _counts(promise, together, weights, np.zeros(weights.size, dtype=bool))
        if weights.size and not is_met(promise.rule, counts[0]):
            raise InfeasibleError(
                "Even with everything withheld a promise is not kept.",
                requirement=i,
                asked=_asked(promise),
                reached=figure_of(promise.rule, counts[0]),
            )


def _asked(promise: Promise) -> float:
    rule = promise.rule
    if rule.form in (SIZE, DISTINCT, SUM):
        return rule.least
    return rule.at_most if rule.form == SHARE else rule.upper / rule.lower


def forced(
    columns: Sequence[Column],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    promises: Sequence[Promise],
    most_withheld: float,
) -> NDArray[np.bool_]:
    """Return the rows to withhold so that the rest of each part, and the withheld rows, keep every promise."""
    withheld = np.zeros(codes.shape[0], dtype=bool)
    parts = [_part(columns, codes, promise) for promise in promises]
    if not any(part is not None for part in parts):
        return withheld
    while True:
        before = int(withheld.sum())
        for promise, part in zip(promises, parts, strict=True):
            if part is not None:
                withheld |= ~_valid_parts(promise, part, weights, withheld)[part]
        if int(withheld.sum()) == before and not _add_smallest(promises, parts, weights, withheld):
            break
    n_withheld = int(weights[withheld].sum())
    if n_withheld > most_withheld * weights.sum():
        raise InfeasibleError(
            f"{n_withheld} records cannot be published within the coarsest levels. "
            "Hint: allow coarser levels, or more withheld rows.",
            requirement=-1,
            asked=most_withheld,
            reached=n_withheld,
        )
    return withheld


def _part(columns: Sequence[Column], codes: NDArray[np.int32], promise: Promise) -> NDArray[np.int64] | None:
    chosen = sorted(set(promise.columns))
    parts = fixed_parts([columns[c] for c in chosen], np.ascontiguousarray(codes[:, chosen]))
    return numbered(parts, codes.shape[0]) if parts else None


def _valid_parts(
    promise: Promise, part: NDArray[np.int64], weights: NDArray[np.int64], withheld: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which parts keep a promise without the withheld rows."""
    counts = _counts(promise, part, weights, withheld)
    return np.array([line[0] == 0 or is_met(promise.rule, line) for line in counts], dtype=bool)


def _counts(
    promise: Promise, part: NDArray[np.int64], weights: NDArray[np.int64], withheld: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the histogram of each part without the withheld rows."""
    counts = np.zeros((int(part.max(initial=-1)) + 1, 1 + promise.rule.n_lanes), dtype=np.int64)
    np.add.at(counts[:, 0], part[~withheld], weights[~withheld])
    if promise.lanes is not None and promise.rule.form != SIZE:
        held = ~withheld & (promise.lanes >= 0)
        np.add.at(counts, (part[held], promise.lanes[held] + 1), weights[held])
    return counts


def _add_smallest(
    promises: Sequence[Promise],
    parts: Sequence[NDArray[np.int64] | None],
    weights: NDArray[np.int64],
    withheld: NDArray[np.bool_],
) -> bool:
    """Withhold one more part where the withheld rows as a group do not keep every promise; say whether."""
    if not withheld.any() or withheld.all():
        return False
    together = withheld.astype(np.int64)
    if all(_valid_parts(promise, together, weights, ~withheld)[1] for promise in promises):
        return False
    part = next(each for each in parts if each is not None)
    sizes = np.bincount(part[~withheld], weights=weights[~withheld])
    withheld |= part == int(np.argmin(np.where(sizes > 0, sizes, np.inf)))
    return True
