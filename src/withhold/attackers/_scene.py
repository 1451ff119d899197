"""The part of a release that an attacker is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from withhold.attackers._attack_problem import Problem, with_leaves
from withhold.attackers._exact import View
from withhold.attackers._outcome import Target
from withhold.table import Taxonomy

__all__ = ["Scene", "Stage", "hide"]


def hide(view: View, targets: Sequence[Target]) -> View:
    """Return the view with all cells of the targets unknown."""
    codes = list(view.codes)
    for target in targets:
        position = view.position(target.column)
        codes[position] = codes[position].copy()
        codes[position][target.rows] = -1
    return View(view.columns, codes, view.labels, view.trees)


@dataclass(frozen=True, slots=True)
class Scene:
    """A table with the cells to be guessed in it."""

    view: View
    """What the attacker sees."""
    rows: NDArray[np.int64]
    """The rows of the cells in it."""
    n_training: int
    """The rows with a label."""
    is_sample: bool
    """Whether some labelled rows were left out."""


class Stage:
    """One column of a release under attack: shows it in part or whole, and judges the guesses.

    A cell that is published as a value is hidden from the attackers, for they would have nothing to guess; the judge
    reads it off for them.
    """

    def __init__(self, view: View, target: Target, predictors: Sequence[str] | None, seed: int) -> None:
        self.column = target.column
        self._target = target
        self._rows = view.checked_rows(target.rows)
        full = with_leaves(view, target.column)
        position = full.position(target.column)
        published = Problem.of(full, target.column, ())
        self._is_published = published.label[self._rows] >= 0
        codes = list(full.codes)
        codes[position] = codes[position].copy()
        codes[position][self._rows[self._is_published]] = -1
        self._view = View(full.columns, codes, full.labels, full.trees)
        self._texts = np.array([*full.labels[position], ""], dtype=object)[full.codes[position][self._rows]]
        chosen = full.columns if predictors is None else [name for name in predictors if name in full.columns]
        self.predictors = tuple(name for name in chosen if name != target.column)
        self._problem = Problem.of(self._view, target.column, ())
        self._seed = seed
        self._scenes: dict[int, Scene] = {}

    def scene(self, most_rows: int | None) -> Scene:
        """Return the table with at most this many labelled rows, drawn at random."""
        training = self._problem.training
        n_drawn = training.size if most_rows is None else min(most_rows, training.size)
        if n_drawn not in self._scenes:
            self._scenes[n_drawn] = self._draw(training, n_drawn)
        return self._scenes[n_drawn]

    def _draw(self, training: NDArray[np.int64], n_drawn: int) -> Scene:
        if n_drawn == training.size:
            return Scene(self._view, self._rows, n_drawn, False)
        rng = np.random.default_rng([self._seed, crc32(self.column.encode())])
        drawn = training[rng.permutation(training.size)[:n_drawn]]
        kept = np.union1d(drawn, self._rows)
        codes, labels = [], []
        for name, all_codes, texts in zip(self._view.columns, self._view.codes, self._view.labels, strict=True):
            part = all_codes[kept]
            present = np.unique(part[part >= 0]) if name != self.column else np.arange(len(texts))
            place = np.full(len(texts) + 1, -1, dtype=np.int64)
            place[present] = np.arange(present.size)
            codes.append(place[part])
            labels.append(tuple(texts[code] for code in present.tolist()))
        view = View(self._view.columns, codes, labels, self._view.trees)
        return Scene(view, np.searchsorted(kept, self._rows), n_drawn, True)

    def right(self, guesses: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which guesses are right. Scenes keep the codes of the attacked column."""
        return self._judge(np.array([*self._view.labels[self._problem.target], None], dtype=object)[guesses])

    def _judge(self, said: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Return which texts are right, where a cell that is published is read off."""
        said[self._is_published] = self._texts[self._is_published]
        truth = np.array(self._target.truth, dtype=object)
        return np.asarray(said == truth, dtype=bool).reshape(len(self._rows))

    def frequent(self) -> list[str]:
        """Return the published values of the column, the most frequent ones first."""
        labels = self._view.labels[self._problem.target]
        order = np.argsort(-self._problem.n_by_class, kind="stable")
        return [labels[code] for code in self._problem.classes[order].tolist()]

    def says(self, values: Sequence[str]) -> NDArray[np.bool_]:
        """Return where the first of some values that is still possible is right."""
        position, tree = self._problem.target, self._view.trees[self._problem.target]
        codes, texts = self._view.codes[position][self._rows], [*self._view.labels[position], None]
        said = np.empty(len(self._rows), dtype=object)
        for code in np.unique(codes).tolist():
            allowed = (v for v in values if code < 0 or tree is None or _is_below(tree, v, texts[code]))
            said[codes == code] = next(allowed, None)
        given = self._problem.given_away(self._rows)
        said[given >= 0] = np.array(texts, dtype=object)[given[given >= 0]]
        return self._judge(said)

    @property
    def n_published(self) -> int:
        """The cells that are published as values."""
        return int(self._is_published.sum())


def _is_below(tree: Taxonomy, value: str, label: str | None) -> bool:
    if label is None or value not in tree.labels:
        return label is None
    low, high = tree.node(value), tree.node(label)
    return bool(tree.first[high] <= tree.first[low] and tree.last[low] <= tree.last[high])
