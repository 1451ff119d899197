"""What somebody with the full register of people rules out: each row is one person, and each person has one row."""

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array, compiled
from withhold.auditing.candidates._row_join import Pairs

__all__ = ["still_possible"]

_Ints = NDArray[np.int64]


def still_possible(rows: Pairs, true: tuple[_Ints, _Ints], n_people: int) -> tuple[_Ints, _Ints]:
    """Return a number for each distinct row and person: they go together in some full assignment if both are the same.

    Parameters
    ----------
    rows
        For each distinct row the people that it may be.
    true
        One full assignment: the pairs of a distinct row and a person that it uses, whatever their counts. Every other
        one comes from it by passing rows round in circles.
    n_people
        The number of distinct people.

    Notes
    -----
    A pair can be used where a circle leads through it: from the row to a person that it may be, from there to a row
    that this person has in the given assignment, and so on. These circles are the strong components of a directed
    graph (Tarjan 1972; the finest parts of Dulmage and Mendelsohn 1958). The cost is the number of pairs.

    Examples
    --------
    Two rows may be both people, a third row only the second one: so that one has it, and the first row is the first's.

    >>> rows = Pairs(np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32))
    >>> still_possible(rows, (np.array([0, 1]), np.array([0, 1])), 2)[0].tolist()
    [1, 0]
    """
    n_rows = rows.starts.size - 1
    row, person = true
    order = np.argsort(person, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(person, minlength=n_people))])
    found = _components(rows.starts, rows.others, starts, row[order].astype(np.int64), n_rows, n_people)
    return found[:n_rows], found[n_rows:]


@compiled
def _components(starts: Array, others: Array, back_starts: Array, back: Array, n_rows: int, n_people: int) -> Array:
    """Return a number for the strong component of each node: of rows, then of people."""
    # A function that calls itself would be too deep.
    n = n_rows + n_people
    component = np.full(n, -1, dtype=np.int64)
    index, low = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    at = np.zeros(n, dtype=np.int64)
    path, waiting = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_seen, n_waiting, n_found = 0, 0, 0
    for root in range(n):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        index[root] = low[root] = n_seen
        n_seen += 1
        waiting[n_waiting] = root
        n_waiting += 1
        while depth >= 0:
            node = path[depth]
            if node < n_rows:
                place, stop = starts[node] + at[node], starts[node + 1]
            else:
                place, stop = back_starts[node - n_rows] + at[node], back_starts[node - n_rows + 1]
            if place < stop:
                at[node] += 1
                after = n_rows + np.int64(others[place]) if node < n_rows else back[place]
                if index[after] < 0:
                    index[after] = low[after] = n_seen
                    n_seen += 1
                    waiting[n_waiting] = after
                    n_waiting += 1
                    depth += 1
                    path[depth] = after
                elif component[after] < 0:
                    low[node] = min(low[node], index[after])
                continue
            if low[node] == index[node]:
                while True:
                    n_waiting -= 1
                    component[waiting[n_waiting]] = n_found
                    if waiting[n_waiting] == node:
                        break
                n_found += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
    return component
