"""A decision as SQL: one expression a column, so that rows keep their order."""

from typing import TYPE_CHECKING

from withhold.engines.duckdb._connection import text
from withhold.table import NumberRecoding, Recoding
from withhold.table._decision import WITHHELD

if TYPE_CHECKING:
    from withhold.engines.duckdb._source import DuckSource

__all__ = ["published_sql", "row_order_sql"]


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
    column_type = source.types[source.place(name)]
    keeps_type = typed and column_type != "VARCHAR"
    if recoding.is_constant:
        return f"NULL::{column_type}" if keeps_type else text(WITHHELD)
    if isinstance(recoding, NumberRecoding):
        return _interval_sql(recoding, cell)
    if recoding.is_identity:
        return cell
    expression = _category_sql(source, recoding, name, cell)
    if keeps_type and recoding.keeps_type:
        return f"CASE WHEN {expression} = {text(WITHHELD)} THEN NULL ELSE {cell} END"
    return expression


def row_order_sql(source: str, rows: str, key: str, *, position: str = "") -> str:
    """Return the rows of `source` in the order they are published.

    A shuffled order is that of a keyed hash of the row's position: without the key it tells nothing.
    """
    if rows == "keep" and not position:
        return source
    number = position or "row_position"
    numbered = f"(SELECT *, row_number() OVER () AS {number} FROM {source})"
    if rows == "keep":
        return numbered
    return f"(SELECT * FROM {numbered} ORDER BY sha256({text(key)} || ':' || {number}::VARCHAR))"


def _interval_sql(recoding: NumberRecoding, cell: str) -> str:
    number = f"try_cast({cell} AS DOUBLE)"
    missing = "NULL" if recoding.missing is None else text(recoding.missing)
    absent = [f"{cell} IS NULL"]
    if recoding.missing_marks:
        marks = ", ".join(text(mark) for mark in sorted(recoding.missing_marks))
        absent.append(f"{cell}::VARCHAR IN ({marks})")
    arms = [f"WHEN {' OR '.join(absent)} OR isnan({number}) THEN {missing}"]
    for start, label in zip(recoding.starts[1:], recoding.labels, strict=False):
        arms.append(f"WHEN {number} < {start!r}::DOUBLE THEN {text(label)}")
    last = text(recoding.labels[-1]) if recoding.labels else missing
    return f"CASE {' '.join(arms)} ELSE {last} END"


def _category_sql(source: "DuckSource", recoding: Recoding, name: str, cell: str) -> str:
    i = source.place(name)
    values = [value for value in source.values(name) if value is not None]
    source.table_with_list(f"labels{i}", recoding.apply(values))  # type: ignore[arg-type]
    missing = "NULL" if recoding.missing is None else text(recoding.missing)
    label = f"(SELECT labels FROM labels{i})[enum_code({cell}::VARCHAR::d{i})::INTEGER + 1]"
    return f"CASE WHEN {cell} IS NULL THEN {missing} ELSE {label} END"
