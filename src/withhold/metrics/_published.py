"""What each code of a column is published as."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.table import CategoryRecoding, NumberRecoding, Numbers, Recoding, Table

__all__ = ["marginal", "published_labels", "published_numbers"]


def published_labels(table: Table, recoding: Recoding) -> list[str | None]:
    """Return for each code of the column's domain the text that is published; None is missing."""
    domain = table.domain(recoding.column)
    if isinstance(domain, Numbers):
        assert isinstance(recoding, NumberRecoding)
        labels = recoding.apply(domain.values.tolist())
        return [*labels, recoding.missing] if domain.missing_code is not None else labels
    assert isinstance(recoding, CategoryRecoding)
    return recoding.apply(domain.leaves)


def published_numbers(labels: Sequence[str | None]) -> NDArray[np.int64]:
    """Return the labels as numbers: equal labels get the same."""
    seen: dict[str | None, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def marginal(table: Table, column: str) -> NDArray[np.int64]:
    """Return how many rows hold each code of a column."""
    rows = table.distinct([column])
    counts = np.bincount(rows.codes[0], weights=rows.weights, minlength=table.n_codes(column))
    return counts.astype(np.int64)
