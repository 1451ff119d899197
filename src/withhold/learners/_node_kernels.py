"""What a tree does with the rows of one node: choose a test, and send rows down its branches."""

import numpy as np

from withhold._compiled import Array, compiled, inlined, inner

__all__ = ["choose", "send", "weigh"]

NEAR = 1e-9
"""Gains that differ by less are equal: the earlier attribute, the lower cut."""
SLACK = 1e-3
"""How far below the average a gain may lie, as in Quinlan's program."""


@compiled
def weigh(rows: Array, weights: Array, labels: Array, n_classes: int) -> Array:
    """Return the weight of each class."""
    found = np.zeros(n_classes)
    for i in range(len(rows)):
        found[labels[rows[i]]] += weights[i]
    return found


@compiled
def choose(
    codes: Array,
    n_values: Array,
    is_number: Array,
    is_common: Array,
    labels: Array,
    rows: Array,
    weights: Array,
    held: Array,
    minimum: float,
) -> tuple[int, int, int]:
    """Return the attribute to test, -1 for none; for a number also the values on both sides of the cut.

    Among the attributes with at least average gain it is the one with the best ratio of gain to split information.
    `is_common` says which attributes count in the average. `held` is room for a weight of each value and class; it
    holds zeros before and after.
    """
    n_attributes, n_classes = codes.shape[0], held.shape[1]
    gains, infos = np.full(n_attributes, -1.0), np.zeros(n_attributes)
    lows, highs = np.full(n_attributes, -1), np.full(n_attributes, -1)
    order = np.empty(len(rows), dtype=np.int64)
    total = weights.sum()
    for a in range(n_attributes):
        if n_values[a] < 2:
            continue
        n_held, known = _gather(codes[a], labels, rows, weights, held, order)
        if n_held > 1:
            values = order[:n_held]
            values.sort()
            if is_number[a]:
                gains[a], infos[a], lows[a], highs[a] = _best_cut(values, held, known, total, minimum, n_classes)
            else:
                gains[a], infos[a] = _gain_of_values(values, held, known, total, minimum, n_classes)
        for i in range(n_held):
            held[order[i]] = 0.0
    best = _best_ratio(gains, infos, is_common)
    return best, (lows[best] if best >= 0 else -1), (highs[best] if best >= 0 else -1)


@inner
def _gather(column: Array, labels: Array, rows: Array, weights: Array, held: Array, order: Array) -> tuple[int, float]:
    """Add up the weights of each value and class; list the values, and return how many, and the known weight."""
    n_held, known = 0, 0.0
    for i in range(len(rows)):
        value = column[rows[i]]
        if value >= 0:
            if held[value].sum() == 0.0:
                order[n_held] = value
                n_held += 1
            held[value, labels[rows[i]]] += weights[i]
            known += weights[i]
    return n_held, known


@inner
def _plogp(weight: float) -> float:
    return weight * np.log2(weight) if weight > 0.0 else 0.0


@inner
def _spread(weights: Array) -> float:
    """Return the entropy of weights, times their sum."""
    total, parts = 0.0, 0.0
    for weight in weights:
        total += weight
        parts += _plogp(weight)
    return _plogp(total) - parts


@inner
def _gain_of_values(
    values: Array, held: Array, known: float, total: float, minimum: float, n_classes: int
) -> tuple[float, float]:
    """Return gain and split information of one branch for each value, and one for unknown."""
    classes = np.zeros(n_classes)
    inside, parts, n_large = 0.0, _plogp(total - known), 0
    for value in values:
        classes += held[value]
        inside += _spread(held[value])
        size = held[value].sum()
        parts += _plogp(size)
        n_large += size >= minimum - NEAR
    if n_large < 2:
        return -1.0, 0.0
    return (_spread(classes) - inside) / total, (_plogp(total) - parts) / total


@inner
def _best_cut(
    values: Array, held: Array, known: float, total: float, minimum: float, n_classes: int
) -> tuple[float, float, int, int]:
    """Return corrected gain, split information, and the values below and above the best cut of a number."""
    least = min(max(0.1 * known / n_classes, minimum), max(25.0, minimum))
    low, high = np.zeros(n_classes), np.zeros(n_classes)
    for value in values:
        high += held[value]
    base, below, n_tried = _spread(high), 0.0, 0
    best_gain, best_info, best = -1.0, 0.0, -1
    for i in range(len(values) - 1):
        low += held[values[i]]
        high -= held[values[i]]
        below += held[values[i]].sum()
        if below < least - NEAR or known - below < least - NEAR:
            continue
        n_tried += 1
        gain = (base - _spread(low) - _spread(high)) / total
        if gain > best_gain + NEAR:
            parts = _plogp(below) + _plogp(known - below) + _plogp(total - known)
            best_gain, best_info, best = gain, (_plogp(total) - parts) / total, i
    if best < 0:
        return -1.0, 0.0, -1, -1
    gain = best_gain - np.log2(n_tried) / total
    return (gain if gain > NEAR else -1.0), best_info, values[best], values[best + 1]


@inner
def _best_ratio(gains: Array, infos: Array, is_common: Array) -> int:
    counted = (gains >= 0.0) & is_common
    average = gains[counted].mean() if counted.any() else np.inf
    best, best_ratio = -1, 0.0
    for a in range(len(gains)):
        if gains[a] > NEAR and gains[a] >= average - SLACK - NEAR and infos[a] > SLACK:
            ratio = gains[a] / infos[a]
            if ratio > best_ratio + NEAR:
                best, best_ratio = a, ratio
    return best


@compiled
def send(
    column: Array, cut: int, n_branches: int, rows: Array, weights: Array, shares: Array
) -> tuple[Array, Array, Array]:
    """Return the rows and weights branch after branch, and where each branch begins.

    With a cut of 0 or more the first branch takes the values up to it; with -1 each value has its branch. Rows whose
    value is unknown go down every branch that holds known weight, in `shares`; where those are empty, in the shares
    of the known weights.
    """
    n_rows = len(rows)
    sizes, known = np.zeros(n_branches + 1, dtype=np.int64), np.zeros(n_branches)
    branches = np.empty(n_rows, dtype=np.int64)
    n_unknown = 0
    for i in range(n_rows):
        value = column[rows[i]]
        branch = value if cut < 0 else np.int64(value > cut)
        branches[i] = branch if value >= 0 and branch < n_branches else -1
        if branches[i] >= 0:
            sizes[branches[i] + 1] += 1
            known[branches[i]] += weights[i]
        else:
            n_unknown += 1
    parts = shares if len(shares) else known / max(known.sum(), 1e-300)
    if n_unknown:
        for branch in range(n_branches):
            if parts[branch] > 0.0:
                sizes[branch + 1] += n_unknown
    begins = np.cumsum(sizes)
    sent, sent_weights = np.empty(begins[-1], dtype=rows.dtype), np.empty(begins[-1])
    heads = begins[:-1].copy()
    for i in range(n_rows):
        if branches[i] >= 0:
            _put(sent, sent_weights, heads, branches[i], rows[i], weights[i])
        else:
            for branch in range(n_branches):
                if parts[branch] > 0.0:
                    _put(sent, sent_weights, heads, branch, rows[i], weights[i] * parts[branch])
    return sent, sent_weights, begins


@inlined
def _put(sent: Array, sent_weights: Array, heads: Array, branch: int, row: int, weight: float) -> None:
    sent[heads[branch]] = row
    sent_weights[heads[branch]] = weight
    heads[branch] += 1
