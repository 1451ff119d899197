"""Which cells a policy hides, and the table as categories, cell by cell."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError, Mistake, PolicyError, did_you_mean
from withhold.policy._hidden import Hidden
from withhold.policy._policy import Policy
from withhold.table import Bins, Grid, NumberRecoding, Numbers, Table, bins_of

__all__ = ["Cells", "bin_recodings", "cell_grid", "find_cells"]

Cells = list[tuple[int, str]]


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
        """Return the positions of the rows that meet an SQL condition, which cannot ask for columns in `without`."""


MOST_PLAIN_NUMBERS = 32
"""A number column with more values than this needs bins."""


def find_cells(source: Rows, policy: Policy, number: int, *, numbers: Sequence[str] = ()) -> Cells:
    """Return the cells that a requirement hides, as row and column.

    Parameters
    ----------
    source
        The original table.
    policy, number
        The policy, and the place of the requirement in it.
    numbers
        The number columns, for a condition.
    """
    requirement = policy.require[number]
    assert isinstance(requirement, Hidden)
    where = f"require[{number}]"
    if requirement.column is not None:
        if requirement.where is None:
            rows: Sequence[int] = range(source.n_rows)
        else:
            try:
                rows = source.rows_where(requirement.where, numbers, without=unasked_columns(policy)).tolist()
            except DataError as error:
                hint = " Hint: texts stand in single quotes, column names with blanks in double ones."
                if "may not" in str(error):
                    hint = (
                        " Hint: who knows the policy would learn the hidden values from it; name the cells otherwise."
                    )
                raise PolicyError([Mistake(f"{where}.where", f"{error}{hint}")], source=policy.source) from None
        if len(rows) == 0:
            raise PolicyError([Mistake(f"{where}.where", "no row meets the condition.")], source=policy.source)
        return [(row, requirement.column) for row in rows]
    if isinstance(requirement.cells, str):
        cells = _read_cells(policy.folder / requirement.cells, f"{where}.cells", policy.source)
    else:
        cells = [(int(row), column) for row, column in requirement.cells or ()]
    mistakes = list(_mistakes(cells, source.names, source.n_rows, policy.drop, f"{where}.cells"))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    return cells


def unasked_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns whose hidden values nothing may hang on, because outsiders may know the policy."""
    found: dict[str, None] = {}
    for number, requirement in enumerate(policy.require):
        if isinstance(requirement, Hidden) and requirement.informed:
            if requirement.column is not None:
                found[requirement.column] = None
            elif isinstance(requirement.cells, str):
                where = f"require[{number}].cells"
                found |= dict.fromkeys(
                    name for _, name in _read_cells(policy.folder / requirement.cells, where, policy.source)
                )
            else:
                found |= dict.fromkeys(name for _, name in requirement.cells or ())
    return tuple(found)


def read_cells(path: Path, names: tuple[str, ...], n_rows: int) -> Cells:
    """Read a list of cells of a table: a CSV file with the columns row (from 0) and column."""
    cells = _read_cells(path, "", path.name)
    mistakes = list(_mistakes(cells, names, n_rows, (), ""))
    if mistakes:
        raise PolicyError(mistakes, source=path.name)
    return cells


def _read_cells(path: Path, where: str, source: str) -> Cells:
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
    cells: Cells, names: tuple[str, ...], n_rows: int, dropped: tuple[str, ...], where: str
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
    twice = next((cell for cell, n in Counter(cells).items() if n > 1), None)
    if twice is not None:
        yield Mistake(where, f'row {twice[0]}, column "{twice[1]}" is listed twice.')


def bin_recodings(table: Table, policy: Policy, hidden: Cells) -> dict[str, tuple[Bins, NumberRecoding]]:
    """Return the bins of number columns, with what is published for them.

    Edges are taken from cells that are not hidden: one that a hidden value decided would tell something of it.
    """
    found = {}
    for name, settings in policy.columns.items():
        if settings.bins is None or name in policy.drop:
            continue
        values = table.store.numbers(name, missing=table.missing)[table.store.cells(name)]
        private = np.zeros(values.size, dtype=bool)
        private[[row for row, column in hidden if column == name]] = True
        try:
            bins = bins_of(values, settings.bins, private=private)
        except InputError as error:
            raise PolicyError([Mistake(f"columns.{name}.bins", str(error))], source=policy.source) from None
        recoding = NumberRecoding(
            column=name,
            starts=bins.edges[:-1],
            labels=bins.labels(settings.publish),
            high=bins.edges[-1],
            missing=None,
            missing_marks=table.missing,
            is_open=True,
        )
        found[name] = (bins, recoding)
        outside = ((values < bins.edges[0]) | (values > bins.edges[-1])) & ~private
        if outside.any():
            what = f"{int(outside.sum())} values lie outside the edges. Hint: widen them."
            raise PolicyError([Mistake(f"columns.{name}.bins", what)], source=policy.source)
    return found


def cell_grid(
    table: Table,
    names: Sequence[str],
    bins: dict[str, tuple[Bins, NumberRecoding]],
    *,
    where: str,
    source: str,
    most_numbers: int = MOST_PLAIN_NUMBERS,
) -> Grid:
    """Return columns cell by cell, numbers by their bin; a number column with many values and no bins is a mistake."""
    plain = [name for name in names if name not in bins]
    for name in plain:
        domain = table.domain(name)
        if isinstance(domain, Numbers) and domain.n_values > most_numbers:
            what = (
                f'column "{name}" holds {domain.n_values} different numbers, and requirements about single cells need '
                f'categories. Hint: [columns."{name}"] type = "number", bins = 10 publishes it in ten bins; '
                "or leave it out of `predictors`."
            )
            raise PolicyError([Mistake(where, what)], source=source)
    grid = Grid.of(table, plain)
    codes: list[NDArray[np.int32]] = []
    labels = []
    for name in names:
        if name in bins:
            made, recoding = bins[name]
            numbers = table.store.numbers(name, missing=table.missing)[table.store.cells(name)]
            codes.append(made.codes(numbers))
            labels.append(recoding.labels)
        else:
            codes.append(grid.codes[:, grid.place(name)])
            labels.append(grid.labels[grid.place(name)])
    return Grid(tuple(names), tuple(labels), np.ascontiguousarray(np.stack(codes, axis=1)))
