"""The ID3 adversary: every decision tree that some way to break ties grows, only where hidden rows pass."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._nodes import Nodes, Order
from withhold.attackers._exact._splits import Splitter
from withhold.attackers._exact._tied_trees import TiedTrees
from withhold.attackers._exact._view import Question, View

__all__ = ["id3_guesses", "id3_recovers", "id3_says_more"]


def id3_recovers(
    view: View,
    column: str,
    rows: Sequence[int] | NDArray[np.int64],
    actuals: Sequence[str],
    *,
    predictors: Iterable[str],
) -> NDArray[np.bool_]:
    """Return for each hidden cell whether a decision tree gives its true value, however ties are broken.

    The tree is grown by ID3 from all other rows whose cell in the column is known: at each node the column with the
    largest information gain splits; a node with one label, no column left or no gain is a leaf and says its most
    frequent label. One branch for each value that occurs.

    Parameters
    ----------
    view
        The published table.
    column
        The column of the hidden cells.
    rows
        Their rows.
    actuals
        Their true values, as text.
    predictors
        The columns that predict. The column itself never does.

    Notes
    -----
    The gain is that over the rows with a known value, times their share. A row with an unknown value, in training as
    in use, follows the most frequent branch; one with a coarser value the most frequent branch below it. With a
    taxonomy for any column, the labels are the values below the published node of the hidden cell, and a single one
    is no secret.

    Where columns, branches or labels are equal, all of them are followed: a cell is recovered if one way leads to its
    true value. Gains that differ by less than 1e-9 are equal; a gain below that may also end in a leaf. At most
    `MOST_NODES` nodes are followed for a cell; where there are more, it counts as recovered.

    The cost is rows times predictors for each level of the tree, and less where no hidden row passes.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> id3_recovers(view, "ill", [3], ["yes"], predictors=["drug"]).tolist()
    [True]

    A leaf with as many `no` as `yes` may say either:

    >>> tied = View.of({"drug": ["a", "a", "a"], "ill": ["yes", "no", "*"]})
    >>> id3_recovers(tied, "ill", [2, 2], ["yes", "no"], predictors=["drug"]).tolist()
    [True, True]
    """
    question = Question.of(view, column, rows, actuals, predictors)
    tree = Nodes.of(view, question.target)
    actual = tree.actual_ranks(question.actuals)
    recovered = np.zeros(len(question.rows), dtype=bool)
    for asked, trees, sole in _trees_of(question, tree, None):
        if trees is None:
            recovered[asked] = actual[asked] == sole
            continue
        local = actual[asked] - trees.candidates.start
        walk = trees.walk(question.rows[asked])
        can_be_said = (local >= 0) & (local < len(trees.candidates))
        walk.is_done |= ~can_be_said
        for there, counts in trees.leaves(walk):
            walk.is_done[there] |= counts[local[there]] == counts.max()
        recovered[asked] = can_be_said & (walk.is_done | walk.is_undecided)
    return recovered


def id3_guesses(
    view: View,
    column: str,
    rows: Sequence[int] | NDArray[np.int64],
    *,
    predictors: Iterable[str],
    order: Order = None,
) -> NDArray[np.int64]:
    """Return what one decision tree says about each hidden cell: the code of a label, or -1 where it says nothing.

    It is an adversary of `id3_recovers` that breaks ties in one way: it takes the earlier column, and the value that
    comes first in the order given, for all columns or by name. By default values are sorted as text; a taxonomy has
    its own order. A value without a label in the view has no code.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> id3_guesses(view, "ill", [3], predictors=["drug"]).tolist()
    [1]
    """
    question = Question.of(view, column, rows, [""] * len(rows), predictors)
    tree = Nodes.of(view, question.target, order)
    said = np.full(len(question.rows), -1, dtype=np.int64)
    for asked, trees, sole in _trees_of(question, tree, order):
        said[asked] = sole
        if trees is not None:
            for there, counts in trees.leaves(trees.walk(question.rows[asked], takes_first=True)):
                said[asked[there]] = trees.candidates.start + counts.argmax()
    return tree.codes(view, question.target, said)


def id3_says_more(
    view: View, column: str, rows: Sequence[int] | NDArray[np.int64], *, predictors: Iterable[str]
) -> NDArray[np.bool_]:
    """Return for each hidden cell whether a decision tree may say of it what it does not say of a row without values.

    It is the adversary of `id3_recovers`: whichever way ties are broken, row and empty row must end at the same label.
    Where they part at a node, both must come to one and the same label on every way from there.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "b", "*"], "ill": ["yes", "yes", "no", "*", "*"]})
    >>> id3_says_more(view, "ill", [3, 4], predictors=["drug"]).tolist()
    [True, False]
    """
    question = Question.of(view, column, rows, [""] * len(rows), predictors)
    tree = Nodes.of(view, question.target)
    says_more = np.zeros(len(question.rows), dtype=bool)
    for asked, trees, _ in _trees_of(question, tree, None):
        if trees is not None:
            says_more[asked] = trees.departs(trees.walk(question.rows[asked]))
    return says_more


def _trees_of(
    question: Question, tree: Nodes, order: Order
) -> Iterator[tuple[NDArray[np.int64], TiedTrees | None, int]]:
    """Yield the cells that learn from the same rows, with what can be grown from these; or their only candidate."""
    cells = tree.cells(question.view, question.target)
    splitter = Splitter(question, tree.ranks(cells), order)
    own = cells[question.rows]
    if question.view.is_generalised:
        for top in np.unique(own).tolist():
            candidates = range(int(tree.first[top]), int(tree.last[top]))
            asked = np.flatnonzero(own == top)
            if len(candidates) == 1:
                yield asked, None, candidates.start
            else:
                yield asked, TiedTrees(splitter, candidates, -1), -1
        return
    candidates = range(tree.leaf_nodes.size)
    if (own == 0).any():
        yield np.flatnonzero(own == 0), TiedTrees(splitter, candidates, -1), -1
    for place in np.flatnonzero(own).tolist():
        yield np.array([place]), TiedTrees(splitter, candidates, int(question.rows[place])), -1
