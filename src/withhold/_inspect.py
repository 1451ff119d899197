"""Look at a table before its policy is written: counts only, no value of any person."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from withhold.errors import DataError, InputError
from withhold.table import COMMAS, DATES, Table, are_dates, have_decimal_commas, is_number

if TYPE_CHECKING:
    from withhold.auditing import Uniques

__all__ = [
    "ColumnProfile",
    "check_header",
    "first_policy",
    "inspect_table",
    "looks_like_numbers",
    "unique_rows",
]

Looks = Literal["identifier", "number", "category", "constant"]
FEW_VALUES = 20
MOST_COLUMNS = 20
LOOKS = 30_000_000
"""Rows times sets of columns that are looked at for unique rows: a few seconds."""
FEW_ROWS = 20
"""Below this many rows nothing is taken for an identifier."""
OWN_VALUE = "most rows have their own value"
NUMBERED = f"{OWN_VALUE}; if it is an amount, take it out of `drop`"


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

    chosen = [column.name for column in columns if column.looks in ("number", "category")][:MOST_COLUMNS]
    if not chosen:
        return None
    labels = [tuple(str(value) for value in table.store.values(name)) for name in chosen]
    codes = [table.store.cells(name).astype("int64") for name in chosen]
    view = View(tuple(chosen), codes, labels, [None] * len(chosen))
    return count_uniques(view, chosen, most_looks=LOOKS)


def check_header(names: Sequence[str], source: str) -> None:
    """Refuse a first line that looks like data: its cells would be shown as names of columns."""
    n_numbers = len(names) - _n_not_numbers(names)
    if n_numbers:
        noun = "cells is a number" if n_numbers == 1 else "cells are numbers"
        raise InputError(
            f"{source}: the first line looks like data, not like names of columns: {n_numbers} of its {noun}. "
            "Hint: put a header above it; if it is one, pass --header."
        )


def first_policy(columns: Sequence[ColumnProfile], *, n_rows: int) -> str:
    """Return a policy to edit: what looks like an identifier is dropped, the rest is for a person to judge."""
    drop = [column.name for column in columns if column.looks == "identifier"]
    rest = [column for column in columns if column.looks in ("number", "category")]
    targets = [column.name for column in rest if 2 <= column.n_distinct <= FEW_VALUES and not column.is_number]
    target = targets[-1] if targets else None
    known = [column for column in rest if column.name != target]
    lines = ["# What analysts will want to predict; information is kept for it."]
    guess = "  # a guess: the last column with few values"
    lines.append(f"target = {_toml(target)}{guess}" if target else '# target = "…"')
    lines += ["", '# Each row is published as finely as its own group allows; "global": a value alike in all rows.']
    lines.append('recoding = "local"')
    lines += ["", "# Identifiers: never published. A guess: columns in which most rows have their own value."]
    lines += [f"drop = [{', '.join(_toml(name) for name in drop)}]", ""]
    for column in rest:
        if column.looks == "number":
            lines += [f"[columns.{_toml(column.name)}]", 'type = "number"', ""]
    example = known or [column for column in columns if column.name != target] or list(columns)
    lines += [
        "# Taxonomies say how values may be coarsened; without one small sets are published: {clerk, cook}.",
        "# [columns.…]",
        '# taxonomy = "….csv"          # one line a value, leaf to root',
        "",
        "# What an outsider may know about a person: take out what nobody outside can know. A column that no",
        "# requirement names is published as it is. Several may overlap; smaller sets of columns keep more.",
        "[[require]]",
        'kind = "anonymity"',
        f"columns = [{', '.join(_toml(column.name) for column in example)}]",
        f"k = {max(2, min(10, n_rows))}",
    ]
    return "\n".join(lines) + "\n"


def _profile(table: Table, name: str) -> ColumnProfile:
    rows = table.distinct([name])
    values = table.store.values(name)
    counts = np.bincount(rows.codes[0], weights=rows.weights, minlength=table.n_codes(name)).astype(np.int64)
    n_missing = _n_missing(table, name)
    n_distinct = len(values) - (None in values)
    n_unique = int(np.count_nonzero(counts == 1))
    is_number = looks_like_numbers(table, name)
    n_known = table.n_rows - n_missing
    looks: Looks
    if n_distinct <= 1:
        looks, note = "constant", "holds no information"
    elif is_number and n_distinct > 2:
        is_identifier = n_known >= FEW_ROWS and _numbers_people(table, name, n_unique, n_distinct, n_known)
        looks, note = ("identifier", NUMBERED) if is_identifier else ("number", "")
    elif have_decimal_commas(values):
        looks, note = "category", _comma_note(values)
    elif n_known >= FEW_ROWS and n_unique > 0.5 * n_known:
        looks, note = "identifier", f"{OWN_VALUE}; {DATES}" if are_dates(values) else OWN_VALUE
    else:
        looks, note = "category", _category_note(values, n_distinct)
    return ColumnProfile(
        name=name,
        looks=looks,
        n_distinct=n_distinct,
        n_unique=n_unique,
        n_missing=n_missing,
        is_number=is_number,
        note=note,
    )


def _numbers_people(table: Table, name: str, n_unique: int, n_distinct: int, n_known: int) -> bool:
    """Return whether numbers look like those of people: whole, and each once, or mostly so and large."""
    numbers = table.store.numbers(name, missing=table.missing)
    numbers = numbers[np.isfinite(numbers)]
    if not np.array_equal(numbers, np.floor(numbers)):
        return False
    return n_distinct == n_known or bool(n_unique > 0.5 * n_known and np.abs(numbers).max() >= 10 * n_known)


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
        return f'all but {n_texts} distinct {noun}: name the others in `missing`, then type = "number"'
    return "many values: give it a taxonomy" if n_distinct > FEW_VALUES else ""


def _n_not_numbers(values: Sequence[str | None]) -> int:
    return sum(value is not None and not is_number(value) for value in values)


def _n_missing(table: Table, name: str) -> int:
    values = table.store.values(name)
    if None not in values:
        return 0
    positions, weights = table.store.counts([name])
    return int(weights[positions[0] == list(values).index(None)].sum())


def looks_like_numbers(table: Table, name: str) -> bool:
    """Return whether every value of a column is a number, none written with a leading zero."""
    try:
        table.store.numbers(name, missing=table.missing)
    except DataError:
        return False
    texts = [value for value in table.store.values(name) if value is not None]
    has_leading_zero = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    return not has_leading_zero


def _toml(name: str | None) -> str:
    return json.dumps(name, ensure_ascii=False)
