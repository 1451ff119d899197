"""The distinct rows that a cluster counted, held by the embedded engine: it spells, ranks and recodes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.engines.duckdb import DuckSource, open_loaded
from withhold.engines.files import Loaded
from withhold.table import Codes, Decision

__all__ = ["Entries", "open_entries"]

COUNT = "withhold\x1fn"
"""What the column of counts is called; no file has such a name."""


class Entries(DuckSource):
    """Distinct rows with counts; every count of the embedded engine is a count of the cluster's rows here."""

    _blocks = None
    """Blocks of columns count each row once, whatever it stands for."""

    @property
    def weights(self) -> NDArray[np.int64]:
        """How many rows of the cluster each distinct row stands for."""
        return self._arrays(f"SELECT {self._weight} AS n FROM source")["n"].astype(np.int64)

    @property
    def n_counted(self) -> int:
        """How many rows of the cluster there are."""
        return int(self._fetch(f"SELECT coalesce(sum({self._weight}), 0) FROM source")[0][0])

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns that make rows distinct."""
        return self.names[:-1]

    @property
    def _weight(self) -> str:
        return f"c{len(self.names) - 1}"

    def _n_sql(self, condition: str = "") -> str:
        where = f" FILTER (WHERE {condition})" if condition else ""
        return f"coalesce(sum({self._weight}){where}, 0)"

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows over `names` with counts; over all columns in the order in which they lie here."""
        if set(names) >= set(self.counted):
            return [self.cells(name) for name in names], self.weights
        found = self.groups(names)
        return found.codes, found.sizes

    def over(self, names: Sequence[str]) -> "Entries":
        """Return the distinct rows over fewer columns."""
        cells = ", ".join(f"c{self._place[name]}" for name in names)
        with self._database.lock:
            sql = f"SELECT {cells}, sum({self._weight})::BIGINT AS n FROM source GROUP BY {cells}"
            found = self._database.batches(sql).read_all()
        return open_entries(found, names, self.description)

    def published_arrow(self, decision: Decision, names: Sequence[str], *, typed: bool) -> Any:
        """Return an Arrow table: each distinct row, and beside it what a decision publishes of some columns."""
        with self._database.lock:
            rows = self._with_cells(decision)
            keys = [f'c{i} AS "k{i}"' for i in range(len(self.counted))]
            texts = [f'{self._published_sql(decision, n, typed=typed)} AS "p{j}"' for j, n in enumerate(names)]
            return self._database.batches(f"SELECT {', '.join([*keys, *texts])} FROM {rows}").read_all()

    def places_arrow(self, name: str) -> Any:
        """Return an Arrow table of a column's values, and the place of each in its dictionary."""
        with self._database.lock:
            place = f'({self._position_sql(name)})::INTEGER AS "p"'
            return self._database.batches(
                f'SELECT DISTINCT c{self._place[name]} AS "k", {place} FROM source'
            ).read_all()

    def map_arrow(self, decision: Decision, name: str, *, typed: bool) -> Any:
        """Return an Arrow table of a column's values, and what a decision publishes for each."""
        with self._database.lock:
            published = self._published_sql(decision, name, typed=typed)
            cell = f"c{self._place[name]}"
            sql = f'SELECT {cell} AS "k", any_value({published}) AS "p" FROM source GROUP BY {cell}'
            return self._database.batches(sql).read_all()


def open_entries(table: Any, names: Sequence[str], description: str) -> Entries:
    """Open an Arrow table of distinct rows whose last column counts them."""
    opened = open_loaded(Loaded(table=table.rename_columns([*names, COUNT])), description)
    return Entries(opened._database, opened.names, description=description)
