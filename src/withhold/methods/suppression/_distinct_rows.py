"""Distinct rows with blanks: which may be the same, and how many people they stand for."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.methods.suppression._kernels import Asked, Cells, Held, add_compatible

__all__ = ["Masks", "Places", "Rows"]

Places = NDArray[np.int64]
Masks = NDArray[np.int64]
"""For each row the columns that it has blanked: bit `j` for column `j`."""


class Rows:
    """Distinct rows with weights, and the blanks they have at present.

    Parameters
    ----------
    codes
        What each row holds: (rows, columns).
    weights
        How many people each row stands for.
    masks
        The blanks to begin with.

    Examples
    --------
    >>> rows = Rows(np.array([[0, 0], [0, 1], [1, 1]]), np.array([5, 1, 2]), np.array([0, 0b10, 0]))
    >>> rows.count([0, 1, 2], [0, 0b10, 0]).tolist()
    [6, 6, 2]
    """

    def __init__(self, codes: NDArray[np.int32], weights: NDArray[np.int64], masks: Masks) -> None:
        hashes = np.empty(codes.shape, dtype=np.int64)
        draw = np.random.default_rng(0)  # decides how fast rows are found, and nothing else
        for j in range(codes.shape[1]):
            n_codes = int(codes[:, j].max(initial=-1)) + 1
            hashes[:, j] = draw.integers(-(2**62), 2**62, size=n_codes)[codes[:, j]]
        self.cells = Cells(np.ascontiguousarray(codes, dtype=np.int32), hashes, hashes.sum(axis=1))
        self.weights = weights.astype(np.int64)
        self.begin = masks.astype(np.int64)
        """The blanks that stay whatever happens."""
        self.masks = self.begin.copy()
        """The blanks at present."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.cells.codes.shape[1])

    def count(
        self, rows: ArrayLike, masks: ArrayLike, *, of: Places | None = None, weights: Places | None = None
    ) -> Places:
        """Return for rows, were they blanked by `masks`, the weight of all that may be the same, itself among them.

        Parameters
        ----------
        rows, masks
            The rows, and a mask for each.
        of
            The rows that are counted, with the blanks they have; all by default.
        weights
            Their weights; by default the people they stand for.
        """
        asked, places = np.asarray(rows, dtype=np.int64), np.asarray(masks, dtype=np.int64)
        chosen = np.arange(self.masks.size) if of is None else of
        held_weights = self.weights[chosen] if weights is None else weights
        found = np.zeros(asked.size, dtype=np.int64)
        if not asked.size or not chosen.size:
            return found
        order, different, starts = _by_mask(places)
        held_order, held_different, held_starts = _by_mask(self.masks[chosen])
        held = Held(chosen[held_order], held_different, held_starts, held_weights[held_order].astype(np.int64))
        in_order = np.zeros(asked.size, dtype=np.int64)
        add_compatible(self.cells, Asked(asked[order], different, starts), held, in_order)
        found[order] = in_order
        return found


def _by_mask(masks: Masks) -> tuple[Places, Masks, Places]:
    """Return an order of the masks, the different ones, and where each begins in that order."""
    order = np.argsort(masks, kind="stable")
    different, starts = np.unique(masks[order], return_index=True)
    return order, different, np.append(starts, masks.size).astype(np.int64)
