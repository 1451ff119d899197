"""The check of record risk: recomputed from the written file, for every record or for a sample."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding, RiskSpread, Sight
from withhold.auditing.record_risk import RiskCheck, check_record_risk
from withhold.requirements._check import Question
from withhold.requirements.risk._requirement import Risk
from withhold.table import Codes

__all__ = ["absent", "check", "spread"]


QUICK_SECONDS = 20.0
"""Above this estimated time a quick check computes a sample."""


def check(question: Question) -> list[Finding]:
    """Recompute the risk of records over all sets of columns an outsider may know; a quick check may stop early.

    A blank takes part in no such set and weighs nothing. Every other text is a value of its own; a coarser one weighs
    as much as the heaviest value that it may stand for. With `informed` every sensitive text weighs as much as the
    heaviest value of its column, and one that outsiders may know is taken to stand in one row alone.
    """
    sight = question.sight
    requirement = sight.policy.require[question.number]
    assert isinstance(requirement, Risk)
    found = measure_risk(sight, requirement, quick=question.quick, say=question.say, rng=question.rng)
    all_rows = f"{sight.source.n_rows:,}"
    who = f"{all_rows} records" if found.is_complete else f"{found.n_checked:,} records that were tried of {all_rows}"
    who += ", whoever of them is sensitive," if requirement.informed else ""
    if found.n_above + found.n_undecided == 0:
        says = f"none of {who} has a risk above {requirement.at_most:g}"
    else:
        says = f"{found.n_above:,} of {who} {'has' if found.n_above == 1 else 'have'} a risk above "
        says += f"{requirement.at_most:g}"
        says += f", {found.n_undecided:,} could not be decided" if found.n_undecided else ""
    finding = Finding(
        kind="risk",
        where=question.where,
        columns=requirement.columns,
        asked=requirement.at_most,
        reached=float(found.largest[1]),
        ok=found.n_above == 0 and found.n_undecided == 0,
        says=says,
        is_complete=found.is_complete,
        n_checked=None if found.is_complete else found.n_checked,
        details={
            "checked": found.n_checked,
            "above": found.n_above,
            "complete": found.is_complete,
            "histogram": found.histogram,
            "absent": [] if requirement.informed else _absent(sight, requirement),
            "informed": requirement.informed,
        },
    )
    return [finding]


def absent(finding: Finding) -> list[str]:
    """Return the values with a weight that no row of the file holds: any file keeps a promise about them."""
    return [str(term) for term in cast(list[object], finding.details.get("absent", []))]


def spread(question: Question, finding: Finding) -> RiskSpread:
    """Return how the risk of records is spread, before and after."""
    requirement, original = question.policy.require[question.number], question.original
    assert isinstance(requirement, Risk)
    was = None
    if original is not None and set(requirement.columns) <= set(original.names):
        before = question.sight.of_original()
        was = measure_risk(before, requirement, quick=True, rng=question.rng)
    return RiskSpread(
        where=question.where,
        at_most=requirement.at_most,
        after=cast(Any, finding.details["histogram"]),
        before=() if was is None else was.histogram,
        above_before=None if was is None else was.n_above,
    )


def measure_risk(
    sight: Sight,
    requirement: Risk,
    *,
    quick: bool = False,
    say: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> RiskCheck:
    """Recompute the risk of the records of a table, from its texts alone."""
    codes, weights = [], []
    cells_of, counts = _rows_or_counts(sight, requirement)
    for name, cells in zip(requirement.columns, cells_of, strict=True):
        codes.append(sight.meaning(name).coded(as_text=True)[0][cells])
        given = requirement.sensitive.get(name, 0.0)
        if requirement.informed and name in requirement.sensitive:
            given = max(given.values(), default=0.0) if isinstance(given, dict) else given
            codes[-1] = np.where(codes[-1] < 0, -1, np.arange(codes[-1].size))
        weights.append(_weights(sight, name, given)[cells])
    return check_record_risk(
        codes,
        [requirement.known.get(name, 0.0) for name in requirement.columns],
        weights,
        alpha=requirement.alpha,
        at_most=requirement.at_most,
        counts=counts,
        seconds=QUICK_SECONDS if quick else None,
        say=say,
        rng=rng,
    )


def _rows_or_counts(sight: Sight, requirement: Risk) -> tuple[Sequence[Codes], NDArray[np.int64] | None]:
    """Return the cells of the columns: of all rows, or of the distinct ones where the file can only be counted."""
    if sight.source.has_rows or requirement.why_rows:
        return [sight.cells(name) for name in requirement.columns], None
    return sight.source.counts(requirement.columns)


def _weights(sight: Sight, name: str, given: dict[str, float] | float) -> NDArray[np.float64]:
    """Return what each text of a column weighs; what nobody can distinguish from a blank weighs nothing."""
    lookup, _ = sight.meaning(name).coded(as_text=True)
    weights = sight.meaning(name, [*given]).weights(given) if isinstance(given, dict) else np.full(lookup.size, given)
    return np.where(lookup < 0, 0.0, weights)


def _absent(sight: Sight, requirement: Risk) -> list[str]:
    """Return the values with a weight that no cell of the file holds, or may hold by being coarser."""
    found = []
    for name, given in requirement.sensitive.items():
        for value in (value for value, weight in given.items() if weight > 0) if isinstance(given, dict) else ():
            found += [] if _weights(sight, name, {value: 1.0}).any() else [f'{name} = "{value}"']
    return found
