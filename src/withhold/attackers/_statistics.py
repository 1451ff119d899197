"""What a number of right guesses proves: an interval for the rate, and a test against plain guessing."""

from collections.abc import Sequence
from math import exp, lgamma, log, sqrt

import numpy as np

from withhold.errors import InputError

__all__ = ["holm_p_values", "mcnemar_p_value", "wilson_interval"]

_NORMAL_95 = 1.959963984540054


def wilson_interval(n_right: int, n_tried: int) -> tuple[float, float]:
    """Return the 95 % interval of Wilson for the chance of a right guess.

    Parameters
    ----------
    n_right
        The right guesses, 0 to `n_tried`.
    n_tried
        The guesses. With none of them nothing is known: the interval is 0 to 1.

    Notes
    -----
    The centre is ``(r + z²/2) / (n + z²)``. It holds its 95 % also near 0 and 1, where the usual ± interval fails.

    References
    ----------
    E. B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference, JASA 22, 1927.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(0, 20)]
    [0.0, 0.161]
    """
    if not 0 <= n_right <= n_tried:
        raise InputError(f"wilson_interval: `n_right` must lie between 0 and `n_tried`; got {n_right} of {n_tried}.")
    if n_tried == 0:
        return 0.0, 1.0
    z2 = _NORMAL_95**2
    centre = (n_right + z2 / 2) / (n_tried + z2)
    spread = _NORMAL_95 / (n_tried + z2) * sqrt(n_right * (n_tried - n_right) / n_tried + z2 / 4)
    low = 0.0 if n_right == 0 else max(0.0, centre - spread)
    high = 1.0 if n_right == n_tried else min(1.0, centre + spread)
    return low, high


def mcnemar_p_value(n_only_first: int, n_only_second: int) -> float:
    """Return the chance that the first of two equally good guessers looks at least this much better.

    Both guess the same cells. Only the cells on which one of them alone is right distinguish them. If both are equally
    good, each such cell falls to the first with chance one half.

    Parameters
    ----------
    n_only_first
        The cells on which only the first is right.
    n_only_second
        The cells on which only the second is right.

    Notes
    -----
    The exact binomial tail ``Σ C(n, k) / 2ⁿ`` over ``k ≥ n_only_first``, summed from its logarithms.

    References
    ----------
    Q. McNemar: Note on the Sampling Error of the Difference between Correlated Proportions, Psychometrika 12, 1947.

    Examples
    --------
    >>> mcnemar_p_value(5, 0), mcnemar_p_value(0, 0)
    (0.03125, 1.0)
    """
    n = n_only_first + n_only_second
    if min(n_only_first, n_only_second) < 0:
        raise InputError("mcnemar_p_value: the numbers of cells must not be negative.")
    if n_only_first == 0:
        return 1.0
    first = lgamma(n + 1) - lgamma(n_only_first + 1) - lgamma(n_only_second + 1) - n * log(2)
    k = np.arange(n_only_first, n, dtype=float)
    terms = np.concatenate([[0.0], np.cumsum(np.log(n - k) - np.log(k + 1))])
    largest = float(terms.max())
    total = first + largest + log(float(np.exp(terms - largest).sum()))
    return min(1.0, _rounded(exp(min(0.0, total))))


def _rounded(chance: float) -> float:
    """Cut the last digits, which the logarithms do not hold."""
    return float(f"{chance:.10g}")


def holm_p_values(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for there being many: any of them falls below a level by luck that rarely.

    Parameters
    ----------
    p_values
        The p-values of some tests, of the same cells or not, however they depend on each other.

    Notes
    -----
    Of m values the i-th smallest is multiplied by ``m - i + 1``, and is at least as large as the one before it.

    References
    ----------
    S. Holm: A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm_p_values([0.5, 0.001, 0.004])
    [0.5, 0.003, 0.008]
    """
    found, worst = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        worst = max(worst, min(1.0, p_values[place] * (len(p_values) - rank)))
        found[place] = worst
    return found
