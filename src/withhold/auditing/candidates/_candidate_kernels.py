"""Inner loops over the candidates of each person."""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled
from withhold.auditing.candidates._row_join import Pairs

__all__ = ["Held", "candidate_sizes", "most_frequent", "n_held"]


class Held(NamedTuple):
    """How often each distinct row holds each value of another column."""

    starts: Array
    """Where the values of each row begin, and where the last ends."""
    values: Array
    counts: Array
    n_values: int


@compiled
def n_held(pairs: Pairs, wanted: Array, n: int) -> int:
    """Return how many of some pairs, as ascending numbers ``row * n + person``, were found."""
    found, begin = 0, 0
    for row in range(pairs.starts.size - 1):
        stop = begin
        while stop < wanted.size and wanted[stop] // n == row:
            stop += 1
        if stop > begin:
            for i in range(pairs.starts[row], pairs.starts[row + 1]):
                low, high = begin, stop
                key = row * n + pairs.others[i]
                while low < high:
                    middle = (low + high) >> 1
                    if wanted[middle] < key:
                        low = middle + 1
                    else:
                        high = middle
                if low < stop and wanted[low] == key:
                    found += 1
        begin = stop
    return found


@compiled
def candidate_sizes(people: Pairs, n_of_row: Array, row_part: Array, person_part: Array) -> Array:
    """Return how many rows in the same part each person could be."""
    found = np.zeros(people.starts.size - 1, dtype=np.int64)
    for person in range(found.size):
        for i in range(people.starts[person], people.starts[person + 1]):
            row = people.others[i]
            if row_part[row] == person_part[person]:
                found[person] += n_of_row[row]
    return found


@compiled
def most_frequent(people: Pairs, held: Held, row_part: Array, person_part: Array) -> tuple[Array, Array]:
    """Return for each person the most frequent value among the candidates, and how many values these hold.

    Candidates are rows in the same part. The first of several values is taken; -1 is none.
    """
    n_people = people.starts.size - 1
    best, n_kinds = np.full(n_people, -1, dtype=np.int64), np.zeros(n_people, dtype=np.int64)
    count = np.zeros(held.n_values, dtype=np.int64)
    seen = np.empty(held.n_values, dtype=np.int64)
    for person in range(n_people):
        n_seen = 0
        for i in range(people.starts[person], people.starts[person + 1]):
            row = people.others[i]
            if row_part[row] != person_part[person]:
                continue
            for j in range(held.starts[row], held.starts[row + 1]):
                value = held.values[j]
                if count[value] == 0:
                    seen[n_seen] = value
                    n_seen += 1
                count[value] += held.counts[j]
        n_kinds[person] = n_seen
        for j in range(n_seen):
            value = seen[j]
            top = best[person]
            if top < 0 or count[value] > count[top] or (count[value] == count[top] and value < top):
                best[person] = value
        for j in range(n_seen):
            count[seen[j]] = 0
    return best, n_kinds
