"""Whether right guesses are more than luck: exact tails of the binomial, compared in whole numbers."""

from fractions import Fraction
from math import comb

from withhold.errors import InputError

__all__ = ["clopper_pearson", "is_beyond_luck"]

LEAD = 4
"""Where cells are too few for a test, a lead of one in this many counts."""


def is_beyond_luck(n_only_learner: int, n_only_guess: int, n_cells: int, *, certainty: float, n_tests: int) -> bool:
    """Return whether a learner is right on more cells than a guess is, by more than luck allows.

    Parameters
    ----------
    n_only_learner, n_only_guess
        The cells on which only the one, or only the other is right. If both are equally good, each falls to either
        with chance one half.
    n_cells
        All cells that both tried.
    certainty
        How sure that must be over all tests together, below 1: each is made at ``(1 - certainty) / n_tests``.
    n_tests
        The number of learners that are tried on the same cells.

    Notes
    -----
    Where not even a learner that is right on a quarter of the cells more could pass the test, that lead counts.

    Examples
    --------
    >>> is_beyond_luck(9, 0, 50, certainty=0.95, n_tests=3), is_beyond_luck(3, 1, 50, certainty=0.95, n_tests=3)
    (True, False)
    """
    level = (1 - Fraction(str(certainty))) / n_tests
    needed = -(-n_cells // LEAD)
    if Fraction(1, 2**needed) >= level:
        return n_only_learner - n_only_guess >= max(needed, 1)
    n = n_only_learner + n_only_guess
    tail = sum(comb(n, k) for k in range(n_only_learner, n + 1))
    return Fraction(tail, 2**n) < level


def clopper_pearson(n_right: int, n_tried: int, *, certainty: float = 0.95) -> tuple[float, float]:
    """Return the exact interval for the chance of a right guess.

    Parameters
    ----------
    n_right
        The right guesses, 0 to `n_tried`.
    n_tried
        The guesses; with none of them the interval is 0 to 1.
    certainty
        How often the interval holds the chance, at least.

    References
    ----------
    C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial,
    Biometrika 26, 1934.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(3, 10)]
    [0.0667, 0.6525]
    """
    if not 0 <= n_right <= n_tried:
        raise InputError(f"clopper_pearson: `n_right` must lie between 0 and `n_tried`; got {n_right} of {n_tried}.")
    if n_tried == 0:
        return 0.0, 1.0
    from scipy.stats import beta

    tail = (1 - certainty) / 2
    low = 0.0 if n_right == 0 else float(beta.ppf(tail, n_right, n_tried - n_right + 1))
    high = 1.0 if n_right == n_tried else float(beta.ppf(1 - tail, n_right + 1, n_tried - n_right))
    return low, high
