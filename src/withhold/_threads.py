"""Use all cores for counts that do not touch each other: requirements side by side, or shares of the columns of one."""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["WORTH_A_THREAD", "in_parallel", "one_thread", "shares"]

WORTH_A_THREAD = 1_000_000
"""Fewer cells than this are counted faster than a thread is woken."""
NAME = "withhold-count"

Result = TypeVar("Result")


def shares(columns: NDArray[np.int64], n_cells: int) -> list[NDArray[np.int64]]:
    """Return the columns in as many shares as there are cores, or in one where there is little to count."""
    n_shares = min(n_cores(), columns.size) if n_cells >= WORTH_A_THREAD else 1
    return [columns[i::n_shares] for i in range(n_shares)] if columns.size else []


def in_parallel(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run works that release the interpreter lock side by side, and return what they return.

    Works that are themselves run side by side run their own works one after the other: one pool serves all.
    """
    is_inside = threading.current_thread().name.startswith(NAME)
    if len(works) < 2 or n_cores() < 2 or is_inside:
        return [work() for work in works]
    return [done.result() for done in [_pool().submit(work) for work in works]]


def n_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread() -> Any:
    """Return a context in which libraries that have threads of their own use one."""
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:
    """Return the loaded libraries that have threads; to look for them takes as long as to learn from a few rows."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_cores(), thread_name_prefix=NAME)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork, a pool would wait for them
