"""The check of a template: one GROUP BY over the written file for each sensitive value."""

import numpy as np

from withhold.audit._finding import Finding
from withhold.engines import Source
from withhold.policy import Template
from withhold.table import Store, Table
from withhold.table._decision import WITHHELD

__all__ = ["check_template"]


def check_template(source: Source, requirement: Template, number: int, original: Table | None = None) -> list[Finding]:
    """Count for every combination how many of its rows hold each sensitive value.

    A share is compared by dividing: 3 of 10 and ``0.3`` are the same number, while ``0.1 * 3`` is another one. Rows
    whose sensitive value is withheld do not lower a share; a missing one does, unless the original has fewer of them.
    """
    return [_check(source, requirement, number, column, value, original) for column, value in requirement.terms]


def _check(
    source: Source, requirement: Template, number: int, column: str, value: str, original: Table | None
) -> Finding:
    had = None if original is None or column not in original.names else _n_missing(original.store, column)
    is_blanked = had is not None and _n_missing(source, column) > had
    unknown = (WITHHELD, None) if is_blanked else (WITHHELD,)
    found = source.confidence(requirement.given, column, value, requirement.at_most, unknown=unknown)
    names = ", ".join(requirement.given)
    share = f"{found.held / found.among:.4f} ({found.held:,} of {found.among:,} rows)"
    if found.n_above == 0:
        says = (
            f'no combination of {names} implies {column} = "{value}" with confidence above {share} '
            f"(asked: {requirement.at_most})"
        )
    else:
        groups, imply = ("combination", "implies") if found.n_above == 1 else ("combinations", "imply")
        rows = "row" if found.n_rows_above == 1 else "rows"
        says = (
            f'{found.n_above:,} {groups} of {names} ({found.n_rows_above:,} {rows}) {imply} {column} = "{value}" with '
            f"confidence above {requirement.at_most}; the largest is {share}"
        )
    return Finding(
        kind="template",
        where=f"require[{number}]",
        columns=requirement.given,
        asked=requirement.at_most,
        reached=found.held / found.among,
        ok=found.n_above == 0,
        says=says,
        details={
            "term": f'{column} = "{value}"',
            "groups": found.n_groups,
            "groups_above": found.n_above,
            "rows_above": found.n_rows_above,
            "rows_holding": found.n_holding,
        },
    )


def _n_missing(store: Store, column: str) -> int:
    values = list(store.values(column))
    return int(np.count_nonzero(store.cells(column) == values.index(None))) if None in values else 0
