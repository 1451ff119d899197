"""A table in DuckDB: its columns are called c0, c1, … inside, whatever they are called outside."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.engines._protocol import Confidence, Groups, Holding, Majority, SmallGroups
from withhold.engines.duckdb._apply import cells_sql, is_mark_sql, published_sql, row_order_sql
from withhold.engines.duckdb._connection import Database, quoted, text
from withhold.engines.duckdb._types import FLOAT_TYPES, NUMBER_TYPES
from withhold.engines.duckdb._where import Question, Spelled, are_met, places_met, question
from withhold.engines.duckdb._wide import Blocks, is_in_blocks
from withhold.engines.duckdb._write import held_sql, is_typed_file, write_rows
from withhold.engines.files import Location, Reading
from withhold.errors import DataError
from withhold.table import (
    COMMAS,
    DATES,
    WITHHELD,
    CategoryRecoding,
    Codes,
    Decision,
    Kind,
    MissingCodes,
    NewCells,
    Recoding,
    are_dates,
    have_decimal_commas,
)

__all__ = ["DuckSource"]

SHORT = 10_000
"""The most entries of a dictionary that is kept in memory once it was read."""
ROWS_AT_A_TIME = 1 << 21
"""How many rows of text pass through Python at a time."""


class DuckSource:
    """A table behind DuckDB, with a dictionary (an ENUM type) for each column that is asked for.

    Parameters
    ----------
    database
        A database in which ``source`` is a table or view with the columns c0, c1, …
    names
        What the columns are called.
    description
        What the source is, for messages.
    delimiter
        The delimiter of the CSV file it came from.
    frame
        The frame it came from.
    path
        The file it came from.
    tag
        What the names of its rows and of everything it makes in the database begin with.
    """

    def __init__(
        self,
        database: Database,
        names: tuple[str, ...],
        *,
        description: str,
        delimiter: str = ",",
        frame: Any = None,
        path: Path | None = None,
        tag: str = "",
    ) -> None:
        self._database = database
        self.tag = tag
        """What the names of everything it makes in the database begin with."""
        self.relation = f"{tag}source"
        """The table or view that holds its rows."""
        self._names = names
        self._place = {name: i for i, name in enumerate(names)}
        self.description = description
        self.delimiter = delimiter
        self.frame = frame
        self.path = path
        self.reread: frozenset[str] = frozenset()
        """Columns that are read otherwise than they stand in the file or frame."""
        self.reading = Reading()
        """How it was read."""
        self.location: Location | None = None
        """The table of a database it came from."""
        self.labels: Mapping[str, str] = {}
        """What columns mean, in words, where the file said so."""
        self.value_labels: Mapping[str, Mapping[Any, str]] = {}
        """What the codes of columns mean, where the columns hold codes."""
        self.missing_codes: Mapping[str, tuple[str, ...]] = {}
        """Codes that the file declares as missing; they are missing cells here."""
        rows = self._fetch(f"DESCRIBE SELECT * FROM {self.relation}")
        self._full_types = tuple(str(row[1]).upper() for row in rows)
        self.types = tuple(each.split("(")[0] for each in self._full_types)
        self._has_dictionary: set[int] = set()
        self._has_null: dict[int, bool] = {}
        self._short: dict[int, tuple[str | None, ...]] = {}
        self._short_numbers: dict[tuple[int, frozenset[str]], NDArray[np.float64]] = {}
        self._prepared: frozenset[str] = frozenset()
        self._wall: Database | None = None

    has_rows = True
    """Whole columns can be had."""
    has_order = True
    """Rows have numbers."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self._names

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        if self._database.is_small:
            return self._count_cells()
        return int(self._fetch(f"SELECT count(*) FROM {self.relation}")[0][0])

    @cached_property
    def _blocks(self) -> Blocks | None:
        """The columns in blocks, where the table is wide and not long, or has few rows."""
        n_columns = len(self._names)
        return Blocks(self._database, n_columns, self.relation) if is_in_blocks(n_columns, self.n_rows) else None

    def kind(self, name: str) -> Kind:
        """Return whether the source types the column as a number."""
        base = self.types[self._place[name]]
        return "number" if base in NUMBER_TYPES or base in FLOAT_TYPES else "category"

    def is_typed(self, name: str) -> bool:
        """Tell whether a column has a type other than text: a withheld value of it is a null."""
        return self.types[self._place[name]] != "VARCHAR"

    def values(self, name: str) -> Sequence[str | None]:
        """Return the dictionary of a column: missing first, then its values as text, sorted."""
        if self._blocks is not None:
            return list(self._blocks.column(self._place[name]).values)
        i = self.dictionary(name)
        if i in self._short:
            return list(self._short[i])
        found = self._arrays(f"SELECT unnest(enum_range(NULL::{self.tag}d{i})) AS value")["value"].tolist()
        values: list[str | None] = [None, *found] if self._has_missing(name) else list(found)
        if len(values) <= SHORT:
            self._short[i] = tuple(values)
        return values

    def numbers(self, name: str, *, missing: frozenset[str]) -> NDArray[np.float64]:
        """Return the dictionary of a column as numbers, aligned with `values`."""
        i = self._place[name]
        if (i, missing) in self._short_numbers:
            return self._short_numbers[i, missing].copy()
        marks = is_mark_sql("value", missing)
        number = "try_cast(value AS DOUBLE)"
        is_bad = f"{number} IS NULL" if self.types[i] in FLOAT_TYPES else f"{number} IS NULL OR isnan({number})"
        if self._blocks is None:
            values, texts = f"enum_range(NULL::{self.tag}d{self.dictionary(name)})", []
        else:
            values, texts = "?::VARCHAR[]", [[each for each in self.values(name) if each is not None]]
        found = self._arrays(
            f"SELECT CASE WHEN {marks} THEN 'nan'::DOUBLE WHEN {is_bad} THEN 'inf'::DOUBLE ELSE {number} END "
            f"AS number FROM (SELECT unnest({values})::VARCHAR AS value)",
            texts,
        )["number"].astype(np.float64)
        n_bad = int(np.isinf(found).sum())
        if n_bad:
            is_bad_cell = np.concatenate([[False] * self._has_missing(name), np.isinf(found)])
            row = int(np.argmax(is_bad_cell[self.cells(name)]))
            raise DataError(
                f'column "{name}" is a number column, but {n_bad} of its distinct values '
                f"{'is' if n_bad == 1 else 'are'} none, the first in row {row} (from 0). "
                f"Hint: {_number_hint(self.values(name))}."
            )
        numbers = np.concatenate([[np.nan], found]) if self._has_missing(name) else found
        if numbers.size <= SHORT:
            self._short_numbers[i, missing] = numbers.copy()
        return numbers

    def cells(self, name: str) -> Codes:
        """Return the cells of a column, row by row, as dictionary positions."""
        if self._blocks is not None:
            return self._blocks.column(self._place[name]).cells.copy()
        return self._arrays(f"SELECT {self._position_sql(name)} AS cell FROM {self.relation}")["cell"]

    def page(self, first: int, n_rows: int) -> list[tuple[str | None, ...]]:
        """Return some rows as text, from the position `first` on; for the owner's eyes."""
        cells = ", ".join(f"c{i}::VARCHAR" for i in range(len(self._names)))
        return self._fetch(f"SELECT {cells} FROM {self.relation} LIMIT {int(n_rows)} OFFSET {int(first)}")

    def hashes(self, name: str) -> NDArray[np.uint64]:
        """Return a number for each cell of a column, row by row: the same for the same text, in any source."""
        i = self._place[name]
        if self._blocks is not None:
            return self._blocks.column(i).hashes.copy()
        return self._arrays(f"SELECT hash(c{i}::VARCHAR) AS number FROM {self.relation}")["number"].astype(np.uint64)

    def texts(self, name: str) -> NDArray[np.object_]:
        """Return the cells of a column as text, row by row; None where one is missing."""
        i = self._place[name]
        return np.asarray(self._arrays(f"SELECT c{i}::VARCHAR AS text FROM {self.relation}")["text"], dtype=np.object_)

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return the cells of a column as numbers, row by row; NaN where a text is none."""
        number = f"try_cast(c{self._place[name]}::VARCHAR AS DOUBLE)"
        return self._arrays(f"SELECT coalesce({number}, 'nan'::DOUBLE) AS number FROM {self.relation}")["number"]

    def prepare(self, names: Sequence[str]) -> None:
        """Encode these columns once, into a table of positions; later counts read only that."""
        if self._blocks is not None:
            return
        with self._database.lock:
            chosen = ", ".join(f"{self._position_sql(name)} AS k{self._place[name]}" for name in names)
            self._database.run(f"CREATE OR REPLACE TABLE {self.tag}positions AS SELECT {chosen} FROM {self.relation}")
            self._prepared = frozenset(names)

    def counts(self, names: Sequence[str]) -> tuple[list[Codes], NDArray[np.int64]]:
        """Return the distinct rows over `names` as dictionary positions, with counts, by one GROUP BY."""
        if self._blocks is not None:
            return self._blocks.counts([self._place[name] for name in names])
        keys = [f"k{self._place[name]}" for name in names]
        with self._database.lock:
            if not self._prepared.issuperset(names):
                self.prepare(names)
            found = self._arrays(f"SELECT {', '.join(keys)}, count(*) AS n FROM {self.tag}positions GROUP BY ALL")
        return [found[key] for key in keys], found["n"].astype(np.int64)

    def groups(self, columns: Sequence[str], measures: Sequence[Holding] = ()) -> Groups:
        """Count the groups over some columns, and how many of their rows hold what each measure asks for."""
        keys = [f"{self._position_sql(name)} AS k{i}" for i, name in enumerate(columns)]
        held = [f"{self._n_sql(self._holds_sql(each))} AS h{i}" for i, each in enumerate(measures)]
        grouped = f" GROUP BY {', '.join(f'k{i}' for i in range(len(keys)))}" if keys else ""
        found = self._arrays(
            f"SELECT {', '.join([*keys, f'{self._n_sql()} AS n', *held])} FROM {self.relation}{grouped}"
        )
        return Groups(
            codes=[found[f"k{i}"] for i in range(len(keys))],
            sizes=found["n"].astype(np.int64),
            held=[found[f"h{i}"].astype(np.int64) for i in range(len(held))],
        )

    def _holds_sql(self, asked: Holding) -> str:
        cell = f"c{self._place[asked.column]}::VARCHAR"
        texts = ", ".join(text(each) for each in asked.texts if each is not None)
        parts = [f"{cell} IN ({texts})"] * bool(texts) + [f"{cell} IS NULL"] * (None in asked.texts)
        return " OR ".join(parts) or "false"

    def _n_sql(self, condition: str = "") -> str:
        """Return the number of rows, or of those that meet a condition."""
        return f"count(*) FILTER (WHERE {condition})" if condition else "count(*)"

    def column_hashes(self, names: Sequence[str]) -> dict[str, int]:
        """Return for each column a number: the same for the same cells in any order."""
        sums = ", ".join(f"coalesce(sum(hash(c{self._place[name]}::VARCHAR)), 0)" for name in names) or "0"
        return dict(zip(names, map(int, self._fetch(f"SELECT {sums} FROM {self.relation}")[0]), strict=False))

    def small_groups(self, columns: Sequence[str], k: int) -> SmallGroups:
        """Count the groups over some columns and those below `k` rows."""
        if self._blocks is not None and columns:
            return self._blocks.small_groups([self._place[name] for name in columns], k)
        keys = ", ".join(self._key_sql(column) for column in columns)
        sizes = f"SELECT {self._n_sql()} AS size FROM {self.relation} GROUP BY {keys}"
        n_groups, smallest, squares, n_small, n_rows, few, n_single = self._fetch(
            "SELECT count(*), coalesce(min(size), 0), coalesce(sum(size::HUGEINT * size), 0), "
            f"count(*) FILTER (WHERE size < {int(k)}), coalesce(sum(size) FILTER (WHERE size < {int(k)}), 0), "
            f"min(size, 10) FILTER (WHERE size < {int(k)}), count(*) FILTER (WHERE size = 1) FROM ({sizes})"
        )[0]
        return SmallGroups(
            n_groups=int(n_groups),
            smallest=int(smallest),
            n_small=int(n_small),
            n_single=int(n_single),
            n_small_rows=int(n_rows),
            sizes=tuple(sorted(int(size) for size in few or ())),
            sum_of_squares=int(squares),
        )

    def confidence(
        self,
        columns: Sequence[str],
        column: str,
        spellings: Sequence[str],
        at_most: float,
        *,
        unknown: Sequence[str | None] = ("*",),
    ) -> Confidence:
        """Count how confidently the groups over some columns imply a value of another one, however it is spelled.

        Rows where the other one is in `unknown` (None is missing) prove nothing, so they do not lower a share.
        """
        keys = ", ".join(self._key_sql(name) for name in columns)
        cell = f"c{self._place[column]}::VARCHAR"
        holds = f"{cell} IN ({', '.join(text(each) for each in spellings)})" if spellings else "false"
        known = [f"{cell} IS DISTINCT FROM {'NULL' if mark is None else text(mark)}" for mark in unknown]
        groups = (
            f"SELECT ({self._n_sql()})::DOUBLE AS among, ({self._n_sql(holds)})::DOUBLE AS held "
            f"FROM {self.relation} WHERE {' AND '.join(['true', *known])} GROUP BY {keys}"
        )
        above = f"held / among > {text(repr(float(at_most)))}::DOUBLE"
        n_groups, n_above, n_rows, top, n_holding = self._fetch(
            f"SELECT count(*), count(*) FILTER (WHERE {above}), coalesce(sum(among) FILTER (WHERE {above}), 0), "
            "max_by([held, among], [held / among, -among]), coalesce(sum(held), 0) "
            f"FROM ({groups})"
        )[0]
        held, among = top or (0, 1)
        return Confidence(
            n_groups=int(n_groups),
            n_above=int(n_above),
            n_rows_above=int(n_rows),
            held=int(held),
            among=int(among),
            n_holding=int(n_holding),
        )

    def majority(self, columns: Sequence[str], column: str, blanks: Sequence[str]) -> Majority:
        """Count how often the most frequent value of a group is right; `blanks` are texts that hold nothing."""
        keys = ", ".join(f"{self._key_sql(name)} AS k{i}" for i, name in enumerate(columns))
        grouped = ", ".join(f"k{i}" for i in range(len(columns)))
        value = f"c{self._place[column]}::VARCHAR"
        listed = ", ".join(text(blank) for blank in blanks)
        known = f"{value} IS NOT NULL" + (f" AND {value} NOT IN ({listed})" if listed else "")
        counts = (
            f"SELECT {keys}, {value} AS held, {self._n_sql()} AS n FROM {self.relation} WHERE {known} "
            f"GROUP BY {grouped}, held"
        )
        groups = f"SELECT max(n) AS top, sum(n) AS among FROM ({counts}) GROUP BY {grouped}"
        n_rows, n_right, n_certain, n_single = self._fetch(
            "SELECT coalesce(sum(among), 0), coalesce(sum(top), 0), "
            f"coalesce(sum(top) FILTER (WHERE top = among), 0), count(*) FILTER (WHERE among = 1) FROM ({groups})"
        )[0]
        overall = f"SELECT {self._n_sql()} AS n FROM {self.relation} WHERE {known} GROUP BY {value}"
        n_overall = self._fetch(f"SELECT coalesce(max(n), 0) FROM ({overall})")[0][0]
        return Majority(
            n_rows=int(n_rows),
            n_right=int(n_right),
            n_right_overall=int(n_overall),
            n_certain=int(n_certain),
            n_single=int(n_single),
        )

    def mark(self, recoding: Recoding, path: Path) -> str | None:
        """Return how a withheld value of a column reads in a file: ``*``, or None where it is a null."""
        is_typed = is_typed_file(path) and self.types[self._place[recoding.column]] != "VARCHAR"
        keeps_type = recoding.is_constant or (isinstance(recoding, CategoryRecoding) and recoding.keeps_type)
        return None if is_typed and keeps_type else WITHHELD

    def write(self, decision: Decision, path: Path, *, key: str) -> None:
        """Apply a decision to every row and write the result by the suffix of `path`."""
        typed = is_typed_file(path)
        with self._database.lock:
            chosen = ", ".join(
                f"{self._published_sql(decision, name, typed=typed)} AS {quoted(name)}"
                for name in decision.published(self._names)
            )
            rows = row_order_sql(self._with_cells(decision), decision.rows, key)
            write_rows(self, self._database, f"SELECT {chosen} FROM {rows}", decision, path)

    def batches(self, holds: frozenset[str]) -> Any:
        """Return every row as a reader of Arrow batches, under the columns' own names, in types that are held."""
        named = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(self._names))
        return self._database.batches(held_sql(self._database, f"SELECT {named} FROM {self.relation}", holds))

    def published(
        self, decision: Decision, *, key: str, columns: Sequence[str] | None = None
    ) -> dict[str, NDArray[np.object_]]:
        """Apply a decision to every row and return published columns, in the order that would be written."""
        names = decision.published(self._names) if columns is None else tuple(columns)
        if not names:
            return {}
        with self._database.lock:
            rows = row_order_sql(self._with_cells(decision), decision.rows, key)
            chosen = ", ".join(
                f"{self._published_sql(decision, name, typed=False)} AS v{j}" for j, name in enumerate(names)
            )
            found = self._fetch(f"SELECT {chosen} FROM {rows}")
        cells: Any = zip(*found, strict=True)
        return {name: _objects(column) for name, column in zip(names, cells, strict=True)}

    def _published_sql(self, decision: Decision, name: str, *, typed: bool) -> str:
        published = published_sql(self, decision.recoding(name), name, typed=typed)
        cells = decision.cells_of(name)
        if cells is None:
            return published
        return cells_sql(self, cells, published, typed=typed and decision.recoding(name) is None)

    def _with_cells(self, decision: Decision) -> str:
        """Return the rows, beside them for each column with single cells which text is published there.

        A positional join keeps rows in order, which no other join promises.
        """
        if not decision.cells:
            return self.relation
        picks = {f"p{self._place[cells.column]}": cells.spread(self.n_rows) for cells in decision.cells}
        self._database.keep_arrays("cells", picks)
        return f"(SELECT * FROM {self.relation} POSITIONAL JOIN cells)"

    def rows_where(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.int64]:
        """Return the positions of the rows that meet a condition over the columns' own names.

        Text columns in `numbers` are numbers in it, others what the source has them as. It cannot ask for columns in
        `without`.
        """
        asked = self._question(condition, numbers, without)
        found = [begin + places_met(self._walled(), asked, some, n) for begin, n, some in self._texts(asked.columns)]
        return np.concatenate(found)

    def meets(self, condition: str, numbers: Sequence[str], *, without: Sequence[str] = ()) -> NDArray[np.bool_]:
        """Return row by row whether a condition is met; the same question as `rows_where`, asked otherwise."""
        asked = self._question(condition, numbers, without)
        return np.concatenate([are_met(self._walled(), asked, some, n) for _, n, some in self._texts(asked.columns)])

    def _texts(self, names: Sequence[str]) -> Iterator[tuple[int, int, list[NDArray[np.object_]]]]:
        """Yield columns as text, piece by piece: where a piece begins, how many rows it has, and its columns."""
        chosen = ", ".join(f"c{self._place[name]}::VARCHAR AS v{i}" for i, name in enumerate(names)) or "0"
        for begin in range(0, self.n_rows, ROWS_AT_A_TIME):
            n = min(ROWS_AT_A_TIME, self.n_rows - begin)
            some = self._arrays(f"SELECT {chosen} FROM {self.relation} LIMIT {n} OFFSET {begin}")
            yield begin, n, [some[f"v{i}"] for i in range(len(names))]

    def _question(self, condition: str, numbers: Sequence[str], without: Sequence[str]) -> Question:
        types = dict(zip(self._names, self._full_types, strict=True))
        return question(condition, types, numbers, self._spelled, without=without)

    def _spelled(self, name: str) -> Spelled:
        """Return how the cells of a column of text read as numbers."""
        number = "TRY_CAST(cell AS DOUBLE)"
        n_other, n_broken = self._fetch(
            f"SELECT count(*) FILTER (WHERE coalesce(NOT isfinite({number}), true)), "
            f"count(*) FILTER (WHERE {number} IS NOT NULL AND NOT regexp_full_match(cell, '-?[0-9]{{1,38}}')) "
            f"FROM (SELECT c{self._place[name]} AS cell FROM {self.relation}) WHERE cell IS NOT NULL"
        )[0]
        return Spelled(is_whole=n_broken == 0, is_complete=n_other == 0)

    def _walled(self) -> Database:
        """Return the database in which conditions are asked."""
        with self._database.lock:
            if self._wall is None:
                self._wall = Database(is_walled=True)
            return self._wall

    def row_positions(self, decision: Decision, *, key: str) -> NDArray[np.int64]:
        """Return the position in the source of each row that would be written."""
        rows = row_order_sql(self.relation, decision.rows, key, position="row_at")
        return self._arrays(f"SELECT row_at FROM {rows}")["row_at"].astype(np.int64) - 1

    def without_codes(self, codes: Mapping[str, MissingCodes]) -> "DuckSource":
        """Return the same rows, in which cells that hold one of a column's codes are missing."""
        from withhold.engines.duckdb._reread import without_codes

        return without_codes(self, self._database, codes)

    def with_cells(self, columns: Mapping[str, NewCells]) -> "DuckSource":
        """Return the same rows with other cells in some columns."""
        from withhold.engines.duckdb._reread import with_cells

        return with_cells(self, self._database, columns)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()
        if self._wall is not None:
            self._wall.close()

    def keep_list(self, name: str, labels: Sequence[str | None]) -> None:
        """Keep a list of texts as a variable, for expressions that look up a label by position.

        A subquery would be planned as a join, which does not keep the order of rows.
        """
        self._database.run(f"SET VARIABLE {name} = ?::VARCHAR[]", [list(labels)])

    def place(self, name: str) -> int:
        """Return the position of a column."""
        return self._place[name]

    def dictionary(self, name: str) -> int:
        """Let the engine have the dictionary of a column, and return the column's position."""
        i = self._place[name]
        if i not in self._has_dictionary:
            values = (
                f"SELECT DISTINCT c{i}::VARCHAR AS value FROM {self.relation} WHERE c{i} IS NOT NULL ORDER BY value"
            )
            with self._database.lock:
                if i not in self._has_dictionary:
                    if self._blocks is not None:  # the file may have changed since it was read
                        self.keep_list(f"{self.tag}held", [each for each in self.values(name) if each is not None])
                        values = f"SELECT unnest(getvariable('{self.tag}held'))"
                    self._database.run(f"CREATE TYPE {self.tag}d{i} AS ENUM ({values})", what=self.description)
                    self._has_dictionary.add(i)
        return i

    def _key_sql(self, name: str) -> str:
        """Return what to group a column by: floating-point numbers as text, which distinguishes 0.0 from -0.0."""
        i = self._place[name]
        return f"c{i}::VARCHAR" if self.types[i] in FLOAT_TYPES else f"c{i}"

    def _has_missing(self, name: str) -> bool:
        i = self._place[name]
        if self._blocks is not None:
            return self._blocks.column(i).has_missing
        if i not in self._has_null and self._database.is_small:
            self._count_cells()
        if i not in self._has_null:
            self._has_null[i] = bool(self._fetch(f"SELECT count(*) FROM {self.relation} WHERE c{i} IS NULL")[0][0])
        return self._has_null[i]

    def _count_cells(self) -> int:
        """Learn by one question which columns have missing cells; return the number of rows."""
        counts = ", ".join(["count(*)", *(f"count(c{i})" for i in range(len(self._names)))])
        n_rows, *held = map(int, self._fetch(f"SELECT {counts} FROM {self.relation}")[0])
        self._has_null = {i: n < n_rows for i, n in enumerate(held)}
        return n_rows

    def _position_sql(self, name: str) -> str:
        """Return the expression of a cell's position in `values(name)`."""
        i = self.dictionary(name)
        code = f"enum_code(c{i}::VARCHAR::{self.tag}d{i})"
        return f"coalesce({code}::UINTEGER + 1, 0)::UINTEGER" if self._has_missing(name) else f"{code}::UINTEGER"

    def _fetch(self, sql: str) -> list[tuple[Any, ...]]:
        return self._database.run(sql, what=self.description)

    def _arrays(self, sql: str, parameters: Sequence[object] = ()) -> dict[str, NDArray[Any]]:
        return self._database.arrays(sql, parameters)


def _objects(cells: Sequence[object]) -> NDArray[np.object_]:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _number_hint(texts: Sequence[str | None]) -> str:
    """Return what to do about texts that are no numbers."""
    if are_dates(texts):
        return DATES
    if have_decimal_commas(texts):
        return COMMAS
    what = 'texts that mean missing, such as "?" or ""'
    return f"`missing_codes` of the column, or `missing` in the policy, names {what}"
