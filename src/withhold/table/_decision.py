"""What a method decided to withhold, in a form that any engine can apply to any rows."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from withhold.errors import DataError
from withhold.table._cell_recoding import CellRecoding

__all__ = ["WITHHELD", "CategoryRecoding", "Decision", "NumberRecoding", "Recoding", "Unseen"]

WITHHELD = "*"
Unseen = Literal["error", "withhold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRecoding:
    """What is published for each value of a column of categories.

    Examples
    --------
    >>> coarse = CategoryRecoding(column="degree", published={"9th": "School", "10th": "School"}, missing=None)
    >>> coarse.apply(["9th", None])
    ['School', None]
    """

    column: str
    """The column it applies to."""
    published: Mapping[str, str]
    """For each known value what is written in its place."""
    missing: str | None
    """What is written for a missing value; None keeps it missing."""
    missing_marks: frozenset[str] = frozenset()
    """Texts that stand for a missing value, besides the empty cell."""

    @property
    def is_constant(self) -> bool:
        """Whether everything is withheld."""
        return self.missing == WITHHELD and all(text == WITHHELD for text in self.published.values())

    @property
    def is_identity(self) -> bool:
        """Whether every value stays as it is."""
        kept = all(value == text for value, text in self.published.items())
        return self.missing is None and kept and not self.missing_marks

    @property
    def keeps_type(self) -> bool:
        """Whether what is published is only original values and withheld ones."""
        return all(text in (value, WITHHELD) for value, text in self.published.items())

    def apply(self, values: Iterable[str | None], *, unseen: Unseen = "error") -> list[str | None]:
        """Return what is published for each of `values`; an unknown one is an error, or withheld."""
        result: list[str | None] = []
        for value in values:
            if value is None or value in self.missing_marks:
                result.append(self.missing)
            elif value in self.published:
                result.append(self.published[value])
            elif unseen == "withhold":
                result.append(WITHHELD)
            else:
                raise unseen_error(self.column, 1)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRecoding:
    """What is published for the numbers of a column: the interval that a number lies in.

    Examples
    --------
    >>> coarse = NumberRecoding(column="age", starts=(0, 40), labels=("[0, 40)", "[40, 90]"), high=90, missing="*")
    >>> coarse.apply([39.5, 90, None])
    ['[0, 40)', '[40, 90]', '*']
    """

    column: str
    """The column it applies to."""
    starts: tuple[float, ...]
    """The lower ends of the intervals, ascending; the first is the lower bound."""
    labels: tuple[str, ...]
    """What is written for each interval."""
    high: float
    """The upper bound, which belongs to the last interval."""
    missing: str | None
    """What is written for a missing value; None keeps it missing."""
    missing_marks: frozenset[str] = frozenset()
    """Texts that stand for a missing value, besides the empty cell."""
    is_open: bool = False
    """Whether a number beyond the bounds belongs to the outer interval; else it is unseen."""

    @property
    def is_constant(self) -> bool:
        """Whether everything is withheld."""
        return self.missing == WITHHELD and all(label == WITHHELD for label in self.labels)

    def apply(self, values: Iterable[float | None], *, unseen: Unseen = "error") -> list[str | None]:
        """Return what is published for each of `values`; one outside the bounds is an error, or withheld."""
        result: list[str | None] = []
        for value in values:
            if value is None or value != value:
                result.append(self.missing)
            elif self.starts and (self.is_open or self.starts[0] <= value <= self.high):
                result.append(self.labels[max(bisect_right(self.starts, value) - 1, 0)])
            elif unseen == "withhold":
                result.append(WITHHELD)
            else:
                raise unseen_error(self.column, 1)
        return result


Recoding = CategoryRecoding | NumberRecoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to withhold from a table: recoded columns, single cells, dropped columns, and the order of rows.

    Columns that it does not name are published as they are.
    """

    recodings: tuple[Recoding, ...] = ()
    """One for each column that is coarsened or withheld in part."""
    drop: tuple[str, ...] = ()
    """Columns that are not published."""
    rows: Literal["keep", "shuffle"] = "keep"
    """Whether rows keep their order."""
    cells: tuple[CellRecoding, ...] = ()
    """One for each column in which single cells are withheld or coarsened, on top of its recoding."""
    over: tuple[str, ...] = ()
    """Where it was made on distinct rows: the columns that make them distinct. `cells` count these rows then."""
    _by_column: dict[str, Recoding] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_column.update({recoding.column: recoding for recoding in self.recodings})

    def recoding(self, column: str) -> Recoding | None:
        """Return the recoding of a column, or None where it is published as it is."""
        return self._by_column.get(column)

    def cells_of(self, column: str) -> CellRecoding | None:
        """Return the single cells of a column that are published otherwise, or None."""
        return next((cells for cells in self.cells if cells.column == column), None)

    def published(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return which of `columns` are published, in order."""
        return tuple(column for column in columns if column not in self.drop)


def unseen_error(column: str, n_rows: int) -> DataError:
    """Return the error for cells that were not there when the decision was made."""
    noun = "row holds a value" if n_rows == 1 else "rows hold values"
    return DataError(
        f'column "{column}": {n_rows} {noun} that the decision does not know. '
        'Hint: unseen="withhold" publishes them as *.'
    )
