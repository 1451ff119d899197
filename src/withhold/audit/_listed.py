"""Which cells a policy hides, found by the audit itself: whoever decided what to withhold may have missed some."""

import csv
from collections.abc import Iterator, Sequence

from withhold.engines import Source
from withhold.errors import DataError, Mistake, PolicyError, did_you_mean
from withhold.policy import Hidden, Policy

__all__ = ["Cells", "asked_columns", "hidden_cells", "hidden_columns"]

Cells = list[tuple[int, str]]
"""Cells by row and column."""


def hidden_cells(source: Source, policy: Policy, number: int, *, numbers: Sequence[str] = ()) -> Cells:
    """Return the cells that a requirement hides, as row and column, each once.

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
        cells = list(dict.fromkeys(_listed(policy, number)))
        mistakes = list(_mistakes(cells, source, policy, f"require[{number}].cells"))
        if mistakes:
            raise PolicyError(mistakes, source=policy.source)
        return cells
    if requirement.where is None:
        return [(row, requirement.column) for row in range(source.n_rows)]
    try:
        is_met = source.meets(requirement.where, numbers, without=asked_columns(policy))
    except DataError as error:
        hint = "Hint: texts stand in single quotes, column names with blanks in double ones."
        if "may not" in str(error):
            hint = "Hint: who knows the policy would learn the hidden values from it; name the cells otherwise."
        raise PolicyError([Mistake(f"require[{number}].where", f"{error} {hint}")], source=policy.source) from None
    if not is_met.any():
        raise PolicyError([Mistake(f"require[{number}].where", "no row meets the condition.")], source=policy.source)
    return [(row, requirement.column) for row in is_met.nonzero()[0].tolist()]


def asked_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns with cells that are hidden from people who know the policy: nothing may hang on them."""
    found: dict[str, None] = {}
    for number, requirement in enumerate(policy.require):
        if isinstance(requirement, Hidden) and requirement.informed:
            found |= dict.fromkeys(hidden_columns(policy, number))
    return tuple(found)


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
            header = [name.strip() for name in file.readline().split(",")]
            for fields in csv.DictReader(file, fieldnames=header):
                yield int(fields["row"]), fields["column"]
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        what = f"{path.name}: cannot be read as CSV with the columns row (from 0) and column."
        raise PolicyError([Mistake(f"require[{number}].cells", what)], source=policy.source) from None


def _mistakes(cells: Cells, source: Source, policy: Policy, where: str) -> Iterator[Mistake]:
    """Yield a mistake for cells that are not there."""
    if not cells:
        yield Mistake(where, "lists no cell.")
    for name in dict.fromkeys(name for _, name in cells):
        if name in policy.drop:
            yield Mistake(where, f'column "{name}" is dropped, so its cells are hidden already.')
        elif name not in source.names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, source.names)}')
    outside = [row for row, _ in cells if not 0 <= row < source.n_rows]
    if outside:
        yield Mistake(where, f"row {outside[0]} is outside the table, which has {source.n_rows} rows, counted from 0.")
