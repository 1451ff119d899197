"""Which cells a policy hides."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import ConditionError, Mistake, PolicyError, did_you_mean
from withhold.requirements.hidden._requirement import Hidden

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["CELLS", "Rows", "find_cells", "listed_columns", "read_cells", "unasked_columns"]

CELLS = np.dtype([("row", np.int64), ("column", np.int32)])
"""A cell: its row, and the place of its column in the table."""
Cells = NDArray[Any]
Listed = list[tuple[int, str]]


@runtime_checkable
class Rows(Protocol):
    """A table whose rows can be chosen by a condition."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    def rows_where(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.int64]:
        """Return the positions of the rows that meet a condition, which cannot ask for columns in `without`."""


def find_cells(source: Rows, policy: "Policy", number: int, *, numbers: Sequence[str] = ()) -> Cells:
    """Return the cells that a requirement hides, each once, in the order of its list.

    Parameters
    ----------
    source
        The original table.
    policy, number
        The policy, and the place of the requirement in it.
    numbers
        The number columns, for a condition.
    """
    requirement = _hidden(policy, number)
    if requirement.column is not None:
        rows = np.arange(source.n_rows)
        if requirement.where is not None:
            rows = _rows_where(source, policy, number, numbers)
        return _cells(rows, np.full(rows.size, source.names.index(requirement.column)))
    listed = _listed(policy, number)
    mistakes = list(_mistakes(listed, source.names, source.n_rows, policy.drop, f"require[{number}].cells"))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    return _located(listed, source.names)


def _rows_where(source: Rows, policy: "Policy", number: int, numbers: Sequence[str]) -> NDArray[np.int64]:
    requirement = _hidden(policy, number)
    where = f"require[{number}].where"
    try:
        rows = source.rows_where(str(requirement.where), numbers, without=unasked_columns(policy))
    except ConditionError as error:
        hint = " Hint: texts stand in single quotes, column names with blanks in double ones."
        if error.forbidden_columns:
            hint = " Hint: who knows the policy would learn the hidden values from it; name the cells otherwise."
        said = str(error) if error.hint else f"{error}{hint}"
        raise PolicyError([Mistake(where, said)], source=policy.source) from None
    if not rows.size:
        raise PolicyError([Mistake(where, "no row meets the condition.")], source=policy.source)
    return rows


def unasked_columns(policy: "Policy", *, cells_only: bool = False) -> tuple[str, ...]:
    """Return the columns whose hidden values nothing may depend on, because outsiders may know the policy.

    With `cells_only` those of hidden cells; else also those that an informed promise about groups or risk protects.
    """
    informed = [
        i
        for i, requirement in enumerate(policy.require)
        if requirement.is_informed and (requirement.needs_rows or not cells_only)
    ]
    return tuple(dict.fromkeys(name for i in informed for name in policy.require[i].sensitive_columns(policy, i)))


def listed_columns(policy: "Policy", number: int) -> tuple[str, ...]:
    """Return the columns of the cells that a requirement hides."""
    requirement = _hidden(policy, number)
    if requirement.column is not None:
        return (requirement.column,)
    return tuple(dict.fromkeys(name for _, name in _listed(policy, number)))


def read_cells(path: Path, names: tuple[str, ...], n_rows: int) -> Listed:
    """Read a list of cells of a table: a CSV file with the columns row (from 0) and column."""
    cells = _read(path, "", path.name)
    mistakes = list(_mistakes(cells, names, n_rows, (), ""))
    if mistakes:
        raise PolicyError(mistakes, source=path.name)
    return cells


def _hidden(policy: "Policy", number: int) -> Hidden:
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    return requirement


def _listed(policy: "Policy", number: int) -> Listed:
    requirement = _hidden(policy, number)
    if isinstance(requirement.cells, str):
        return _read(policy.folder / requirement.cells, f"require[{number}].cells", policy.source)
    return [(int(row), column) for row, column in requirement.cells or ()]


def _located(listed: Listed, names: Sequence[str]) -> Cells:
    place = {name: j for j, name in enumerate(names)}
    rows, columns = zip(*listed, strict=True)
    return _cells(np.array(rows, dtype=np.int64), np.array([place[name] for name in columns]))


def _cells(rows: NDArray[np.int64], columns: NDArray[np.integer]) -> Cells:
    found = np.empty(rows.size, dtype=CELLS)
    found["row"], found["column"] = rows, columns
    return found


def _read(path: Path, where: str, source: str) -> Listed:
    """Read a list of cells; every mistake names its line."""

    def wrong(what: str) -> PolicyError:
        return PolicyError([Mistake(where, what if source == path.name else f"{path.name}: {what}")], source=source)

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            header = [name.strip() for name in next(lines, [])]
            if header[:2] != ["row", "column"]:
                raise wrong("the first line must be `row,column`.")
            cells = []
            for line, fields in enumerate(lines, start=2):
                if not fields:
                    continue
                if len(fields) < 2 or not re.fullmatch(r"[0-9]{1,15}", fields[0].strip()):
                    raise wrong(f"line {line}: needs a row, counted from 0, and a column.")
                cells.append((int(fields[0]), fields[1]))
    except FileNotFoundError:
        raise wrong("there is no such file.") from None
    except (OSError, UnicodeDecodeError, csv.Error):
        raise wrong("cannot be read as CSV.") from None
    return cells


def _mistakes(
    cells: Listed, names: tuple[str, ...], n_rows: int, dropped: tuple[str, ...], where: str
) -> Iterator[Mistake]:
    """Yield a mistake for cells that are not there or listed twice."""
    if not cells:
        yield Mistake(where, "lists no cell.")
    for name in dict.fromkeys(name for _, name in cells):
        if name in dropped:
            yield Mistake(where, f'column "{name}" is dropped, so its cells are hidden already.')
        elif name not in names:
            yield Mistake(where, f'no column "{name}"{did_you_mean(name, names)}')
    outside = [row for row, _ in cells if not 0 <= row < n_rows]
    if outside:
        what = f"row {outside[0]} is outside the table, which has {n_rows} rows, counted from 0"
        yield Mistake(where, f"{what} ({len(outside)} such cells)." if len(outside) > 1 else f"{what}.")
    seen: set[tuple[int, str]] = set()
    twice = next((cell for cell in cells if cell in seen or seen.add(cell)), None)  # type: ignore[func-returns-value]
    if twice is not None:
        yield Mistake(where, f'row {twice[0]}, column "{twice[1]}" is listed twice.')
