"""Which codes of a column need not be told apart: those that every move that is open, or soon may be, treats alike."""

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._column_moves import Column, Node
from withhold.methods.refine._search_board import Board
from withhold.methods.refine._style import DISCLOSE, SPLIT

__all__ = ["merged_codes", "shows"]

Numbers = NDArray[np.int64]


def merged_codes(board: Board, column: int, depth: int) -> Numbers:
    """Return for each code of a column the code that stands for it.

    Parameters
    ----------
    board
        The shared state of the search.
    column
        The number of the column.
    depth
        How many moves ahead codes are told apart; 0 for the cut as it is. A move that is closed never opens again, so
        nothing below it matters.
    """
    owner = board.columns[column]
    found = np.zeros(owner.n_codes, dtype=np.int64)
    numbers = [n for n in range(board.n_nodes) if board.in_cut[n] and board.node_column[n] == column]
    for number in sorted(numbers, key=lambda n: not board.nodes[n].is_rest):
        node = board.nodes[number]
        if node.is_rest:
            found[:] = _of_rest(board, number, owner.n_codes, is_shown=depth > 0)
        elif depth and board.style[number] == SPLIT:
            for child in board.splits[int(board.first_move[number])].children:
                _below(owner, child, depth - 1, found)
        else:
            found[node.first : node.last] = node.first
    return _first_of(found)


def shows(shown: Numbers, needed: Numbers) -> bool:
    """Return whether codes that were merged one way need not be told apart in the other."""
    return bool((needed == needed[shown]).all())


def _below(owner: Column, node: Node, depth: int, found: Numbers) -> None:
    """Put the same code wherever the moves below a node treat codes alike."""
    move = owner.move(node) if depth else None
    if move is None:
        found[node.first : node.last] = node.first
        return
    for child in move.children:
        _below(owner, child, depth - 1, found)


def _of_rest(board: Board, number: int, n_codes: int, *, is_shown: bool) -> Numbers:
    """Return the codes of values that are withheld: each by itself while it may be disclosed, the others as one."""
    codes = np.arange(n_codes)
    if not is_shown or board.style[number] != DISCLOSE:
        return np.full(n_codes, n_codes)
    first = int(board.first_move[number])
    return np.where(board.is_open[first : first + n_codes], codes, n_codes)


def _first_of(numbers: Numbers) -> Numbers:
    """Return for each place the first that has the same number."""
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    return np.asarray(first[place.reshape(-1)], dtype=np.int64)
