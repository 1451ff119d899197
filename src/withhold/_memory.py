"""How much memory a run may take, and whether a table fits."""

import os
from contextlib import suppress
from pathlib import Path

from withhold._process_limits import memory_limit_of_process
from withhold.errors import DataError

__all__ = ["check_fits", "memory_limit"]

BYTES_A_ROW = 24
"""The least that a release holds of a row: its group, place and weight. A small file may hide very many rows."""
CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory_limit() -> int | None:
    """Return the smallest of what the machine, a container and the limits of the process allow, in bytes."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):
        found.append(int(CONTAINER.read_text(encoding="ascii")))
    if (limit := memory_limit_of_process()) is not None:
        found.append(limit)
    return min((n for n in found if n > 0), default=None)


def check_fits(n_rows: int, what: str) -> None:
    """Refuse a table whose rows cannot fit in memory, before any long work.

    Examples
    --------
    >>> check_fits(10**12, "people.parquet")
    Traceback (most recent call last):
    ...
    withhold.errors.DataError: people.parquet: its 1,000,000,000,000 rows do not fit in memory. Hint: --engine spark.
    """
    limit = memory_limit()
    if limit is not None and n_rows * BYTES_A_ROW > limit:
        raise DataError(f"{what}: its {n_rows:,} rows do not fit in memory. Hint: --engine spark.")
