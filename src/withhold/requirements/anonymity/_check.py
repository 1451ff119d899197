"""The check of anonymity: one GROUP BY over the written file, and pairs of rows where a blank may be any value."""

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding
from withhold.engines import SmallGroups
from withhold.requirements._check import Question
from withhold.requirements.anonymity._compatible import rows_that_may_be_same
from withhold.requirements.anonymity._population_check import population_findings
from withhold.requirements.anonymity._requirement import Anonymity
from withhold.requirements.anonymity._unit_check import count_alike_units, count_units, units_of_rows

__all__ = ["check"]

SHOWN_SIZES = 10


def check(question: Question) -> list[Finding]:
    """Count the rows of every combination; each must be shared by at least k of them."""
    requirement = question.policy.require[question.number]
    assert isinstance(requirement, Anonymity)
    wild = _read_as_any(question, requirement)
    units = None if question.policy.unit is None else units_of_rows(question)
    if units is not None:
        groups = count_units(question, requirement, units)
    elif wild or requirement.blanks == "any":
        groups = _compatible_groups(question, requirement, wild)
    else:
        groups = question.source.small_groups(requirement.columns, requirement.k)
    ok = groups.smallest >= requirement.k
    counted = "rows" if units is None else "units"
    says = _met(requirement, groups, counted) if ok else _unmet(requirement, groups, counted)
    if requirement.blanks == "any":
        says += "; a blank is read as any value, which is a weaker promise"
    if wild:
        says += f"; missing cells of {', '.join(wild)} are read as any value, which is a weaker promise"
    is_complete = question.policy.unit is None or units is not None
    if not is_complete:
        says += "; rows were counted, because only the original says which of them are one unit"
    found = Finding(
        kind="anonymity",
        where=question.where,
        columns=requirement.columns,
        asked=requirement.k,
        reached=groups.smallest,
        ok=ok,
        says=says,
        is_complete=is_complete,
        details={
            "groups": groups.n_groups,
            "small_groups": groups.n_small,
            "rows_in_small_groups": groups.n_small_rows,
            "single_rows": groups.n_single,
            "smallest_sizes": list(groups.sizes),
            "discernibility": groups.sum_of_squares,
            "read_as_any": list(wild),
            "blanks": requirement.blanks,
            "counted": counted,
        },
    )
    whole = [] if requirement.unit_k is None or units is None else [_whole(question, requirement, units)]
    beside = population_findings(question, requirement) if requirement.asks_of_population else []
    return [found, *whole, *beside]


def _whole(question: Question, requirement: Anonymity, units: NDArray[np.int64]) -> Finding:
    """Report how many units look alike as a whole."""
    smallest, n_rare, n_units = count_alike_units(question, requirement, units)
    asked = requirement.unit_k
    assert asked is not None
    names = ", ".join(requirement.columns)
    says = f"what all rows of a unit publish in {names} is shared by at least {smallest:,} units (asked: {asked:,})"
    if smallest < asked:
        says = f"{n_rare:,} of {n_units:,} units publish rows in {names} that fewer than {asked:,} units publish"
    return Finding(
        kind="anonymity",
        where=question.where,
        columns=requirement.columns,
        asked=asked,
        reached=smallest,
        ok=smallest >= asked,
        says=says,
        details={"counted": "whole units", "units": n_units, "rare_units": n_rare, "blanks": requirement.blanks},
    )


def _met(requirement: Anonymity, groups: SmallGroups, counted: str) -> str:
    names = ", ".join(requirement.columns)
    asked = f"at least {groups.smallest:,} {counted} (asked: {requirement.k:,})"
    if requirement.blanks == "any":
        return f"every row may share {names} with {asked}, and equals as many where nothing of it is blank"
    return f"every combination of {names} is shared by {asked}"


def _unmet(requirement: Anonymity, groups: SmallGroups, counted: str) -> str:
    combinations, has = ("combination", "has") if groups.n_small == 1 else ("combinations", "have")
    rows = "row" if groups.n_small_rows == 1 else "rows"
    return (
        f"{groups.n_small:,} {combinations} of {', '.join(requirement.columns)} ({groups.n_small_rows:,} {rows}) {has} "
        f"fewer than {requirement.k:,} {counted}{_smallest(groups, counted)}"
    )


def _read_as_any(question: Question, requirement: Anonymity) -> tuple[str, ...]:
    columns = question.policy.columns
    return tuple(name for name in requirement.columns if name in columns and columns[name].missing == "any")


def _compatible_groups(question: Question, requirement: Anonymity, wild: tuple[str, ...]) -> SmallGroups:
    """Count for every combination the rows that may be the same, a missing cell of a wild column being any value.

    Where blanks are any value, too, a combination without a blank counts the rows that equal it.
    """
    codes, weights = question.source.counts(requirement.columns)
    keys = np.stack([column.astype(np.int64) for column in codes], axis=1)
    is_open = np.zeros(keys.shape, dtype=bool)
    for j, name in enumerate(requirement.columns):
        is_open[:, j] = _open_texts(question, requirement, name, is_wild=name in wild)[keys[:, j]]
    reached = rows_that_may_be_same(keys, weights, is_open)
    if requirement.blanks == "any":
        is_whole = ~is_open.any(axis=1)
        reached[is_whole] = weights[is_whole]
    is_small = reached < requirement.k
    return SmallGroups(
        n_groups=len(keys),
        smallest=int(reached.min()) if reached.size else 0,
        n_small=int(is_small.sum()),
        n_single=int((reached == 1).sum()),
        n_small_rows=int(weights[is_small].sum()),
        sizes=tuple(sorted(reached[is_small].tolist())[:SHOWN_SIZES]),
        sum_of_squares=int((weights * reached).sum()),
    )


def _open_texts(question: Question, requirement: Anonymity, name: str, *, is_wild: bool) -> NDArray[np.bool_]:
    """Tell which texts of a column are read as any value."""
    meaning = question.sight.meaning(name)
    found = np.zeros(len(meaning.texts), dtype=bool)
    if requirement.blanks == "any":
        found |= meaning.is_withheld
        # What is withheld in a typed column is a null, so it looks like a missing cell.
        is_wild = is_wild or question.source.is_typed(name)
    return found | meaning.is_missing if is_wild else found


def _smallest(groups: SmallGroups, counted: str) -> str:
    """Report how many of the small groups are single rows or units, and how large the next ones are."""
    one = f"a single {counted[:-1]}"
    if groups.n_single == groups.n_small:
        return f", each {one}" if groups.n_single > 1 else f": {one}"
    larger = ", ".join(str(size) for size in groups.sizes if size > 1)
    if not groups.n_single:
        return f"; the smallest: {larger}"
    of = f"; of which {groups.n_single:,} {f'is {one}' if groups.n_single == 1 else f'are single {counted}'}"
    return f"{of}; then: {larger}" if larger else of
