"""Distinct rows under coarser values: they stay with the executors, and counts of what is merged come here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.engines.spark._arrow import arrow_of
from withhold.engines.spark._connection import asking

if TYPE_CHECKING:
    from withhold.engines.spark._source import SparkSource

__all__ = ["Coarser"]

Numbers = NDArray[np.int64]


class Coarser:
    """The distinct rows over some columns, kept by the executors, cells as places in the dictionary of their column.

    Parameters
    ----------
    source
        The table.
    names
        The columns that make rows distinct.
    grouped
        These rows as they were counted, which the executors keep until they are encoded.
    """

    def __init__(self, source: "SparkSource", names: Sequence[str], grouped: Any) -> None:
        self._source, self._names = source, tuple(names)
        self.grouped = grouped
        self._encoded: Any = None

    def counts(
        self, names: Sequence[str], merged: Sequence[Mapping[str, Numbers]]
    ) -> list[tuple[list[Numbers], Numbers]] | None:
        """Count rows once for each way to merge places, in one question; None where more than may come would."""
        from pyspark.sql import functions

        source = self._source
        keys = [f"p{j}" for j in range(len(names))]
        with asking(source.description):
            every = None
            for number, way in enumerate(merged):
                rows = self._rows().select(*[self._key(name, way, f"p{j}") for j, name in enumerate(names)], "n")
                made = rows.groupBy(*keys).agg(functions.sum("n").alias("n"))
                made = made.withColumn("way", functions.lit(number))
                every = made if every is None else every.union(made)
            source.n_jobs += 1
            assert every is not None
            found = arrow_of(every.limit(source.most_groups + 1))
        self._let_go()
        if found.num_rows > source.most_groups:
            return None
        cells = {name: found.column(name).to_numpy().astype(np.int64) for name in (*keys, "n", "way")}
        chosen = [cells["way"] == number for number in range(len(merged))]
        return [([cells[key][each] for key in keys], cells["n"][each]) for each in chosen]

    def close(self) -> None:
        """Let the executors forget the rows."""
        self._let_go()
        if self._encoded is not None:
            self._encoded.unpersist()

    def _rows(self) -> Any:
        """Return the rows with a place for each cell; values travel in small tables, never in a plan."""
        from withhold.engines.spark._apply import column, joined

        if self._encoded is None:
            frame = self.grouped
            for j, name in enumerate(self._names):
                listed = self._source.entries((name,)).places_arrow(name).rename_columns([f"k{j}", f"e{j}"])
                frame = joined(self._source, frame, listed, [(f"c{self._source.place(name)}", f"k{j}")])
            places = [column(f"e{j}") for j in range(len(self._names))]
            self._encoded = frame.select(*places, "n").persist()
        return self._encoded

    def _key(self, name: str, way: Mapping[str, Numbers], alias: str) -> Any:
        """Return what stands for a cell, looked up in a list of numbers."""
        from pyspark.sql import functions

        place = functions.col(f"e{self._names.index(name)}")
        if name not in way:
            return place.alias(alias)
        listed = functions.lit("[" + ",".join(map(str, way[name].tolist())) + "]")
        return functions.get(functions.from_json(listed, "array<int>"), place).alias(alias)

    def _let_go(self) -> None:
        if self.grouped is not None and self._encoded is not None:
            self.grouped.unpersist()
