"""Which groups of people give a sensitive value away."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.metrics._published import published_labels, published_numbers
from withhold.requirements import Template
from withhold.table import Recoding, Table

__all__ = ["count_inferences"]


def count_inferences(
    table: Table, templates: Iterable[Template], thresholds: Sequence[float], *, recodings: Iterable[Recoding] = ()
) -> dict[float, int]:
    """Count the inferences that stand above each threshold: groups on the given columns that imply a sensitive value.

    Parameters
    ----------
    table
        The table.
    templates
        The templates; their `at_most` does not matter. The same sensitive value over the same columns counts once.
    thresholds
        Confidences; an inference counts where its confidence is strictly above.
    recodings
        Count in the table that is published under these, instead of the original one.

    Examples
    --------
    >>> from withhold import Template, samples
    >>> template = Template(given=["Job", "Country"], hide={"Bankruptcy": ["Discharged"]}, at_most=1)
    >>> count_inferences(samples.pda_table1(), [template], [0.1, 0.5, 0.8])
    {0.1: 2, 0.5: 1, 0.8: 0}
    """
    published = {recoding.column: published_numbers(published_labels(table, recoding)) for recoding in recodings}
    promises = {(frozenset(template.given), term): template.given for template in templates for term in template.terms}
    shares = [_confidences(table, given, term, published) for (_, term), given in promises.items()]
    every = np.concatenate(shares) if shares else np.empty(0)
    return {threshold: int(np.count_nonzero(every > threshold)) for threshold in thresholds}


def _confidences(
    table: Table, given: Sequence[str], term: tuple[str, str], published: dict[str, NDArray[np.int64]]
) -> NDArray[np.float64]:
    column, value = term
    is_wanted = np.array([text == value for text in table.store.values(column)])
    rows = table.distinct([*given, column], as_text=[column, *(name for name in given if name not in published)])
    codes = [
        published[name][cells] if name in published else cells.astype(np.int64)
        for name, cells in zip(given, rows.codes, strict=False)
    ]
    _, groups = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    among = np.bincount(groups.reshape(-1), weights=rows.weights)
    held = np.bincount(groups.reshape(-1), weights=rows.weights * is_wanted[rows.codes[-1]])
    return np.asarray(held / among)
