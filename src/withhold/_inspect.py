"""Look at a table before its policy is written: counts only, no value of any person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from withhold.errors import DataError, InputError
from withhold.inspecting import Column, Sign, missing_codes, numbers_of, sign_of
from withhold.table import COMMAS, DATES, Table, are_dates, have_decimal_commas, is_number

if TYPE_CHECKING:
    from withhold.auditing import Uniques

__all__ = ["FEW_VALUES", "ColumnProfile", "check_header", "inspect_table", "looks_like_numbers", "unique_rows"]

Looks = Literal["identifier", "number", "category", "constant", "date", "code", "amount"]
FEW_VALUES = 20
LOOKS: dict[str, Looks] = {
    "amount": "amount",
    "code": "code",
    "constant": "constant",
    "date": "date",
    "e-mail": "identifier",
    "id": "identifier",
    "name": "identifier",
    "phone": "identifier",
    "postcode": "code",
    "text": "identifier",
    "unit": "identifier",
    "weight": "number",
}
NOTES = {
    "amount": 'an amount: most people could be recognised by theirs; publish = "mean" averages over a few rows',
    "id": "most rows have their own value; if it is an amount, take it out of `drop`",
    "unit": "several rows belong together by it, as people of a household do: never publish it",
}
MOST_COLUMNS = 20
MOST_LOOKS = 30_000_000
"""Rows times sets of columns that are looked at for unique rows: a few seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """What a column looks like."""

    name: str
    looks: Looks
    n_distinct: int
    """Distinct values, missing left out."""
    n_unique: int
    """Rows that are alone with their value."""
    n_missing: int
    is_number: bool
    note: str
    kind: str = "plain"
    """What it seems to be: a name, an e-mail, a phone, an id, a unit, a weight, a date, a code, an amount …"""
    missing_codes: tuple[str, ...] = ()
    """Texts that seem to stand for a missing answer, or that the file declares so."""
    declared_codes: tuple[str, ...] = ()
    """Texts that the file declares to stand for a missing answer."""
    date_format: str | None = None
    """How its dates are written, where that is not ISO."""
    code: str | None = None
    """The well-known code that it holds."""


def inspect_table(table: Table) -> list[ColumnProfile]:
    """Return a profile of each column.

    Examples
    --------
    >>> from withhold import samples
    >>> [profile.looks for profile in inspect_table(samples.tds_table1())]
    ['category', 'category', 'number', 'category']
    """
    return [_profile(table, name) for name in table.names]


def unique_rows(table: Table, columns: Sequence[ColumnProfile]) -> "Uniques | None":
    """Count on how few columns rows are unique; constants and identifiers are left out, None where nothing is left.

    Examples
    --------
    >>> from withhold import samples
    >>> table = samples.tds_table1()
    >>> unique_rows(table, inspect_table(table)).largest_set
    3
    """
    from withhold.attackers import View
    from withhold.auditing import count_uniques

    chosen = [column.name for column in columns if column.looks not in ("identifier", "constant")][:MOST_COLUMNS]
    if not chosen:
        return None
    labels = [tuple(str(value) for value in table.store.values(name)) for name in chosen]
    codes = [table.store.cells(name).astype("int64") for name in chosen]
    view = View(tuple(chosen), codes, labels, [None] * len(chosen))
    return count_uniques(view, chosen, most_looks=MOST_LOOKS)


def check_header(names: Sequence[str], source: str) -> None:
    """Refuse a first line that looks like data: its cells would be shown as names of columns."""
    n_numbers = len(names) - _n_not_numbers(names)
    if n_numbers:
        noun = "cells is a number" if n_numbers == 1 else "cells are numbers"
        raise InputError(
            f"{source}: the first line looks like data, not like names of columns: {n_numbers} of its {noun}. "
            "Hint: put a header above it; if it is one, pass --header."
        )


