"""Find the cut of a column that lowers a group's loss most, while both sides keep every rule."""

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._buckets import both
from withhold.methods.local._lean import lean, woven
from withhold.methods.local._prices import AT, KIND, LEVELS, SET, TREE, Prices, price_of_line
from withhold.methods.local._slices import Growth, Scratch

__all__ = ["best_of_column", "mixed"]


@woven
def mixed(x: np.uint64) -> np.uint64:
    """Return the bits of a number well mixed (splitmix64)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@lean
def best_of_column(
    prices: Prices,
    asked: Asked,
    growth: Growth,
    scratch: Scratch,
    active: Array,
    c: int,
    least: int,
    may_leave: bool,
    price: float,
    charge: float,
    mark: np.uint64,
    gain: float,
) -> tuple[float, int, int, int]:
    """Return the gain of the best cut of a column, its first and last key, and the side left for later.

    Parameters
    ----------
    active
        The columns on which the group's rows differ.
    least
        How many records a side needs.
    may_leave
        Whether one side may be left for later.
    price
        What the group costs one of its rows on these.
    charge
        The price of a record that is left for later.
    mark
        What the noise depends on.
    gain
        The gain of the best cut so far; a cut must be better.
    """
    spec, floats, nodes = prices.spec, prices.floats, prices.nodes
    lines, words, counts, key = scratch.lines, scratch.words, scratch.counts, scratch.key
    begin, end = scratch.begin[c], scratch.begin[c + 1]
    n_buckets = key.size
    before, after, group = n_buckets, 2 * n_buckets, 3 * n_buckets
    total = counts[group, 0]
    first, last, side = 0, 0, 0
    kind, at, n_levels = spec[c, KIND], spec[c, AT], spec[c, LEVELS]
    noise, n_asked = growth.noise, asked.at_most.size
    # level 0 of numbers and sets cuts off prefixes, level -1 single values; those of trees what lies below a node
    for level in range(max(n_levels - 1, 0), 0 if kind == TREE else -2 if kind == SET else -1, -1):
        is_prefix = kind != TREE and level == 0
        a = begin
        b = begin - 1
        while b + 1 < end:
            b += 1
            if not is_prefix:
                a = b
                if kind == TREE:
                    while b + 1 < end and nodes[level, at + key[b + 1]] == nodes[level, at + key[a]]:
                        b += 1
                    # a run that is one node on the next level, too, has been looked at
                    if level + 1 < n_levels and nodes[level + 1, at + key[a]] == nodes[level + 1, at + key[b]]:
                        continue
            if a == begin and b == end - 1:
                continue
            n_inside = counts[before + b + 1, 0] - counts[before + a, 0]
            n_rest = total - n_inside
            inside_fits, rest_fits = n_inside >= least, n_rest >= least
            if not (inside_fits or rest_fits) or not (may_leave or (inside_fits and rest_fits)):
                continue
            raised = 1.0
            if noise > 0.0:
                bits = mixed(mark ^ np.uint64(c << 48) ^ np.uint64(key[a] << 24) ^ np.uint64(key[b]))
                raised += noise * float(bits >> np.uint64(11)) * 2.0**-53
            limit = total * price - gain / raised
            rest_loss, inside_loss = n_rest * charge, n_inside * charge
            if rest_fits:
                rest = after + b + 1
                if not is_prefix:
                    rest = group + 2
                    both(lines, words, before + a, after + b + 1, rest)
                rest_loss = n_rest * price_of_line(spec, floats, nodes, lines, words, rest, active)
            if rest_loss >= limit:
                continue
            if inside_fits:
                inside = before + b + 1 if is_prefix else a
                if not is_prefix and b > a:
                    inside = group + 1
                    both(lines, words, a, a + 1, inside)
                    for other in range(a + 2, b + 1):
                        both(lines, words, inside, other, inside)
                inside_loss = n_inside * price_of_line(spec, floats, nodes, lines, words, inside, active)
            if rest_loss + inside_loss >= limit:
                continue
            if n_asked:
                inside_fits, rest_fits = _fit(asked, counts, before + a, before + b + 1, group, inside_fits, rest_fits)
                if not (inside_fits or rest_fits) or not (may_leave or (inside_fits and rest_fits)):
                    continue
                rest_loss = rest_loss if rest_fits else n_rest * charge
                inside_loss = inside_loss if inside_fits else n_inside * charge
                if rest_loss + inside_loss >= limit:
                    continue
            gain = raised * (total * price - rest_loss - inside_loss)
            first, last = key[a], key[b]
            side = 1 if not inside_fits else 2 if not rest_fits else 0
    return gain, first, last, side


@lean
def _fit(
    asked: Asked, counts: Array, from_: int, to: int, group: int, inside_fits: bool, rest_fits: bool
) -> tuple[bool, bool]:
    """Return whether the rows between two lines, and the others of the group, meet all rules."""
    for h in range(counts.shape[1]):
        counts[group + 1, h] = counts[to, h] - counts[from_, h]
        counts[group + 2, h] = counts[group, h] - counts[group + 1, h]
    return inside_fits and all_met(asked, counts[group + 1]), rest_fits and all_met(asked, counts[group + 2])
