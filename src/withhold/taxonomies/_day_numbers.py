"""Dates as days that can be counted: ages in whole years, and dates moved by days."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError
from withhold.taxonomies._calendar import MONTHS, Period, parse_dates

__all__ = ["NO_DAY", "Days", "ages_between", "days_of", "first_and_last_days", "moved_texts"]

_Ints = NDArray[np.int64]
NO_DAY = np.iinfo(np.int64).min
"""Stands where there is no date."""
ISO_LENGTH = len("2024-03-05")
_BEGIN = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Days:
    """The distinct texts of a column of dates as days."""

    numbers: _Ints
    """For each text how many days it lies after 1970-01-01; `NO_DAY` where it is missing."""
    rest: tuple[str | time, ...]
    """For each text what it says besides the day: the text after an ISO date, or the time of day."""
    date_format: str | None
    """How they are written, where that is not ISO."""


def days_of(
    values: Sequence[str | None], *, date_format: str | None = None, missing: Iterable[str] = (), name: str = ""
) -> Days:
    """Return dates as days.

    Raises
    ------
    DataError
        Where some texts are no dates, or name a month or a year and no day.

    Examples
    --------
    >>> days_of(["1970-01-02", None, "1970-02-01T10:30"]).numbers[[0, 2]].tolist()
    [1, 31]
    """
    found, is_wrong = parse_dates(values, date_format=date_format, missing=missing)
    n_wrong = int(is_wrong.sum()) + sum(each is not None and each.level not in ("day", "time") for each in found)
    if n_wrong:
        texts = "1 distinct text names" if n_wrong == 1 else f"{n_wrong:,} distinct texts name"
        how = "2024-03-05 is read without `format`" if date_format is None else f'format = "{date_format}" was tried'
        raise DataError(
            f'column "{name}": {texts} no day. Hint: {how}; `missing_codes` lists texts that stand for a missing date.'
        )
    numbers = [NO_DAY if each is None else _number(each) for each in found]
    rest = [_rest(value, each, date_format) for value, each in zip(values, found, strict=True)]
    return Days(numbers=np.array(numbers, dtype=np.int64), rest=tuple(rest), date_format=date_format)


def ages_between(born: _Ints, until: _Ints) -> _Ints:
    """Return whole years between days, as ages are counted; -1 where a day is missing.

    Who was born on 29 February is a year older from 1 March on where the year has no 29 February.

    Examples
    --------
    >>> born = days_of(["2000-02-29", "2000-02-29", "1999-03-01"]).numbers
    >>> ages_between(born, days_of(["2023-02-28", "2023-03-01", "2023-02-28"]).numbers).tolist()
    [22, 23, 23]
    """
    is_known = (born != NO_DAY) & (until != NO_DAY)
    first, last = (np.where(is_known, days, 0).astype("datetime64[D]") for days in (born, until))
    years = last.astype("datetime64[Y]").astype(np.int64) - first.astype("datetime64[Y]").astype(np.int64)
    ages = years - (_day_of_year(last) < _day_of_year(first))
    if np.any(ages[is_known] < 0):
        raise DataError(f"{int(np.count_nonzero(ages[is_known] < 0)):,} rows have a date after that day.")
    return np.where(is_known, ages, -1)


def moved_texts(days: Days, places: _Ints, shifts: _Ints, *, most: int) -> tuple[list[str | None], _Ints]:
    """Return dates moved by days, as distinct texts and for each row the place among them.

    Parameters
    ----------
    days
        The distinct dates.
    places
        For each row the place of its date among them.
    shifts
        For each row by how many days it is moved.
    most
        By how many days a date may be moved: whether the calendar has room for that depends on no chance.

    Examples
    --------
    >>> days = days_of(["2024-02-28", "2024-02-28 08:00:00"])
    >>> moved_texts(days, np.array([0, 1]), np.array([1, 2]), most=7)[0]
    ['2024-02-29', '2024-03-01 08:00:00']
    """
    rests = {rest: i for i, rest in enumerate(dict.fromkeys(days.rest))}
    rest_of = np.array([rests[each] for each in days.rest], dtype=np.int64)
    numbers = days.numbers[places]
    is_known = numbers != NO_DAY
    _check_room(numbers[is_known], most)
    moved = np.where(is_known, numbers + np.where(is_known, shifts, 0), NO_DAY)
    pairs, row_of = np.unique(
        np.column_stack([moved, np.where(is_known, rest_of[places], 0)]), axis=0, return_inverse=True
    )
    listed = list(rests)
    texts = [None if day == NO_DAY else _text(day, listed[rest], days.date_format) for day, rest in pairs.tolist()]
    # Different times may be written alike by a format without seconds.
    place: dict[str | None, int] = {}
    lookup = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
    return list(place), lookup[row_of.reshape(-1)]


def first_and_last_days(periods: Sequence[Period | None]) -> tuple[_Ints, _Ints]:
    """Return the days on which periods begin and end; `NO_DAY` where there is none.

    Examples
    --------
    >>> first, last = first_and_last_days([Period("month", 1970, 2), Period("day", 1970, 1, 5)])
    >>> first.tolist(), last.tolist()
    ([31, 4], [58, 4])
    """
    first = np.array([NO_DAY if each is None else _number(each) for each in periods], dtype=np.int64)
    last = first.copy()
    for i, each in enumerate(periods):
        if each is not None and each.level not in ("day", "time"):
            month = np.datetime64(f"{each.year:04d}-{each.month:02d}", "M") + MONTHS[each.level]
            last[i] = int(month.astype("datetime64[D]").astype(np.int64)) - 1
    return first, last


def _number(period: Period) -> int:
    return (date(period.year, period.month, period.day) - _BEGIN).days


def _day_of_year(days: NDArray[np.datetime64]) -> _Ints:
    """Return month and day as a number that orders them alike in every year."""
    months = days.astype("datetime64[M]")
    in_year = months.astype(np.int64) - 12 * days.astype("datetime64[Y]").astype(np.int64)
    in_month = (days - months.astype("datetime64[D]")).astype(np.int64)
    return np.asarray(in_year * 31 + in_month)


def _rest(value: str | None, period: Period | None, date_format: str | None) -> str | time:
    if period is None or value is None:
        return ""
    if date_format is None:
        return value.strip()[ISO_LENGTH:]
    return datetime.strptime(value.strip(), date_format).time()


def _check_room(days: _Ints, most: int) -> None:
    first, last = (date.min - _BEGIN).days, (date.max - _BEGIN).days
    if days.size and (days.min() - most < first or days.max() + most > last):
        raise DataError(
            "a date lies too near the end of the calendar to be moved. Hint: `missing_codes` lists texts that stand "
            'for a missing date, such as "9999-12-31".'
        )


def _text(day: int, rest: str | time, date_format: str | None) -> str:
    moved = _BEGIN + timedelta(days=day)
    if date_format is None:
        return f"{moved.isoformat()}{rest}"
    return datetime.combine(moved, rest if isinstance(rest, time) else time()).strftime(date_format)
