"""How many people are alone in the population with their values, estimated from the sizes of the sample's groups."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Uniqueness", "population_uniques"]

Model = Literal["zayatz", "snb", "pitman"]
Ints = NDArray[np.int64]
TITLES = {"zayatz": "Zayatz", "snb": "slide negative binomial", "pitman": "Pitman"}
GOLDEN = (5**0.5 - 1) / 2
SMALL_SAMPLE = 0.1
"""Up to this share of the population Pitman's model is the best choice (Dankar et al.)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniqueness:
    """What one model estimates of the people who are alone in the population with their values."""

    model: Model
    """Whose model."""
    n_people: float | None
    """How many people of the population are alone; None where the model does not fit the sample."""
    share: float | None
    """Their share of the population."""
    is_chosen: bool = False
    """Whether the rule of Dankar et al. chooses it for a sample of this size."""

    @property
    def title(self) -> str:
        """Its name in words."""
        return TITLES[self.model] + (" (chosen for a sample of this size)" if self.is_chosen else "")


def population_uniques(sizes: ArrayLike, n_people: float) -> tuple[Uniqueness, ...]:
    """Estimate by three models how many people are alone in the population with their values.

    Parameters
    ----------
    sizes
        The sizes of the groups of the sample: how many rows hold each combination.
    n_people
        The size of the population.

    Returns
    -------
    tuple of Uniqueness
        After Zayatz, after Chen and Keller-McNulty (slide negative binomial) and after Pitman; one is marked as chosen.

    Notes
    -----
    Zayatz takes the sizes in the sample for those in the population: of the combinations that are alone in the sample,
    the share that is alone in the population follows by Bayes' rule. In the slide negative binomial model F - 1 is
    negative binomial; its parameters are found here from the size of the population, the number of combinations in the
    sample, and of those that are alone there. Pitman's two parameters are those of the largest likelihood. Dankar et
    al. choose Pitman up to a tenth of the population, and above the smaller of the other two.

    References
    ----------
    Zayatz: Estimation of the percent of unique population elements on a microdata file using the sample. US Bureau of
    the Census 1991. Chen, Keller-McNulty: Estimation of identification disclosure risk in microdata. Journal of
    Official Statistics 1998. Hoshino: Applying Pitman's sampling formula to microdata disclosure risk assessment.
    Journal of Official Statistics 2001. Dankar, El Emam, Neisa, Roffey: Estimating the re-identification risk of
    clinical data sets. BMC Medical Informatics and Decision Making 2012.

    Examples
    --------
    >>> found = population_uniques([1] * 60 + [2] * 20 + [10] * 5, 1500)
    >>> [(each.model, round(each.n_people)) for each in found], [each.model for each in found if each.is_chosen]
    ([('zayatz', 312), ('snb', 331), ('pitman', 257)], ['pitman'])
    """
    counts = np.asarray(sizes, dtype=np.int64)
    n_rows = int(counts.sum())
    values, times = np.unique(counts, return_counts=True)
    n_single = int(times[values == 1].sum())
    total = max(float(n_people), float(n_rows))
    if n_single == 0 or total <= n_rows:
        own = dict.fromkeys(("zayatz", "snb", "pitman"), float(n_single))
        return _marked(own, total, "zayatz")
    found: dict[str, float | None] = {
        "zayatz": _zayatz(values, times, n_rows, total),
        "snb": _snb(counts.size, n_single, n_rows / total, total),
        "pitman": _pitman(values, times, n_rows, total),
    }
    if n_rows / total <= SMALL_SAMPLE:
        chosen = "pitman" if found["pitman"] is not None else "zayatz"
    else:
        chosen = "zayatz" if found["snb"] is None or (found["zayatz"] or 0.0) < found["snb"] else "snb"
    return _marked(found, total, chosen)


def _marked(found: "dict[str, float | None] | dict[str, float]", total: float, chosen: str) -> tuple[Uniqueness, ...]:
    return tuple(
        Uniqueness(model=model, n_people=n, share=None if n is None else n / total, is_chosen=model == chosen)  # type: ignore[arg-type]
        for model, n in found.items()
    )


