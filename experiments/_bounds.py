"""Which rows sit on a published bound of an interval: who knows the bound may know a number of a person."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments._published import NumberKey, Reading
from experiments._registry import Results

__all__ = ["bound_shares"]

NUMBER = re.compile(r"-?\d[\d.e+-]*")


def bound_shares(reading: Reading, key: NumberKey, cells: NDArray[Any]) -> Results:
    """Return the shares of rows and of groups with an interval that sit on a bound, and how many intervals there are.

    `on`: rows whose number is a printed bound of their interval. `alone`: those that no other row of their group shares
    it with. `groups`: groups that print such a bound of one row.
    """
    printed = np.array([_printed(text) for text in reading.texts[key.name]])
    codes, numbers = reading.codes[key.name], cells.astype(float)
    has_interval = ~np.isnan(printed).all(axis=1)[codes]
    lines = np.stack([reading.codes[each.name] for each in reading.keys], axis=1)
    _, groups = np.unique(lines, axis=0, return_inverse=True)
    on = has_interval & ((printed[codes, 0] == numbers) | (printed[codes, 1] == numbers))
    pairs = np.stack([groups.reshape(-1), np.unique(numbers, return_inverse=True)[1]], axis=1)
    _, place, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    alone = on & (counts[place.reshape(-1)] == 1)
    n_rows, n_groups = int(has_interval.sum()), np.unique(groups[has_interval]).size
    return {
        "on": float(on.sum() / max(n_rows, 1)),
        "alone": float(alone.sum() / max(n_rows, 1)),
        "groups": float(np.unique(groups[alone]).size / max(n_groups, 1)),
        "intervals": int((~np.isnan(printed).all(axis=1)).sum()),
    }


def _printed(text: str) -> tuple[float, float]:
    """Return the bounds that a text prints; a single number is none."""
    if text.startswith("["):
        low, high = (float(each) for each in NUMBER.findall(text))
        return low, high
    if text.startswith("<"):
        return np.nan, float(text[1:])
    return (float(text[1:]), np.nan) if text.startswith("≥") else (np.nan, np.nan)
