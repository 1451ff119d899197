"""One top-down search: everything withheld at first, then the best value for the least privacy, step by step."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from withhold.errors import InfeasibleError
from withhold.methods.refine._board import Board
from withhold.methods.refine._information import significant
from withhold.methods.refine._moves import Column, Node
from withhold.methods.refine._threads import WORTH_A_THREAD, in_parallel
from withhold.table import Recoding

__all__ = ["Candidate", "Counter", "Score", "Search", "Splits", "Step"]

Score = Literal["ratio", "ratio+1", "gain"]
Splits = Literal["best", "valid"]
Nodes = NDArray[np.int64]
Result = TypeVar("Result")


class Counter(Protocol):
    """A requirement, as the search sees it: monotone on the way down, counted per group."""

    columns: tuple[int, ...]
    reached: int
    n_cells: int
    """Rows times columns, to judge whether a thread is worth it."""

    def start(self, roots: Sequence[int]) -> None:
        """Count what refining each root would do."""

    def contains(self, column: int) -> bool:
        """Tell whether the requirement names a column."""

    def is_met(self) -> bool:
        """Tell whether the requirement holds now."""

    def reached_after(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return what would be reached after each node's move."""

    def is_valid_after(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Tell whether the requirement would hold after each node's move."""

    def loss_after(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return the privacy that each node's move would cost."""

    def refine(self, number: int, children: Sequence[int]) -> Nodes:
        """Carry out the move of a node; return the groups that changed."""

    def fold(self, groups: Nodes) -> None:
        """Count what every open move would do to new groups."""

    def recount(self, number: int) -> None:
        """Count a node's move from scratch."""

    def allowed_splits(self, number: int) -> NDArray[np.bool_]:
        """Tell which splits of an interval keep the requirement."""

    def group_sizes(self) -> NDArray[np.int64]:
        """Return the sizes of all groups."""

    def infeasible(self) -> InfeasibleError:
        """Return the error that says by how much even the coarsest table fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move that was made."""

    column: str
    """The column that was refined."""
    value: str
    """The value that was given back in part."""
    children: tuple[str, ...]
    """What stands in its place."""
    gain: float
    """What the move tells about the target (bits), or, without a target, the records it touches."""
    loss: float
    """The privacy it cost, averaged over the requirements that name the column."""
    score: float
    """What it was ranked by."""
    reached: tuple[int, ...]
    """What each requirement has reached after the move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One move that could be made, and whether it may."""

    column: str
    value: str
    children: tuple[str, ...]
    gain: float
    loss: float
    score: float
    reached: tuple[int, ...]
    is_valid: bool
    is_beneficial: bool


class Search:
    """The search over all columns that some requirement names.

    Iterate over it to make steps; stop after any of them with a table that meets every requirement.

    Parameters
    ----------
    columns
        The columns that may be refined, in the order that decides ties.
    counters
        A function that makes the requirements' counters for a board.
    score
        ``"ratio"``: gain / loss, or gain where nothing is lost. ``"ratio+1"``: gain / (loss + 1). ``"gain"``: gain.
    splits
        ``"best"``: an interval whose best split is invalid is given up. ``"valid"``: its best valid split is taken.

    Notes
    -----
    A move is made only if it is *valid* (every requirement still holds after it) and *beneficial* (its records hold
    two classes). Both requirements and the validity of moves are monotone: what is invalid once stays invalid.
    Scores that agree in 9 significant digits are ties; the earlier column wins, then the smaller value.
    """

    def __init__(
        self,
        columns: list[Column],
        counters: Callable[[Board], list[Counter]],
        *,
        score: Score = "ratio",
        splits: Splits = "best",
    ) -> None:
        self.board = Board(columns)
        self.counters = counters(self.board)
        self.steps: list[Step] = []
        self._score = score
        self._splits = splits
        self._names = [
            np.array([counter.contains(column) for column in range(len(columns))]) for counter in self.counters
        ]
        self._n_naming = np.sum(self._names, axis=0)
        for counter in self.counters:
            if not counter.is_met():
                raise counter.infeasible()
        roots = [self.board.add(i, column.root()) for i, column in enumerate(columns)]
        self._side_by_side(self.counters, [partial(counter.start, roots) for counter in self.counters])
        self._settle(np.arange(self.board.n_nodes))

    def __iter__(self) -> Iterator[Step]:
        while (step := self.step()) is not None:
            yield step

    @property
    def reached(self) -> tuple[int, ...]:
        """What each requirement has reached now."""
        return tuple(counter.reached for counter in self.counters)

    def step(self) -> Step | None:
        """Make the best move and return it, or None where no valid and beneficial move is left."""
        live = self.board.live()
        if live.size == 0:
            return None
        losses = self._losses(live)
        scores = self._scores(self.board.gain[live], losses)
        best = self._first_of_best(live, scores)
        number = int(live[best])
        self._perform(number)
        move = self.board.moves[number]
        assert move is not None
        step = Step(
            column=self.board.columns[int(self.board.column_of[number])].name,
            value=_text(move.node),
            children=tuple(_text(child) for child in move.children),
            gain=float(self.board.gain[number]),
            loss=float(losses[best]),
            score=float(scores[best]),
            reached=self.reached,
        )
        self.steps.append(step)
        return step

    def candidates(self) -> list[Candidate]:
        """Return every move of the current cuts, also those that may not be made.

        For a move that is out (not valid, or not beneficial) the figures are those of the moment it fell out.
        """
        found = []
        for number, move in enumerate(self.board.moves):
            if move is None or not self.board.in_cut[number]:
                continue
            one = np.array([number])
            column = int(self.board.column_of[number])
            naming = [counter.contains(column) for counter in self.counters]
            pairs = list(zip(self.counters, naming, strict=True))
            loss = float(self._losses(one)[0])
            found.append(
                Candidate(
                    column=self.board.columns[column].name,
                    value=_text(move.node),
                    children=tuple(_text(child) for child in move.children),
                    gain=move.gain,
                    loss=loss,
                    score=float(self._scores(np.array([move.gain]), np.array([loss]))[0]),
                    reached=tuple(int(c.reached_after(one)[0]) if named else c.reached for c, named in pairs),
                    is_valid=all(bool(c.is_valid_after(one)[0]) for c, named in pairs if named),
                    is_beneficial=move.is_beneficial,
                )
            )
        return found

    def cuts(self) -> dict[str, tuple[str, ...]]:
        """Return the cut of each column, as labels from left to right."""
        return {
            column.name: tuple(_text(node) for node in self.board.cut(i)) for i, column in enumerate(self.board.columns)
        }

    def recodings(self, missing_marks: frozenset[str] = frozenset()) -> tuple[Recoding, ...]:
        """Return what is published for each column under the current cuts."""
        return tuple(column.recoding(self.board.cut(i), missing_marks) for i, column in enumerate(self.board.columns))

    def _losses(self, nodes: Nodes) -> NDArray[np.float64]:
        columns = self.board.column_of[nodes]
        total = np.zeros(nodes.size)
        for counter, names in zip(self.counters, self._names, strict=True):
            named = names[columns]
            total[named] += counter.loss_after(nodes[named])
        return np.asarray(total / self._n_naming[columns])

    def _scores(self, gains: NDArray[np.float64], losses: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._score == "gain":
            return gains.astype(np.float64)
        if self._score == "ratio+1":
            return gains / (losses + 1.0)
        return gains / np.where(losses == 0, 1.0, losses)

    def _first_of_best(self, live: Nodes, scores: NDArray[np.float64]) -> int:
        top = float(scores.max())
        near = np.flatnonzero(scores >= top - 1e-7 * abs(top))
        columns, positions = self.board.column_of, self.board.position
        ranked = [
            (-significant(float(scores[i])), int(columns[live[i]]), int(positions[live[i]]), int(i)) for i in near
        ]
        return min(ranked)[3]

    def _perform(self, number: int) -> None:
        board = self.board
        column = int(board.column_of[number])
        affected = [counter for counter in self.counters if counter.contains(column)]
        children = [board.n_nodes + i for i in range(int(board.n_slots[number]))]
        changed = self._side_by_side(affected, [partial(counter.refine, number, children) for counter in affected])
        board.replace(number)
        self._side_by_side(affected, [partial(c.fold, groups) for c, groups in zip(affected, changed, strict=True)])
        self._settle(np.flatnonzero(board.is_open[: board.n_nodes]))

    @staticmethod
    def _side_by_side(counters: Sequence[Counter], works: list[Callable[[], Result]]) -> list[Result]:
        """Let requirements with many rows count at the same time."""
        is_worth_it = sum(counter.n_cells for counter in counters) >= WORTH_A_THREAD
        return in_parallel(works) if is_worth_it else [work() for work in works]

    def _settle(self, nodes: Nodes) -> None:
        """Give up every move that is invalid, or, where that was asked for, look for another split."""
        board = self.board
        columns = board.column_of[nodes]
        valid = np.ones(nodes.size, dtype=np.bool_)
        for counter, names in zip(self.counters, self._names, strict=True):
            named = names[columns]
            valid[named] &= counter.is_valid_after(nodes[named])
        for number in nodes[~valid].tolist():
            if self._splits == "valid" and board.is_live[number] and board.columns[board.column_of[number]].can_choose:
                self._choose_another(number)
            else:
                board.close(number)
        board.is_open[nodes] = board.is_live[nodes]

    def _choose_another(self, number: int) -> None:
        board = self.board
        column = int(board.column_of[number])
        naming = [counter for counter in self.counters if counter.contains(column)]
        allowed = np.logical_and.reduce([counter.allowed_splits(number) for counter in naming])
        move = board.columns[column].move(board.nodes[number], allowed)
        if move is None:
            board.close(number)
            return
        board.open(number, move)
        for counter in naming:
            counter.recount(number)


def _text(node: Node) -> str:
    return "missing" if node.label is None else node.label
