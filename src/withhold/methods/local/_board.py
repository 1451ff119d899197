"""A block of groups, copied so that its rows and groups stay in the cache.

The lines from 0 to ``n_rows - 1`` of a board are its rows, the next ones its groups, the next ones the group of each
row without that row, and the last ones room for trials.
"""

from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._asked import Asked, all_met
from withhold.methods.local._buckets import both
from withhold.methods.local._lean import lean, woven
from withhold.methods.local._prices import Prices, price_of_line
from withhold.methods.local._slices import join

__all__ = ["GROUP", "NEXT", "TRAIL", "Board", "bare", "board_for", "fits", "load", "move_to", "price_on", "trial"]

GROUP, NEXT, TRAIL, STACK = range(4)
TRIALS = 2


class Board(NamedTuple):
    """Groups and their rows."""

    lines: Array
    words: Array
    """The line and the members of sets of each line."""
    counts: Array
    """The histogram of each row and group; the last one is for trials."""
    price: Array
    """The price of one row of each group; in the line of a row, that of its group without it."""
    links: Array
    """The group of a row; the next row of its group, or -1, and in the line of a group its first; lists of rows."""
    size: Array
    """The number of rows and of groups."""


def board_for(n_rows: int, n_groups: int, lines: Array, n_words: int, n_lanes: int) -> Board:
    """Return room for a block of at most that many rows and groups."""
    n_lines = 2 * n_rows + n_groups + TRIALS
    return Board(
        np.zeros((n_lines, lines.shape[1]), dtype=lines.dtype),
        np.zeros((n_lines, n_words), dtype=np.uint64),
        np.zeros((n_rows + n_groups + 1, n_lanes), dtype=np.int64),
        np.zeros(n_rows + n_groups),
        np.zeros((n_rows + n_groups, 4), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@woven
def bare(board: Board, r: int) -> int:
    """Return the line of a row's group without the row."""
    return int(board.size[0] + board.size[1] + r)


@woven
def trial(board: Board) -> int:
    """Return the first of the lines for trials."""
    return int(2 * board.size[0] + board.size[1])


@woven
def price_on(board: Board, prices: Prices, line: int) -> float:
    """Return what a line costs one of its rows."""
    return price_of_line(prices.spec, prices.floats, prices.nodes, board.lines, board.words, line, prices.columns)


@lean
def load(
    board: Board,
    lines: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    first: int,
    last: int,
    prices: Prices,
) -> None:
    """Copy the groups ``first … last - 1`` to a board."""
    begin, n_groups = starts[first], last - first
    n_rows = starts[last] - begin
    board.size[0], board.size[1] = n_rows, n_groups
    for i in range(n_rows + n_groups):
        for w in range(board.words.shape[1]):
            board.words[i, w] = 0
        for h in range(board.counts.shape[1]):
            board.counts[i, h] = 0
    for r in range(n_rows):
        i = members[begin + r]
        for c in range(lines.shape[1]):
            board.lines[r, c] = lines[i, c]
        if board.words.shape[1]:
            join(prices.spec, lines, i, board.words, r)
        board.counts[r, 0] = weight[i]
        for s in range(lanes.shape[1]):
            if lanes[i, s] >= 0:
                board.counts[r, lanes[i, s]] += weight[i]
    for g in range(n_groups):
        line = n_rows + g
        board.links[line, NEXT] = -1
        for r in range(starts[first + g] - begin, starts[first + g + 1] - begin):
            board.links[r, GROUP] = g
            board.links[r, NEXT] = board.links[line, NEXT]
            board.links[line, NEXT] = r
            for h in range(board.counts.shape[1]):
                board.counts[line, h] += board.counts[r, h]
        refresh(board, prices, g)


@lean
def refresh(board: Board, prices: Prices, g: int) -> None:
    """Make lines and prices of a group those of its rows, with and without each of them."""
    lines, words, links, line, room = board.lines, board.words, board.links, board.size[0] + g, trial(board)
    n = 0
    i = links[line, NEXT]
    while i >= 0:
        links[n, STACK] = i
        n += 1
        i = links[i, NEXT]
    board.price[line] = 0.0
    for j in range(n):  # what lies before each row, at last the whole group
        r = links[j, STACK]
        both(lines, words, line if j else r, line if j else r, bare(board, r))
        both(lines, words, line if j else r, r, line)
    if n:
        board.price[line] = price_on(board, prices, line)
    for j in range(n - 1, -1, -1):  # and what lies behind it
        r = links[j, STACK]
        if j < n - 1:
            both(lines, words, bare(board, r) if j else room, room, bare(board, r))
        both(lines, words, r, room if j < n - 1 else r, room)
        board.price[r] = price_on(board, prices, bare(board, r)) if n > 1 else 0.0


@lean
def move_to(board: Board, prices: Prices, r: int, to: int) -> None:
    """Put a row into another group."""
    links, n_rows = board.links, board.size[0]
    g = links[r, GROUP]
    i = n_rows + g
    while links[i, NEXT] != r:
        i = links[i, NEXT]
    links[i, NEXT] = links[r, NEXT]
    links[r, NEXT] = links[n_rows + to, NEXT]
    links[n_rows + to, NEXT] = r
    links[r, GROUP] = to
    for h in range(board.counts.shape[1]):
        board.counts[n_rows + g, h] -= board.counts[r, h]
        board.counts[n_rows + to, h] += board.counts[r, h]
    refresh(board, prices, g)
    refresh(board, prices, to)


@lean
def fits(board: Board, asked: Asked, least: int, line: int, minus: int, plus: int) -> bool:
    """Return whether a histogram without one row, with another (-1: none), meets all rules or is empty."""
    counts = board.counts
    size = counts[line, 0]
    size -= counts[minus, 0] if minus >= 0 else 0
    size += counts[plus, 0] if plus >= 0 else 0
    if size == 0:
        return True
    if size < least or asked.at_most.size == 0:
        return bool(size >= least)
    last = counts.shape[0] - 1
    for h in range(counts.shape[1]):
        counts[last, h] = counts[line, h]
        counts[last, h] -= counts[minus, h] if minus >= 0 else 0
        counts[last, h] += counts[plus, h] if plus >= 0 else 0
    return all_met(asked, counts[last])
