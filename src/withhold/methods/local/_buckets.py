"""Sum up the rows of a group in buckets, one for each value of each column, and the buckets from both ends."""

from withhold._compiled import Array
from withhold.methods.local._lean import lean, woven
from withhold.methods.local._lines import merge
from withhold.methods.local._prices import AT, KIND, NUMBER
from withhold.methods.local._slices import join

__all__ = ["BUCKETS", "both", "fill", "find_buckets", "scan", "sum_up"]

BUCKETS = 256
"""A column of numbers is cut at as many places, spread over the group's range."""


@woven
def both(lines: Array, words: Array, a: int, b: int, to: int) -> None:
    """Write two lines and their sets together to a third."""
    merge(lines, to, lines, a, lines, b)
    for w in range(words.shape[1]):
        words[to, w] = words[a, w] | words[b, w]


@woven
def _clear(empty: Array, lines: Array, words: Array, counts: Array, line: int) -> None:
    merge(lines, line, empty, 0, empty, 0)
    for w in range(words.shape[1]):
        words[line, w] = 0
    for h in range(counts.shape[1]):
        counts[line, h] = 0


@woven
def _add(
    spec: Array, rows: Array, weight: Array, lanes: Array, i: int, lines: Array, words: Array, counts: Array, line: int
) -> None:
    merge(lines, line, lines, line, rows, i)
    counts[line, 0] += weight[i]
    for s in range(lanes.shape[1]):
        if lanes[i, s] >= 0:
            counts[line, lanes[i, s]] += weight[i]
    if words.shape[1]:
        join(spec, rows, i, words, line)


@lean
def scan(
    spec: Array,
    rows: Array,
    weight: Array,
    lanes: Array,
    start: int,
    stop: int,
    step: int,
    lines: Array,
    words: Array,
    counts: Array,
    line: int,
) -> None:
    """Sum up every `step`-th row of a slice in one line."""
    _clear(lines[-1:], lines, words, counts, line)
    for i in range(start, stop, step):
        _add(spec, rows, weight, lanes, i, lines, words, counts, line)


@woven
def _width(low: int, high: int, kind: int) -> int:
    """Return into how many buckets the codes ``low … high`` are spread; 0: each is a bucket."""
    return BUCKETS if kind == NUMBER and high - low >= BUCKETS else 0


@woven
def _key(code: int, low: int, high: int, width: int) -> int:
    """Return which bucket of a column a code belongs to."""
    return (code - low) * width // (high - low + 1) if width else code


@woven
def _sort(key: Array, start: int, stop: int) -> None:
    """Sort a few keys in place (Shell's sort)."""
    gap = (stop - start) // 2
    while gap:
        for i in range(start + gap, stop):
            x, j = key[i], i
            while j >= start + gap and key[j - gap] > x:
                key[j] = key[j - gap]
                j -= gap
            key[j] = x
        gap = gap * 5 // 11 if gap > 2 else gap - 1


@lean
def find_buckets(
    spec: Array,
    rows: Array,
    start: int,
    stop: int,
    step: int,
    lines: Array,
    line: int,
    slot: Array,
    key: Array,
    begin: Array,
) -> None:
    """Count off the buckets that occur, column by column, in the order of codes."""
    half, n_buckets = rows.shape[1] // 2, 0
    for c in range(spec.shape[0]):
        begin[c] = n_buckets
        low, high, at = int(-lines[line, half + c]), int(lines[line, c]), spec[c, AT]
        if low == high:
            continue
        width = _width(low, high, spec[c, KIND])
        for i in range(start, stop, step):
            k = _key(rows[i, c], low, high, width)
            if slot[at + k] < 0:
                slot[at + k] = 0
                key[n_buckets] = k
                n_buckets += 1
        first, last = _key(low, low, high, width), _key(high, low, high, width)
        if last - first < 8 * (n_buckets - begin[c]):
            n_buckets = begin[c]
            for k in range(first, last + 1):
                if slot[at + k] >= 0:
                    key[n_buckets] = k
                    n_buckets += 1
        else:
            _sort(key, begin[c], n_buckets)
        for b in range(begin[c], n_buckets):
            slot[at + key[b]] = b
    begin[spec.shape[0]] = n_buckets


@lean
def fill(
    spec: Array,
    rows: Array,
    weight: Array,
    lanes: Array,
    start: int,
    stop: int,
    step: int,
    columns: Array,
    lines: Array,
    words: Array,
    counts: Array,
    line: int,
    slot: Array,
    key: Array,
    begin: Array,
) -> None:
    """Sum up every `step`-th row of a slice in the buckets of some columns."""
    half = rows.shape[1] // 2
    empty = lines[-1:]
    for n in range(columns.size):
        c = columns[n]
        for b in range(begin[c], begin[c + 1]):
            _clear(empty, lines, words, counts, b)
        low, high, at = int(-lines[line, half + c]), int(lines[line, c]), spec[c, AT]
        width = _width(low, high, spec[c, KIND])
        if width or lanes.shape[1] or words.shape[1]:
            for i in range(start, stop, step):
                b = int(slot[at + _key(rows[i, c], low, high, width)])
                _add(spec, rows, weight, lanes, i, lines, words, counts, b)
        else:  # the same without what is not there
            for i in range(start, stop, step):
                b = int(slot[at + rows[i, c]])
                merge(lines, b, lines, b, rows, i)
                counts[b, 0] += weight[i]
        for b in range(begin[c], begin[c + 1]):
            slot[at + key[b]] = -1


@lean
def sum_up(lines: Array, words: Array, counts: Array, begin: int, end: int, before: int, after: int) -> None:
    """Sum up the buckets ``begin … end - 1`` from both ends.

    Line ``before + b`` is what lies before bucket b, ``after + b`` what lies at it and behind it.
    """
    empty = lines[-1:]
    _clear(empty, lines, words, counts, before + begin)
    _clear(empty, lines, words, counts, after + end)
    for b in range(begin, end):
        both(lines, words, before + b, b, before + b + 1)
        for h in range(counts.shape[1]):
            counts[before + b + 1, h] = counts[before + b, h] + counts[b, h]
    for b in range(end - 1, begin - 1, -1):
        both(lines, words, after + b + 1, b, after + b)
