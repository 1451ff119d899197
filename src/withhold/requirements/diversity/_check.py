"""The check of diversity: the sensitive values of every published group, counted anew."""

from fractions import Fraction
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from withhold.auditing import Finding
from withhold.requirements._check import Question
from withhold.requirements._sensitive_check import Histograms, check_histograms
from withhold.requirements.diversity._requirement import Diversity

__all__ = ["check"]


def check(question: Question) -> list[Finding]:
    """Check that every group holds well-represented values: in the file, and in the original where it is there."""
    requirement = question.policy.require[question.number]
    assert isinstance(requirement, Diversity)
    names, sensitive = ", ".join(requirement.columns), requirement.sensitive

    def says(worst: float, n_broken: int) -> str:
        if n_broken:
            groups = "combination holds" if n_broken == 1 else "combinations hold"
            return (
                f"{n_broken:,} {groups} fewer than {requirement.l:g} well-represented values of {sensitive} ({names})"
            )
        least = f"{worst:.4g}" if np.isfinite(worst) else "no"
        return f"every combination of {names} holds at least {least} values of {sensitive} (asked: {requirement.l:g})"

    measure = {"distinct": _distinct, "entropy": _entropy, "recursive": _recursive}[requirement.model]
    return check_histograms(
        question, requirement, requirement.l, lambda found: measure(found, requirement), says, is_lower_worse=True
    )


def _answering(found: Histograms) -> NDArray[np.int64]:
    return np.asarray(found.counts[found.counts.sum(axis=1) > 0])


def _distinct(found: Histograms, requirement: Diversity) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    n_values = (_answering(found) > 0).sum(axis=1)
    return n_values.astype(np.float64), n_values >= requirement.l


def _entropy(found: Histograms, requirement: Diversity) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Compare e^entropy with l: in floats where they are clearly apart, else in whole numbers."""
    counts = _answering(found)
    n_rows = counts.sum(axis=1)
    logs = np.zeros(counts.shape)
    np.log(counts, out=logs, where=counts > 0)
    apart = np.log(n_rows) - (counts * logs).sum(axis=1) / n_rows - log(requirement.l)
    met = apart > 0
    for group in np.flatnonzero(np.abs(apart) < 1e-7).tolist():
        held = [int(count) for count in counts[group] if count]
        among, bound = sum(held), Fraction(repr(float(requirement.l)))
        met[group] = Fraction(among**among, prod(count**count for count in held)) >= bound**among
    return np.exp(apart) * requirement.l, met


def _recursive(found: Histograms, requirement: Diversity) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Compare the most frequent value with c times all from the l-th on; the figure is the largest l that holds."""
    assert requirement.c is not None
    factor = Fraction(repr(float(requirement.c)))
    falling = np.sort(_answering(found), axis=1)[:, ::-1]
    tails = falling[:, ::-1].cumsum(axis=1)[:, ::-1]
    holds = falling[:, :1] * factor.denominator < factor.numerator * tails
    figures = holds.sum(axis=1)
    return figures.astype(np.float64), figures >= requirement.l
