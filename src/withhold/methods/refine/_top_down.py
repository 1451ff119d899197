"""One top-down search: everything withheld at first, then the best value for the least privacy, step by step."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from withhold._threads import WORTH_A_THREAD, in_parallel
from withhold.errors import InputError
from withhold.methods.refine._column_moves import Column, DisclosureColumn, Node
from withhold.methods.refine._counter import Counter, Numbers, Sized
from withhold.methods.refine._information import significant
from withhold.methods.refine._search_board import Board
from withhold.table import Draft, Recoding

__all__ = ["Candidate", "Score", "Search", "Splits", "Step", "Term"]

Score = Literal["ratio", "ratio+1", "gain"]
Splits = Literal["best", "valid"]
Term = tuple[int, int]
"""A figure that is reported: the number of a counter, and of a term in it."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move that was made."""

    method: Literal["tds", "pda"]
    """Whose move it is: a specialization or split (TDS), or a disclosure (PDA)."""
    column: str
    """The column that was refined."""
    value: str
    """The value that was given back in part, or disclosed."""
    children: tuple[str, ...]
    """What stands in its place."""
    gain: float
    """The information of the move about the target (bits), or, without a target, the records it touches."""
    loss: float
    """The privacy it cost, averaged over the promises that name the column."""
    score: float
    """What it was ranked by."""
    reached: tuple[float, ...]
    """What each promise has reached after the move: a smallest group, or a largest confidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One move that could be made, and whether it may; fields as in `Step`."""

    column: str
    value: str
    children: tuple[str, ...]
    gain: float
    loss: float
    score: float
    reached: tuple[float, ...]
    is_valid: bool
    is_beneficial: bool


