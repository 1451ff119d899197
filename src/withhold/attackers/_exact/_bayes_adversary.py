"""The naive Bayes adversary."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._exact._counts import PlainCounts, SharedCounts
from withhold.attackers._exact._nodes import Nodes
from withhold.attackers._exact._view import Question, View

__all__ = ["bayes_guesses", "bayes_recovers", "bayes_says_more"]

_Asked = NDArray[np.int64]

_CLOSE = 1e-9
_SCORES_AT_ONCE = 1 << 22


def bayes_recovers(
    view: View,
    column: str,
    rows: Sequence[int] | NDArray[np.int64],
    actuals: Sequence[str],
    *,
    predictors: Iterable[str],
) -> NDArray[np.bool_]:
    """Return for each hidden cell whether naive Bayes gives its true value.

    The adversary learns from all other rows whose cell in the column is known, without smoothing, and takes the value
    with the largest ``p(v) Π p(x|v)``. A cell is recovered if its true value is among those that are equally probable:
    some order of values makes it the first. A probability of zero is not a prediction. A predictor that is unknown in
    the row of the cell gives no factor.

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
    Without taxonomies ``p(x|v)`` is the share of the rows labelled `v` that hold `x`; rows where the predictor is
    unknown stay in the denominator. With a taxonomy for any column of the view, an unknown cell is the root, and what
    a node holds beyond its children is handed down in proportion to them (in equal parts if they hold nothing). Then
    candidates are the values below the published node of the hidden cell, only rows labelled at or below that node
    train, and a single candidate is no secret. A column without a taxonomy has a root over the values that occur.

    Logarithms decide where two values are further apart than 1e-9; exact fractions decide the rest. The cost is one
    count of the table for each predictor, and rows times values for the hidden cells.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> bayes_recovers(view, "ill", [3], ["yes"], predictors=["drug"]).tolist()
    [True]
    """
    question = Question.of(view, column, rows, actuals, predictors)
    actual = _actual_ranks(question)
    recovered = np.zeros(len(question.rows), dtype=bool)
    for asked, start, tied in _answers(question):
        local = actual[asked] - start
        inside = np.flatnonzero((local >= 0) & (local < tied.shape[1]))
        recovered[asked[inside]] = tied[inside, local[inside]]
    return recovered


def bayes_guesses(
    view: View, column: str, rows: Sequence[int] | NDArray[np.int64], *, predictors: Iterable[str]
) -> NDArray[np.int64]:
    """Return what naive Bayes says about each hidden cell: the code of a label, or -1 where it says nothing.

    As in the thesis, and unlike `bayes_recovers`, a tie says nothing. A value without a label in the view has no code.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "a"], "ill": ["yes", "yes", "no", "*"]})
    >>> bayes_guesses(view, "ill", [3], predictors=["drug"]).tolist()
    [1]
    """
    question = Question.of(view, column, rows, [""] * len(rows), predictors)
    said = np.full(len(question.rows), -1, dtype=np.int64)
    for asked, start, tied in _answers(question):
        said[asked] = np.where(tied.sum(axis=1) == 1, start + tied.argmax(axis=1), -1)
    return _codes(question, said)


def bayes_says_more(
    view: View, column: str, rows: Sequence[int] | NDArray[np.int64], *, predictors: Iterable[str]
) -> NDArray[np.bool_]:
    """Return for each hidden cell whether naive Bayes may say of it what it does not say of a row without values.

    It does unless the same values are the most probable ones for both, or all are impossible for the cell: else there
    is an order of values in which a tie is broken differently.

    Examples
    --------
    >>> view = View.of({"drug": ["a", "a", "b", "b", "*"], "ill": ["yes", "yes", "no", "*", "*"]})
    >>> bayes_says_more(view, "ill", [3, 4], predictors=["drug"]).tolist()
    [True, False]
    """
    question = Question.of(view, column, rows, [""] * len(rows), predictors)
    says_more = np.zeros(len(question.rows), dtype=bool)
    both = zip(_answers(question), _answers(question, is_empty=True), strict=True)
    for (asked, _, tied), (_, _, expected) in both:
        says_more[asked] = tied.any(axis=1) & (tied != expected).any(axis=1)
    return says_more


def _answers(question: Question, *, is_empty: bool = False) -> Iterator[tuple[_Asked, int, NDArray[np.bool_]]]:
    """Yield hidden cells with the first rank of their candidates, and which candidates are the most probable.

    With `is_empty` as if nothing were known in their rows.
    """
    for part in _parts(question):
        if part.duel is None:
            yield part.asked, part.candidates.start, np.ones((len(part.asked), 1), dtype=bool)
        else:
            evidence = np.full_like(part.evidence, -1) if is_empty else part.evidence
            for stretch, tied in part.duel.tied(evidence, own=part.own):
                yield part.asked[stretch], part.candidates.start, tied


def _codes(question: Question, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    if not question.view.is_generalised:
        return ranks
    return Nodes.of(question.view, question.target).codes(question.view, question.target, ranks)


def _actual_ranks(question: Question) -> NDArray[np.int64]:
    if question.view.is_generalised:
        return Nodes.of(question.view, question.target).actual_ranks(question.actuals)
    code_of = {value: code for code, value in enumerate(question.view.labels[question.target])}
    return np.array([code_of.get(text, -1) for text in question.actuals], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Part:
    """The hidden cells that have the same candidates."""

    asked: NDArray[np.int64]
    candidates: range
    duel: "_Duel | None"
    evidence: NDArray[np.int64]
    own: NDArray[np.int64]


def _parts(question: Question) -> Iterator[_Part]:
    return _shared_parts(question) if question.view.is_generalised else _plain_parts(question)


def _plain_parts(question: Question) -> Iterator[_Part]:
    view, rows = question.view, question.rows
    labels = view.codes[question.target]
    values = view.labels[question.target]
    counts = [
        PlainCounts(labels, len(values), view.codes[position], view.codes[position][rows])
        for position in question.predictors
    ]
    classes = np.bincount(labels[labels >= 0], minlength=len(values))
    evidence = np.array([view.codes[position][rows] for position in question.predictors], dtype=np.int64)
    evidence = evidence.reshape(len(counts), len(rows))
    duel = _Duel(counts, classes.astype(float), lambda label: Fraction(int(classes[label])), range(len(values)))
    yield _Part(np.arange(len(rows)), range(len(values)), duel, evidence, labels[rows])


def _shared_parts(question: Question) -> Iterator[_Part]:
    view, rows = question.view, question.rows
    tree = Nodes.of(view, question.target)
    cells = tree.cells(view, question.target)
    ranks = tree.ranks(cells)
    predictors = [(position, Nodes.of(view, position)) for position in question.predictors]
    nodes = [each.cells(view, position) for position, each in predictors]
    counts = [
        SharedCounts(ranks, tree.leaf_nodes.size, cell, each) for (_, each), cell in zip(predictors, nodes, strict=True)
    ]
    # Unknown is 0 in a tree and -1 here, where it gives no factor.
    evidence = np.array([np.where(cell[rows] == 0, -1, cell[rows]) for cell in nodes], dtype=np.int64)
    evidence = evidence.reshape(len(counts), len(rows))
    held = np.bincount(cells, minlength=len(tree.parent))
    held[0] = 0
    for top in np.unique(cells[rows]).tolist():
        asked = np.flatnonzero(cells[rows] == top)
        candidates = range(int(tree.first[top]), int(tree.last[top]))
        duel = None
        if len(candidates) != 1:
            classes = _Classes(tree, held, top)
            duel = _Duel(counts, classes.approximate(candidates), classes.exact, candidates)
        yield _Part(asked, candidates, duel, evidence[:, asked], np.full(len(asked), -1))


class _Classes:
    """The shared counts of the candidate values, among the rows labelled at or below a node."""

    def __init__(self, tree: Nodes, held: NDArray[np.int64], top: int) -> None:
        everywhere = held.copy()
        everywhere[top] -= int(top > 0)  # the hidden cell itself
        self._tree = tree
        self._shared = SharedCounts.of_column(tree, everywhere, top)

    def approximate(self, candidates: range) -> NDArray[np.float64]:
        nodes = self._tree.leaf_nodes[candidates.start : candidates.stop]
        return self._shared.approximate(range(1), nodes)[:, 0]

    def exact(self, label: int) -> Fraction:
        return self._shared.exact(0, int(self._tree.leaf_nodes[label]))


class _Duel:
    """The candidates of a cell against each other."""

    def __init__(
        self,
        counts: Sequence[PlainCounts | SharedCounts],
        classes: NDArray[np.float64],
        exact_class: Callable[[int], Fraction],
        labels: range,
    ) -> None:
        self._counts = counts
        self._classes = classes
        self._exact_class = exact_class
        self._labels = labels

    def tied(self, evidence: NDArray[np.int64], *, own: NDArray[np.int64]) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
        """Yield, for stretches of cells, which candidates are the most probable; none where all are impossible.

        `own` is the label of the row itself, which is left out.
        """
        n_at_once = max(1, _SCORES_AT_ONCE // max(1, len(self._labels)))
        for start in range(0, len(own) if len(self._labels) else 0, n_at_once):
            part = slice(start, start + n_at_once)
            yield part, self._tied(evidence[:, part], own[part])

    def _tied(self, evidence: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.bool_]:
        scores = self._scores(evidence, own)
        most = scores.max(axis=1, keepdims=True)
        tied: NDArray[np.bool_] = np.isfinite(most) & (scores >= most - _CLOSE)
        for i in np.flatnonzero(tied.sum(axis=1) > 1).tolist():
            seen = evidence[:, i].tolist()
            close = np.flatnonzero(tied[i])
            exact = [self._exact(candidate, seen, int(own[i])) for candidate in close.tolist()]
            top = max(exact)
            tied[i, close] = [weight == top for weight in exact]
        return tied

    def _scores(self, evidence: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the logarithm of class count times conditionals, for each cell and candidate."""
        n_cells = len(own)
        classes = np.repeat(self._classes[np.newaxis], n_cells, axis=0)
        outside = np.flatnonzero(own >= 0)
        classes[outside, own[outside]] -= 1
        n_known = (evidence >= 0).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores: NDArray[np.float64] = np.log(classes) * (1 - n_known)[:, np.newaxis]
            for counts, seen in zip(self._counts, evidence, strict=True):
                known = np.flatnonzero(seen >= 0)
                matches = counts.approximate(self._labels, seen[known])
                inside = np.flatnonzero(own[known] >= 0)
                matches[inside, own[known[inside]]] -= 1
                scores[known] += np.log(matches)
        scores[classes <= 0] = -np.inf
        return scores

    def _exact(self, candidate: int, seen: Sequence[int], own: int) -> Fraction:
        label = self._labels[candidate]
        left_out = int(candidate == own)
        members = self._exact_class(label) - left_out
        if not members:
            return Fraction(0)
        weight = members
        for counts, value in zip(self._counts, seen, strict=True):
            if value >= 0:
                weight *= (counts.exact(label, value) - left_out) / members
        return weight
