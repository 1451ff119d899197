"""Everything that one person has open, as plain state."""

import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.auditing import Audit
from withhold.engines import Reading
from withhold.errors import InputError
from withhold.table import Table
from withhold.workbench._compared import Compared
from withhold.workbench._frontier import Knob, Point
from withhold.workbench._jobs import Jobs
from withhold.workbench._live_run import LiveRun
from withhold.workbench._look import Look, values_of
from withhold.workbench._policy_text import LocatedMistake, Read, read_policy
from withhold.workbench._project import Choices
from withhold.workbench._publishing import Published
from withhold.workbench._tree_editor import TreeEditor

__all__ = ["DEFAULTS", "BenchState", "Opened"]

DEFAULTS = Reading()
EMPTY = '[[require]]\nkind = "anonymity"\ncolumns = []\nk = 10\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A table that is open."""

    table: Table
    """The table."""
    name: str
    """What it is called."""
    place: Path | str
    """Where it lies."""
    is_copy: bool
    """Whether it came through the browser and lies in the private folder."""


class BenchState:
    """What one person has open; every page in the browser shows this one state.

    Parameters
    ----------
    folder
        A private folder, for copies of what was dropped into the window and for taxonomies in the making.
    home
        Where files are offered to be opened and written.
    """

    def __init__(self, folder: Path, *, home: Path | None = None) -> None:
        self.folder = folder
        self.home = home or Path.cwd()
        self.work = folder / "project"
        self.work.mkdir(mode=0o700, exist_ok=True)
        self.lock = threading.RLock()
        self.versions: Counter[str] = Counter()
        self.jobs = Jobs(lambda: self.touch("job"))
        self.data: Opened | None = None
        self.look: Look | None = None
        self.read: Read = read_policy(EMPTY, folder=self.work)
        self.late: tuple[LocatedMistake, ...] = ()
        """Mistakes that were found when the policy met the table."""
        self.marked: tuple[str, ...] = ()
        self.never: frozenset[str] = frozenset()
        self.seed: int | None = None
        self.trees: dict[str, TreeEditor] = {}
        self.live: LiveRun | None = None
        self.compared: Compared | None = None
        self.audit: Audit | None = None
        self.points: tuple[Point, ...] = ()
        self.knob: Knob | None = None
        self.published: Published | None = None
        self.project: Path | None = None
        self.is_reached = False
        """Whether others on the network can reach the server, too."""
        self._ran: str | None = None
        self._tried: tuple[Path | str, Reading, str] = ("", DEFAULTS, "")
        self._pending: tuple[str, Choices] | None = None

    def touch(self, *parts: str) -> None:
        """Note that parts of the page are out of date."""
        for part in parts:
            self.versions[part] += 1

    def rows(self, first: int, n_rows: int) -> list[tuple[str | None, ...]]:
        """Return some rows of the table, for the owner's eyes."""
        store: Any = self._table().store
        found: list[tuple[str | None, ...]] = store.page(max(0, first), n_rows)
        return found

    def values(self, column: str) -> list[str]:
        """Return the values of a column."""
        return values_of(self._table(), column)

    def _table(self) -> Table:
        if self.data is None:
            raise InputError("no table is open. Hint: open one first.")
        return self.data.table

    def _let_go(self) -> None:
        """Close the table that is open."""
        if self.data is not None:
            source: Any = self.data.table.store
            source.close()
            self.data = None
