"""A linear support vector machine as an adversary of hidden cells."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.methods.inference import Sheet

__all__ = ["LinearSvm"]


class LinearSvm:
    """Trained on all other rows whose cell is known; unknown values are zeros, coarse ones spread evenly.

    Parameters
    ----------
    name
        What to call it.
    as_numbers
        Whether values are numbers; else each is a feature of its own.
    """

    def __init__(self, name: str, *, as_numbers: bool = False) -> None:
        self.name = name
        self.as_numbers = as_numbers
        self._fitted: dict[tuple[int, int], Any] = {}
        self._features: dict[tuple[bool, int], NDArray[np.float64]] = {}

    def forget(self) -> None:
        """Forget what was learnt from the original tables."""
        self._fitted.clear()

    def recovers(self, sheet: Sheet, row: int, column: str, *, is_fresh: bool) -> bool:
        """Return whether it gives a hidden cell; `is_fresh` says that no other row was changed."""
        target = sheet.place(column)
        columns = [j for j in range(len(sheet.grid.columns)) if j != target]
        if not is_fresh or (row, target) not in self._fitted:
            model = self._fit(sheet, row, target, columns)
            if is_fresh:
                self._fitted[row, target] = model
        else:
            model = self._fitted[row, target]
        cells = self._encode(sheet, np.array([row]), columns)
        return model is not None and int(model.predict(cells)[0]) == int(sheet.actual[row, target])

    def _fit(self, sheet: Sheet, row: int, target: int, columns: list[int]) -> Any:
        from sklearn.dummy import DummyClassifier
        from sklearn.svm import LinearSVC

        labels = sheet.state.codes[:, target]
        rows = np.flatnonzero((labels >= 0) & (labels < sheet.state.n_leaves[target]))
        rows = rows[rows != row]
        if not rows.size:
            return None
        is_one = np.all(labels[rows] == labels[rows[0]])
        model = DummyClassifier() if is_one else LinearSVC(dual=False)
        return model.fit(self._encode(sheet, rows, columns), labels[rows])

    def _encode(self, sheet: Sheet, rows: NDArray[np.int64], columns: list[int]) -> NDArray[np.float64]:
        return np.concatenate([self._of_column(sheet, j)[sheet.state.codes[rows, j]] for j in columns], axis=1)

    def _of_column(self, sheet: Sheet, column: int) -> NDArray[np.float64]:
        """Return for each node of a column its features; unknown stands last, as -1 does."""
        key = (sheet.generalizes, column)
        if key not in self._features:
            n_leaves = int(sheet.state.n_leaves[column])
            n_nodes = len(sheet.texts[column])
            below = np.zeros((n_nodes, n_leaves))
            for node in range(n_nodes - 1):
                below[node, sheet.candidates(column, node)] = 1
            below /= np.maximum(below.sum(axis=1, keepdims=True), 1)
            if self.as_numbers:
                below = below @ np.array([[float(text)] for text in sheet.labels[column][:n_leaves]])
            self._features[key] = below
        return self._features[key]
