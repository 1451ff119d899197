"""What a column is, as far as its name, its values and its rows show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.inspecting._column_words import ends_in, known_by_outsiders, numbers_people, says
from withhold.population import looks_like_weights
from withhold.taxonomies import parse_dates

__all__ = ["Column", "Sign", "sign_of"]

Kind = Literal[
    "constant", "name", "e-mail", "phone", "text", "id", "unit", "weight", "date", "postcode", "code", "amount", "plain"
]
MANY = 0.8
"""A pattern that this share of the values follows is that of the column."""
OWN = 0.5
"""Most rows have their own value: a larger share is alone with it."""
ALONE = 0.01
"""Numbers with which this share of the rows is alone are amounts, if there are many."""
MANY_VALUES = 50
FEW_ROWS = 20
"""Below this many rows nothing is taken for an identifier."""
SMALL_UNITS = 0.3
"""Units are few rows each where there is a unit for more than this share of the rows."""
LOOKED_AT = 5_000
"""Patterns are looked for in so many distinct values."""
MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
PHONE = re.compile(r"(\+|00|0|\()[\d\s()/.-]{6,}\d")
PERSON = re.compile(r"[A-ZÀ-Þ][\w'’.-]+(,? [A-ZÀ-Þ][\w'’.-]*)+")
CODES = {
    "icd10": re.compile(r"[A-TV-Z]\d[\dA-Z](\.?[\dA-Z]{1,4})?"),
    "nace": re.compile(r"[A-U]?\d\d\.\d{1,2}"),
    "nuts": re.compile(r"[A-Z]{2}[\dA-Z]{2,3}"),
}
DATES = (None, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d.%m.%y", "%Y.%m.%d")
TIMES = (" %H:%M", " %H:%M:%S")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """A column to look at; codes that stand for missing are left out of it."""

    name: str
    """Its name."""
    values: Sequence[str]
    """Its distinct values."""
    counts: NDArray[np.int64]
    """How many rows hold each."""
    numbers: NDArray[np.float64] | None
    """The values as numbers; None where some are none."""
    repeats: float
    """The share of rows that hold the value of the row before."""

    @property
    def n_rows(self) -> int:
        """The rows that hold a value."""
        return int(self.counts.sum())

    @property
    def n_alone(self) -> int:
        """The rows that are alone with their value."""
        return int(np.count_nonzero(self.counts == 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What a column seems to be, and why."""

    kind: Kind
    """What it is; ``plain``: a number or a category and nothing more."""
    why: str = ""
    """A reason, for the owner."""
    date_format: str | None = None
    """How its dates are written, where that is not ISO."""
    code: str | None = None
    """The well-known code that it holds."""


def sign_of(column: Column) -> Sign:
    """Return what a column seems to be.

    Examples
    --------
    >>> mails = [f"p{i}@example.org" for i in range(30)]
    >>> contact = Column(name="contact", values=mails, counts=np.ones(30, int), numbers=None, repeats=0.0)
    >>> sign_of(contact).kind
    'e-mail'
    """
    if len(column.values) <= 1:
        return Sign(kind="constant", why="holds no information")
    some = list(column.values[:LOOKED_AT])
    return (
        _contact(column, some) or _date(column, some) or _unit(column) or _number(column, some) or _text(column, some)
    )


def _contact(column: Column, some: Sequence[str]) -> Sign | None:
    if _share(MAIL, some) >= MANY:
        return Sign(kind="e-mail", why="e-mail addresses")
    n_digits = np.mean([7 <= sum(letter.isdigit() for letter in text) <= 15 for text in some])
    is_spelled = _share(PHONE, some) >= MANY and n_digits >= MANY
    if is_spelled and (says(column.name, "phone") or (column.numbers is None and _mark_share(some) >= OWN)):
        return Sign(kind="phone", why="phone numbers") if _format_of(some) == "" else None
    return None


def _mark_share(some: Sequence[str]) -> float:
    """Return which share of texts begins with a plus or a zero behind which blanks, bars or dashes follow."""
    return float(np.mean([text[:1] in "+(" or bool(re.match(r"0\d+[\s/-]", text)) for text in some]))


