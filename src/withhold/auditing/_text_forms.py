"""What a text says by itself, whichever tool or type of file wrote it: its spelling, and its form if it is coarse."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from withhold.table import Interval, format_number, parse_interval

__all__ = ["Form", "form_of", "number_of", "sample_values", "spelling"]

Form = Interval | frozenset[str] | re.Pattern[str]
"""What a coarse text is: an interval, the members of a set, or letters of which some are masked."""
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?")
LONGEST = 400
"""No number, date or interval is longer; a longer text is only ever itself."""


def number_of(text: str | None) -> float:
    """Return a text as a number, NaN where it is none."""
    try:
        return math.nan if text is None else float(text)
    except ValueError:
        return math.nan


def spelling(text: str, *, is_numeric: bool) -> str:
    """Return the one spelling of a value: of numbers, booleans, dates, intervals in brackets and sets of one.

    Examples
    --------
    >>> spelling("1.0", is_numeric=True), spelling("01", is_numeric=False), spelling("True", is_numeric=False)
    ('1', '01', 'true')
    >>> spelling("[0,30[", is_numeric=False), spelling("{flu}", is_numeric=False)
    ('[0, 30)', 'flu')
    >>> spelling("2020-01-01 00:00:00", is_numeric=False)
    '2020-01-01'
    """
    if len(text) > LONGEST:
        return text
    if is_numeric and not math.isnan(number := number_of(text)):
        # Beyond this, neighbours among the whole numbers are one float.
        return format_number(number) if abs(number) < 2**53 or math.isinf(number) else _long_number(text)
    stripped = text.strip()
    if stripped.casefold() in ("true", "false"):
        return stripped.casefold()
    if len(stripped) > 2 and stripped[0] == "{" and stripped[-1] == "}" and "," not in stripped:
        return spelling(stripped[1:-1].strip().strip("'\""), is_numeric=is_numeric)
    found = _TIME.fullmatch(stripped)
    if found:
        time, fraction = found[2], (found[3] or "").rstrip("0")
        is_midnight = time == "00:00:00" and not fraction
        return found[1] if is_midnight else f"{found[1]} {time}{'.' if fraction else ''}{fraction}"
    return _bracketed(stripped) or text


def form_of(text: str) -> Form | None:
    """Return what a coarse text is, None where a text looks like a value.

    Examples
    --------
    >>> form_of("20-39"), sorted(form_of("{b, 'a'}")), form_of("130**").pattern, form_of("flu")
    (Interval(low=20.0, high=39.0, has_low=True, has_high=True), ['a', 'b'], '130..', None)
    """
    text = text.strip()
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        return frozenset(each.strip().strip("'\"") for each in text[1:-1].split(","))
    interval = parse_interval(text)
    if interval is None and "*" in text:
        letters = "".join("." if letter == "*" else re.escape(letter) for letter in text)
        return re.compile(letters, flags=re.DOTALL)
    return interval


def sample_values(forms: Iterable[Form | None]) -> list[str]:
    """Return values by which coarse texts differ: members of sets, numbers at, between and beyond ends of intervals.

    Examples
    --------
    >>> sample_values([form_of("[20, 40)"), form_of("{b, a}"), None])
    ['a', 'b', '20', '40', '30', '19', '41']
    """
    listed = list(forms)
    members = sorted({member for form in listed if isinstance(form, frozenset) for member in form})
    ends = {end for form in listed if isinstance(form, Interval) for end in (form.low, form.high)}
    numbers = sorted(end for end in ends if math.isfinite(end))
    numbers += [(low + high) / 2 for low, high in pairwise(numbers)]
    numbers += [min(numbers) - 1, max(numbers) + 1] if numbers else []
    return [*members, *map(format_number, numbers)]


def _long_number(text: str) -> str:
    exact = Decimal(text.strip())
    return str(int(exact)) if exact == int(exact) else str(exact)


def _bracketed(text: str) -> str | None:
    """Return an interval such as ``[0;30[`` as it is written here, None where a text is none in brackets."""
    interval = parse_interval(text) if text[:1] and text[0] in "[](" else None
    if interval is None:
        return None
    low, high = format_number(interval.low), format_number(interval.high)
    return f"{'[' if interval.has_low else '('}{low}, {high}{']' if interval.has_high else ')'}"
