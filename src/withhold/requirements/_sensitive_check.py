"""What the checks of diversity and closeness share: the histograms of a sensitive column in the published groups."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding
from withhold.requirements._check import Question
from withhold.requirements._sensitive import SensitiveRequirement

__all__ = ["Histograms", "check_histograms", "published_histograms", "true_histograms"]

Ints = NDArray[np.int64]


class Histograms:
    """For each group how many of its rows hold each value; rows without an answer are in none."""

    def __init__(self, groups: Ints, values: Ints, weights: Ints, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        order, self.place = np.unique(groups, return_inverse=True)
        answered = values >= 0
        self.counts = np.zeros((order.size, len(self.labels)), dtype=np.int64)
        np.add.at(self.counts, (self.place.reshape(-1)[answered], values[answered]), weights[answered])
        self.n_unanswered = int(weights[~answered].sum())

    @property
    def whole(self) -> Ints:
        """How many rows of the table hold each value."""
        return np.asarray(self.counts.sum(axis=0))


def published_histograms(question: Question, requirement: SensitiveRequirement) -> Histograms:
    """Count what the file publishes; a blank or missing cell is no answer, a coarser one is a value of its own."""
    source = question.source
    codes, weights = source.counts([*requirement.columns, requirement.sensitive])
    lookup, labels = question.sight.meaning(requirement.sensitive).coded(as_text=True, is_target=True)
    return Histograms(_grouped(codes[:-1]), lookup[codes[-1]], weights, labels)


def true_histograms(question: Question, requirement: SensitiveRequirement) -> Histograms | None:
    """Count what stood in the original in the groups of the file; None where rows cannot be matched.

    Cells that are hidden from people who know the policy count as unanswered: nothing may depend on them. A number
    that the policy publishes in bins counts as its bin: nobody learns more of it.
    """
    original, sight = question.original, question.sight
    if original is None or requirement.sensitive not in original.names or sight.rows is None:
        return None
    lookup, labels = sight.meaning(requirement.sensitive).coded_values()
    values = lookup[original.store.cells(requirement.sensitive)]
    values[sight.unanswered(requirement.sensitive)] = -1
    values = values[sight.rows]
    return Histograms(sight.groups(requirement.columns), values, np.ones(values.size, dtype=np.int64), labels)


def check_histograms(
    question: Question,
    requirement: SensitiveRequirement,
    asked: float,
    measure: Callable[[Histograms], tuple[NDArray[np.float64], NDArray[np.bool_]]],
    says: Callable[[float, int], str],
    *,
    is_lower_worse: bool,
) -> list[Finding]:
    """Measure every group by what is published and by what stood there; both must be good enough.

    `measure` returns the figure of each group and whether it is good enough; `says` makes a sentence of the worst
    figure and of how many groups are not.
    """
    shown = published_histograms(question, requirement)
    true = true_histograms(question, requirement)
    figures, met = measure(shown)
    for more in () if true is None else (true,):
        others, are_met = measure(more)
        figures, met = np.concatenate([figures, others]), np.concatenate([met, are_met])
    worst = float(figures.min(initial=np.inf) if is_lower_worse else figures.max(initial=0.0))
    n_broken = int(np.count_nonzero(~met))
    is_complete = true is not None or shown.n_unanswered == 0 or _is_as_it_stood(question, requirement.sensitive)
    open_ones = "" if is_complete else f"; {shown.n_unanswered:,} rows publish no answer, which needs the original"
    return [
        Finding(
            kind=requirement.kind,
            where=question.where,
            columns=requirement.columns,
            asked=asked,
            reached=worst if np.isfinite(worst) else None,
            ok=n_broken == 0,
            says=says(worst, n_broken) + open_ones,
            is_complete=is_complete,
            details={"sensitive": requirement.sensitive, "groups": len(shown.counts), "groups_broken": n_broken},
        )
    ]


def _is_as_it_stood(question: Question, name: str) -> bool:
    """Return whether a cluster's file publishes every answer of the original: as often as it was given, none coarser.

    Which row is which is not known there; but each row publishes what it held, or nothing, so nothing is withheld.
    """
    sight = question.sight
    if sight.has_order or sight.original is None or name not in sight.original.names:
        return False
    meaning = sight.meaning(name)
    published: dict[str | None, int] = {}
    for key, n in zip(meaning.keys, sight.n_texts(name).tolist(), strict=True):
        published[key] = published.get(key, 0) + n
    for key, n in zip(meaning.keys_of_values, sight.n_values(name).tolist(), strict=True):
        published[key] = published.get(key, 0) - n
    return not any(published.values())


def _grouped(columns: Sequence[NDArray[np.unsignedinteger]]) -> Ints:
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for cells in columns:
        key = key * (int(cells.max(initial=0)) + 1) + cells.astype(np.int64)
        key = np.unique(key, return_inverse=True)[1].reshape(-1)
    return key
