"""A decision as joins with small tables: executors apply it, and no cell stands in a query plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from withhold.table import CategoryRecoding, Decision

if TYPE_CHECKING:
    from withhold.engines.spark._source import SparkSource

__all__ = ["column", "is_recoded", "published_rows", "row_hash"]


def published_rows(source: "SparkSource", decision: Decision, frame: Any, *, key: str, typed: bool) -> Any:
    """Return the frame that a decision publishes.

    Columns that are published by value are joined with a list of their values; where single cells differ, rows are
    joined with the distinct rows that the decision was made on. A value that is in no list has no place in the release:
    its row is left out, and the proof finds that rows are missing.
    """
    names = decision.published(source.names)
    recoded = [name for name in names if is_recoded(decision, name)]
    if decision.cells:
        frame, columns = _joined_by_rows(source, decision, frame, recoded, typed=typed)
    else:
        frame, columns = _joined_by_values(source, decision, frame, recoded, typed=typed)
    frame = _in_order(frame, decision, key)
    inner = {name: f"c{i}" for i, name in enumerate(source.names)}
    return frame.select(*[column(columns.get(name, inner[name])).alias(name) for name in names])


def is_recoded(decision: Decision, name: str) -> bool:
    """Return whether a column is published otherwise than it stands."""
    recoding = decision.recoding(name)
    is_plain = recoding is None or (isinstance(recoding, CategoryRecoding) and recoding.is_identity)
    return not is_plain or decision.cells_of(name) is not None


def row_hash(names: Sequence[str]) -> Any:
    """Return the sum of a hash of every row: the same for the same rows in any order."""
    from pyspark.sql import functions

    # A hash of cells alone skips nulls, so that (a, null) and (null, a) would be alike.
    cells = [part for name in names for part in (column(name).cast("string"), column(name).isNull())]
    return functions.sum((functions.xxhash64(*cells) if cells else functions.lit(0)).cast("decimal(38,0)"))


def _joined_by_rows(
    source: "SparkSource", decision: Decision, frame: Any, recoded: Sequence[str], *, typed: bool
) -> tuple[Any, dict[str, str]]:
    entries = source.entries(decision.over)
    listed = _broadcast(source, entries.published_arrow(decision, recoded, typed=typed))
    keys = [(f"c{source.place(name)}", f"k{i}") for i, name in enumerate(entries.counted)]
    return _join(frame, listed, keys), {name: f"p{j}" for j, name in enumerate(recoded)}


def _joined_by_values(
    source: "SparkSource", decision: Decision, frame: Any, recoded: Sequence[str], *, typed: bool
) -> tuple[Any, dict[str, str]]:
    columns = {}
    for j, name in enumerate(recoded):
        entries = source.entries((name,))
        listed = entries.map_arrow(decision, name, typed=typed).rename_columns([f"k{j}", f"p{j}"])
        frame = _join(frame, _broadcast(source, listed), [(f"c{source.place(name)}", f"k{j}")])
        columns[name] = f"p{j}"
    return frame, columns


def _broadcast(source: "SparkSource", table: Any) -> Any:
    from pyspark.sql import functions

    return functions.broadcast(source.frame_of(table))


def _join(frame: Any, listed: Any, keys: Sequence[tuple[str, str]]) -> Any:
    """Join rows with a list, nulls with nulls."""
    condition = None
    for left, right in keys:
        same = column(left).eqNullSafe(column(right))
        condition = same if condition is None else condition & same
    return frame.join(listed, condition, "inner").drop(*[right for _, right in keys])


def _in_order(frame: Any, decision: Decision, key: str) -> Any:
    """Return the rows as they lie, or in the order of a keyed hash of their number."""
    if decision.rows == "keep":
        return frame
    from pyspark.sql import functions

    number = functions.monotonically_increasing_id().cast("string")
    place = functions.sha2(functions.concat(functions.lit(f"{key}:"), number), 256)
    return frame.withColumn("row", place).orderBy("row").drop("row")


def column(name: str) -> Any:
    """Return a column by its name, whatever letters that has."""
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")
