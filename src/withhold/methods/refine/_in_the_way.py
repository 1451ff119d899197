"""Rows that keep a search from going on: the few that a move would leave in groups that are too small."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._column_moves import DisclosureColumn, Move
from withhold.methods.refine._promises import SizePromise
from withhold.methods.refine._top_down import Search
from withhold.table import Draft, Table

__all__ = ["rows_in_the_way"]

Rows = NDArray[np.int64]


def rows_in_the_way(
    search: Search, table: Table, promises: Sequence[SizePromise], withheld: NDArray[np.bool_]
) -> list[Rows]:
    """Return for each move that is beneficial and not valid the rows without which it would be valid.

    Moves with most gain for each row that they take come first.

    Parameters
    ----------
    search
        A search that has ended.
    table
        The table it was made for.
    promises
        What it promises about sizes of groups.
    withheld
        The rows that it does not count any more.
    """
    draft = Draft(table)
    search.write_to(draft)
    groups = [draft.groups(promise.given) for promise in promises]
    found: list[tuple[float, Rows]] = []
    for name, move in _moves(search):
        codes = table.codes(name)
        child = np.full(table.n_codes(name) + 1, len(move.children), dtype=np.int64)
        for i, node in enumerate(move.children):
            child[node.first : node.last] = i
        is_small = np.zeros(codes.size, dtype=bool)
        for promise, group in zip(promises, groups, strict=True):
            if name in promise.given:
                key = group * (len(move.children) + 1) + child[codes]
                sizes = np.bincount(key[~withheld], minlength=int(key.max(initial=0)) + 1)
                is_small |= (sizes < promise.k)[key]
        rows = np.flatnonzero(is_small & ~withheld & (child[codes] < len(move.children)))
        if rows.size:
            found.append((move.gain / rows.size, rows))
    return [rows for _, rows in sorted(found, key=lambda each: -each[0])]


def _moves(search: Search) -> list[tuple[str, Move]]:
    """Return the moves of the current cuts that the search may not make, with their columns."""
    board = search.board
    found = []
    for number in range(board.n_nodes):
        column, first = int(board.node_column[number]), int(board.first_move[number])
        is_split = first in board.splits and board.move_node[first] == number
        if board.in_cut[number] and is_split and not isinstance(board.columns[column], DisclosureColumn):
            move = board.as_move(first)
            if move.is_beneficial:
                found.append((board.columns[column].name, move))
    return found