def _zayatz(values: Ints, times: Ints, n_rows: int, total: float) -> float:
    """Return the uniques of the sample, times the chance that one is alone in the population, times the weight."""
    steps = np.arange(int(values.max()) - 1, dtype=np.float64)
    rest = np.maximum(total - n_rows - steps, 0.0)
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(rest) - np.log(np.maximum(total - 1 - steps, 1.0)))])
    chance = values * np.exp(logs[values - 1])
    n_single = int(times[values == 1].sum())
    return float(n_single * n_single / (chance @ times) * total / n_rows)


def _snb(n_groups: int, n_single: int, share: float, total: float) -> float | None:
    """Return K p^α: the classes of the population, times the chance that one is of one person."""
    p = 1 / (1 + np.exp(np.linspace(12, -12, 481)))
    shape = _shapes(p, n_groups, share, total)
    gap = _singles(p, shape, share) - n_single / n_groups
    turns = np.flatnonzero(np.isfinite(gap[:-1]) & np.isfinite(gap[1:]) & ((gap[:-1] < 0) != (gap[1:] < 0)))
    if not turns.size:
        return None
    low, high = float(p[turns[0]]), float(p[turns[0] + 1])
    is_below = bool(gap[turns[0]] < 0)
    for _ in range(60):
        middle = (low + high) / 2
        at = np.array([middle])
        here = float(_singles(at, _shapes(at, n_groups, share, total), share)[0]) - n_single / n_groups
        low, high = (middle, high) if (here < 0) == is_below else (low, middle)
    alpha = float(_shapes(np.array([low]), n_groups, share, total)[0])
    classes = total / (1 + alpha * (1 - low) / low)
    return float(classes * low**alpha)


def _shapes(p: NDArray[np.float64], n_groups: int, share: float, total: float) -> NDArray[np.float64]:
    """Return for each p the α with which this many combinations of a population of this size are in the sample."""
    low, high = np.full(p.shape, 1e-9), np.full(p.shape, 1e9)
    for _ in range(100):
        alpha = np.sqrt(low * high)
        unseen = (1 - share) * np.exp(alpha * np.log(p / (1 - (1 - p) * (1 - share))))
        is_few = total / (1 + alpha * (1 - p) / p) * (1 - unseen) < n_groups
        low, high = np.where(is_few, low, alpha), np.where(is_few, alpha, high)
    return np.asarray(np.sqrt(low * high))


def _singles(p: NDArray[np.float64], alpha: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return which share of the combinations in the sample is of one row."""
    rest = (1 - p) * (1 - share)
    held = np.exp(alpha * np.log(p / (1 - rest)))
    return np.asarray(share * held * (1 + alpha * rest / (1 - rest)) / (1 - (1 - share) * held))


def _pitman(values: Ints, times: Ints, n_rows: int, total: float) -> float | None:
    """Return the mean number of singles of Pitman's model in the population, with the parameters that fit best."""
    n_groups = int(times.sum())
    if n_groups < 2 or n_groups == n_rows:
        return None
    sizes, n_of = values.tolist(), times.tolist()

    def of_theta(alpha: float, theta: float) -> float:
        ratio = theta / alpha
        groups = (n_groups - 1) * log(alpha) + lgamma(ratio + n_groups) - lgamma(ratio + 1)
        return groups - lgamma(theta + n_rows) + lgamma(theta + 1)

    def best_theta(alpha: float) -> tuple[float, float]:
        return _largest(lambda at: of_theta(alpha, exp(at)), log(1e-6), log(1e3 * n_rows))

    def of_alpha(alpha: float) -> float:
        inside: float = sum(n * (lgamma(size - alpha) - lgamma(1 - alpha)) for size, n in zip(sizes, n_of, strict=True))
        return inside + best_theta(alpha)[1]

    alpha, value = _largest(of_alpha, 1e-4, 1 - 1e-6)
    theta = exp(best_theta(alpha)[0])
    if not -inf < value < inf:
        return None
    logs = lgamma(theta + 1) - lgamma(theta + alpha) + lgamma(theta + alpha + total - 1) - lgamma(theta + total)
    alone: float = total * exp(logs)
    return min(alone, total)


def _largest(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return where a function with one peak is largest, and its value there, by golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(45):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
    return (left, at_left) if at_left > at_right else (right, at_right)
