"""How the truth would have been published, read from what the file publishes elsewhere."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.audit._coarser import Meanings, number_of
from withhold.table import Taxonomy, parse_interval

__all__ = ["bins_in_order", "told_as", "told_in_bins"]


def told_as(
    values: Sequence[str], published: Sequence[str], *, tree: Taxonomy | None = None, is_numeric: bool = False
) -> list[str]:
    """Return for each value the text by which it is judged: itself, or the narrowest published one that covers it.

    A value that the column publishes as such stands for itself, and so does one that nothing covers: no adversary can
    say it. Narrow is what covers the fewest of the values.

    Examples
    --------
    >>> told_as(["25", "71", "x"], ["0-99", "20-39", "x"])
    ['20-39', '0-99', 'x']
    """
    shown, own = set(published) - {None if tree is None else tree.labels[0]}, set(values)
    if own <= shown:
        return list(values)
    meanings = Meanings(values, tree=tree, is_numeric=is_numeric)
    places = np.arange(len(values))
    found, width = np.array(values, dtype=object), np.full(len(values), np.inf)
    width[[place for place, value in enumerate(values) if value in shown]] = 0
    for text in sorted(shown - own):
        covered = meanings.covered(text, places)
        if covered is not None:
            better = covered & (covered.sum() < width)
            found[better], width[better] = text, covered.sum()
    return [str(text) for text in found.tolist()]


def told_in_bins(numbers: NDArray[np.float64], cells: NDArray[np.int64], texts: Sequence[str | None]) -> list[str]:
    """Return for each number the published text of its bin; one beyond all bins is in the outer one.

    A text that is an interval tells its bin. One in the middle of a bin does not: there the numbers that the file
    publishes by it tell, and a number between two bins is in the nearer one.

    Parameters
    ----------
    numbers
        The distinct numbers of the original.
    cells
        For each row the position of its number among them.
    texts
        For each row what is published; None is withheld.

    Examples
    --------
    >>> told_in_bins(np.array([3.0, 25.0, 41.0]), np.array([0, 1, 2]), ["[0, 20)", "[20, 40]", None])
    ['[0, 20)', '[20, 40]', '[20, 40]']
    >>> told_in_bins(np.array([3.0, 25.0, 24.0]), np.array([0, 1, 2]), ["10", "30", None])
    ['10', '30', '30']
    """
    labels = bins_in_order(texts)
    if not labels:
        return [str(number) for number in numbers]
    place = {label: i for i, label in enumerate(labels)}
    codes = np.array([-1 if text is None else place[text] for text in texts], dtype=np.int64)
    is_known = (codes >= 0) & ~np.isnan(numbers[cells])
    low, high = np.full(len(labels), np.inf), np.full(len(labels), -np.inf)
    np.minimum.at(low, codes[is_known], numbers[cells[is_known]])
    np.maximum.at(high, codes[is_known], numbers[cells[is_known]])
    distance = np.maximum(np.maximum(low[None, :] - numbers[:, None], numbers[:, None] - high[None, :]), 0)
    for i, label in enumerate(labels):
        interval = parse_interval(label)
        if interval is not None:
            away = np.maximum(np.maximum(interval.low - numbers, numbers - interval.high), 0)
            distance[:, i] = np.where(interval.holds(numbers), -1.0, away)
    nearest = np.where(np.isnan(distance), np.inf, distance).argmin(axis=1)
    return [labels[i] for i in nearest.tolist()]


def bins_in_order(texts: Sequence[str | None]) -> tuple[str, ...]:
    """Return the texts of bins from the lowest to the highest.

    Examples
    --------
    >>> bins_in_order(["[20, 40]", None, "[3, 20)"])
    ('[3, 20)', '[20, 40]')
    """
    return tuple(sorted({text for text in texts if text is not None}, key=_start))


def _start(label: str) -> tuple[float, str]:
    interval = parse_interval(label)
    start = number_of(label) if interval is None else interval.low
    return (np.inf if np.isnan(start) else start), label
