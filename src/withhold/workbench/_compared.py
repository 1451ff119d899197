"""Before and after, row by row: pages of cells with what happened to each, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, cast

from withhold.engines import Source, open_source
from withhold.record import Record
from withhold.releasing import Explanation, Release, explain_cell
from withhold.table import WITHHELD

__all__ = ["Compared", "Fate", "PageOfRows", "Pages", "fate_of"]

Fate = Literal["as it was", "coarser", "blank", "not published"]


class Pages(Protocol):
    """What can show some of its rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    def page(self, first: int, n_rows: int) -> list[tuple[str | None, ...]]:
        """Return some rows as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOfRows:
    """Some rows, before and after."""

    first: int
    """The position of the first of them, from 0."""
    names: tuple[str, ...]
    """The columns of the original."""
    before: list[tuple[str | None, ...]]
    """The original cells."""
    after: list[tuple[str | None, ...]]
    """What is published of them; None where a column is dropped."""
    fates: list[tuple[Fate, ...]]
    """What happened to each cell."""


def fate_of(was: str | None, published: str | None, *, is_dropped: bool = False) -> Fate:
    """Return what happened to a cell.

    Examples
    --------
    >>> fate_of("34", "34"), fate_of("34", "[30, 40)"), fate_of("34", "*")
    ('as it was', 'coarser', 'blank')
    """
    if is_dropped:
        return "not published"
    if was == published:
        return "as it was"
    return "blank" if published in (WITHHELD, None) else "coarser"


class Compared:
    """A release beside its original, in the order of the original; for the owner only.

    Parameters
    ----------
    release
        The release.
    folder
        A private folder, in which the release lies as a file so that pages of it come from the engine.
    """

    def __init__(self, release: Release, folder: Path) -> None:
        self.release = release
        self.record: Record = release.record
        """What the release says of itself."""
        self.path = folder / "compared.parquet"
        release.source.write(replace(release.decision, rows="keep"), self.path, key="")
        self._after: Source = open_source(self.path, scratch=folder)
        self._place = {name: i for i, name in enumerate(self._after.names)}

    @property
    def n_rows(self) -> int:
        """The rows."""
        return self.release.table.n_rows

    def page(self, first: int, n_rows: int) -> PageOfRows:
        """Return some rows of both."""
        names = self.release.table.names
        before = cast(Pages, self.release.source).page(first, n_rows)
        published = cast(Pages, self._after).page(first, n_rows)
        after = [self._in_order(names, row) for row in published]
        fates = [
            tuple(
                fate_of(was, now, is_dropped=name not in self._place)
                for name, was, now in zip(names, old, new, strict=True)
            )
            for old, new in zip(before, after, strict=True)
        ]
        return PageOfRows(first=first, names=names, before=before, after=after, fates=fates)

    def why(self, row: int, column: str) -> Explanation:
        """Return why a cell is what it is, as `Release.explain` does, without looking at any other cell."""
        page = self.page(row, 1)
        place = page.names.index(column)
        was, published = page.before[0][place], page.after[0][place]
        return explain_cell(self.record, row=row, column=column, was=was, published=published)

    def close(self) -> None:
        """Remove the file again."""
        self._after.close()
        self.path.unlink(missing_ok=True)

    def _in_order(self, names: Sequence[str], row: tuple[str | None, ...]) -> tuple[str | None, ...]:
        return tuple(row[self._place[name]] if name in self._place else None for name in names)
