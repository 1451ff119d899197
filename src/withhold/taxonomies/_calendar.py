"""Dates as a tree: time, day, month, quarter, year, five years, decade."""

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError
from withhold.table import WITHHELD, Store, Taxonomy

__all__ = ["DATE_LEVELS", "Period", "ages_at", "calendar_of", "date_tree", "is_date_format", "parse_dates", "period_of"]

DATE_LEVELS = ("decade", "5 years", "year", "quarter", "month", "day")
"""The levels of a tree of dates, below its root, which is level 0."""
YEARS = {"decade": 10, "5 years": 5}
MONTHS = {"decade": 120, "5 years": 60, "year": 12, "quarter": 3, "month": 1, "day": 1}
_YEARS = re.compile(r"(\d{4})(?:–(\d{4}))?")
_PART = re.compile(r"(\d{4})-(?:Q([1-4])|(\d\d))")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")


@dataclass(frozen=True, slots=True)
class Period:
    """A span of the calendar at one of the levels, or a time of day within a day.

    Examples
    --------
    >>> march = Period("month", 2024, 3)
    >>> [march.above(level).text for level in ("quarter", "year", "5 years", "decade")]
    ['2024-Q1', '2024', '2020–2024', '2020–2029']
    """

    level: str
    """One of `DATE_LEVELS`, or ``"time"``."""
    year: int
    """The first year."""
    month: int = 1
    """The first month, from 1."""
    day: int = 1
    """The first day, from 1."""

    @property
    def text(self) -> str:
        """How it is published: ``2024-03-05``, ``2024-03``, ``2024-Q1``, ``2024``, ``2020–2024``, ``2020–2029``."""
        if self.level in YEARS:
            return f"{self.year:04d}–{self.year + YEARS[self.level] - 1:04d}"
        return {
            "year": f"{self.year:04d}",
            "quarter": f"{self.year:04d}-Q{(self.month + 2) // 3}",
            "month": f"{self.year:04d}-{self.month:02d}",
        }.get(self.level, f"{self.year:04d}-{self.month:02d}-{self.day:02d}")

    def above(self, level: str) -> "Period":
        """Return the period of a coarser level that holds this one."""
        if level in YEARS:
            return Period(level, self.year - self.year % YEARS[level])
        if level == "year":
            return Period(level, self.year)
        if level == "quarter":
            return Period(level, self.year, (self.month - 1) // 3 * 3 + 1)
        return Period(level, self.year, self.month, self.day if level == "day" else 1)

    @property
    def levels_above(self) -> tuple[str, ...]:
        """The coarser levels, the finest of them first."""
        at = len(DATE_LEVELS) if self.level == "time" else DATE_LEVELS.index(self.level)
        return tuple(reversed(DATE_LEVELS[:at]))

    def days(self) -> Iterable["Period"]:
        """Return the days that it holds."""
        for month in range(MONTHS.get(self.level, 1)):
            year, at = self.year + (self.month - 1 + month) // 12, (self.month - 1 + month) % 12 + 1
            found = [self.day] if self.level in ("day", "time") else range(1, calendar.monthrange(year, at)[1] + 1)
            yield from (Period("day", year, at, each) for each in found)


def period_of(text: str, date_format: str | None = None) -> Period | None:
    """Return the period that a text names, None where it names none.

    Parameters
    ----------
    text
        An ISO date, with or without a time (``2024-03-05``, ``2024-03-05T10:30``), or a coarser period as it is
        published.
    date_format
        Another form, as `datetime.strptime` has it: ``"%d.%m.%Y"``. Coarser periods are read beside it.

    Examples
    --------
    >>> period_of("05.03.2024", "%d.%m.%Y").text, period_of("2024-Q1").level, period_of("2024-02-30")
    ('2024-03-05', 'quarter', None)
    """
    text = text.strip()
    if date_format is not None:
        try:
            return _of_date(datetime.strptime(text, date_format), _level_of_format(date_format))
        except ValueError:
            return _coarse_period(text)
    try:
        if _DAY.fullmatch(text):
            return _of_date(date.fromisoformat(text), "day")
        if _TIME.fullmatch(text):
            return _of_date(datetime.fromisoformat(text), "time")
    except ValueError:
        return None
    return _coarse_period(text)


def parse_dates(
    values: Sequence[str | None], *, date_format: str | None = None, missing: Iterable[str] = ()
) -> tuple[list[Period | None], NDArray[np.bool_]]:
    """Return the period of each text, and which texts are neither a date nor missing.

    Examples
    --------
    >>> found, is_wrong = parse_dates(["2024-03-05", None, "soon"])
    >>> found[0].text, is_wrong.tolist()
    ('2024-03-05', [False, False, True])
    """
    marks = frozenset(missing)
    is_blank = [value is None or value in marks for value in values]
    found = [None if blank else period_of(str(v), date_format) for v, blank in zip(values, is_blank, strict=True)]
    is_wrong = [each is None and not blank for each, blank in zip(found, is_blank, strict=True)]
    return found, np.array(is_wrong, dtype=np.bool_)


def date_tree(
    values: Sequence[str | None],
    *,
    date_format: str | None = None,
    missing: Iterable[str] = (),
    levels: Sequence[str] = DATE_LEVELS,
    name: str = "",
    store: Store | None = None,
) -> Taxonomy:
    """Return the tree over dates: each below its month, quarter, year, five years and decade.

    Parameters
    ----------
    values
        The distinct texts of the column.
    date_format
        How they are written, where that is not ISO.
    missing
        Texts that stand for a missing value.
    levels
        Which levels the tree has.
    name, store
        The column and where its cells lie, for messages.

    Raises
    ------
    DataError
        Where some texts are no dates; it counts their rows.

    Examples
    --------
    >>> tree = date_tree(["2024-03-05", "2024-03-09", "2021-12-24"])
    >>> next(tree.paths())
    ['2021-12-24', '2021-12', '2021-Q4', '2021', '2020–2024', '2020–2029', '*']
    """
    check_date_levels(levels)
    found, is_wrong = parse_dates(values, date_format=date_format, missing=missing)
    if is_wrong.any():
        raise DataError(_no_dates(name, is_wrong, store, date_format))
    pairs = {str(value): period for value, period in zip(values, found, strict=True) if period is not None}
    if not pairs:
        raise DataError(f'column "{name}" holds no date. Hint: take type = "date" away.')
    return _tree(pairs, levels, f'the dates of column "{name}"')


def calendar_of(
    texts: Sequence[str | None], *, date_format: str | None = None, missing: Iterable[str] = ()
) -> Taxonomy | None:
    """Return the calendar that published dates lie in, where the original is not there; None without a date.

    A text that is a coarser period stands for all its days.

    Examples
    --------
    >>> calendar_of(["2024-02", "2024-03-05", "*"]).n_leaves
    30
    """
    found, _ = parse_dates(texts, date_format=date_format, missing=missing)
    pairs = {str(text): period for text, period in zip(texts, found, strict=True) if period is not None}
    return _tree(_filled(pairs, date_format), DATE_LEVELS, "dates") if pairs else None


def ages_at(texts: Sequence[str], day: str, *, date_format: str | None = None, name: str = "") -> NDArray[np.float64]:
    """Return how many whole years lie between dates and a day, as ages are counted.

    Examples
    --------
    >>> ages_at(["1990-06-30", "1990-07-01"], "2024-06-30").tolist()
    [34.0, 33.0]
    """
    until = period_of(day)
    if until is None or until.level not in ("day", "time"):
        raise InputError(f"taxonomy: `age_at` must be a day such as 2024-06-30; got {day!r}.")
    found, is_wrong = parse_dates(texts, date_format=date_format)
    if is_wrong.any():
        raise DataError(_no_dates(name, is_wrong, None, date_format))
    born = [each for each in found if each is not None]
    years = [until.year - each.year - ((until.month, until.day) < (each.month, each.day)) for each in born]
    if min(years, default=0) < 0:
        raise DataError(f'column "{name}": {sum(each < 0 for each in years):,} distinct dates lie after `age_at`.')
    return np.array(years, dtype=np.float64)


def is_date_format(form: str) -> bool:
    """Return whether dates can be read by a form.

    Examples
    --------
    >>> is_date_format("%d.%m.%Y"), is_date_format("%d.%m."), is_date_format("dd.mm.yyyy")
    (True, False, False)
    """
    try:
        datetime.strptime(date(2024, 3, 5).strftime(form), form)
    except ValueError:
        return False
    return bool(re.search(r"%[YyGcxDF]", form))


def _tree(pairs: dict[str, Period], levels: Sequence[str], source: str) -> Taxonomy:
    ordered = sorted(pairs, key=lambda text: (pairs[text].year, pairs[text].month, pairs[text].day, text))
    return Taxonomy.from_paths([_path(text, pairs[text], levels) for text in ordered], source=source, lines=False)


def check_date_levels(levels: Sequence[str]) -> None:
    """Refuse levels that a tree of dates has not."""
    unknown = [level for level in levels if level not in DATE_LEVELS]
    if unknown or not levels:
        what = f'"{unknown[0]}" is no level of dates' if unknown else "dates need at least one level"
        raise InputError(f"taxonomy: {what}. Hint: {', '.join(DATE_LEVELS)}.")


def _path(text: str, period: Period, levels: Sequence[str]) -> list[str]:
    above = [period.above(level).text for level in period.levels_above if level in levels]
    return [text, *above, WITHHELD]


def _filled(pairs: dict[str, Period], date_format: str | None) -> dict[str, Period]:
    """Return the days of coarser periods beside the dates themselves."""
    exact = {text: period for text, period in pairs.items() if period.level in ("day", "time")}
    held = {(period.year, period.month, period.day) for period in exact.values()}
    for period in [each for each in pairs.values() if each.level not in ("day", "time")]:
        for day in period.days():
            if (day.year, day.month, day.day) not in held:
                held.add((day.year, day.month, day.day))
                exact[_day_text(day, date_format)] = day
    return exact


def _day_text(day: Period, date_format: str | None) -> str:
    return day.text if date_format is None else date(day.year, day.month, day.day).strftime(date_format)


def _of_date(found: date, level: str) -> Period:
    if level in ("day", "time"):
        return Period(level, found.year, found.month, found.day)
    return Period("day", found.year, found.month, found.day).above(level)


def _level_of_format(date_format: str) -> str:
    """Return how fine a format of dates is."""
    parts = set(re.findall(r"%-?([A-Za-z])", date_format))
    if parts & set("HIMScXf"):
        return "time"
    if parts & set("djxDF"):
        return "day"
    return "month" if parts & set("mbBh") else "year"


def _coarse_period(text: str) -> Period | None:
    if found := _PART.fullmatch(text):
        if found[2]:
            return Period("quarter", int(found[1]), 3 * int(found[2]) - 2)
        return Period("month", int(found[1]), int(found[3])) if 1 <= int(found[3]) <= 12 else None
    found = _YEARS.fullmatch(text)
    if found is None or int(found[1]) == 0:
        return None
    if found[2] is None:
        return Period("year", int(found[1]))
    first, n_years = int(found[1]), int(found[2]) - int(found[1]) + 1
    return next((Period(level, first) for level, n in YEARS.items() if n == n_years and first % n == 0), None)


def _no_dates(name: str, is_wrong: NDArray[np.bool_], store: Store | None, date_format: str | None) -> str:
    form = (
        "2024-03-05 is read without a format" if date_format is None else f'format = "{date_format}" is what was tried'
    )
    hint = f'{form}; declare another with format = "%d.%m.%Y", or list texts without a date in `missing_codes`.'
    if store is None:
        return f'column "{name}": {int(is_wrong.sum()):,} distinct texts are no dates. Hint: {hint}'
    rows = is_wrong[store.cells(name)]
    held = "row holds a text" if rows.sum() == 1 else "rows hold texts"
    first = f"the first is row {int(rows.argmax())} (from 0)"
    return f'column "{name}": {int(rows.sum()):,} {held} that no date can be read from; {first}. Hint: {hint}'
