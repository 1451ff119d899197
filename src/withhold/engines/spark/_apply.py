"""A decision as joins with small tables: executors apply it, and no cell stands in a query plan."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from withhold.table import CategoryRecoding, Decision

if TYPE_CHECKING:
    from withhold.engines.spark._source import SparkSource

__all__ = ["column", "hash_number", "hash_sums", "is_recoded", "joined", "published_rows"]


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
    frame = _in_order(source, frame, decision, key)
    inner = {name: f"c{i}" for i, name in enumerate(source.names)}
    return frame.select(*[column(columns.get(name, inner[name])).alias(name) for name in names])


def is_recoded(decision: Decision, name: str) -> bool:
    """Return whether a column is published otherwise than it stands."""
    recoding = decision.recoding(name)
    is_plain = recoding is None or (isinstance(recoding, CategoryRecoding) and recoding.is_identity)
    return not is_plain or decision.cells_of(name) is not None


PIECES = ((0, 29), (29, 29))
"""Where the pieces of a hash begin, and how many bits they have: sums of such over 17 billion rows have 64 bits."""


def hash_sums(names: Sequence[str], alias: str, *, as_typed: Collection[str] = ()) -> list[Any]:
    """Return sums over a hash of every row, which `hash_number` reads: the same for the same rows in any order.

    Cells are hashed as text, so that a file of texts has the hash of the numbers it was written from; those of the
    columns in `as_typed` by their types, which is quicker and alike only between tables of the same types.
    """
    from pyspark.sql import functions

    texts = {name: column(name) if name in as_typed else column(name).cast("string") for name in names}
    # A hash of cells alone skips nulls, so that (a, null) and (null, a) would be alike.
    cells = [part for name in names for part in (texts[name], column(name).isNull())]
    number = functions.xxhash64(*cells) if cells else functions.lit(0).cast("long")
    pieces = [functions.shiftrightunsigned(number, first).bitwiseAND((1 << bits) - 1) for first, bits in PIECES]
    return [functions.sum(piece).alias(f"{alias}_{i}") for i, piece in enumerate(pieces)]


def hash_number(found: Mapping[str, Any], alias: str) -> int:
    """Return the number that the sums of a hash make."""
    return sum(int(found[f"{alias}_{i}"] or 0) << (80 * i) for i in range(len(PIECES)))


def _joined_by_rows(
    source: "SparkSource", decision: Decision, frame: Any, recoded: Sequence[str], *, typed: bool
) -> tuple[Any, dict[str, str]]:
    entries = source.entries(decision.over)
    listed = entries.published_arrow(decision, recoded, typed=typed)
    keys = [(f"c{source.place(name)}", f"k{i}") for i, name in enumerate(entries.counted)]
    return joined(source, frame, listed, keys), {name: f"p{j}" for j, name in enumerate(recoded)}


def _joined_by_values(
    source: "SparkSource", decision: Decision, frame: Any, recoded: Sequence[str], *, typed: bool
) -> tuple[Any, dict[str, str]]:
    columns = {}
    for j, name in enumerate(recoded):
        entries = source.entries((name,))
        listed = entries.map_arrow(decision, name, typed=typed).rename_columns([f"k{j}", f"p{j}"])
        frame = joined(source, frame, listed, [(f"c{source.place(name)}", f"k{j}")])
        columns[name] = f"p{j}"
    return frame, columns


def joined(source: "SparkSource", frame: Any, listed: Any, keys: Sequence[tuple[str, str]]) -> Any:
    """Join rows with a small list that every executor is sent, nulls with nulls."""
    from pyspark.sql import functions

    condition = None
    for left, right in keys:
        same = column(left).eqNullSafe(column(right))
        condition = same if condition is None else condition & same
    sent = functions.broadcast(source.frame_of(listed).coalesce(1))  # one task for a list, not one for each core
    return frame.join(sent, condition, "inner").drop(*[right for _, right in keys])


def _in_order(source: "SparkSource", frame: Any, decision: Decision, key: str) -> Any:
    """Return the rows as they lie, by their number where a column has it, or by a keyed hash of where they lie."""
    if decision.rows == "keep":
        if source.row_number is None:
            return frame
        return frame.orderBy(column(f"c{source.place(source.row_number)}").cast("decimal(38,0)"))
    from pyspark.sql import functions

    number = functions.monotonically_increasing_id().cast("string")
    place = functions.sha2(functions.concat(functions.lit(f"{key}:"), number), 256)
    return frame.withColumn("row", place).orderBy("row").drop("row")


def column(name: str) -> Any:
    """Return a column by its name, whatever letters that has."""
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")