class Search:
    """The search over all columns that some requirement masks.

    Iterate over it to make steps; stop after any of them with a table that meets every requirement.

    Parameters
    ----------
    columns
        The columns that may be refined, in the order that decides ties.
    counters
        A function that makes the requirements' counters for a board.
    terms
        Which figures to report, in the policy's order; all where None.
    score
        ``"ratio"``: gain / loss, or gain where nothing is lost. ``"ratio+1"``: gain / (loss + 1). ``"gain"``: gain.
    splits
        ``"best"``: an interval whose best split is invalid is given up. ``"valid"``: its best valid split is taken.
    as_shares
        Count anonymity that is lost as a share of what there was, so that it can be averaged with confidences.

    Notes
    -----
    A move is made only if it is *valid* (every requirement still holds after it) and *beneficial* (its records hold
    two classes). Requirements are monotone on the way down: a move that is invalid once stays invalid.
    Scores that agree in 9 significant digits are ties; the earlier column wins, then the smaller value.
    """

    def __init__(
        self,
        columns: list[Column],
        counters: Callable[[Board], list[Counter]],
        *,
        terms: Sequence[Term] | None = None,
        score: Score = "ratio",
        splits: Splits = "best",
        as_shares: bool = False,
    ) -> None:
        self.board = Board(columns)
        self.counters = counters(self.board)
        self.steps: list[Step] = []
        self._terms = terms or [(i, t) for i, counter in enumerate(self.counters) for t in range(counter.n_terms)]
        self._score = score
        self._splits = splits
        self._as_shares = as_shares
        self._names = [np.isin(np.arange(len(columns)), counter.columns) for counter in self.counters]
        self._n_terms = np.sum(
            [names * counter.n_terms for names, counter in zip(self._names, self.counters, strict=True)], axis=0
        )
        for i, counter in enumerate(self.counters):
            if not counter.is_met():
                error = counter.infeasible()
                error.term = (i, error.term)
                raise error
        roots = [self.board.add(i, column.root()) for i, column in enumerate(columns)]
        self._side_by_side(self.counters, [partial(counter.start, roots) for counter in self.counters])
        self._settle()

    def __iter__(self) -> Iterator[Step]:
        while (step := self.step()) is not None:
            yield step

    @property
    def reached(self) -> tuple[float, ...]:
        """What each promise has reached now."""
        figures = [counter.reached() for counter in self.counters]
        return tuple(figures[counter][term] for counter, term in self._terms)

    def step(self, move: "Step | Candidate | None" = None) -> Step | None:
        """Make the best move and return it, or None where no valid and beneficial move is left.

        Parameters
        ----------
        move
            The move to make instead of the best one: a candidate, or a step of an earlier run.
        """
        live = self.board.live_moves()
        if move is not None:
            live = live[[self._is(int(each), move) for each in live]]
            if live.size == 0:
                raise InputError(f'the search cannot refine "{move.value}" of column "{move.column}" now.')
        if live.size == 0:
            return None
        losses = self._losses(live)
        scores = self._scores(self.board.gain[live], losses)
        best = self._first_of_best(live, scores)
        made = self.board.as_move(int(live[best]))
        self._perform(int(live[best]))
        step = Step(
            method=made.method,
            column=self.board.columns[int(self.board.move_column[live[best]])].name,
            value=_text(made.node),
            children=tuple(_text(child) for child in made.children),
            gain=made.gain,
            loss=float(losses[best]),
            score=float(scores[best]),
            reached=self.reached,
        )
        self.steps.append(step)
        return step

    def _is(self, number: int, move: "Step | Candidate") -> bool:
        """Return whether a move on the board is the one that is meant."""
        if self.board.columns[int(self.board.move_column[number])].name != move.column:
            return False
        shape = self.board.as_move(number)
        return _text(shape.node) == move.value and tuple(map(_text, shape.children)) == move.children

    def write_to(self, draft: Draft) -> None:
        """Publish in a draft what the current cuts give back; cells that are withheld by themselves stay so."""
        board = self.board
        for i, column in enumerate(board.columns):
            made = draft.column(column.name)
            numbers = np.flatnonzero(board.node_column[: board.n_nodes] == i).tolist()
            node_of: dict[int, int] = {}
            for number in numbers:
                above = node_of.get(board.parent[number], 0)
                node_of[number] = column.draft_node(made, board.nodes[number], above, is_root=board.parent[number] < 0)
            cut = made.cut.copy()
            for number in sorted((n for n in numbers if board.in_cut[n]), key=lambda n: not board.nodes[n].is_rest):
                cut[board.nodes[number].first : board.nodes[number].last] = node_of[number]
            made.recut(cut)

    def candidates(self) -> list[Candidate]:
        """Return every move of the current cuts, also those that may not be made.

        For a move that is out (not valid, or not beneficial) the figures are those of the moment it fell out.
        """
        found: list[int] = []
        for number in range(self.board.n_nodes):
            if not self.board.in_cut[number]:
                continue
            column, first = int(self.board.node_column[number]), int(self.board.first_move[number])
            if isinstance(self.board.columns[column], DisclosureColumn):
                if self.board.nodes[number].is_rest:
                    found += self.board.block(column).tolist()
            elif first in self.board.splits and self.board.move_node[first] == number:
                found.append(first)
        return self._candidates(np.array(found, dtype=np.int64))

    def cuts(self) -> dict[str, tuple[str, ...]]:
        """Return the cut of each column, as labels from left to right; a rest that withholds values comes last."""
        return {
            column.name: tuple(_text(node) for node in self.board.cut(i)) for i, column in enumerate(self.board.columns)
        }

    def withheld(self) -> dict[str, tuple[str | None, ...]]:
        """Return for each column whose values are disclosed one by one those that are still withheld."""
        return {
            column.name: column.withheld_values()
            for column in self.board.columns
            if isinstance(column, DisclosureColumn)
        }

    def group_sizes(self) -> tuple[NDArray[np.int64], ...]:
        """Return the sizes of the groups of each anonymity requirement."""
        return tuple(counter.group_sizes() for counter in self.counters if isinstance(counter, Sized))

    def recodings(self, missing_marks: frozenset[str] = frozenset()) -> tuple[Recoding, ...]:
        """Return what is published for each column under the current cuts."""
        return tuple(column.recoding(self.board.cut(i), missing_marks) for i, column in enumerate(self.board.columns))

    def _candidates(self, moves: Numbers) -> list[Candidate]:
        columns = self.board.move_column[moves]
        losses = self._losses(moves)
        scores = self._scores(self.board.gain[moves], losses)
        valid = np.ones(moves.size, dtype=np.bool_)
        figures = []
        for counter, names in zip(self.counters, self._names, strict=True):
            named = names[columns]
            valid[named] &= counter.is_valid_after(moves[named])
            after = np.tile(np.array(counter.reached(), dtype=np.float64), (moves.size, 1))
            after[named] = counter.reached_after(moves[named])
            figures.append(after)
        reached = np.column_stack([figures[counter][:, term] for counter, term in self._terms])
        shapes = [self.board.as_move(move) for move in moves.tolist()]
        return [
            Candidate(
                column=self.board.columns[int(columns[i])].name,
                value=_text(shape.node),
                children=tuple(_text(child) for child in shape.children),
                gain=shape.gain,
                loss=float(losses[i]),
                score=float(scores[i]),
                reached=tuple(reached[i].tolist()),
                is_valid=bool(valid[i]),
                is_beneficial=shape.is_beneficial,
            )
            for i, shape in enumerate(shapes)
        ]

    def _losses(self, moves: Numbers) -> NDArray[np.float64]:
        columns = self.board.move_column[moves]
        total = np.zeros(moves.size)
        for counter, names in zip(self.counters, self._names, strict=True):
            named = names[columns]
            total[named] += counter.loss_after(moves[named], as_share=self._as_shares)
        return np.asarray(total / self._n_terms[columns])

    def _scores(self, gains: NDArray[np.float64], losses: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._score == "gain":
            return gains.astype(np.float64)
        if self._score == "ratio+1":
            return gains / (losses + 1.0)
        return gains / np.where(losses == 0, 1.0, losses)

    def _first_of_best(self, moves: Numbers, scores: NDArray[np.float64]) -> int:
        top = float(scores.max())
        near = np.flatnonzero(scores >= top - 1e-7 * abs(top))
        columns, positions = self.board.move_column, self.board.position
        ranked = [
            (-significant(float(scores[i])), int(columns[moves[i]]), int(positions[moves[i]]), int(i)) for i in near
        ]
        return min(ranked)[3]

    def _perform(self, move: int) -> None:
        board = self.board
        number, column = int(board.move_node[move]), int(board.move_column[move])
        begin, end = int(board.offset[column]), int(board.offset[column + 1])
        is_split = move in board.splits
        if is_split:
            slots = board.slots[begin:end]
            children = [board.n_nodes + i for i in range(int(board.n_slots[number]))]
        else:
            slots = np.ones(end - begin, dtype=np.int32)
            slots[move - int(board.first_move[number])] = 0
            children = [board.n_nodes, number]
        affected = [c for c, names in zip(self.counters, self._names, strict=True) if names[column]]
        works = [partial(counter.refine, number, column, slots, children) for counter in affected]
        changed = self._side_by_side(affected, works)
        if is_split:
            board.replace(number)
        else:
            board.disclose(move)
        self._side_by_side(affected, [partial(c.fold, groups) for c, groups in zip(affected, changed, strict=True)])
        self._settle()

    @staticmethod
    def _side_by_side(counters: Sequence[Counter], works: Sequence[Callable[[], Result]]) -> list[Result]:
        """Let requirements with many rows count at the same time."""
        is_worth_it = sum(counter.n_cells for counter in counters) >= WORTH_A_THREAD
        return in_parallel(works) if is_worth_it else [work() for work in works]

    def _settle(self) -> None:
        """Give up every move that is invalid, or look for another split where that was asked for."""
        board = self.board
        moves = board.open_moves()
        columns = board.move_column[moves]
        valid = np.ones(moves.size, dtype=np.bool_)
        for counter, names in zip(self.counters, self._names, strict=True):
            named = names[columns]
            valid[named] &= counter.is_valid_after(moves[named])
        for move in moves[~valid].tolist():
            owner = board.columns[int(board.move_column[move])]
            # A number column with missing cells has three children at first, and may go on with two.
            may_change = self._splits == "valid" or (owner.can_choose and len(board.as_move(move).children) > 2)
            if may_change and board.is_live[move] and owner.can_choose:
                self._choose_another(move)
            else:
                board.close(np.array([move]))
        by_gain = [i for i, c in enumerate(board.columns) if isinstance(c, DisclosureColumn) and c.choice == "gain"]
        useless = moves[board.is_open[moves] & ~board.is_live[moves] & ~np.isin(columns, by_gain)]
        if useless.size:
            board.close(useless)
        for column in by_gain:
            self._choose_by_gain(column)

    def _choose_another(self, move: int) -> None:
        board = self.board
        number, column = int(board.move_node[move]), int(board.move_column[move])
        naming = [c for c, names in zip(self.counters, self._names, strict=True) if names[column]]
        node = board.nodes[number]
        allowed = np.zeros(node.last - node.first, dtype=np.bool_)
        if len(board.as_move(move).children) == 2:  # a first split of three goes on with two, wherever they part
            allowed = np.logical_and.reduce([counter.allowed_splits(number) for counter in naming])
        another = board.columns[column].move(board.nodes[number], allowed)
        if another is None:
            board.close(np.array([move]))
            return
        board.open_split(number, another)
        for counter in naming:
            counter.recount(number, move)
        if not all(counter.is_valid_after(np.array([move])).all() for counter in naming):
            board.close(np.array([move]))

    def _choose_by_gain(self, column: int) -> None:
        """Leave one candidate to a column that discloses by gain: its best value, or its best valid one."""
        board = self.board
        block = board.block(column)
        is_open = board.is_open[block]
        if not is_open.any():
            return
        choices = block if self._splits == "best" else block[is_open]
        best = int(choices[self._first_of_best(choices, board.gain[choices])])
        board.is_live[block] = False
        if board.is_open[best]:
            board.is_live[best] = True
        else:
            board.close(block)


def _text(node: Node) -> str:
    return "missing" if node.label is None else node.label
