"""One running engine for all small tables of a process: to start one takes longer than most of their questions.

Each table has a database of its own in it, in memory, that only its own connection reads. The engine works in the
thread that asks, and writes nothing to disk but the files that it is asked for.
"""

import contextlib
import os
import threading
from itertools import count
from typing import Any

import duckdb

from withhold._process_limits import memory_limit_of_process

__all__ = ["SMALL_CELLS", "Place", "is_small"]

SMALL_CELLS = 500_000
"""The most cells of a small table: one thread reads them in a moment, and memory holds them."""
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_file_cache": "false",
    "preserve_insertion_order": "true",
    "temp_directory": "",
    "threads": "1",
}
"""A file may be replaced by another one between two tables, so the engine keeps none of it."""


def is_small(n_cells: int) -> bool:
    """Return whether a table of this size may share the engine: where addresses are short, none does.

    Examples
    --------
    >>> is_small(30_000 * 14), is_small(1_000_000 * 2)
    (True, False)
    """
    return n_cells <= SMALL_CELLS and memory_limit_of_process() is None


class Place:
    """A database of its own in the shared engine."""

    def __init__(self) -> None:
        with _running.lock:
            engine = _running.engine()
            self.name = f"w{next(_running.numbers)}"
            self.connection: Any = engine.cursor()
            self.connection.execute(f"ATTACH ':memory:' AS {self.name}")
            self.connection.execute(f"USE {self.name}")
        self.unused = _running.unused
        """Where its name is added when nobody can ask any more; a statement in a finalizer could break into another."""

    def close(self) -> None:
        """Forget all tables in it."""
        self.connection.close()
        self.unused.append(self.name)
        with _running.lock:
            if self.unused is _running.unused:
                _running.tidy()


class _Running:
    """The engine of this process; a process that was forked from another one starts its own."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.numbers = count(1)
        self.unused: list[str] = []
        """Databases that nobody reads any more."""
        self._engine: Any = None
        self._others: list[Any] = []
        """Engines of the process that this one was forked from; to close one would wait for what is not here."""

    def engine(self) -> Any:
        """Return the running engine, without what nobody reads."""
        if self._engine is None:
            self._engine = duckdb.connect(":memory:", config=SETTINGS)
        self.tidy()
        return self._engine

    def tidy(self) -> None:
        """Forget the databases that nobody reads any more."""
        while self.unused:
            name = self.unused.pop()
            with contextlib.suppress(duckdb.Error):
                self._engine.execute(f"DETACH {name}")

    def restart(self) -> None:
        """Leave the engine to the process that started it."""
        self._others.append(self._engine)
        self._engine = None
        self.unused = []
        self.lock = threading.RLock()


_running = _Running()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.restart)
