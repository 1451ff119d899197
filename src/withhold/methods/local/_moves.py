"""Exchange rows between neighbouring groups while that lowers the loss and every group keeps every rule."""

from withhold._compiled import Array
from withhold.methods.local._asked import Asked
from withhold.methods.local._board import GROUP, NEXT, TRAIL, Board, bare, fits, load, move_to, price_on, trial
from withhold.methods.local._buckets import both
from withhold.methods.local._lean import entry, lean, pasted
from withhold.methods.local._prices import Prices

__all__ = ["bare_prices", "improve"]

WORTH = 1e-9


@entry
def improve(
    board: Board,
    lines: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    blocks: Array,
    prices: Prices,
    asked: Asked,
    least: int,
    group: Array,
) -> float:
    """Exchange rows within each block of groups; return by how much the loss fell.

    Parameters
    ----------
    board
        Room for the largest block.
    lines, weight, lanes
        All rows.
    members, starts
        The rows of all groups of all blocks, group by group, and where each begins: (groups + 1,).
    blocks
        The first group of each block, and the number of groups.
    group
        The group of each row, by its position in `members`; changed in place.
    """
    gain = 0.0
    for b in range(blocks.size - 1):
        load(board, lines, weight, lanes, members, starts, blocks[b], blocks[b + 1], prices)
        for r in range(board.size[0]):
            gain += _move_row(board, prices, asked, least, r)
        for g in range(board.size[1]):
            gain += _dissolve(board, prices, asked, least, g)
        for r in range(board.size[0]):
            group[starts[blocks[b]] + r] = blocks[b] + board.links[r, GROUP]
    return gain


@entry
def bare_prices(
    board: Board,
    lines: Array,
    weight: Array,
    lanes: Array,
    members: Array,
    starts: Array,
    prices: Prices,
    found: Array,
) -> None:
    """Write for each row, by its position in `members`, the price of its group without it."""
    for g in range(starts.size - 1):
        load(board, lines, weight, lanes, members, starts, g, g + 1, prices)
        for r in range(board.size[0]):
            found[starts[g] + r] = board.price[r]


@lean
def _nearest(board: Board, prices: Prices, asked: Asked, least: int, r: int, limit: float) -> tuple[float, int]:
    """Return the other group that takes a row at the least cost below `limit`, and that cost."""
    n_rows, weight, room = board.size[0], board.counts[r, 0], trial(board)
    best, to = limit, -1
    for h in range(board.size[1]):
        line = n_rows + h
        # the price of a group never falls when a row joins
        if h == board.links[r, GROUP] or board.links[line, NEXT] < 0 or weight * board.price[line] >= best:
            continue
        both(board.lines, board.words, line, r, room)
        n = board.counts[line, 0]
        cost = (n + weight) * price_on(board, prices, room) - n * board.price[line]
        if cost < best and (asked.at_most.size == 0 or fits(board, asked, least, line, -1, r)):
            best, to = cost, h
    return best, to


@pasted
def _move_row(board: Board, prices: Prices, asked: Asked, least: int, r: int) -> float:
    """Move a row to the group where it costs least, or exchange it with a row of another group."""
    g = board.links[r, GROUP]
    own, weight = board.size[0] + g, board.counts[r, 0]
    n, price, left = board.counts[own, 0], board.price[own], board.price[r]
    gain = 0.0
    if price > 0.0 and fits(board, asked, least, own, r, -1):
        saved = n * price - (n - weight) * left
        cost, to = _nearest(board, prices, asked, least, r, saved - WORTH)
        if to >= 0:
            move_to(board, prices, r, to)
            gain = saved - cost
    elif left < price and n > weight:
        gain, other = _partner(board, prices, asked, least, r)
        if other >= 0:
            move_to(board, prices, r, board.links[other, GROUP])
            move_to(board, prices, other, g)
    return gain


@lean
def _partner(board: Board, prices: Prices, asked: Asked, least: int, r: int) -> tuple[float, int]:
    """Return what exchanging a row gains at best, and the row of another group to exchange it with, or -1."""
    lines, words, counts, price = board.lines, board.words, board.counts, board.price
    n_rows, g, weight, room = board.size[0], board.links[r, GROUP], board.counts[r, 0], trial(board)
    n, left = counts[n_rows + g, 0], price[r]
    own = n * price[n_rows + g]
    best, partner = WORTH, -1
    for s in range(n_rows):
        h = n_rows + board.links[s, GROUP]
        m, change = counts[h, 0], counts[s, 0] - weight
        before = own + m * price[h] - (m - change) * price[s]
        # without the row that leaves a group costs no more than with the one that comes
        if before - (n + change) * left <= best or h == n_rows + g or m == counts[s, 0]:
            continue
        both(lines, words, bare(board, r), s, room)
        before -= (n + change) * price_on(board, prices, room)
        if before <= best:
            continue
        both(lines, words, bare(board, s), r, room)
        gain = before + (m - change) * (price[s] - price_on(board, prices, room))
        if gain <= best or not fits(board, asked, least, n_rows + g, r, s):
            continue
        if fits(board, asked, least, h, s, r):
            best, partner = gain, s
    return best if partner >= 0 else 0.0, partner


@pasted
def _dissolve(board: Board, prices: Prices, asked: Asked, least: int, g: int) -> float:
    """Spread the rows of a group over others where that lowers the loss."""
    own = board.size[0] + g
    saved = board.counts[own, 0] * board.price[own] - WORTH
    n_moved, cost = 0, 0.0
    while board.links[own, NEXT] >= 0 and cost < saved:
        r = board.links[own, NEXT]
        more, to = _nearest(board, prices, asked, least, r, saved - cost)
        if to < 0:
            break
        cost += more
        move_to(board, prices, r, to)
        board.links[n_moved, TRAIL] = r
        n_moved += 1
    if board.links[own, NEXT] >= 0:
        cost = saved
        for i in range(n_moved - 1, -1, -1):
            move_to(board, prices, board.links[i, TRAIL], g)
    return float(saved - cost)
