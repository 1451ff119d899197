"""A walk over all sets of known columns that splits groups of records, and closes groups of one or two at once."""

import numpy as np

from withhold._compiled import Array, compiled, inner

__all__ = ["walk_sets"]

SHORT = 24
"""Groups of at most this many records are sorted by insertion."""


@inner
def _open(order: Array, begin: int, end: int, sizes: Array, share: float, sums: Array) -> None:
    """Start the sums of a group with the set that it agrees on."""
    n_rows = 0.0
    for i in range(begin, end):
        n_rows += sizes[order[i]]
    for i in range(begin, end):
        sums[order[i]] = share / n_rows


@inner
def _add(order: Array, begin: int, end: int, below: Array, sums: Array, inside: Array) -> None:
    """Add the sums of a part of a group to the group's own, and to those of the column that made the part."""
    for i in range(begin, end):
        record = order[i]
        sums[record] += below[record]
        inside[record] += below[record]


@inner
def _close(
    records: Array, sizes: Array, chances: Array, one: int, other: int, first: int, share: float, paired: Array
) -> float:
    """Add up all sets of further columns for one of two records that agree so far.

    They agree on a set only where they agree on each of its columns. `beyond` is the product of 1 + chance over the
    columns on which they differ, less 1, kept positive throughout: no digits are lost.
    """
    agreed, beyond = 1.0, 0.0
    for j in range(first, chances.size):
        code = records[one, j]
        if code >= 0:
            if records[other, j] == code:
                agreed *= 1.0 + chances[j]
            else:
                beyond += chances[j] + beyond * chances[j]
    together, apart = share * agreed / (sizes[one] + sizes[other]), share * agreed * beyond / sizes[one]
    alone = share * agreed * (1.0 + beyond) / sizes[one]
    for j in range(first, chances.size):
        code = records[one, j]
        if code >= 0:
            term = together + apart if records[other, j] == code else alone
            paired[one, j] += term * chances[j] / (1.0 + chances[j])
    return float(together + apart)


@inner
def _sort(codes: Array, span: int, order: Array, begin: int, end: int, count: Array, spare: Array) -> None:
    """Sort the records of a group by their codes, blanks first."""
    if end - begin <= SHORT:
        for i in range(begin + 1, end):
            record, k = order[i], i
            while k > begin and codes[order[k - 1]] > codes[record]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = record
    elif span > 4 * (end - begin):
        keys = codes[order[begin:end]]
        order[begin:end] = order[begin:end][np.argsort(keys)]
    else:
        count[: span + 2] = 0
        for i in range(begin, end):
            count[codes[order[i]] + 2] += 1
        for code in range(1, span + 2):
            count[code] += count[code - 1]
        for i in range(begin, end):
            code = codes[order[i]] + 1
            spare[count[code]] = order[i]
            count[code] += 1
        order[begin:end] = spare[: end - begin]


@inner
def _finish(
    records: Array,
    sizes: Array,
    chances: Array,
    growth: Array,
    order: Array,
    begin: int,
    end: int,
    first: int,
    share: float,
    sums: Array,
    paired: Array,
    alone: Array,
) -> None:
    """Close a group of one or two records."""
    one, other = order[begin], order[end - 1]
    if one == other:
        sums[one] = share * growth[one, first] / sizes[one]
        alone[one, first] += sums[one]
    else:
        sums[one] = _close(records, sizes, chances, one, other, first, share, paired)
        sums[other] = _close(records, sizes, chances, other, one, first, share, paired)


@compiled
def walk_sets(
    columns: Array,
    records: Array,
    spans: Array,
    sizes: Array,
    chances: Array,
    growth: Array,
    order: Array,
    bounds: Array,
    first: int,
    product: float,
    sums: Array,
    inside: Array,
    paired: Array,
    alone: Array,
    most_work: int,
) -> int:
    """Add up the sets that hold what the groups agree on and any of the columns from `first` on.

    A set adds the product of its chances over the number of rows that agree on it. The stack holds a group for each
    level: where it begins and ends in `order`, which column splits it, and how far that went.

    Parameters
    ----------
    columns, records, spans, sizes, chances, growth
        The codes of the records, -1 for a blank, column by column and record by record; what the codes of each column
        are below; the rows that each record stands for; the chance of each column; and for each record and column the
        product of 1 + chance over the published columns from there on.
    order, bounds
        The records, group by group, and where groups begin. Records change places within their group.
    first, product
        The first column that may be added, and the product of the chances of those that the groups agree on.
    sums
        A line for each level; the first receives the sum of each record.
    inside
        For each column and record, receives the sum over the sets to which the column was added.
    paired
        The same for each record and column, of sets that were added up at once for two records.
    alone
        For each record and column, receives the sum of sets that were added up at once, of columns from this one on,
        because the record was alone.
    most_work
        The number of records to look at before giving up.

    Returns
    -------
    The number of records that were looked at, or -1 where it gave up.
    """
    n_columns = columns.shape[0]
    begins, ends = np.empty(n_columns + 2, dtype=np.int64), np.empty(n_columns + 2, dtype=np.int64)
    splits, at = np.empty(n_columns + 2, dtype=np.int64), np.empty(n_columns + 2, dtype=np.int64)
    shares = np.empty(n_columns + 2)
    count, spare = np.empty(spans.max() + 2, dtype=np.int64), np.empty_like(order)
    work = 0
    for group in range(bounds.size - 1):
        begin, end, first_of, share, level = bounds[group], bounds[group + 1], first, product, -1
        while True:
            if end - begin > 2:
                _open(order, begin, end, sizes, share, sums[level + 1])
                level += 1
                # As if the column before were done, so that the next step begins with the first.
                begins[level], ends[level], at[level], shares[level] = begin, end, end, share
                splits[level] = first_of - 1
            else:
                _finish(
                    records,
                    sizes,
                    chances,
                    growth,
                    order,
                    begin,
                    end,
                    first_of,
                    share,
                    sums[level + 1],
                    paired,
                    alone,
                )
                work += end - begin
                if level >= 0:
                    _add(order, begin, end, sums[level + 1], sums[level], inside[splits[level]])
            while level >= 0 and at[level] == ends[level]:
                splits[level] += 1
                if splits[level] == n_columns:
                    level -= 1
                    if level >= 0:
                        low, high = begins[level + 1], ends[level + 1]
                        _add(order, low, high, sums[level + 1], sums[level], inside[splits[level]])
                    continue
                low, high, codes = begins[level], ends[level], columns[splits[level]]
                work += high - low
                if work > most_work:
                    return -1
                _sort(codes, spans[splits[level]], order, low, high, count, spare)
                while low < high and codes[order[low]] < 0:
                    low += 1
                at[level] = low
            if level < 0:
                break
            codes, begin = columns[splits[level]], at[level]
            end = begin + 1
            while end < ends[level] and codes[order[end]] == codes[order[begin]]:
                end += 1
            at[level] = end
            first_of, share = splits[level] + 1, shares[level] * chances[splits[level]]
    return work
