"""What a policy may say about units, the rows that belong together."""

from collections.abc import Iterator

import numpy as np

from withhold.errors import Mistake
from withhold.policy._policy import Policy
from withhold.table import Numbers, Table, joined_rows, units_of

__all__ = ["joining_columns", "misused_unit"]

MOST_JOINED = 0.05
"""The largest share of rows with others in their unit that a kept column may join to them."""


def misused_unit(policy: Policy) -> Iterator[Mistake]:
    """Yield what is wrong with the column that names units."""
    unit = policy.unit
    if unit is None:
        return
    for i, requirement in enumerate(policy.require):
        for key, name in requirement.named():
            if name == unit:
                yield Mistake(f"require[{i}].{key}", f'column "{unit}" says which rows belong together, nothing else.')
    if policy.target == unit:
        yield Mistake("target", f'column "{unit}" says which rows belong together, nothing else.')
    is_shown = unit not in policy.drop
    if is_shown and not any(requirement.whole_units for requirement in policy.require):
        what = f'column "{unit}" would be published, and with it who belongs together.'
        whole = f"{_ask_for_units(policy)}, which protects units as a whole"
        yield Mistake("unit", f'{what} Hint: drop = ["{unit}"], or {whole}.')
    for name, settings in policy.columns.items():
        if settings.missing == "any" and name in policy.counted:
            yield Mistake(
                f"columns.{name}.missing", '"any" cannot be counted in units. Hint: leave `unit` or "any" out.'
            )


def joining_columns(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield the columns that are published as they are, and whose values join the rows of a unit to each other."""
    if policy.unit is None or any(requirement.whole_units for requirement in policy.require):
        return
    units = units_of(table, policy.unit)
    is_several = np.bincount(units)[units] > 1
    published = tuple(name for name in table.names if name not in policy.drop)
    touched = {name for requirement in policy.require for name in requirement.touched(published)}
    for name in published:
        settings = policy.columns.get(name)
        is_coarser = settings is not None and (
            settings.bins is not None or settings.publish == "mean" or settings.round
        )
        if name in touched or is_coarser:
            continue
        n_joined = int(np.count_nonzero(joined_rows(units, table.store.cells(name)) & is_several))
        if n_joined > MOST_JOINED * np.count_nonzero(is_several):
            what = f'column "{name}" joins {n_joined / np.count_nonzero(is_several):.0%} of the rows of units again.'
            yield Mistake("unit", f"{what} Hint: {_ways(policy, table, name)}.")


def _ways(policy: Policy, table: Table, name: str) -> str:
    """Return what may be done about a column that joins rows, as far as the policy would not refuse it."""
    ways = [] if name in policy.needed else [f'drop "{name}"']
    settings = policy.columns.get(name)
    if settings is not None and settings.changes_numbers:
        ways += ["give it `round`"]
    elif name != policy.weight:
        ways += ["count it in a requirement"]
        ways += ["give it `bins`"] if isinstance(table.domain(name), Numbers) else []
    ways.append(_ask_for_units(policy))
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"


def _ask_for_units(policy: Policy) -> str:
    return "ask for `unit_k`" if policy.recoding == "local" else 'ask for `unit_k` with recoding = "local"'
