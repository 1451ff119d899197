"""From cells to packed distinct rows, the columns in the order that makes the recursion short."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.methods.risk._chain import Chain
from withhold.methods.risk._packed_rows import Field, Layout, make_layout, pack

__all__ = ["Blank", "Encoded", "encode"]

Blank = Literal["exclude", "category", "ignore", "wildcard"]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A table as packed distinct rows over its known columns."""

    layout: Layout
    keys: NDArray[np.int64]
    """The distinct rows, sorted."""
    weight: NDArray[np.int64]
    """How many records each stands for."""
    of_row: NDArray[np.int64]
    """For each record its distinct row."""
    columns: NDArray[np.int64]
    """The known columns, in the order of the layout."""
    factor: _Floats
    """For each distinct row what its likelihood is multiplied by: all sets' weight, less where it is blank."""

    def chain(self) -> Chain:
        """Return the table under every prefix of its columns."""
        return Chain(self.layout, self.keys, self.weight)


def encode(
    codes: NDArray[np.int32],
    chances: _Floats,
    weights: list[_Floats],
    *,
    blank: Blank,
    complement: bool,
    records: NDArray[np.int64] | None = None,
) -> Encoded:
    """Pack the columns of positive chance; the least varied first, so that the most identifying is split first.

    Parameters
    ----------
    codes
        Rows by columns, -1 for a blank.
    chances
        For each column the chance that an outsider knows it.
    weights
        For each column the sensitivity of its codes; a blank has none.
    records
        How many records each row stands for; one where None.
    """
    known = np.flatnonzero(chances > 0)
    counts = {int(j): _counted(codes[:, j] + 1, records, weights[j].size + 1) for j in known}
    columns = np.array(sorted(counts, key=lambda j: (entropy(counts[j]), j)), dtype=np.int64)
    fields, recodes = [], []
    for j in columns.tolist():
        recode, sensitivity = _recoded(counts[j], weights[j], is_value=blank == "category")
        unknown = 1.0 - chances[j] if complement else 1.0
        has_blanks = bool(counts[j][0]) and blank != "category"
        fields.append(Field(float(chances[j]), unknown, sensitivity, has_blanks))
        recodes.append(recode)
    layout = make_layout(fields, is_wild=blank == "wildcard")
    keys = np.zeros((len(codes), layout.n_words), np.int64)
    start = np.concatenate([[0], np.cumsum([recode.size for recode in recodes])]).astype(np.int64)
    pack(codes, columns, np.concatenate([np.zeros(0, np.int64), *recodes]), start, layout, keys)
    distinct, of_row = _distinct(keys)
    weight = _counted(of_row, records, len(distinct))
    return Encoded(
        layout, distinct, weight, of_row, columns, _factors(layout, distinct, fields, counts_blank=blank == "exclude")
    )


def entropy(counts: NDArray[np.int64]) -> float:
    """Return the entropy of value counts."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _recoded(counts: NDArray[np.int64], weights: _Floats, *, is_value: bool) -> tuple[NDArray[np.int64], _Floats]:
    """Return new codes for blank, 0, 1, …, and the sensitivity of each new code; new code 0 has none."""
    sensitivity = np.concatenate([[0.0], weights])
    occurs = np.flatnonzero(counts > 0)
    if not is_value and counts[0]:
        order = np.concatenate([[0], occurs[1:]])
    else:
        order = occurs[np.argsort(sensitivity[occurs] > 0, kind="stable")]
    skip = 1 if order.size and sensitivity[order[0]] > 0 else 0
    recode = np.zeros(counts.size, np.int64)
    recode[order] = np.arange(order.size) + skip
    return recode, np.concatenate([np.zeros(skip), sensitivity[order]])


def _counted(places: NDArray[np.integer], records: NDArray[np.int64] | None, n: int) -> NDArray[np.int64]:
    """Return how many records lie at each of `n` places."""
    return np.bincount(places, weights=records, minlength=n).astype(np.int64, copy=False)


def _distinct(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sorted distinct rows, and for each row its place among them."""
    order = np.argsort(keys[:, 0]) if keys.shape[1] == 1 else np.lexsort(keys.T[::-1])
    ordered = keys[order]
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.cumsum(fresh) - 1
    of_row = np.empty(len(keys), np.int64)
    of_row[order] = place
    return np.ascontiguousarray(ordered[fresh]), of_row


def _factors(layout: Layout, keys: NDArray[np.int64], fields: list[Field], *, counts_blank: bool) -> _Floats:
    """Return the weight of all known sets that a row takes part in."""
    total = float(np.prod([field.known + field.unknown for field in fields]))
    factor = np.full(len(keys), total)
    if counts_blank:
        for j in np.flatnonzero(layout.blankable):
            word, shift, mask, _ = layout.columns[j]
            factor[(keys[:, word] >> shift) & mask == 0] *= layout.unknown_shares[j]
    return factor
