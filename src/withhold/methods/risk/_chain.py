"""The table of distinct rows under every prefix of its columns, and the recursion over it, on all cores."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._threads import in_parallel, n_cores
from withhold.methods.risk._packed_rows import MASK, Layout
from withhold.methods.risk._prefixes import combine, merge_prefix, merge_tolerance, part_order
from withhold.methods.risk._recursion import solve_parts
from withhold.methods.risk._thread_memory import Room, new_room

__all__ = ["Chain"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Level:
    """The distinct rows over the first columns."""

    first: _Ints
    weight: NDArray[np.integer]
    down: _Ints
    """For each row its row one level below, where the last column is left out."""
    order: _Ints
    """The rows by their code on the last column."""
    bounds: _Ints
    """Where each code starts in `order`."""


@dataclass(frozen=True, slots=True)
class _Task:
    level: int
    parts: _Ints
    n_rows: int


class Chain:
    """Distinct packed rows, sorted, under every prefix of their columns.

    Leaving the columns out one after the other, the last first, makes ever smaller tables; taking a column instead
    splits the table there into parts. The parts are independent of each other and are solved side by side; their
    numbers are then joined from the shortest prefix to the longest, in an order that does not depend on threads.
    """

    def __init__(self, layout: Layout, keys: NDArray[np.int64], weight: NDArray[np.int64]) -> None:
        self._layout = layout
        self._keys = keys
        self._n_records = int(weight.sum())
        self._levels: list[_Level] = []
        # More records than a short number holds are counted in long ones, for which the loops are compiled anew.
        first = np.arange(len(keys), dtype=np.int32)
        counts: NDArray[np.integer] = weight.astype(np.int32 if self._n_records < 2**31 else np.int64)
        for k in range(layout.columns.shape[0], 0, -1):
            down = np.empty(first.size, np.int32)
            order = np.empty(first.size, np.int32)
            bounds = np.empty(int(layout.columns[k - 1, MASK]) + 2, np.int32)
            part_order(layout, keys, first, k - 1, order, bounds)
            merged, merged_counts = first.copy(), counts.copy()
            n_merged = merge_prefix(layout, keys, merged, merged_counts, k - 1, down)
            self._levels.append(_Level(first, counts, down, order, bounds))
            first, counts = merged[:n_merged].copy(), merged_counts[:n_merged].copy()
        self._levels.reverse()

    def solve(self, tolerance: _Floats) -> tuple[_Floats, _Floats, _Floats]:
        """Return likelihood, consequence and doubt of every distinct row; of unwanted rows they mean nothing.

        Parameters
        ----------
        tolerance
            For each row how much doubt any one cut may leave; 0 is exact, infinite is unwanted.
        """
        tolerances = [tolerance]
        for level in reversed(self._levels):
            merged = np.full(int(level.down[-1]) + 1, np.inf)
            merge_tolerance(level.down, tolerances[-1], merged)
            tolerances.append(merged)
        tolerances.reverse()
        taken = [np.zeros((3, level.first.size)) for level in self._levels]
        self._run(tolerances[1:], taken, exact=not bool(np.any((tolerance > 0) & (tolerance < np.inf))))
        result = np.array([[1.0 / self._n_records], [0.0], [0.0]])
        for k, level in enumerate(self._levels):
            above = np.zeros((3, level.first.size))
            combine(self._layout, self._keys, level.first, level.down, tolerances[k + 1], k, result, taken[k], above)
            result = above
        return result[0], result[1], result[2]

    def _run(self, tolerances: list[_Floats], taken: list[NDArray[np.float64]], *, exact: bool) -> None:
        """Solve every part that holds a wanted row."""
        tasks = self._tasks(tolerances)
        turn = itertools.count()
        path = np.ones(len(self._levels) + 1)
        path[:-1] = np.cumprod(self._layout.unknown_shares[::-1])[::-1]
        chances = path[1:] * self._layout.known_shares

        def work() -> None:
            room: list[Room] = []
            while (at := next(turn)) < len(tasks):
                task = tasks[at]
                level = self._levels[task.level]
                n_blank = int(level.bounds[1]) if self._layout.is_wild and self._layout.blankable[task.level] else 0
                n_slots = 4 * (task.n_rows + n_blank) + 1024
                while True:
                    if not room or room[0].records.size < n_slots:
                        room[:] = [new_room(self._layout, n_slots)]
                    if solve_parts(
                        self._layout, room[0], self._keys, level.first, level.weight, tolerances[task.level],
                        level.order, level.bounds, n_blank, task.parts, task.level, chances[task.level], exact,
                        taken[task.level][0], taken[task.level][1], taken[task.level][2],
                    ):  # fmt: skip
                        break
                    n_slots = 2 * room[0].records.size

        works: list[Callable[[], None]] = [work] * (n_cores() if len(tasks) > 1 else 1)
        in_parallel(works)

    def _tasks(self, tolerances: list[_Floats]) -> list[_Task]:
        """Return the parts with wanted rows, small ones of a column together, in the order of their rows."""
        tasks = []
        for k, level in enumerate(self._levels):
            wanted = np.zeros(level.order.size + 1, np.int64)
            np.cumsum(tolerances[k][level.order] < np.inf, out=wanted[1:])
            live = np.flatnonzero(wanted[level.bounds[1:]] > wanted[level.bounds[:-1]])
            if self._layout.blankable[k]:
                live = live[live > 0]
            sizes = np.diff(level.bounds)[live]
            batch = np.cumsum(sizes) // 4096
            for cut in np.split(np.arange(live.size), np.flatnonzero(np.diff(batch)) + 1) if live.size else []:
                tasks.append(_Task(k, live[cut].astype(np.int32), int(sizes[cut].max())))
        return sorted(tasks, key=lambda task: -task.n_rows * (task.level + 1))
