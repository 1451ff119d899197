"""The information about the target that the published table still holds."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.metrics._published import published_labels, published_numbers
from withhold.table import Recoding, Table

__all__ = ["TargetInformation", "target_information"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetInformation:
    """The information of a column about the target, in bits."""

    before: float
    """The mutual information of the original column and the target."""
    after: float
    """The mutual information of the published column and the target."""

    @property
    def share(self) -> float:
        """The share that was kept; 1 where there was nothing to keep."""
        return self.after / self.before if self.before > 0 else 1.0


def target_information(table: Table, recodings: Iterable[Recoding], target: str) -> dict[str, TargetInformation]:
    """Return for each recoded column its information about the target, and what is left of it.

    Examples
    --------
    >>> from withhold import Anonymity, samples
    >>> from withhold.methods import tds
    >>> table = samples.tds_table1()
    >>> result = tds(table, [Anonymity(columns=["Education", "Sex"], k=4)], target="Class")
    >>> round(target_information(table, result.recodings, "Class")["Education"].share, 3)
    1.0
    """
    found = {}
    for recoding in recodings:
        rows = table.distinct([recoding.column, target])
        counts = np.zeros((table.n_codes(recoding.column), table.n_codes(target)), dtype=np.int64)
        np.add.at(counts, (rows.codes[0], rows.codes[1]), rows.weights)
        groups = published_numbers(published_labels(table, recoding))
        merged = np.zeros((int(groups.max(initial=0)) + 1, counts.shape[1]), dtype=np.int64)
        np.add.at(merged, groups, counts)
        found[recoding.column] = TargetInformation(before=_mutual(counts), after=_mutual(merged))
    return found


def _mutual(counts: NDArray[np.int64]) -> float:
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    present = joint > 0
    return max(float((joint[present] * np.log2(joint[present] / apart[present])).sum()), 0.0)
