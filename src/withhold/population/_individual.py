"""The chance of finding the right person for a row of a sample, given how often its combination occurs there."""

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["negative_binomial_risk", "poisson_risk"]

Floats = NDArray[np.float64]
FEW_ROWS = 40
"""From this many rows on the series converges at once for every share."""
SMALLEST_TERM = 1e-18
N_NODES, REACH = 64, 45.0
"""Points of the quadrature, and how far a decay of e to the minus t is followed."""


def negative_binomial_risk(
    rows: ArrayLike, people: ArrayLike, *, form: Literal["exact", "approximate"] = "exact"
) -> Floats:
    """Return the individual risk after Benedetti and Franconi: the mean of 1 / F, given the f rows of a combination.

    Parameters
    ----------
    rows
        For each combination f, the rows of the sample that hold it; at least 1.
    people
        For each combination the estimated people of the population that hold it: the sum of the rows' weights. Where it
        is below `rows`, the sample is all there is, and the risk is 1 / f.
    form
        ``"exact"``, or ``"approximate"``: p / (f - (1 - p)) for three rows or more, as other tools have it by default.

    Notes
    -----
    Given f, the population frequency F is negative binomial: P(F = h) = C(h-1, f-1) p^f (1-p)^(h-f), with p = f over
    the sum of the weights. With z = (1-p) / p the mean of 1 / F is the integral of s^(f-1) / (1 + z s) over 0 … 1. For
    z of at least 1 it obeys r(1) = log(1 + z) / z and r(f+1) = (1/f - r(f)) / z, which loses no digits; otherwise, and
    for many rows, it is p / f times the sum of k! f! / (f+k)! (1-p)^k, all of whose terms are positive.

    References
    ----------
    Benedetti, Franconi: Statistical and technological solutions for controlled data dissemination. New Techniques and
    Technologies for Statistics 1998. Franconi, Polettini: Individual risk estimation in µ-Argus: a review. Privacy in
    Statistical Databases 2004.

    Examples
    --------
    >>> negative_binomial_risk([1, 2, 3], [17, 110, 108]).round(4).tolist()
    [0.1771, 0.0171, 0.0136]
    """
    f, share = np.broadcast_arrays(np.asarray(rows, dtype=np.float64), np.asarray(people, dtype=np.float64))
    p = np.minimum(f / np.maximum(share, 1e-300), 1.0)
    found = np.empty(f.shape)
    is_short = (f < FEW_ROWS) & (p <= 0.5)
    found[is_short] = _by_recurrence(f[is_short], p[is_short])
    found[~is_short] = _by_series(f[~is_short], p[~is_short])
    if form == "approximate":
        found = np.where((f > 2) & (p < 1), p / (f - (1 - p)), found)
    return found


def _by_recurrence(f: Floats, p: Floats) -> Floats:
    z = (1 - p) / p
    current = np.log1p(z) / z
    found = np.where(f == 1, current, 0.0)
    for n in range(1, int(f.max(initial=1))):
        current = (1 / n - current) / z
        found = np.where(f == n + 1, current, found)
    return found


def _by_series(f: Floats, p: Floats) -> Floats:
    term = np.ones_like(f)
    total = term.copy()
    k = 0
    while term.size and term.max() > SMALLEST_TERM:
        k += 1
        term = term * (1 - p) * k / (f + k)
        total += term
    return p / f * total


def poisson_risk(rows: ArrayLike, others: ArrayLike) -> Floats:
    """Return the mean of 1 / F where the people outside the sample who hold a combination are Poisson.

    Parameters
    ----------
    rows
        For each combination f, the rows of the sample that hold it; at least 1.
    others
        For each combination how many people outside the sample are expected to hold it.

    Notes
    -----
    F - f is Poisson with the mean µ, so that the mean of 1 / F is the integral of s^(f-1) exp(-µ (1-s)) over 0 … 1;
    for f = 1 that is (1 - exp(-µ)) / µ. It is computed by a Gauss-Legendre rule over the part that counts.

    References
    ----------
    Skinner, Holmes: Estimating the re-identification risk per record in microdata. Journal of Official Statistics 1998.

    Examples
    --------
    >>> poisson_risk([1, 1, 2], [0, 16, 108]).round(4).tolist()
    [1.0, 0.0625, 0.0092]
    """
    f, mean = np.broadcast_arrays(np.asarray(rows, dtype=np.float64), np.asarray(others, dtype=np.float64))
    nodes, weights = _rule()
    part = np.minimum(1.0, REACH / np.maximum(mean + f - 1, 1e-300))
    found = np.zeros(f.shape)
    for node, weight in zip(nodes, weights, strict=True):
        found += weight * np.exp((f - 1) * np.log1p(-part * node) - mean * part * node)
    return np.asarray(part * found)


@cache
def _rule() -> tuple[list[float], list[float]]:
    nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()
