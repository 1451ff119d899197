"""Which cells a policy hides, found by the audit itself: whoever decided what to withhold may have missed some."""

import csv
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.engines import Source
from withhold.errors import ConditionError, Mistake, PolicyError, did_you_mean
from withhold.policy import Policy
from withhold.requirements.hidden._requirement import Hidden

__all__ = ["Rows", "asked_columns", "hidden_columns", "hidden_rows"]

Rows = dict[str, NDArray[np.int64]]
"""For each column the rows of some cells, ascending."""


def hidden_rows(source: Source, policy: Policy, number: int, *, numbers: Sequence[str] = ()) -> Rows:
    """Return the rows of the cells that a requirement hides, for each column.

    Parameters
    ----------
    source
        The original, or the file where the policy lists the cells.
    policy, number
        The policy, and the place of the requirement in it.
    numbers
        The number columns, for a condition.
    """
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    if requirement.column is None:
        rows: dict[str, list[int]] = {}
        for row, name in _listed(policy, number):
            rows.setdefault(name, []).append(row)
        found = {name: np.unique(np.array(each, dtype=np.int64)) for name, each in rows.items()}
        mistakes = list(_mistakes(found, source, policy, f"require[{number}].cells"))
        if mistakes:
            raise PolicyError(mistakes, source=policy.source)
        return found
    if requirement.where is None:
        return {requirement.column: np.arange(source.n_rows)}
    try:
        is_met = source.meets(requirement.where, numbers, without=asked_columns(policy))
    except ConditionError as error:
        hint = "texts stand in single quotes, column names with blanks in double ones."
        if error.forbidden_columns:
            hint = "who knows the policy would learn the hidden values from it; name the cells otherwise."
        said = str(error) if error.hint else f"{error} Hint: {hint}"
        raise PolicyError([Mistake(f"require[{number}].where", said)], source=policy.source) from None
    if not is_met.any():
        raise PolicyError([Mistake(f"require[{number}].where", "no row meets the condition.")], source=policy.source)
    return {requirement.column: np.flatnonzero(is_met)}


def asked_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns with cells that are hidden from people who know the policy: nothing may depend on them."""
    informed = [number for number, requirement in enumerate(policy.require) if requirement.is_informed]
    return tuple(dict.fromkeys(name for number in informed for name in hidden_columns(policy, number)))


def hidden_columns(policy: Policy, number: int) -> tuple[str, ...]:
    """Return the columns of the cells that a requirement hides."""
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    if requirement.column is not None:
        return (requirement.column,)
    return tuple(dict.fromkeys(name for _, name in _listed(policy, number)))


def _listed(policy: Policy, number: int) -> Iterator[tuple[int, str]]:
    """Yield the cells of a list, or of a file with the columns row and column."""
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    if not isinstance(requirement.cells, str):
        yield from ((int(row), column) for row, column in requirement.cells or ())
        return
    path = policy.folder / requirement.cells
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            if [name.strip() for name in next(lines, [])][:2] != ["row", "column"]:
                raise ValueError
            for row, column, *_ in filter(None, lines):
                yield int(row), column
    except (OSError, ValueError, csv.Error):
        what = f"{path.name}: cannot be read as CSV with the columns row (from 0) and column."
        raise PolicyError([Mistake(f"require[{number}].cells", what)], source=policy.source) from None


def _mistakes(cells: Rows, source: Source, policy: Policy, where: str) -> Iterator[Mistake]:
    """Yield a mistake for cells that are not there."""
    if not cells:
        yield Mistake(where, "lists no cell.")
    for name, rows in cells.items():
        if name in policy.drop:
            yield Mistake(where, f'column "{name}" is dropped, so its cells are hidden already.')
        elif name not in source.names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, source.names)}')
        outside = rows[(rows < 0) | (rows >= source.n_rows)]
        if outside.size:
            what = f"row {outside[0]} is outside the table, which has {source.n_rows} rows, counted from 0."
            yield Mistake(where, what)
