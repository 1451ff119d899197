"""The check of record risk: recomputed from the written file, for every record or for a sample."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from withhold.audit._coarser import Meanings
from withhold.audit._finding import Finding
from withhold.audit._record_risk import RiskCheck, check_record_risk
from withhold.audit._spelling import is_numeric, spelling, tree_of
from withhold.engines import Source
from withhold.policy import Policy, Risk
from withhold.table import Store, Table
from withhold.table._decision import WITHHELD

__all__ = ["check_risk", "measure_risk"]


QUICK_SECONDS = 20.0
"""Above this estimated time a quick check computes a sample."""


def check_risk(
    source: Source,
    policy: Policy,
    number: int,
    original: Table | None,
    *,
    quick: bool = False,
    say: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> Finding:
    """Recompute the risk of records over all sets of columns an outsider may know; a quick check may stop early.

    A blank takes part in no such set and weighs nothing. Coarser values are values of their own, and weigh as much as
    the heaviest value that they may stand for.
    """
    requirement = policy.require[number]
    assert isinstance(requirement, Risk)
    found = measure_risk(source, policy, requirement, original, quick=quick, say=say, rng=rng)
    all_rows = f"{source.n_rows:,}"
    who = f"{all_rows} records" if found.is_complete else f"{found.n_checked:,} records that were tried of {all_rows}"
    if found.n_above + found.n_undecided == 0:
        says = f"none of {who} has a risk above {requirement.at_most:g}"
    else:
        says = f"{found.n_above:,} of {who} {'has' if found.n_above == 1 else 'have'} a risk above "
        says += f"{requirement.at_most:g}"
        says += f", {found.n_undecided:,} could not be decided" if found.n_undecided else ""
    return Finding(
        kind="risk",
        where=f"require[{number}]",
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
            "absent": _absent(source, policy, requirement, original),
        },
    )


def measure_risk(
    source: Store,
    policy: Policy,
    requirement: Risk,
    original: Table | None,
    *,
    quick: bool = False,
    say: Callable[[str], object] = lambda what: None,
    rng: np.random.Generator | None = None,
) -> RiskCheck:
    """Recompute the risk of the records of a table, from its cells alone."""
    codes, weights = [], []
    for name in requirement.columns:
        cells, values = _coded(source, name, policy)
        each = _weights(requirement.sensitive.get(name, 0.0), source, name, values, policy, original)
        codes.append(cells)
        weights.append(np.array([*each, 0.0], dtype=np.float64)[cells])
    return check_record_risk(
        codes,
        [requirement.known.get(name, 0.0) for name in requirement.columns],
        weights,
        alpha=requirement.alpha,
        at_most=requirement.at_most,
        seconds=QUICK_SECONDS if quick else None,
        say=say,
        rng=rng,
    )


def _weights(
    given: dict[str, float] | float, source: Store, name: str, values: list[str], policy: Policy, original: Table | None
) -> list[float]:
    """Return what each value of a column weighs, however it is spelled."""
    if not isinstance(given, dict):
        return [given] * len(values)
    numbers = is_numeric(source, policy, original, name)
    spelled = {spelling(value, is_numeric=numbers): weight for value, weight in given.items()}
    known = {*given, *(original.store.values(name) if original is not None and name in original.names else ())}
    meanings = Meanings(list(given), tree=tree_of(policy, original, name), is_numeric=numbers)
    listed, everywhere = np.array(list(given.values()), dtype=np.float64), np.arange(len(given))
    found = []
    for value in values:
        if value in known:
            found.append(given.get(value, spelled.get(spelling(value, is_numeric=numbers), 0.0)))
        else:
            found.append(float(listed[meanings.covered(value, everywhere)].max(initial=0.0)))
    return found


def _absent(source: Store, policy: Policy, requirement: Risk, original: Table | None) -> list[str]:
    """Return the values with a weight that no cell of the file holds, or may hold by being coarser."""
    found = []
    for name, given in requirement.sensitive.items():
        values = _coded(source, name, policy)[1] if isinstance(given, dict) else []
        for value in (value for value, weight in given.items() if weight > 0) if isinstance(given, dict) else ():
            is_held = any(_weights({value: 1.0}, source, name, values, policy, original))
            found += [] if is_held else [f'{name} = "{value}"']
    return found


def _coded(source: Store, name: str, policy: Policy) -> tuple[NDArray[np.int64], list[str]]:
    """Return the cells of a column as positions in its values, -1 for a blank."""
    values = list(source.values(name))
    known = [value for value in values if value is not None and value != WITHHELD and value not in policy.missing]
    place = {value: i for i, value in enumerate(known)}
    lookup = np.array([place.get(value, -1) if value is not None else -1 for value in values], dtype=np.int64)
    return lookup[source.cells(name)], known
