"""What each kind promises of the chances that an outsider infers, exactly: which share of what is allowed they use."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import exp, log, prod

import numpy as np
from tests.equivalence.replay_attacker import Posteriors

__all__ = ["Used", "as_likely_as_before", "close", "confident", "diverse"]

Used = Callable[[Sequence[tuple[str, ...]], Posteriors], float | Fraction]
"""Of tables that lead to one release, and what is inferred from them: above 1 the promise is broken."""
ABOVE = 1.0 + 1e-9


def confident(at_most: float, value: str = "yes") -> Used:
    """Return the promise that nobody is known to hold a value more surely than allowed."""
    return lambda tables, people: max(each.get(value, Fraction(0)) for each in people) / Fraction(at_most)


def as_likely_as_before(n_values: int) -> Used:
    """Return the promise that every value, all being as likely before, is as likely after."""
    return lambda tables, people: max(max(each.values()) for each in people) * n_values


def close(most: float) -> Used:
    """Return the promise that chances are within a distance of the shares of the table, which every release shows."""

    def used(tables: Sequence[tuple[str, ...]], people: Posteriors) -> Fraction:
        n_rows = len(tables[0])
        shares = {value: Fraction(n, n_rows) for value, n in Counter(tables[0]).items()}
        return max(_apart(each, shares) for each in people) / Fraction(most)

    return used


def _apart(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> Fraction:
    zero = Fraction(0)
    return sum((abs(one.get(each, zero) - other.get(each, zero)) for each in {*one, *other}), zero) / 2


def diverse(model: str, n_least: int, ratio: int = 3) -> Used:
    """Return the promise that every person's chances are well spread, by one of the three models."""
    of_person = {"distinct": _distinct, "entropy": _entropy, "recursive": _recursive}[model]
    return lambda tables, people: max(of_person(each, n_least, ratio) for each in people)


def _distinct(chances: Mapping[str, Fraction], n_least: int, ratio: int) -> Fraction:
    return Fraction(n_least, len(chances))


def _recursive(chances: Mapping[str, Fraction], n_least: int, ratio: int) -> float | Fraction:
    ordered = sorted(chances.values(), reverse=True)
    rest = sum(ordered[n_least - 1 :], Fraction(0))
    if not rest:
        return float("inf")
    used = ordered[0] / (ratio * rest)
    return ABOVE if used == 1 else used  # the largest must be smaller


def _entropy(chances: Mapping[str, Fraction], n_least: int, ratio: int) -> float:
    """Return the share used; on which side of 1 it lies is decided by powers of whole numbers."""
    n_all = int(np.lcm.reduce([each.denominator for each in chances.values()]))
    counts = [int(each * n_all) for each in chances.values()]
    used = n_least / exp(-sum(float(each) * log(each) for each in chances.values()))
    is_kept = n_all**n_all >= n_least**n_all * prod(each**each for each in counts)
    return min(used, 1.0) if is_kept else max(used, ABOVE)
