"""The state that all requirements share: which nodes are in play, and where each code would go."""

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._moves import Column, Move, Node

__all__ = ["Board"]


class Board:
    """The cuts of all columns as numbered nodes, with the move that is open for each.

    Every code of a column belongs to exactly one node of its cut, so one flat array `slots` says for each code to
    which child it would go under its node's move.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        sizes = [column.n_codes for column in columns]
        self.offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.slots = np.zeros(max(int(self.offset[-1]), 1), dtype=np.int32)
        self.nodes: list[Node] = []
        self.moves: list[Move | None] = []
        self.in_cut: list[bool] = []
        self.column_of = np.zeros(64, dtype=np.int64)
        self.is_open = np.zeros(64, dtype=np.uint8)
        self.is_live = np.zeros(64, dtype=np.bool_)
        self.n_slots = np.zeros(64, dtype=np.int64)
        self.gain = np.zeros(64, dtype=np.float64)
        self.position = np.zeros(64, dtype=np.int64)
        self.widest = [1] * len(columns)

    @property
    def n_nodes(self) -> int:
        """The number of nodes that were ever in a cut."""
        return len(self.nodes)

    def add(self, column: int, node: Node) -> int:
        """Put a node into the cut of a column, with the best move for it; return its number."""
        number = len(self.nodes)
        if number == self.is_open.size:
            self._grow()
        self.nodes.append(node)
        self.moves.append(None)
        self.in_cut.append(True)
        self.column_of[number] = column
        self.position[number] = node.first
        self.open(number, self.columns[column].move(node))
        return number

    def open(self, number: int, move: Move | None) -> None:
        """Make `move` the one that is open for a node; None closes it."""
        self.moves[number] = move
        self.is_open[number] = move is not None
        self.is_live[number] = move is not None and move.is_beneficial
        if move is None:
            return
        column = int(self.column_of[number])
        self.n_slots[number] = len(move.children)
        self.gain[number] = move.gain
        self.widest[column] = max(self.widest[column], len(move.children))
        for slot, child in enumerate(move.children):
            begin = int(self.offset[column])
            self.slots[begin + child.first : begin + child.last] = slot

    def close(self, number: int) -> None:
        """Give up a node: its move is not valid, and never will be."""
        self.is_open[number] = 0
        self.is_live[number] = False

    def replace(self, number: int) -> list[int]:
        """Take a node out of its cut and put the children of its move in; return their numbers."""
        move = self.moves[number]
        assert move is not None
        self.close(number)
        self.in_cut[number] = False
        return [self.add(int(self.column_of[number]), child) for child in move.children]

    def cut(self, column: int) -> list[Node]:
        """Return the cut of a column, from left to right."""
        nodes = [
            node for number, node in enumerate(self.nodes) if self.in_cut[number] and self.column_of[number] == column
        ]
        return sorted(nodes, key=lambda node: node.first)

    def open_columns(self) -> NDArray[np.bool_]:
        """Tell for each column whether some move in it still matters."""
        is_open = np.zeros(len(self.columns), dtype=np.bool_)
        is_open[self.column_of[: self.n_nodes][self.is_open[: self.n_nodes] == 1]] = True
        return is_open

    def live(self) -> NDArray[np.int64]:
        """Return the numbers of the nodes whose moves are beneficial and not known to be invalid."""
        return np.flatnonzero(self.is_live[: self.n_nodes])

    def _grow(self) -> None:
        for name in ("column_of", "is_open", "is_live", "n_slots", "gain", "position"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros_like(array)]))
