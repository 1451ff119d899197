"""A private, in-process database that never reaches out."""

import contextlib
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from withhold._process_limits import memory_limit_of_process
from withhold.engines.duckdb._instance import Place
from withhold.engines.files import imported
from withhold.errors import DataError

__all__ = ["Database", "exact_path", "quoted", "text"]

ROWS_A_BATCH = 1 << 17
SHARE_OF_LIMIT = 4
"""The engine takes this part of the addresses that the system lets the process have; libraries take a good deal."""
Settings = dict[str, str | bool | int | float | list[str]]
SETTINGS: Settings = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "true",
}
WALLED: Settings = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
    "pandas_analyze_sample": "0",
    "threads": "1",
    "lock_configuration": "true",
}
"""The settings of a database that reaches nothing. Arrays of objects are text in it; one thread keeps their order."""


@contextlib.contextmanager
def _as_python_has_it() -> Iterator[None]:
    """Let an interrupt of the engine be an interrupt, and a lack of memory a lack of memory."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except RuntimeError as error:
        if "interrupt" in str(error).lower():
            raise KeyboardInterrupt from None
        if "bad_alloc" in str(error):
            raise MemoryError from None
        raise


class Database:
    """An in-memory database; what does not fit in memory goes to a folder that only its owner can read.

    Errors of the engine may quote cells, so none of its messages leaves this class unless asked for. One statement runs
    at a time; what needs several in a row holds `lock`.

    Parameters
    ----------
    scratch
        A private folder for what does not fit in memory; by default a new one, removed when the database is closed.
    is_walled
        Whether it can reach no file at all, nor be set otherwise later. It then keeps everything in memory.
    is_small
        Whether its tables are small, see `is_small`. It then shares a running engine and keeps everything in memory.
    """

    def __init__(self, scratch: Path | None = None, *, is_walled: bool = False, is_small: bool = False) -> None:
        self._is_closed = False
        self._place: Place | None = None
        self._scratch = scratch
        self.is_small = is_small
        """Whether its tables are small."""
        self.lock = threading.RLock()
        self.unused: list[str] = []
        """Tables that nobody reads any more."""
        self._connection: Any
        if is_walled:
            self._connection = duckdb.connect(":memory:", config=WALLED)
            return
        if is_small:
            self._place = Place()
            self._connection = self._place.connection
            self._forget = weakref.finalize(self, self._place.unused.append, self._place.name)
        else:
            self._connection = duckdb.connect(":memory:", config=SETTINGS)
        # A bar of the engine would stand among what programs read from standard output.
        with contextlib.suppress(duckdb.Error):  # a notebook has a bar of its own, and refuses
            self.try_run("SET enable_progress_bar = false")
        if is_small:
            return
        self.run(f"SET temp_directory = {text(str(self.folder))}")
        if (limit := memory_limit_of_process()) is not None:
            # The engine sees the memory of the machine or container.
            self.run(f"SET memory_limit = '{limit // SHARE_OF_LIMIT} B'")
        self._use_all_threads()

    @cached_property
    def folder(self) -> Path:
        """Where private files may lie while they are read, and what does not fit in memory."""
        if self._scratch is not None:
            return self._scratch
        made = Path(tempfile.mkdtemp(prefix="withhold-"))
        self._remove = weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        return made

    @contextlib.contextmanager
    def one_thread(self) -> Iterator[None]:
        """Let the engine use one core for a while."""
        if self._place is not None:  # it never uses more
            yield
            return
        self.run("SET threads = 1")
        try:
            yield
        finally:
            self._use_all_threads()

    def _use_all_threads(self) -> None:
        """Let the engine use every core, unless addresses are short: each thread reserves many."""
        self.run("RESET threads" if memory_limit_of_process() is None else "SET threads = 1")

    def run(self, sql: str, parameters: Sequence[object] | None = None, *, what: str = "") -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; an error of the engine becomes ours, without its text."""
        try:
            return list(self.try_run(sql, parameters))
        except duckdb.Error as error:
            about = f"{what}: " if what else ""
            raise DataError(f"{about}the engine could not do its work ({type(error).__name__}).") from None

    def try_run(self, sql: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; an error of the engine comes as it is. An interrupt is an interrupt."""
        self._check_open()
        with self.lock, _as_python_has_it():
            if parameters is None:
                return list(self._connection.execute(sql).fetchall())
            return list(self._connection.execute(sql, list(parameters)).fetchall())

    def arrays(self, sql: str, parameters: Sequence[object] = ()) -> dict[str, NDArray[Any]]:
        """Run a query and return its columns as arrays; an error of the engine becomes ours, without its text."""
        try:
            return self.try_arrays(sql, parameters)
        except duckdb.Error as error:
            raise DataError(f"the engine could not do its work ({type(error).__name__}).") from None

    def try_arrays(self, sql: str, parameters: Sequence[object] = ()) -> dict[str, NDArray[Any]]:
        """Run a query and return its columns as arrays; an error of the engine comes as it is."""
        self._check_open()
        with self.lock, _as_python_has_it():
            found = self._connection.execute(sql, list(parameters)).fetchnumpy()
        return {name: _unmasked(array) for name, array in found.items()}

    def batches(self, sql: str) -> Any:
        """Run a query and return its rows as a reader of Arrow batches; an error of the engine comes as it is."""
        self._check_open()
        imported("pyarrow", purpose="writing this kind of file")
        found = self._connection.sql(sql)
        # The method was renamed between the versions that are supported.
        return (getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader)(ROWS_A_BATCH)

    def register(self, name: str, frame: object) -> None:
        """Make a frame known under a name."""
        self._connection.register(name, frame)

    def keep_arrays(self, name: str, columns: dict[str, NDArray[Any]]) -> None:
        """Make a table of arrays of one length, in their order."""
        with self.lock:
            self._connection.register(f"{name}_arrays", columns)
            try:
                self.run(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM {name}_arrays")
            finally:
                self._connection.unregister(f"{name}_arrays")

    def unregister(self, name: str) -> None:
        """Forget a frame."""
        self._connection.unregister(name)

    def close(self) -> None:
        """Close the database and remove what it kept outside memory."""
        self._is_closed = True
        with self.lock:
            if self._place is None:
                self._connection.close()
            elif self._forget.detach() is not None:
                self._place.close()
        if hasattr(self, "_remove"):
            self._remove()

    def _check_open(self) -> None:
        if self._is_closed:
            raise DataError("the table was closed. Hint: read it again.")


def _unmasked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array without its mask, None where an object is masked.

    Some versions of the engine leave nothing at all there, not even None, and would read that back as a text.
    """
    if isinstance(array, np.ma.MaskedArray) and array.dtype == object:
        array.data[np.ma.getmaskarray(array)] = None
    return np.asarray(array)


def quoted(name: str) -> str:
    """Return a name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a string as a SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def exact_path(path: Path) -> str:
    """Return a path as a SQL literal that names this file only, whatever pattern characters its name holds.

    Examples
    --------
    >>> exact_path(Path("data[1].csv"))
    "'data[[]1].csv'"
    """
    return text("".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path)))