def _date(column: Column, some: Sequence[str]) -> Sign | None:
    found = _format_of(some)
    if found == "" or len(column.values) < 3:
        return None
    step = max(1, len(column.values) // (4 * LOOKED_AT))
    _, is_wrong = parse_dates(column.values[::step], date_format=found)
    if is_wrong.mean() > 0.01:
        return None
    return Sign(kind="date", why="dates", date_format=found)


def _format_of(some: Sequence[str]) -> str | None:
    """Return the form in which all of some texts are dates: None for ISO, empty where there is none."""
    tried = list(some[:: max(1, len(some) // 200)])
    if np.mean([len(text) < 8 or not text[:1].isdigit() for text in tried]) > 0.1:
        return ""
    with_times: list[str | None] = [*DATES, *(f"{day}{time}" for day in DATES if day for time in TIMES)]
    for form in with_times:
        if parse_dates(tried, date_format=form)[1].mean() <= 0.01:
            return form
    return ""


def _unit(column: Column) -> Sign | None:
    n_values, n_rows = len(column.values), column.n_rows
    is_named = ends_in(column.name, "id") and n_values >= MANY_VALUES and n_values < OWN * n_rows
    if is_named and known_by_outsiders(column.name) is None:
        return Sign(kind="unit", why="several rows belong together by it, as its name says")
    # Many rows of few companies say where people work: that is no unit.
    is_many = MANY_VALUES <= n_values < n_rows and n_values > 0.1 * n_rows
    if numbers_people(column.name) and is_many:
        return Sign(kind="unit", why="several rows belong together by it, as its name says")
    is_grouped = n_values >= FEW_ROWS and 0.1 * n_rows < n_values < 0.95 * n_rows and int(column.counts.max()) <= 50
    if not is_grouped or (column.numbers is not None and not _are_whole(column.numbers)):
        return None
    is_said = says(column.name, "unit") or says(column.name, "id")
    # What a household earns or pays is the same in all its rows, too.
    is_repeated = column.repeats > 0.4 and column.n_alone < 0.5 * n_rows and not says(column.name, "amount")
    if is_said or ((is_repeated or _counts_up(column)) and known_by_outsiders(column.name) is None):
        return Sign(kind="unit", why="several rows belong together by it, as people of a household do")
    return None


def _counts_up(column: Column) -> bool:
    """Return whether whole numbers without gaps stand together where they come again, as those of visitors do."""
    if column.numbers is None or (span := column.numbers.max() - column.numbers.min() + 1) > 1.2 * len(column.numbers):
        return False
    n_again = column.n_rows - len(column.values)
    is_small = 0 < n_again < (1 - SMALL_UNITS) * column.n_rows
    return is_small and span >= MANY_VALUES and column.repeats * column.n_rows >= MANY * n_again


def _number(column: Column, some: Sequence[str]) -> Sign | None:
    if column.numbers is None or any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in some):
        return None
    numbers, n_rows = column.numbers, column.n_rows
    if looks_like_weights(column.name, numbers):
        return Sign(kind="weight", why="a sampling weight: it says how many people a row stands for")
    if known_by_outsiders(column.name) == "age":
        return Sign(kind="plain")
    if says(column.name, "postcode"):
        return Sign(kind="postcode", why="postcodes, which are no numbers", code="postcode")
    if n_rows >= FEW_ROWS and column.n_alone > OWN * n_rows and _are_whole(numbers) and _number_people(column):
        return Sign(kind="id", why="most rows have their own value")
    if "code" in column.name.casefold() and _are_whole(numbers) and column.n_alone < OWN * n_rows:
        return Sign(kind="code", why="codes, as its name says")
    is_amount = column.n_alone >= ALONE * n_rows and len(numbers) > 2 * MANY_VALUES
    is_amount |= column.n_alone > OWN * n_rows
    if n_rows >= FEW_ROWS and is_amount and known_by_outsiders(column.name) is None:
        return Sign(kind="amount", why=f"{column.n_alone / n_rows:.0%} of the rows are alone with their number")
    return Sign(kind="plain")


def _number_people(column: Column) -> bool:
    """Return whether whole numbers look like those of people: in sequence, or all with one number of digits.

    Where they only may be, they are taken for amounts: a mean of several numbers of people is nobody's.
    """
    assert column.numbers is not None
    numbers = column.numbers
    if says(column.name, "id") or numbers_people(column.name):
        return True
    span = numbers.max() - numbers.min() + 1
    if len(numbers) == column.n_rows and span <= 1.2 * len(numbers):
        return True
    n_digits = np.floor(np.log10(np.maximum(np.abs(numbers), 1)))
    return bool(n_digits.min() == n_digits.max() >= 5 and np.mean(numbers % 10 == 0) < 0.2)


def _text(column: Column, some: Sequence[str]) -> Sign:
    sizes = {len(text) for text in some}
    are_digits = np.mean([text.isdigit() for text in some]) >= MANY
    if says(column.name, "postcode") or (are_digits and len(sizes) == 1 and 4 <= min(sizes) <= 6 and len(some) > 20):
        return Sign(kind="postcode", why="codes of one length, as postcodes are", code="postcode")
    for code, pattern in CODES.items():
        if _share(pattern, some) >= MANY and (says(column.name, code) or len(some) > 10):
            return Sign(kind="code", why=f"codes that read like {code.upper()}", code=code)
    is_own = column.n_rows >= FEW_ROWS and column.n_alone > OWN * column.n_rows
    if is_own and np.mean([len(text) for text in some]) > 40:
        return Sign(kind="text", why="free text, of which most rows have their own")
    is_named = ends_in(column.name, "name") and len(column.values) >= MANY_VALUES
    if is_named and known_by_outsiders(column.name) is None:
        return Sign(kind="name", why="names, as its own name says")
    if is_own and (says(column.name, "name") or _share(PERSON, some) >= MANY):
        return Sign(kind="name", why="names: most rows have their own value")
    if is_own:
        return Sign(kind="id", why="most rows have their own value")
    if are_digits:
        return Sign(kind="code", why="codes, which are no numbers: some begin with a zero")
    return Sign(kind="plain")


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool(np.array_equal(numbers, np.floor(numbers)))


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    return float(np.mean([pattern.fullmatch(text.strip()) is not None for text in texts])) if texts else 0.0
