"""One spelling for each value, whichever tool or type of file wrote it."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property

from withhold.policy import Policy
from withhold.table import Numbers, Store, Table, Taxonomy, format_number, parse_interval
from withhold.table._decision import WITHHELD

__all__ = ["Spellings", "is_declared_number", "is_numeric", "spelling", "spellings", "tree_of"]

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?")
LONGEST = 400
"""No number, date or interval is longer; a longer text is only ever itself."""


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
    if is_numeric and not math.isnan(number := _number(text)):
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


class Spellings:
    """The values of a column as the original spells them.

    Parameters
    ----------
    known
        The values, None is missing.
    is_numeric
        Whether two spellings of a number are the same value.
    is_binned
        Whether other texts are intervals, which are spelled as a release spells them.

    Examples
    --------
    >>> Spellings(["true", "false"], is_numeric=False).of("True")
    'true'
    """

    def __init__(self, known: Iterable[str | None], *, is_numeric: bool, is_binned: bool = False) -> None:
        self._known = dict.fromkeys(text for text in known if text is not None)
        self._is_numeric = is_numeric
        self._is_binned = is_binned

    def of(self, text: str) -> str:
        """Return the known value that a text spells, the text itself where it spells none."""
        if text in self._known or text == WITHHELD:
            return text
        spelled = spelling(text, is_numeric=self._is_numeric)
        return self._named.get(spelled, spelled if self._is_binned else text)

    def all(self, texts: Iterable[str | None]) -> list[str | None]:
        """Return the values that some texts spell; None is missing."""
        return [None if text is None else self.of(text) for text in texts]

    @cached_property
    def _named(self) -> dict[str, str]:
        # The first of two values with one spelling gives the name.
        return {spelling(text, is_numeric=self._is_numeric): text for text in reversed(self._known)}


def spellings(source: Store, policy: Policy, original: Table | None, name: str) -> Spellings:
    """Return how the original spells the values of a column, or else its taxonomy."""
    known = original.store.values(name) if original is not None and name in original.names else ()
    tree = tree_of(policy, original, name)
    settings = policy.columns.get(name)
    return Spellings(
        (*known, *(() if tree is None else tree.labels)),
        is_numeric=is_numeric(source, policy, original, name),
        is_binned=settings is not None and settings.bins is not None,
    )


def is_numeric(source: Store, policy: Policy, original: Table | None, name: str) -> bool:
    """Tell whether two spellings of a number are the same value: where the policy or one of the files types it."""
    has = original is not None and name in original.names
    kinds = [source.kind(name), *([original.store.kind(name)] if has and original is not None else [])]
    return "number" in kinds or is_declared_number(policy, original, name)


def is_declared_number(policy: Policy, original: Table | None, name: str) -> bool:
    """Tell whether a column was declared to hold numbers."""
    if original is not None and name in original.names and original.has_given_domain(name):
        return isinstance(original.domain(name), Numbers)
    return name in policy.columns and policy.columns[name].type == "number"


def tree_of(policy: Policy, original: Table | None, name: str) -> Taxonomy | None:
    """Return the taxonomy that a column was given, by the policy or with the table."""
    if original is not None and name in original.names and original.has_given_domain(name):
        domain = original.domain(name)
        return domain if isinstance(domain, Taxonomy) else None
    settings = policy.columns.get(name)
    if settings is None or settings.taxonomy is None:
        return None
    given = settings.taxonomy
    return Taxonomy.read(policy.folder / given) if isinstance(given, str) else given


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


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
