"""A decision as SQL: one expression a column, so that rows keep their order."""

from typing import TYPE_CHECKING

from withhold.engines.duckdb._connection import text
from withhold.table import WITHHELD, CategoryRecoding, CellRecoding, NumberRecoding, Recoding, is_number

if TYPE_CHECKING:
    from withhold.engines.duckdb._source import DuckSource

__all__ = ["cells_sql", "is_mark_sql", "published_sql", "row_order_sql"]


def published_sql(source: "DuckSource", recoding: Recoding | None, name: str, *, typed: bool) -> str:
    """Return the expression of what is published in a column.

    Parameters
    ----------
    source
        Where the column lies; label lists are kept there.
    recoding
        What to publish; None publishes the column as it is.
    name
        The column.
    typed
        Whether the destination has typed columns. There a withheld value is null where the column keeps its type.
    """
    cell = f"c{source.place(name)}"
    if recoding is None:
        return cell
    keeps_type = typed and source.types[source.place(name)] != "VARCHAR"
    if recoding.is_constant:
        return f"CASE WHEN true THEN NULL ELSE {cell} END" if keeps_type else text(WITHHELD)
    if isinstance(recoding, NumberRecoding):
        return _interval_sql(recoding, cell)
    if recoding.is_identity:
        return cell
    expression = _category_sql(source, recoding, name, cell)
    if keeps_type and recoding.keeps_type:
        return f"CASE WHEN ({expression}) IS NULL OR ({expression}) = {text(WITHHELD)} THEN NULL ELSE {cell} END"
    return expression


def cells_sql(source: "DuckSource", cells: CellRecoding, published: str, *, typed: bool) -> str:
    """Return the expression of a column in which single cells are published otherwise.

    The column ``p`` of `DuckSource.with_cells` says for every row which text stands there, 0 for none.
    """
    i = source.place(cells.column)
    if cells.is_blank and typed and source.types[i] != "VARCHAR":
        return f"CASE WHEN p{i} = 0 THEN {published} ELSE NULL END"
    source.keep_list(f"cells{i}", cells.texts)
    return f"CASE WHEN p{i} = 0 THEN ({published})::VARCHAR ELSE getvariable('cells{i}')[p{i}] END"


def row_order_sql(source: str, rows: str, key: str, *, position: str = "") -> str:
    """Return the rows of `source` in the order they are published.

    A shuffled order is that of a keyed hash of the row's position: without the key nothing can be inferred from it.
    """
    if rows == "keep" and not position:
        return source
    number = position or "row_position"
    numbered = f"(SELECT *, row_number() OVER () AS {number} FROM {source})"
    if rows == "keep":
        return numbered
    return f"(SELECT * FROM {numbered} ORDER BY sha256({text(key)} || ':' || {number}::VARCHAR))"


def is_mark_sql(cell: str, marks: frozenset[str]) -> str:
    """Return the condition that a cell, as text, stands for missing; marks that are numbers are compared as numbers."""
    if not marks:
        return "false"
    condition = f"{cell} IN ({', '.join(text(mark) for mark in sorted(marks))})"
    numbers = [f"{text(mark)}::DOUBLE" for mark in sorted(marks) if is_number(mark)]
    return f"({condition} OR try_cast({cell} AS DOUBLE) IN ({', '.join(numbers)}))" if numbers else f"({condition})"


def _interval_sql(recoding: NumberRecoding, cell: str) -> str:
    """Return the interval of a number; it is read from the cell's text, as it was when intervals were chosen."""
    number = f"try_cast({cell}::VARCHAR AS DOUBLE)"
    missing = "NULL" if recoding.missing is None else text(recoding.missing)
    is_absent = f"{cell} IS NULL OR {is_mark_sql(f'{cell}::VARCHAR', recoding.missing_marks)} OR isnan({number})"
    arms = [f"WHEN {is_absent} THEN {missing}"]
    for start, label in zip(recoding.starts[1:], recoding.labels, strict=False):
        arms.append(f"WHEN {number} < {text(repr(float(start)))}::DOUBLE THEN {text(label)}")
    last = text(recoding.labels[-1]) if recoding.labels else missing
    return f"CASE {' '.join(arms)} ELSE {last} END"


def _category_sql(source: "DuckSource", recoding: Recoding, name: str, cell: str) -> str:
    i = source.dictionary(name)
    values = [value for value in source.values(name) if value is not None]
    assert isinstance(recoding, CategoryRecoding)
    source.keep_list(f"labels{i}", recoding.apply(values))
    missing = "NULL" if recoding.missing is None else text(recoding.missing)
    label = f"getvariable('labels{i}')[enum_code({cell}::VARCHAR::{source.tag}d{i})::INTEGER + 1]"
    return f"CASE WHEN {cell} IS NULL THEN {missing} ELSE {label} END"
