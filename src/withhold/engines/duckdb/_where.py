"""Conditions are asked in a database of their own, which holds the columns they ask for and reaches no file.

What runs there is written from the tree of a condition, so this is a second wall: were there a way through the first,
there would be no file, no setting and no other column behind it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from withhold.conditions import Field, Kind, bind, columns_of, parse
from withhold.engines.duckdb._condition import condition_sql
from withhold.engines.duckdb._connection import Database
from withhold.engines.duckdb._types import kind_of_type
from withhold.errors import ConditionError

__all__ = ["Question", "Spelled", "are_met", "places_met", "question"]

Texts = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """How the cells of a column of text read as numbers."""

    is_whole: bool
    """Whether those that are numbers are whole ones."""
    is_complete: bool
    """Whether all of them are numbers; missing ones do not count."""

    @property
    def kind(self) -> Literal["whole", "real"]:
        """What they are as numbers."""
        return "whole" if self.is_whole else "real"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A condition that is ready to be asked of the texts in v0, v1, and so on."""

    columns: tuple[str, ...]
    """The columns that these are."""
    sql: str
    """The condition."""
    texts: list[str]
    """What its question marks stand for."""


def question(
    condition: str,
    types: Mapping[str, str],
    numbers: Sequence[str],
    spelled: Callable[[str], Spelled],
    *,
    without: Sequence[str] = (),
) -> Question:
    """Return a condition as a question about the texts of its columns.

    Parameters
    ----------
    condition
        What a policy holds.
    types
        The columns of the table with their types.
    numbers
        Columns that are numbers, also where their type is text.
    spelled
        Returns how a column of text reads as numbers.
    without
        Columns that it may not ask for.
    """
    tree = parse(condition)
    columns = columns_of(tree, tuple(types), without=without)
    fields = {name: _field(name, types[name], numbers, spelled) for name in columns}

    def column_sql(name: str, kind: Kind) -> str:
        cell = f"v{columns.index(name)}"
        if kind == "text":
            return cell
        wanted = {"whole": "HUGEINT", "real": "DOUBLE"}.get(kind, types[name])
        return f"{'TRY_CAST' if types[name] == 'VARCHAR' else 'CAST'}({cell} AS {wanted})"

    made = condition_sql(bind(tree, fields), column_sql)
    return Question(columns=columns, sql=made.sql, texts=made.texts)


def _field(name: str, sql_type: str, numbers: Sequence[str], spelled: Callable[[str], Spelled]) -> Field:
    if sql_type != "VARCHAR":
        return Field(kind=kind_of_type(sql_type))
    if name in numbers:
        return Field(kind=spelled(name).kind)
    return Field(kind="text", as_number=cache(lambda: _all_numbers(spelled(name))))


def _all_numbers(reading: Spelled) -> Literal["whole", "real"] | None:
    return reading.kind if reading.is_complete else None


def places_met(wall: Database, asked: Question, texts: Sequence[Texts], n: int) -> NDArray[np.int64]:
    """Return the positions of the rows of texts that meet a condition."""
    found = _ask(wall, f"SELECT place AS answer FROM cells WHERE {asked.sql}", asked, texts, n)
    return np.sort(found.astype(np.int64))


def are_met(wall: Database, asked: Question, texts: Sequence[Texts], n: int) -> NDArray[np.bool_]:
    """Return for each row of texts whether it meets a condition; the same question as `places_met`, asked otherwise."""
    found = _ask(wall, f"SELECT CASE WHEN {asked.sql} THEN 1 ELSE 0 END AS answer FROM cells", asked, texts, n)
    if found.size != n:
        raise ConditionError("the condition must be about one row.")
    return found.astype(np.bool_)


def _ask(wall: Database, sql: str, asked: Question, texts: Sequence[Texts], n: int) -> NDArray[Any]:
    """Run a question over texts; what is wrong with it is reported without a value."""
    cells: dict[str, NDArray[Any]] = {"place": np.arange(n)}
    cells |= {f"v{i}": column for i, column in enumerate(texts)}
    with wall.lock:
        wall.register("cells", cells)
        try:
            return wall.try_arrays(sql, asked.texts)["answer"]
        except (duckdb.OutOfRangeException, duckdb.ConversionException):
            raise ConditionError("the condition cannot be evaluated: a number becomes too large in it.") from None
        except duckdb.Error as error:
            kind = type(error).__name__.removesuffix("Exception")
            raise ConditionError(f"the condition cannot be evaluated ({kind} error).") from None
        finally:
            wall.unregister("cells")
