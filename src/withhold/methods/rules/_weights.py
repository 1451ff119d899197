"""One round of GraDeS over the known rules."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold._compiled import Array
from withhold.methods.rules._book_kernels import Book
from withhold.methods.rules._mine_kernel import Layout, Limits
from withhold.methods.rules._weight_kernels import BLOCK, TIE, Scale, blank_chosen, blank_heaviest, weigh_all

__all__ = ["Round", "blank_by_weight"]


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What one round blanked."""

    rows: NDArray[np.int64]
    """The rows of the entries, in the order they were blanked."""
    columns: NDArray[np.int64]
    """Their columns."""
    why: NDArray[np.float64]
    """For each entry its contribution to invalidation and to marginalization."""
    n_passes: int
    """The number of passes."""
    n_rules: int
    """The number of rules that were to be hidden."""
    n_sensitive: int
    """The number of entries with a weight at the start."""


def blank_by_weight(
    cells: Array, active: NDArray[np.bool_], blanking: float, book: Book, layout: Layout, limits: Limits
) -> Round:
    """Blank the heaviest entries, some in each pass, until none of the active rules is adversarial any more.

    A `blanking` below 1 is a share of the entries that have a weight at the start.
    """
    n_rules = len(active)
    n_blocks = -(-len(cells) // BLOCK)
    scale = Scale(
        weight=np.zeros(cells.shape),
        hits=np.zeros(cells.shape, np.int32),
        stale=np.ones(n_blocks, np.bool_),
        best=np.full(n_blocks, -1, np.int64),
        best_cell=np.full(n_blocks, -1, np.int64),
        active=active,
        share=np.zeros((n_rules, 2)),
        touched=np.zeros((n_rules, 2), np.int64),
        is_touched=np.zeros(n_rules, np.bool_),
    )
    n_active = weigh_all(cells, scale, book, layout)
    n_sensitive = int(np.count_nonzero(scale.hits))
    number = int(blanking) if blanking >= 1 else max(1, round(blanking * n_sensitive))
    if number == 1:
        chosen, why = blank_heaviest(cells, n_active, scale, book, layout, limits)
        n_passes = len(chosen)
    else:
        n_left, passes = n_active, []
        while n_left:
            batch = _heaviest(scale, number)
            passes.append((batch, np.zeros((len(batch), 2))))
            n_left -= blank_chosen(cells, *passes[-1], scale, book, layout, limits)
        chosen, why = (np.concatenate(parts) for parts in zip(*passes, strict=True))
        n_passes = len(passes)
    rows, columns = np.divmod(chosen, cells.shape[1])
    return Round(rows, columns, why, n_passes, n_active, n_sensitive)


def _heaviest(scale: Scale, number: int) -> NDArray[np.int64]:
    """Return the heaviest entries, in order; the first among equals."""
    cell = np.flatnonzero(scale.hits)
    weight = -np.floor(scale.weight.ravel()[cell] * TIE + 0.5)
    if number < cell.size:
        least = np.partition(weight, number - 1)[number - 1]
        ahead = np.flatnonzero(weight < least)
        kept = np.concatenate([ahead, np.flatnonzero(weight == least)[: number - ahead.size]])
        cell, weight = cell[kept], weight[kept]
    return cell[np.lexsort((cell, weight))]
