"""Look at a table before its policy is written: counts only, no value of any person."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from withhold.errors import DataError
from withhold.table import Table
from withhold.table._numbers import is_number

__all__ = ["ColumnProfile", "first_policy", "header_note", "inspect_table", "looks_like_numbers"]

Looks = Literal["identifier", "number", "category", "constant"]
FEW_VALUES = 20


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


def header_note(columns: Sequence[ColumnProfile]) -> str:
    """Return a warning where the first line looks like data rather than names."""
    n_numbers = _n_not_numbers([column.name for column in columns])
    n_numbers = len(columns) - n_numbers
    if n_numbers == 0:
        return ""
    noun = "column name is a number" if n_numbers == 1 else "column names are numbers"
    return f"{n_numbers} {noun}: is the first line of the file really a header?"


def first_policy(columns: Sequence[ColumnProfile], *, n_rows: int) -> str:
    """Return a policy to edit: what looks like an identifier is dropped, the rest is for a person to judge."""
    drop = [column.name for column in columns if column.looks == "identifier"]
    rest = [column for column in columns if column.looks in ("number", "category")]
    targets = [column.name for column in rest if 2 <= column.n_distinct <= FEW_VALUES and not column.is_number]
    target = targets[-1] if targets else None
    known = [column for column in rest if column.name != target]
    lines = ["# What analysts will want to predict; information is kept for it."]
    lines.append(f"target = {_toml(target)}" if target else '# target = "…"')
    lines += ["", "# Identifiers: never published.", f"drop = [{', '.join(_toml(name) for name in drop)}]", ""]
    for column in rest:
        if column.looks == "number":
            lines += [f"[columns.{_toml(column.name)}]", 'type = "number"', ""]
    example = known or [column for column in columns if column.name != target] or list(columns)
    lines += [
        "# Taxonomies say how values may be coarsened; without one a value is published or withheld.",
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
    n_rows = table.n_rows
    looks: Looks
    if n_distinct <= 1:
        looks, note = "constant", "tells nothing"
    elif n_rows >= 20 and n_distinct > 0.5 * n_rows and (not is_number or n_distinct == n_rows):
        looks, note = "identifier", "nearly every row has its own value"
    elif is_number and n_distinct > 2:
        looks, note = "number", ""
    else:
        looks = "category"
        note = "many values: give it a taxonomy" if n_distinct > FEW_VALUES else ""
        n_texts = _n_not_numbers(values)
        if n_distinct > 2 and _n_not_numbers([value and value.replace(",", ".", 1) for value in values]) == 0 < n_texts:
            note = 'numbers with a decimal comma: write a point, then type = "number"'
            n_texts = 0
        if n_distinct > 2 and 0 < n_texts <= max(1, n_distinct // 10):
            noun = "value is a number" if n_texts == 1 else "values are numbers"
            note = f'all but {n_texts} distinct {noun}: name the others in `missing`, then type = "number"'
    return ColumnProfile(
        name=name,
        looks=looks,
        n_distinct=n_distinct,
        n_unique=n_unique,
        n_missing=n_missing,
        is_number=is_number,
        note=note,
    )


def _n_not_numbers(values: Sequence[str | None]) -> int:
    return sum(value is not None and not is_number(value) for value in values)


def _n_missing(table: Table, name: str) -> int:
    values = table.store.values(name)
    if None not in values:
        return 0
    positions, weights = table.store.counts([name])
    return int(weights[positions[0] == list(values).index(None)].sum())


def looks_like_numbers(table: Table, name: str) -> bool:
    """Tell whether every value of a column is a number, none written with a leading zero."""
    try:
        table.store.numbers(name, missing=table.missing)
    except DataError:
        return False
    texts = [value for value in table.store.values(name) if value is not None]
    has_leading_zero = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    return not has_leading_zero


def _toml(name: str | None) -> str:
    return json.dumps(name, ensure_ascii=False)
