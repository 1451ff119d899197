"""Compiled loops over the table of distinct rows under every prefix of its columns."""

from withhold._compiled import Array, compiled
from withhold.methods.risk._packed_rows import MASK, SHIFT, START, WORD, Layout
from withhold.methods.risk._thread_memory import UNWANTED

__all__ = ["combine", "merge_prefix", "merge_tolerance", "part_order"]


@compiled
def merge_prefix(layout: Layout, keys: Array, first: Array, weight: Array, k: int, down: Array) -> int:
    """Merge the rows of a table that agree on the columns before `k`, in place; return how many there are."""
    n_words = layout.n_words
    prefixes = layout.prefixes
    end = 0
    for i in range(first.size):
        same = end > 0
        if same:
            for w in range(n_words):
                if (keys[first[i], w] ^ keys[first[end - 1], w]) & prefixes[k, w]:
                    same = False
        if same:
            weight[end - 1] += weight[i]
        else:
            first[end] = first[i]
            weight[end] = weight[i]
            end += 1
        down[i] = end - 1
    return end


@compiled
def part_order(layout: Layout, keys: Array, first: Array, j: int, order: Array, bounds: Array) -> None:
    """Fill `order` with the rows of a table by their code on column j, stable, and `bounds` with where codes start."""
    columns = layout.columns
    word, shift, mask = columns[j, WORD], columns[j, SHIFT], columns[j, MASK]
    bounds[:] = 0
    for i in range(first.size):
        bounds[((keys[first[i], word] >> shift) & mask) + 1] += 1
    for code in range(bounds.size - 1):
        bounds[code + 1] += bounds[code]
    fill = bounds.copy()
    for i in range(first.size):
        code = (keys[first[i], word] >> shift) & mask
        order[fill[code]] = i
        fill[code] += 1


@compiled
def merge_tolerance(down: Array, tolerance: Array, merged: Array) -> None:
    """Lower the tolerance of merged rows to the least of the rows they stand for."""
    for i in range(down.size):
        merged[down[i]] = min(merged[down[i]], tolerance[i])


@compiled
def combine(
    layout: Layout,
    keys: Array,
    first: Array,
    down: Array,
    tolerance: Array,
    j: int,
    below: Array,
    taken: Array,
    result: Array,
) -> None:
    """Join the numbers without column j (`below`, for merged rows) and with it (`taken`); lines as in `solve_parts`."""
    columns = layout.columns
    weights = layout.weights
    unknown_shares = layout.unknown_shares
    known_shares = layout.known_shares
    blankable = layout.blankable
    for i in range(first.size):
        if tolerance[i] == UNWANTED:
            continue
        child = down[i]
        code = (keys[first[i], columns[j, WORD]] >> columns[j, SHIFT]) & columns[j, MASK]
        weight = weights[columns[j, START] + code]
        unknown, known = unknown_shares[j], known_shares[j]
        if blankable[j] and code == 0:
            unknown, known = 1.0, 0.0
        result[0, i] = unknown * below[0, child]
        result[1, i] = unknown * (below[1, child] + weight * below[0, child])
        result[2, i] = unknown * below[2, child]
        if known > 0.0:
            result[0, i] += known * taken[0, i]
            result[1, i] += known * taken[1, i]
            result[2, i] += known * taken[2, i]
