"""The check of anonymity: one GROUP BY over the written file."""

from itertools import product

import numpy as np

from withhold.auditing import Finding
from withhold.engines import SmallGroups
from withhold.requirements._check import Question
from withhold.requirements.anonymity._requirement import Anonymity

__all__ = ["check"]

SHOWN_SIZES = 10


def check(question: Question) -> list[Finding]:
    """Count the rows of every combination; each must be shared by at least k of them."""
    requirement = question.policy.require[question.number]
    assert isinstance(requirement, Anonymity)
    wild = _read_as_any(question, requirement)
    groups = question.source.small_groups(requirement.columns, requirement.k)
    if wild:
        groups = _compatible_groups(question, requirement, wild)
    ok = groups.smallest >= requirement.k
    names = ", ".join(requirement.columns)
    if ok:
        says = f"every combination of {names} is shared by at least {groups.smallest:,} rows (asked: {requirement.k:,})"
    else:
        combinations, has = ("combination", "has") if groups.n_small == 1 else ("combinations", "have")
        rows = "row" if groups.n_small_rows == 1 else "rows"
        says = (
            f"{groups.n_small:,} {combinations} of {names} ({groups.n_small_rows:,} {rows}) {has} fewer than "
            f"{requirement.k:,} rows{_smallest(groups)}"
        )
    if wild:
        says += f"; missing cells of {', '.join(wild)} are read as any value, which is a weaker promise"
    return [
        Finding(
            kind="anonymity",
            where=question.where,
            columns=requirement.columns,
            asked=requirement.k,
            reached=groups.smallest,
            ok=ok,
            says=says,
            details={
                "groups": groups.n_groups,
                "small_groups": groups.n_small,
                "rows_in_small_groups": groups.n_small_rows,
                "single_rows": groups.n_single,
                "smallest_sizes": list(groups.sizes),
                "discernibility": groups.sum_of_squares,
                "read_as_any": list(wild),
            },
        )
    ]


def _read_as_any(question: Question, requirement: Anonymity) -> tuple[str, ...]:
    columns = question.policy.columns
    return tuple(name for name in requirement.columns if name in columns and columns[name].missing == "any")


def _compatible_groups(question: Question, requirement: Anonymity, wild: tuple[str, ...]) -> SmallGroups:
    """Count for every combination the rows that may be the same, a missing cell of a wild column being any value."""
    codes, weights = question.source.counts(requirement.columns)
    keys = np.stack([column.astype(np.int64) for column in codes], axis=1)
    is_open = np.zeros(keys.shape, dtype=bool)
    for j, name in enumerate(requirement.columns):
        if name in wild:
            is_open[:, j] = question.sight.meaning(name).is_missing[keys[:, j]]
    masks = np.unique(is_open, axis=0)
    reached = np.zeros(len(keys), dtype=np.int64)
    for own, other in product(masks, masks):
        mine, theirs = (np.flatnonzero((is_open == mask).all(axis=1)) for mask in (own, other))
        shared = ~(own | other)
        place = np.unique(keys[np.concatenate([mine, theirs])][:, shared], axis=0, return_inverse=True)[1].reshape(-1)
        n_rows = np.bincount(place[mine.size :], weights=weights[theirs], minlength=int(place.max(initial=0)) + 1)
        reached[mine] += n_rows[place[: mine.size]].astype(np.int64)
    is_small = reached < requirement.k
    return SmallGroups(
        n_groups=len(keys),
        smallest=int(reached.min(initial=0) if not reached.size else reached.min()),
        n_small=int(is_small.sum()),
        n_single=int((reached == 1).sum()),
        n_small_rows=int(weights[is_small].sum()),
        sizes=tuple(sorted(reached[is_small].tolist())[:SHOWN_SIZES]),
        sum_of_squares=int((weights * reached).sum()),
    )


def _smallest(groups: SmallGroups) -> str:
    """Report how many of the small groups are single rows, and how large the next ones are."""
    if groups.n_single == groups.n_small:
        return ", each a single row" if groups.n_single > 1 else ": a single row"
    larger = ", ".join(str(size) for size in groups.sizes if size > 1)
    if not groups.n_single:
        return f"; the smallest: {larger}"
    of = f"; of which {groups.n_single:,} {'is a single row' if groups.n_single == 1 else 'are single rows'}"
    return f"{of}; then: {larger}" if larger else of
