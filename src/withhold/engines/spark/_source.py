"""A table in Spark: its columns are called c0, c1, … inside, whatever they are called outside."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.engines._protocol import Confidence, Groups, Holding, Majority, SmallGroups, Source
from withhold.engines.duckdb import DuckSource, open_loaded
from withhold.engines.files import Loaded, Location, Reading, kind_of
from withhold.engines.spark._apply import column, hash_number, hash_sums, is_recoded, published_rows
from withhold.engines.spark._arrow import arrow_of, frame_of
from withhold.engines.spark._coarser import Coarser
from withhold.engines.spark._connection import asking, writing
from withhold.engines.spark._entries import Entries, open_entries
from withhold.engines.spark._stores import local_url, publish, remove
from withhold.engines.spark._types import check_types, hashed_as_typed, kind_of_field, spelled
from withhold.errors import DataError, RowsNeededError
from withhold.table import (
    WITHHELD,
    CategoryRecoding,
    Codes,
    Decision,
    Kind,
    MissingCodes,
    NewCells,
    Recoding,
    is_number,
)

__all__ = ["MOST_GROUPS", "MOST_ROWS", "SparkSource"]

MOST_ROWS = 1_000_000
"""How many rows may come to the driver where counts are not enough."""
MOST_GROUPS = 5_000_000
"""How many distinct rows may come to the driver."""
SEED = 1
"""The same rows are drawn of the same table, so that who looks twice sees the same."""
MOST_GROUPS_SETTING, MOST_ROWS_SETTING = "spark.withhold.mostGroups", "spark.withhold.mostRows"
ROW_NUMBER_SETTING = "spark.withhold.rowNumber"
BYTES_A_GROUP = 64


class SparkSource:
    """A table behind Spark: it is counted there, recoded there and written there; rows come only where there are few.

    Parameters
    ----------
    session
        The session.
    frame
        The rows, under their own names.
    description
        What the source is, for messages.
    path
        The folder or file it came from, where that lies here.
    options
        How it is written as text, where it came so.
    """

    has_order = False
    """Rows have no numbers: a folder is read in any order."""

    def __init__(
        self,
        session: Any,
        frame: Any,
        *,
        description: str,
        path: Path | None = None,
        delimiter: str = ",",
    ) -> None:
        self.session = session
        self.native = frame
        """The rows under their own names."""
        self._fields = frame.schema.fields
        self._names = tuple(str(field.name) for field in self._fields)
        check_types(self._fields, description)
        self._place = {name: i for i, name in enumerate(self._names)}
        self.frame = frame.toDF(*[f"c{i}" for i in range(len(self._names))])
        """The rows under their inner names."""
        self.description = description
        self.path = path
        self.delimiter = delimiter
        self.location: Location | None = None
        self.reading = Reading()
        self.most_rows = int(session.conf.get(MOST_ROWS_SETTING, str(MOST_ROWS)))
        self.most_groups = int(session.conf.get(MOST_GROUPS_SETTING, str(MOST_GROUPS)))
        self.row_number = self._row_number(session.conf.get(ROW_NUMBER_SETTING, ""))
        """The column that says in which order rows are published; None for as they lie."""
        self.n_jobs = 0
        self._coarser: Coarser | None = None
        self._entries: list[Entries] = []
        self._collected: DuckSource | None = None
        self._hashes: dict[str, int] = {}
        self._watch: Any = None
        self._is_counted = False
        self.written_hash: int | None = None

    def _row_number(self, name: str) -> str | None:
        """Return the column of row numbers, where a setting names one that is here."""
        return name if name in self._place else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self._names

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        if self._entries:
            return self._entries[0].n_counted
        self.n_jobs += 1
        with asking(self.description):
            return int(self.frame.count())

    @property
    def has_rows(self) -> bool:
        """Whether whole columns can be had here, and not only counts."""
        return not self._is_counted and self.n_rows <= self.most_rows

    def drawn(self) -> "SparkSource":
        """Return rows drawn by chance, as many as may be sent here; the table itself where all may."""
        if self.n_rows <= self.most_rows:
            return self
        share = self.most_rows / self.n_rows
        few = self.native.sample(withReplacement=False, fraction=share, seed=SEED).limit(self.most_rows)
        return SparkSource(self.session, few, description=self.description, delimiter=self.delimiter)

    def without_rows(self) -> "SparkSource":
        """Return the same table as one of which only counts can be had."""
        self._is_counted = True
        return self

    def place(self, name: str) -> int:
        """Return the position of a column."""
        return self._place[name]

    def kind(self, name: str) -> Kind:
        """Return whether the source types the column as a number."""
        return kind_of_field(self._fields[self._place[name]])

    def is_typed(self, name: str) -> bool:
        """Tell whether a column has a type other than text: a withheld value of it is a null."""
        return not spelled(self._fields[self._place[name]])

    # What is counted.

    def prepare(self, names: Sequence[str]) -> None:
        """Count the distinct rows over some columns, by one GROUP BY that later questions are answered from."""
        named = self.session.conf.get(ROW_NUMBER_SETTING, "")
        if named and self.row_number is None and not self._is_counted:
            raise DataError(f'{self.description}: {ROW_NUMBER_SETTING}: there is no column "{named}".')
        found = self.entries(names)
        if set(found.counted) != set(names):
            self._entries.append(found.over([name for name in self._names if name in names]))

    def entries(self, names: Sequence[str]) -> Entries:
        """Return distinct rows over some columns, and maybe more, as they were counted."""
        asked = set(names)
        found = [each for each in self._entries if asked <= set(each.counted)]
        if not found:
            self._entries.append(self._counted([name for name in self._names if name in asked]))
            return self._entries[-1]
        return min(found, key=lambda each: (set(each.counted) != asked, len(each.counted)))

    def _counted(self, names: Sequence[str]) -> Entries:
        keys = [f"c{self._place[name]}" for name in names]
        self.n_jobs += 1
        with asking(self.description):
            grouped = self._grouped(keys)
            found = arrow_of(grouped.limit(self.most_groups + 1))
            if self._watch is not None:
                self._keep_hashes(self._watch.get)
                self._watch = None
        if found.num_rows > self.most_groups:
            self._keep(names, grouped)
            raise RowsNeededError(
                f"{self.description}: there are more than {self.most_groups:,} distinct rows over {', '.join(names)}, "
                f"more than may come to the driver. Hint: fewer columns in the policy, bins or coarser values before, "
                f"or {MOST_GROUPS_SETTING} (about {BYTES_A_GROUP} bytes of the driver a row)."
            )
        return open_entries(found, names, self.description)

    def _grouped(self, keys: Sequence[str]) -> Any:
        """Return distinct rows with counts, from those that the executors keep where there are such."""
        from pyspark.sql import Observation, functions

        kept = None if self._coarser is None else self._coarser.grouped
        if kept is not None and {*keys} <= {*kept.columns}:
            return kept.groupBy(*keys).agg(functions.sum("n").alias("n"))
        frame = self.frame
        if self._is_counted and not self._hashes:  # what was written is hashed while it is counted
            names = [name for name in self._names if f"c{self._place[name]}" not in keys]
            self._watch = Observation()
            frame = frame.observe(self._watch, *self._hash_columns(names), *self._hash_rows())
        return frame.groupBy(*keys).agg(functions.count(functions.lit(1)).alias("n"))

    def _keep(self, names: Sequence[str], grouped: Any) -> None:
        """Let the executors keep distinct rows that are too many to come, so that they are counted from then on."""
        if self._coarser is None and not self._is_counted:
            self._coarser = Coarser(self, names, grouped.persist())

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether the distinct rows over some columns were counted and may come here."""
        return any(set(names) <= set(each.counted) for each in self._entries)

    def merged_counts(
        self, names: Sequence[str], merged: Sequence[Mapping[str, NDArray[np.int64]]]
    ) -> list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]] | None:
        """Count distinct rows under coarser values, in one question; None where more than `most_groups` would come."""
        assert self._coarser is not None
        return self._coarser.counts(names, merged)

    def values(self, name: str) -> Sequence[str | None]:
        """Return the dictionary of a column: missing first, then its values as text, sorted."""
        return self.entries([name]).values(name)

    def numbers(self, name: str, *, missing: frozenset[str]) -> NDArray[np.float64]:
        """Return the dictionary of a column as numbers, aligned with `values`."""
        try:
            return self.entries([name]).numbers(name, missing=missing)
        except RowsNeededError:
            raise
        except DataError:
            raise DataError(
                f'column "{name}" is a number column, but not all of its values are numbers. '
                "Hint: `missing_codes` of the column, or `missing` in the policy, names texts that mean missing, such "
                'as "?" or "".'
            ) from None

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows over `names` as dictionary positions, with counts."""
        return self.entries(names).counts(names)

    def groups(self, columns: Sequence[str], measures: Sequence[Holding] = ()) -> Groups:
        """Count the groups over some columns, and how many of their rows hold what each measure asks for."""
        return self.entries([*columns, *(each.column for each in measures)]).groups(columns, measures)

    def confidence(
        self,
        columns: Sequence[str],
        column: str,
        spellings: Sequence[str],
        at_most: float,
        *,
        unknown: Sequence[str | None] = ("*",),
    ) -> Confidence:
        """Count how confidently the groups over some columns imply a value of another one, however it is spelled."""
        return self.entries([*columns, column]).confidence(columns, column, spellings, at_most, unknown=unknown)

    def majority(self, columns: Sequence[str], column: str, blanks: Sequence[str]) -> Majority:
        """Count how often the most frequent value of a group is right; `blanks` are texts that hold nothing."""
        return self.entries([*columns, column]).majority(columns, column, blanks)

    def small_groups(self, columns: Sequence[str], k: int) -> SmallGroups:
        """Count the groups over some columns and those below `k` rows; the groups themselves stay on the cluster."""
        if any(set(columns) <= set(each.counted) for each in self._entries):
            return self.entries(columns).small_groups(columns, k)
        from pyspark.sql import functions

        size, n = functions.col("size"), functions.col("n")
        is_small, one = size < int(k), functions.count(functions.lit(1))
        sizes = self.frame.groupBy(*[f"c{self._place[name]}" for name in columns]).agg(one.alias("size"))
        small = functions.collect_list(functions.when(is_small, functions.struct("size", "n")))
        figures = [
            functions.sum(n),
            functions.min(size),
            functions.sum((size * size).cast("decimal(38,0)") * n),
            functions.sum(functions.when(is_small, n)),
            functions.sum(functions.when(is_small, n * size)),
            functions.sum(functions.when(size == 1, n)),
            functions.slice(functions.sort_array(small), 1, 10),
        ]
        self.n_jobs += 1
        with asking(self.description):
            found = sizes.groupBy("size").agg(one.alias("n")).agg(*figures).collect()[0]
        few = [int(each["size"]) for each in found[6] for _ in range(min(int(each["n"]), 10))]
        n_groups, smallest, squares, n_small, n_rows, n_single = (int(number or 0) for number in found[:6])
        return SmallGroups(
            n_groups=n_groups,
            smallest=smallest,
            n_small=n_small,
            n_single=n_single,
            n_small_rows=n_rows,
            sizes=tuple(few[:10]),
            sum_of_squares=squares,
        )

    def column_hashes(self, names: Sequence[str]) -> dict[str, int]:
        """Return for each column a number: the same for the same cells in any order, in any source of this engine."""
        if any(name not in self._hashes for name in names):
            # Of counted columns nobody asks for a hash; the others are hashed in one pass.
            others = [name for name in self._names if name in names or not self.fits([name])]
            self._hash(self._hash_columns([name for name in others if name not in self._hashes]))
        return {name: self._hashes[name] for name in names}

    def rows_hash(self, *, anew: bool = False) -> int:
        """Return a number of all rows: the same for the same rows in any order, in a table of the same types."""
        if anew or "" not in self._hashes:
            self._hash(self._hash_rows())
        return self._hashes[""]

    def _hash(self, sums: Sequence[Any]) -> None:
        self.n_jobs += 1
        with asking(self.description):
            found = self.frame.agg(*sums).collect()[0]
        self._keep_hashes(found.asDict())

    def _hash_columns(self, names: Sequence[str]) -> list[Any]:
        """Return the hashes of columns as they stand here."""
        inner = [f"c{self._place[name]}" for name in names]
        return [part for each in inner for part in hash_sums([each], each)]

    def _hash_rows(self) -> list[Any]:
        return hash_sums(self.frame.columns, "rows", as_typed=hashed_as_typed(self.frame.schema.fields))

    def _keep_hashes(self, found: Mapping[str, Any]) -> None:
        self._hashes |= {name: hash_number(found, f"c{i}") for i, name in enumerate(self._names) if f"c{i}_0" in found}
        if "rows_0" in found:
            self._hashes[""] = hash_number(found, "rows")

    # What is written.

    def mark(self, recoding: Recoding, path: Path) -> str | None:
        """Return how a withheld value of a column reads in a file: ``*``, or None where it is a null."""
        kind = kind_of(path)
        is_typed = kind is not None and kind.is_typed and self.is_typed(recoding.column)
        keeps_type = recoding.is_constant or (isinstance(recoding, CategoryRecoding) and recoding.keeps_type)
        return None if is_typed and keeps_type else WITHHELD

    def published_frame(self, decision: Decision, *, key: str) -> Any:
        """Return the rows as a decision publishes them, as a frame of the cluster."""
        return published_rows(self, decision, self.frame, key=key, typed=True)

    def write(self, decision: Decision, path: Path, *, key: str) -> None:
        """Let the executors apply a decision to every row and write a folder, by the suffix of `path`."""
        kind = kind_of(path)
        self.write_to(decision, local_url(path, read=False), key=key, typed=kind is not None and kind.is_typed)

    def write_to(self, decision: Decision, place: str, *, key: str, typed: bool) -> None:
        """Write a folder of Parquet where columns have types, else of CSV, wherever the cluster can write."""
        from pyspark.sql import Observation

        self.n_jobs += 1
        with writing(self.description):
            before, after = Observation(), Observation()
            kept = [name for name in decision.published(self._names) if not is_recoded(decision, name)]
            sums = self._hash_columns(kept)
            watched = self.frame.observe(before, *sums) if sums else self.frame
            made = published_rows(self, decision, watched, key=key, typed=typed)
            names = made.columns
            if not typed:
                made = made.select(*[column(name).cast("string").alias(name) for name in names])
            made = made.observe(after, *hash_sums(names, "rows", as_typed=hashed_as_typed(made.schema.fields)))
            writer = made.write.mode("error")
            if typed:
                writer.option("compression", "zstd").parquet(place)
            else:
                text = {"header": "true", "sep": self.delimiter, "quote": '"', "escape": '"', "nullValue": ""}
                spaces = {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}
                writer.options(**text, **spaces, emptyValue='""').csv(place)
            # To put rows in another order, Spark looks at some of them twice.
            if sums and decision.rows == "keep" and self.row_number is None:
                self._keep_hashes(before.get)
            self.written_hash = hash_number(after.get, "rows")

    def publish(self, url: str, folder: str) -> None:
        """Make a folder below a URL its release, in one step."""
        publish(self.session, url, folder)

    def remove(self, folder: str) -> None:
        """Remove a folder that was written and is no release."""
        remove(self.session, folder)

    def read_back(self, place: Path | str) -> "SparkSource":
        """Open what was written, as a table of which only counts can be had."""
        from withhold.engines.spark._files import open_place

        return open_place(self.session, place).without_rows()

    def without_codes(self, codes: Mapping[str, MissingCodes]) -> "SparkSource":
        """Return the same rows, in which cells that hold one of a column's codes are missing."""
        from pyspark.sql import functions

        cells = []
        for name in self._names:
            cell = column(name)
            if name in codes:
                is_code = cell.cast("string").isin(*codes[name].texts)
                numbers = [float(each) for each in codes[name].texts if is_number(each)]
                if codes[name].as_numbers and numbers:
                    # A text that is no number is none here, in whichever mode the session casts.
                    number = functions.expr(f"try_cast({_in_sql(name)} AS DOUBLE)")
                    is_code = is_code | functions.coalesce(number.isin(*numbers), functions.lit(False))
                cell = functions.when(is_code, functions.lit(None)).otherwise(cell)
            cells.append(cell.alias(name))
        made = SparkSource(
            self.session,
            self.native.select(*cells),
            description=self.description,
            path=self.path,
            delimiter=self.delimiter,
        )
        made.location, made.reading, made._is_counted = self.location, self.reading, self._is_counted
        return made

    def with_cells(self, columns: Mapping[str, NewCells]) -> "SparkSource":
        """Refuse other cells: rows of a cluster have no numbers."""
        raise RowsNeededError(f"{self.description}: columns are computed row by row")

    def frame_of(self, table: Any) -> Any:
        """Return an Arrow table as a frame of the cluster."""
        return frame_of(self.session, table)

    # What needs rows.

    def rows(self, why: str) -> Source:
        """Return all rows, held by the embedded engine; refused with `why` where there are too many."""
        if self._collected is None:
            if self._is_counted or self.n_rows > self.most_rows:
                raise RowsNeededError(
                    f"{self.description}: {why}, which takes all rows on the driver: {self.n_rows:,} are more than "
                    f"{self.most_rows:,}. Hint: a policy that does without, or {MOST_ROWS_SETTING}."
                )
            self.n_jobs += 1
            with asking(self.description):
                found = arrow_of(self.native)
            self._collected = open_loaded(Loaded(table=found), self.description)
        return self._collected

    def cells(self, name: str) -> Codes:
        """Return the cells of a column, row by row, as dictionary positions."""
        return self.rows("whole columns are asked for").cells(name)

    def hashes(self, name: str) -> NDArray[np.uint64]:
        """Return a number for each cell of a column, row by row."""
        return self.rows("whole columns are asked for").hashes(name)

    def texts(self, name: str) -> NDArray[np.object_]:
        """Return the cells of a column as text, row by row."""
        return self.rows("whole columns are asked for").texts(name)

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return the cells of a column as numbers, row by row."""
        return self.rows("whole columns are asked for").floats(name)

    def rows_where(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.int64]:
        """Return the positions of the rows that meet a condition."""
        return self.rows("rows are looked for").rows_where(condition, numbers, without=without)

    def meets(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.bool_]:
        """Return row by row whether a condition is met."""
        return self.rows("rows are looked for").meets(condition, numbers, without=without)

    def row_positions(self, decision: Decision, *, key: str) -> NDArray[np.int64]:
        """Return the position in the source of each row that would be written."""
        raise RowsNeededError(f"{self.description}: rows of a cluster have no numbers.")

    def published(
        self, decision: Decision, *, key: str, columns: Sequence[str] | None = None
    ) -> dict[str, NDArray[np.object_]]:
        """Return published columns row by row; refused, for rows of a cluster have no numbers."""
        raise RowsNeededError(f"{self.description}: rows of a cluster have no numbers, so none can be shown.")

    def close(self) -> None:
        """Close what is held here; the session stays."""
        for entries in self._entries:
            entries.close()
        if self._coarser is not None:
            self._coarser.close()
        if self._collected is not None:
            self._collected.close()


def _in_sql(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
