"""How a policy reads columns: codes as missing, birth dates as ages, dates moved."""

import secrets
from collections.abc import Mapping
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, Mistake, PolicyError, did_you_mean
from withhold.policy._policy import Policy
from withhold.table import MissingCodes, NewCells, Rereadable, Table, units_of
from withhold.taxonomies import Days, ages_between, days_of, moved_texts, parse_dates

__all__ = [
    "already_read",
    "as_read",
    "dates_of",
    "draw_shifts",
    "most_days",
    "move_dates",
    "read_codes",
    "read_dates",
    "row_units",
    "shifted_columns",
]

_Ints = NDArray[np.int64]


def as_read(policy: Policy, table: Table, *, rng: int | np.random.Generator | None = None, shift: bool = True) -> Table:
    """Return the table as a policy reads it: codes are missing, birth dates are ages, dates are moved.

    Parameters
    ----------
    policy
        What is known of the columns.
    table
        The table as it stands in its file.
    rng
        A seed makes the days by which dates are moved repeatable; by default they come from the system's secure
        source. They are kept nowhere.
    shift
        Whether dates are moved.

    Raises
    ------
    PolicyError
        Where a column cannot be read so.

    Examples
    --------
    >>> from withhold import Anonymity, ColumnSettings
    >>> columns = {"born": ColumnSettings(type="number", age_at="2024-12-31", missing_codes=["-8"])}
    >>> policy = Policy([Anonymity(columns=["born"], k=2)], columns=columns)
    >>> as_read(policy, Table.from_columns({"born": ["1990-01-31", "-8", "1960-05-01"]})).store.values("born")
    [None, '34', '64']
    """
    return read_dates(policy, read_codes(policy, table), rng=rng, shift=shift)


def already_read(policy: Policy) -> Policy:
    """Return the policy for a table that was read by it."""
    made = copy(policy)
    made.columns = {
        name: replace(each, missing_codes=(), shift=None, age_at=None, format=None if each.age_at else each.format)
        for name, each in policy.columns.items()
    }
    return made


def read_codes(policy: Policy, table: Table) -> Table:
    """Return the table with the declared codes of columns as missing cells."""
    codes = {}
    for name, settings in policy.columns.items():
        if settings.missing_codes and name in table.names:
            is_number = settings.age_at is None and settings.type == "number"
            is_number = is_number or table.store.kind(name) == "number"
            codes[name] = MissingCodes(texts=settings.missing_codes, as_numbers=is_number)
    if not codes:
        return table
    store = table.store
    assert isinstance(store, Rereadable)
    return table.on(store.without_codes(codes), without=codes)


def read_dates(policy: Policy, table: Table, *, rng: int | np.random.Generator | None, shift: bool) -> Table:
    """Return the table with ages for birth dates, and with dates moved."""
    mistakes = _misnamed(policy, table)
    cells: dict[str, NewCells] = {}
    for name, settings in policy.columns.items():
        if settings.age_at is not None and name in table.names and not mistakes:
            try:
                cells[name] = _ages(policy, table, name, settings.age_at)
            except DataError as error:
                mistakes.append(Mistake(f"columns.{name}.age_at", str(error)))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    moved = shifted_columns(policy, table.names)
    if shift and moved:
        units = row_units(policy, table)
        shifts = draw_shifts(int(units.max(initial=-1)) + 1, policy, rng)
        cells |= move_dates(policy, table, shifts[units])
    return _with_cells(table, cells) if cells else table