def _profile(table: Table, name: str) -> ColumnProfile:
    texts = table.store.values(name)
    cells = table.store.cells(name)
    held = np.bincount(cells, minlength=len(texts)).astype(np.int64)
    declared = tuple(getattr(table.store, "missing_codes", {}).get(name, ()))
    codes = tuple(dict.fromkeys([*declared, *missing_codes(texts, held)]))
    is_known = np.array([text is not None for text in texts], dtype=np.bool_)
    kept = [i for i, text in enumerate(texts) if text is not None and text not in codes]
    values = [str(texts[i]) for i in kept]
    numbers = _numbers(values)
    repeats = float(np.mean(cells[1:] == cells[:-1])) if cells.size > 1 else 0.0
    column = Column(name=name, values=values, counts=held[kept], numbers=numbers, repeats=repeats)
    sign = sign_of(column)
    looks: Looks = (
        "category"
        if have_decimal_commas(texts)
        else LOOKS.get(sign.kind) or ("number" if numbers is not None and len(values) > 2 else "category")
    )
    return ColumnProfile(
        name=name,
        looks=looks,
        n_distinct=int(is_known.sum()),
        n_unique=int(np.count_nonzero(held[is_known] == 1)),
        n_missing=int(held[~is_known].sum()),
        is_number=numbers is not None and all(is_number(code) for code in codes),
        note=_note(sign, codes, texts, numbers is not None, declared=declared),
        kind=sign.kind,
        missing_codes=codes,
        declared_codes=declared,
        date_format=sign.date_format,
        code=sign.code,
    )


def _numbers(values: Sequence[str]) -> NDArray[np.float64] | None:
    """Return texts as numbers; None where some are none, or begin with a zero as codes do."""
    has_zeros = any(text[:1] == "0" and len(text) > 1 and text.isdigit() for text in values)
    return None if has_zeros else numbers_of(values)


def _note(
    sign: Sign, codes: Sequence[str], texts: Sequence[str | None], is_number: bool, *, declared: Sequence[str] = ()
) -> str:
    """Return what the owner should know about a column."""
    if have_decimal_commas(texts):
        return _comma_note(texts)
    n_values = sum(text is not None for text in texts)
    parts = [] if sign.kind == "plain" and not codes and is_number else [NOTES.get(sign.kind, sign.why)]
    if sign.kind == "date":
        form = "" if sign.date_format is None else f', format = "{sign.date_format}"'
        parts = [f'dates: type = "date"{form}']
    if sign.kind == "plain" and not is_number:
        parts = [_category_note(texts, n_values)]
    found = [code for code in codes if code not in declared]
    if found and not any("in `missing_codes`" in part for part in parts):
        verb, them = ("seems", "it") if len(found) == 1 else ("seem", "them")
        parts.append(f"{', '.join(found)} {verb} to stand for a missing answer: name {them} in `missing_codes`")
    if declared:
        verb = "stands" if len(declared) == 1 else "stand"
        parts.append(f"the file declares that {', '.join(declared)} {verb} for a missing answer")
    return "; ".join(part for part in parts if part)


def _comma_note(values: Sequence[str | None]) -> str:
    if _n_not_numbers([value and value.replace(",", ".", 1) for value in values]) == 0:
        return 'numbers with a decimal comma: read them with --decimal ",", then type = "number"'
    return COMMAS


def _category_note(values: Sequence[str | None], n_distinct: int) -> str:
    """Return what a category should get that has many values, or nearly only numbers."""
    if n_distinct > 2 and are_dates(values):
        return DATES
    n_texts = _n_not_numbers(values)
    if n_distinct > 2 and 0 < n_texts <= max(1, n_distinct // 10):
        noun = "value is a number" if n_texts == 1 else "values are numbers"
        return f'all but {n_texts} distinct {noun}: name the others in `missing_codes`, then type = "number"'
    return "many values: give it a taxonomy" if n_distinct > FEW_VALUES else ""


def _n_not_numbers(values: Sequence[str | None]) -> int:
    return sum(value is not None and not is_number(value) for value in values)


def looks_like_numbers(table: Table, name: str) -> bool:
    """Return whether every value of a column is a number, none written with a leading zero."""
    try:
        table.store.numbers(name, missing=table.missing)
    except DataError:
        return False
    texts = [value for value in table.store.values(name) if value is not None]
    has_leading_zero = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    return not has_leading_zero
