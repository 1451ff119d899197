"""Decision trees that differ in how ties are broken, grown together, only where rows that are asked for pass."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._splits import Node, Rows, Split, Splitter

__all__ = ["MOST_NODES", "TiedTrees", "Walk"]

MOST_NODES = 4096
"""How many nodes are followed for a row, over all ways to break ties; one that meets more is undecided."""
SEVERAL = -2


class Walk:
    """The rows that are being followed: which have their answer, and which met too many nodes.

    Parameters
    ----------
    seen
        For each predictor and row the rank of its value.
    takes_first
        Whether of equals only the first is followed: the earlier column, the first value.
    """

    def __init__(self, seen: Rows, *, takes_first: bool = False) -> None:
        n_rows = seen.shape[1]
        self.seen = seen
        self.takes_first = takes_first
        self.is_done: NDArray[np.bool_] = np.zeros(n_rows, dtype=bool)
        """Which rows need not be followed any further."""
        self.is_undecided: NDArray[np.bool_] = np.zeros(n_rows, dtype=bool)
        """Which met more nodes than are followed."""
        self._n_met = np.zeros(n_rows, dtype=np.int64)

    def meet(self, rows: Rows, n_nodes: int = 1) -> Rows:
        """Count nodes for rows, and return those to follow into them."""
        rows = rows[~(self.is_done[rows] | self.is_undecided[rows])]
        self._n_met[rows] += n_nodes
        self.is_undecided[rows] = self._n_met[rows] > MOST_NODES
        return rows[~self.is_undecided[rows]]


class TiedTrees:
    """Every tree that ID3 may grow from the same rows.

    Parameters
    ----------
    splitter
        The table.
    candidates
        The labels that can be given: only rows labelled with one are learned from.
    left_out
        A row that is not learned from, or -1.
    """

    def __init__(self, splitter: Splitter, candidates: range, left_out: int) -> None:
        self.candidates = candidates
        self._splitter = splitter
        labels = splitter.labels
        training = np.flatnonzero((labels >= candidates.start) & (labels < candidates.stop))
        self._training = training[training != left_out]

    def walk(self, rows: Rows, *, takes_first: bool = False) -> Walk:
        """Return a walk of rows of the table, not begun."""
        return Walk(self._splitter.ranks[:, rows], takes_first=takes_first)

    def _root(self, walk: Walk) -> Node:
        return Node(self._training, np.arange(walk.is_done.size), np.arange(len(self._splitter.trees)))

    def leaves(self, walk: Walk, root: Node | None = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield which rows come to a leaf, and how many rows of each candidate it holds; from a node down."""
        pending = [root or self._root(walk)] if self._training.size else []
        while pending:
            node, splits, counts = self._looked_at(pending.pop(), walk)
            if counts is not None:
                yield node.asked, counts
            for split in splits:
                pending.extend(self._entered(node, split, walk))

    def departs(self, walk: Walk) -> NDArray[np.bool_]:
        """Return for each row whether some tree gives it another label than a row without values.

        As long as it follows the branches of that row, what is said of one is said of the other. Where they part, both
        must come to the same label on every way from there.
        """
        departs = np.zeros(walk.is_done.size, dtype=bool)
        walk.is_done |= (walk.seen == -1).all(axis=0)
        empty = np.full((len(walk.seen), 1), -1, dtype=np.int64)
        pending = [self._root(walk)] if self._training.size else []
        while pending:
            node, splits, _ = self._looked_at(pending.pop(), walk)
            for split in splits:
                for common in self._splitter.routes(split.column, split.sizes, -1):
                    together, parted = self._parted(node, split, common, walk)
                    pending.append(split.child(node, common, together))
                    expected = self._sole(split.child(node, common, np.arange(1)), empty)[0] if parted else SEVERAL
                    for branch, asked in parted:
                        said = self._sole(split.child(node, branch, asked), walk.seen)[asked]
                        departs[asked] |= (said == SEVERAL) | (said != expected)
            walk.is_done |= departs
        return departs | walk.is_undecided

    def _looked_at(self, node: Node, walk: Walk) -> tuple[Node, Iterator[Split], Rows | None]:
        """Return a node with the rows left to follow, the ways to split it, and its counts if it may be a leaf."""
        node = Node(node.training, walk.meet(node.asked), node.columns)
        if not node.asked.size:
            return node, iter(()), None
        labels = self._splitter.labels[node.training] - self.candidates.start
        counts = np.bincount(labels, minlength=len(self.candidates))
        columns, is_leaf = self._splitter.columns(node) if np.count_nonzero(counts) > 1 else ([], True)
        if walk.takes_first:
            columns, is_leaf = columns[:1], not columns
        return node, self._splits(node, columns, walk), counts if is_leaf else None

    def _splits(self, node: Node, columns: list[int], walk: Walk) -> Iterator[Split]:
        for column in columns:
            n_ways, splits = self._splitter.splits(node, column)
            if walk.takes_first:
                yield next(splits)
            elif n_ways == 1 or walk.meet(node.asked, n_ways - 1).size:
                yield from splits

    def _entered(self, node: Node, split: Split, walk: Walk) -> Iterator[Node]:
        """Yield the children that an asked row may enter."""
        of_asked = walk.seen[split.column, node.asked]
        by_branch: dict[int, list[Rows]] = {}
        for rank in np.unique(of_asked).tolist():
            routes = self._splitter.routes(split.column, split.sizes, rank)
            for branch in routes[:1] if walk.takes_first else routes:
                by_branch.setdefault(branch, []).append(node.asked[of_asked == rank])
        for branch, asked in by_branch.items():
            yield split.child(node, branch, np.concatenate(asked))

    def _parted(self, node: Node, split: Split, common: int, walk: Walk) -> tuple[Rows, list[tuple[int, Rows]]]:
        """Return the rows that follow a row without values into its branch, and the others by theirs."""
        together: list[Rows] = [np.zeros(0, dtype=np.int64)]
        parted = []
        of_asked = walk.seen[split.column, node.asked]
        for rank in np.unique(of_asked).tolist():
            asked = node.asked[of_asked == rank]
            is_lost = self._splitter.is_lost(split.column, split.sizes, rank)
            for branch in [common] if is_lost else self._splitter.routes(split.column, split.sizes, rank):
                if branch == common:
                    together.append(asked)
                else:
                    parted.append((branch, asked))
        return np.concatenate(together), parted

    def _sole(self, node: Node, seen: Rows) -> Rows:
        """Return for each row of a node the only label it can come to from there, or SEVERAL."""
        walk = Walk(seen)
        said = np.full(seen.shape[1], -1, dtype=np.int64)
        for there, counts in self.leaves(walk, node):
            tied = np.flatnonzero(counts == counts.max())
            label = int(tied[0]) if tied.size == 1 else SEVERAL
            said[there] = np.where((said[there] == -1) | (said[there] == label), label, SEVERAL)
            walk.is_done[there] = said[there] == SEVERAL
        said[walk.is_undecided] = SEVERAL
        return said
