"""The state that all requirements share: which nodes are in play, which moves are open, where each code would go."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.refine._column_moves import Column, DisclosureColumn, Move, Node
from withhold.methods.refine._style import CLOSED, DISCLOSE, SPLIT

__all__ = ["Board"]

NODE_ARRAYS = ("node_column", "style", "n_slots", "first_move")
MOVE_ARRAYS = ("move_node", "move_column", "gain", "position", "is_open", "is_live")


class Board:
    """The cuts of all columns as numbered nodes, and the moves that are open for them, numbered too.

    Every code of a column belongs to exactly one node of its cut, so one flat array `slots` says for each code to which
    child it would go under its node's move. A node that is split has one move; the withheld rest of a column whose
    values are disclosed one by one has a block of moves, one for each code.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        sizes = [column.n_codes for column in columns]
        self.offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.slots = np.zeros(max(int(self.offset[-1]), 1), dtype=np.int32)
        self.widest = [1] * len(columns)
        self.nodes: list[Node] = []
        self.in_cut: list[bool] = []
        self.parent: list[int] = []
        self.node_column = np.zeros(64, dtype=np.int64)
        self.style = np.zeros(64, dtype=np.uint8)
        self.n_slots = np.zeros(64, dtype=np.int64)
        self.first_move = np.zeros(64, dtype=np.int64)
        self.n_moves = 0
        self.splits: dict[int, Move] = {}
        self.move_node = np.zeros(64, dtype=np.int64)
        self.move_column = np.zeros(64, dtype=np.int64)
        self.gain = np.zeros(64, dtype=np.float64)
        self.position = np.zeros(64, dtype=np.int64)
        self.is_open = np.zeros(64, dtype=np.bool_)
        self.is_live = np.zeros(64, dtype=np.bool_)

    @property
    def n_nodes(self) -> int:
        """The number of nodes that were ever in a cut."""
        return len(self.nodes)

    @property
    def n_moves_room(self) -> int:
        """How many moves there is room for."""
        return int(self.is_open.size)

    def fit(self, array: NDArray[np.int64], value: int) -> NDArray[np.int64]:
        """Return an array with a line for each move, grown to the moves there are by now."""
        if len(array) >= self.n_moves_room:
            return array
        more = np.full((self.n_moves_room - len(array), *array.shape[1:]), value, dtype=array.dtype)
        return np.concatenate([array, more])

    def arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return what the kernels look up: for each node its style, slots and first move; for each code its slot."""
        return self.style, self.n_slots, self.first_move, self.slots

    def add(self, column: int, node: Node, parent: int = -1) -> int:
        """Put a node into the cut of a column, below its parent, with its open moves; return its number."""
        number = len(self.nodes)
        self._make_room(NODE_ARRAYS, number + 1)
        self.nodes.append(node)
        self.in_cut.append(True)
        self.parent.append(parent)
        self.node_column[number] = column
        owner = self.columns[column]
        if isinstance(owner, DisclosureColumn):
            if node.is_rest:
                self._open_block(number, owner)
        else:
            move = owner.move(node)
            if move is not None:
                self.first_move[number] = self._new_moves(1, number)
                self.open_split(number, move)
        return number

    def open_split(self, number: int, move: Move) -> None:
        """Make `move` the one that is open for a node."""
        at = int(self.first_move[number])
        column = int(self.node_column[number])
        begin = int(self.offset[column])
        self.splits[at] = move
        self.gain[at] = move.gain
        self.position[at] = move.node.first
        self.is_open[at] = True
        self.is_live[at] = move.is_beneficial
        self.style[number] = SPLIT
        self.n_slots[number] = len(move.children)
        self.widest[column] = max(self.widest[column], len(move.children))
        for slot, child in enumerate(move.children):
            self.slots[begin + child.first : begin + child.last] = slot

    def close(self, moves: NDArray[np.int64]) -> None:
        """Give up moves: they are not valid, and never will be."""
        self.is_open[moves] = False
        self.is_live[moves] = False
        for number in np.unique(self.move_node[moves]).tolist():
            first = int(self.first_move[number])
            count = 1 if self.style[number] != DISCLOSE else int(self.n_slots[number])
            if not self.is_open[first : first + count].any():
                self.style[number] = CLOSED

    def replace(self, number: int) -> list[int]:
        """Take a node out of its cut and put the children of its split in; return their numbers."""
        move = self.splits[int(self.first_move[number])]
        self.close(self.first_move[number : number + 1])
        self.in_cut[number] = False
        return [self.add(int(self.node_column[number]), child, number) for child in move.children]

    def disclose(self, move: int) -> int:
        """Take one value out of the withheld rest of its column; return the number of its node."""
        number, column = int(self.move_node[move]), int(self.move_column[move])
        code = move - int(self.first_move[number])
        owner = self.columns[column]
        assert isinstance(owner, DisclosureColumn)
        self.close(np.array([move]))
        leaf = self.add(column, owner.disclose(code), number)
        self._refresh_block(number, owner)
        return leaf

    def as_move(self, move: int) -> Move:
        """Return a move as an object."""
        if move in self.splits:
            return self.splits[move]
        owner = self.columns[int(self.move_column[move])]
        assert isinstance(owner, DisclosureColumn)
        return owner.move_of(move - int(self.first_move[self.move_node[move]]))

    def cut(self, column: int) -> list[Node]:
        """Return the cut of a column, from left to right; a rest that withholds nothing is left out."""
        owner = self.columns[column]
        nodes = [
            node for number, node in enumerate(self.nodes) if self.in_cut[number] and self.node_column[number] == column
        ]
        if isinstance(owner, DisclosureColumn) and not owner.is_withheld.any():
            nodes = [node for node in nodes if not node.is_rest]
        return sorted(nodes, key=lambda node: (node.is_rest, node.first))

    def node_of(self, column: int) -> NDArray[np.int64]:
        """Return for each code of a column the number of the node of the cut that it belongs to."""
        found = np.empty(self.columns[column].n_codes, dtype=np.int64)
        numbers = [n for n in range(self.n_nodes) if self.in_cut[n] and self.node_column[n] == column]
        for number in sorted(numbers, key=lambda n: not self.nodes[n].is_rest):
            found[self.nodes[number].first : self.nodes[number].last] = number
        return found

    def open_columns(self) -> NDArray[np.bool_]:
        """Return for each column whether some move in it still matters."""
        is_open = np.zeros(len(self.columns), dtype=np.bool_)
        is_open[self.move_column[: self.n_moves][self.is_open[: self.n_moves]]] = True
        return is_open

    def open_moves(self) -> NDArray[np.int64]:
        """Return the moves that are not known to be invalid or useless."""
        return np.flatnonzero(self.is_open[: self.n_moves])

    def live_moves(self) -> NDArray[np.int64]:
        """Return the moves that may be made next."""
        return np.flatnonzero(self.is_live[: self.n_moves])

    def block(self, column: int) -> NDArray[np.int64]:
        """Return the moves that disclose the values of a column that are still withheld."""
        owner = self.columns[column]
        assert isinstance(owner, DisclosureColumn)
        return owner.first_move + np.flatnonzero(owner.is_withheld)

    def _open_block(self, number: int, owner: DisclosureColumn) -> None:
        column = int(self.node_column[number])
        owner.first_move = self._new_moves(owner.n_codes, number)
        begin = int(self.offset[column])
        self.first_move[number] = owner.first_move
        self.style[number] = DISCLOSE
        self.n_slots[number] = owner.n_codes
        self.widest[column] = owner.n_codes
        self.slots[begin : begin + owner.n_codes] = np.arange(owner.n_codes)
        block = slice(owner.first_move, owner.first_move + owner.n_codes)
        self.position[block] = owner.order
        self.is_open[block] = owner.is_withheld
        self._refresh_block(number, owner)

    def _refresh_block(self, number: int, owner: DisclosureColumn) -> None:
        block = slice(owner.first_move, owner.first_move + owner.n_codes)
        self.gain[block] = owner.gains()
        self.is_live[block] = self.is_open[block] & owner.is_beneficial()
        if not self.is_live[block].any():
            self.is_open[block] = False
            self.style[number] = CLOSED

    def _new_moves(self, count: int, number: int) -> int:
        first = self.n_moves
        self._make_room(MOVE_ARRAYS, first + count)
        self.n_moves += count
        self.move_node[first : first + count] = number
        self.move_column[first : first + count] = self.node_column[number]
        return first

    def _make_room(self, names: tuple[str, ...], needed: int) -> None:
        for name in names:
            array = getattr(self, name)
            if array.size < needed:
                room = max(needed, 2 * array.size)
                setattr(self, name, np.concatenate([array, np.zeros(room - array.size, dtype=array.dtype)]))