def shifted_columns(policy: Policy, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns whose dates are moved."""
    found = [name for name, settings in policy.columns.items() if settings.shift is not None]
    return tuple(name for name in found if name in names and name not in policy.drop)


def draw_shifts(n_units: int, policy: Policy, rng: int | np.random.Generator | None) -> _Ints:
    """Return for each unit by how many days its dates are moved: any number up to the limit, each as likely."""
    most = most_days(policy)
    n_numbers = 2 * most + 1
    if rng is not None:
        return np.random.default_rng(rng).integers(-most, most, size=n_units, endpoint=True)
    # People who know their own dates learn their own number: no other may follow from it.
    fair = (1 << 64) // n_numbers * n_numbers
    found = np.frombuffer(secrets.token_bytes(8 * n_units), dtype=np.uint64).copy()
    while fair < 1 << 64 and (uneven := np.flatnonzero(found >= np.uint64(fair))).size:
        found[uneven] = np.frombuffer(secrets.token_bytes(8 * uneven.size), dtype=np.uint64)
    return (found % np.uint64(n_numbers)).astype(np.int64) - most


def most_days(policy: Policy) -> int:
    """Return by how many days dates are moved at most; it is the same for all columns."""
    return next(settings.shift for settings in policy.columns.values() if settings.shift is not None)


def move_dates(policy: Policy, table: Table, shifts: _Ints) -> dict[str, NewCells]:
    """Return the cells of the columns whose dates are moved, each row by its own number of days."""
    cells, mistakes, most = {}, [], most_days(policy)
    for name in shifted_columns(policy, table.names):
        try:
            places = table.store.cells(name).astype(np.int64)
            texts, moved = moved_texts(dates_of(policy, table, name), places, shifts, most=most)
            cells[name] = NewCells(texts=texts, places=moved)
        except DataError as error:
            mistakes.append(Mistake(f"columns.{name}.shift", str(error)))
    if mistakes:
        raise PolicyError(mistakes, source=policy.source)
    return cells


def dates_of(policy: Policy, table: Table, name: str) -> Days:
    """Return the distinct dates of a column as days."""
    settings = policy.columns.get(name)
    form = None if settings is None else settings.format
    marks = table.missing | frozenset(policy.missing)
    return days_of(table.store.values(name), date_format=form, missing=marks, name=name)


def _ages(policy: Policy, table: Table, name: str, day: str) -> NewCells:
    born = dates_of(policy, table, name).numbers[table.store.cells(name)]
    if day in table.names:
        until = dates_of(policy, table, day).numbers[table.store.cells(day)]
    else:
        until = np.full(born.size, days_of([day]).numbers[0])
    try:
        ages = ages_between(born, until)
    except DataError as error:
        hint = "Hint: a later day, or `missing_codes` for dates that stand for a missing one."
        raise DataError(f'column "{name}": {error} {hint}') from None
    found, places = np.unique(ages, return_inverse=True)
    texts = [None if age < 0 else str(age) for age in found.tolist()]
    return NewCells(texts=texts, places=places.reshape(-1).astype(np.int64), is_whole=True)


def _misnamed(policy: Policy, table: Table) -> list[Mistake]:
    """Return what is wrong with the settings themselves."""
    found = []
    for name, settings in policy.columns.items():
        day = settings.age_at
        other = policy.columns.get(day) if day is not None else None
        is_column = day in table.names and day != name and (other is None or other.age_at is None)
        if day is None or is_column:
            continue
        period = parse_dates([day])[0][0]
        if period is None or period.level != "day":
            near = did_you_mean(day, table.names)
            what = f'must be a day such as "2024-12-31", or another column of dates; got "{day}"'
            found.append(Mistake(f"columns.{name}.age_at", f"{what}{near or '.'}"))
    limits = {settings.shift for settings in policy.columns.values() if settings.shift is not None}
    if len(limits) > 1:
        name = next(name for name, settings in policy.columns.items() if settings.shift == max(limits))
        what = "must be the same for all columns: the dates of a unit are moved together."
        found.append(Mistake(f"columns.{name}.shift", what))
    return found


def row_units(policy: Policy, table: Table) -> _Ints:
    """Return for each row the number of its unit; without units each row is one."""
    if policy.unit is None or policy.unit not in table.names:
        return np.arange(table.n_rows)
    return units_of(table.with_domains({}, missing=policy.missing), policy.unit)


def _with_cells(table: Table, cells: Mapping[str, NewCells]) -> Table:
    store = table.store
    assert isinstance(store, Rereadable)
    return table.on(store.with_cells(cells), without=cells)
