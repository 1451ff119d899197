"""The check of a template: one GROUP BY over the written file for each sensitive value."""

import numpy as np

from withhold.audit._finding import Finding
from withhold.audit._holds import Reading, Unknown
from withhold.engines import Confidence, Source
from withhold.policy import Policy, Template
from withhold.table import Table
from withhold.table._decision import WITHHELD

__all__ = ["check_template"]


def check_template(source: Source, policy: Policy, number: int, original: Table | None = None) -> list[Finding]:
    """Count for every combination how many of its rows hold each sensitive value, however it is spelled.

    A share is compared by dividing: 3 of 10 and ``0.3`` are the same number, while ``0.1 * 3`` is another one. A row
    that may hold the value, because its own is withheld, missing or coarser, does not lower a share. With the original
    it does where the same stood there.
    """
    requirement = policy.require[number]
    assert isinstance(requirement, Template)
    return [_check(source, policy, number, column, value, original) for column, value in requirement.terms]


def _check(source: Source, policy: Policy, number: int, column: str, value: str, original: Table | None) -> Finding:
    requirement = policy.require[number]
    assert isinstance(requirement, Template)
    known = original if original is not None and column in original.names else None
    reading = Reading(source, policy, column, value, known)
    unknown = reading.unknown()
    found = _confidence(source, requirement, reading, unknown)
    return Finding(
        kind="template",
        where=f"require[{number}]",
        columns=requirement.given,
        asked=requirement.at_most,
        reached=found.held / found.among,
        ok=found.n_above == 0,
        says=_says(requirement, f'{column} = "{value}"', found) + _of_unknown(unknown, known),
        details={
            "term": f'{column} = "{value}"',
            "groups": found.n_groups,
            "groups_above": found.n_above,
            "rows_above": found.n_rows_above,
            "rows_holding": found.n_holding,
            "rows_unknown": unknown.n_rows,
        },
    )


def _says(requirement: Template, term: str, found: Confidence) -> str:
    names = ", ".join(requirement.given)
    share = f"{found.held / found.among:.4f} ({found.held:,} of {found.among:,} rows)"
    if found.n_above == 0:
        return f"no combination of {names} implies {term} with confidence above {share} (asked: {requirement.at_most})"
    groups, imply = ("combination", "implies") if found.n_above == 1 else ("combinations", "imply")
    rows = "row" if found.n_rows_above == 1 else "rows"
    return (
        f"{found.n_above:,} {groups} of {names} ({found.n_rows_above:,} {rows}) {imply} {term} with "
        f"confidence above {requirement.at_most}; the largest is {share}"
    )


def _of_unknown(unknown: Unknown, original: Table | None) -> str:
    """Tell of rows that lower no share, though in some that may have stood before, as only the original tells."""
    if not unknown.n_rows:
        return ""
    rows = "1 row" if unknown.n_rows == 1 else f"{unknown.n_rows:,} rows"
    says = f"; {rows} that may hold it, being withheld, missing or coarser, lower{'s' if unknown.n_rows == 1 else ''}"
    says += " no share"
    is_open = original is None and any(text is None or text.strip("*") for text in unknown.texts)
    return f"{says} (whether that stood there before, only the original tells)" if is_open else says


def _confidence(source: Source, requirement: Template, reading: Reading, unknown: Unknown) -> Confidence:
    """Count in the engine, or here where some rows with a text lower a share and others with the same text do not."""
    if unknown.rows is None:
        spellings = [str(text) for text, holds in zip(reading.texts, reading.holds, strict=True) if holds]
        marks = dict.fromkeys([WITHHELD, *unknown.texts])
        return source.confidence(requirement.given, reading.column, spellings, requirement.at_most, unknown=list(marks))
    tells = ~unknown.rows
    holds = reading.holds[source.cells(reading.column)][tells]
    key = np.zeros(holds.size, dtype=np.int64)
    for name in requirement.given:
        cells = source.cells(name)[tells].astype(np.int64)
        _, key = np.unique(key * (int(cells.max(initial=0)) + 1) + cells, return_inverse=True)
    among = np.bincount(key)
    held = np.bincount(key, weights=holds).astype(np.int64)
    share = held / among
    is_above = share > requirement.at_most
    top = int(np.lexsort((-among, share))[-1]) if among.size else None
    return Confidence(
        n_groups=among.size,
        n_above=int(is_above.sum()),
        n_rows_above=int(among[is_above].sum()),
        held=0 if top is None else int(held[top]),
        among=1 if top is None else int(among[top]),
        n_holding=int(held.sum()),
    )
