"""What the experiments say of curves: do they rise, are they straight, does a statement hold."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from experiments._registry import Claim, Verdict

__all__ = ["CLOSE", "agreed", "claim", "falls", "fold", "growth", "never_judged", "rises", "straightness"]

CLOSE = 0.02
"""Figures that differ by less, as a share, count as equal in an order."""
NEVER_JUDGED = "another machine"
"""Why a time of a paper is not held against ours."""


def claim(text: str, holds: bool | None, evidence: str, *, is_ours: bool = False) -> Claim:
    """Return a statement with its verdict; None is one that cannot be judged."""
    verdicts: dict[bool | None, Verdict] = {True: "holds", False: "does not hold", None: "cannot be judged"}
    verdict = verdicts[None if holds is None else bool(holds)]
    return Claim(text=text, verdict=verdict, evidence=evidence, is_ours=is_ours)


def never_judged(text: str, evidence: str) -> Claim:
    """Return a statement about a time in seconds: machines differ, so that ours proves nothing about it."""
    return claim(text, None, f"{evidence}; {NEVER_JUDGED}")


def agreed(each: Sequence[bool]) -> bool | None:
    """Return what all draws say; None where they differ."""
    return each[0] if len(set(each)) == 1 else None


def fold(values: Sequence[float]) -> float:
    """Return how many times as large the largest figure is as the smallest."""
    return max(values) / min(values)


def rises(values: Sequence[float], close: float = CLOSE) -> bool:
    """Return whether figures never fall, up to small differences."""
    return all(low <= high * (1 + close) for low, high in pairwise(values))


def falls(values: Sequence[float], close: float = CLOSE) -> bool:
    """Return whether figures never rise, up to small differences."""
    return rises(list(values)[::-1], close)


def straightness(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return how much of the variance of `y` a straight line explains, 0 to 1; None for fewer than three points."""
    if len(x) < 3 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def growth(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return the exponent e of the best y = c · x ** e: 1 is growth in proportion; None for fewer than two points."""
    if len(x) < 2 or min(*x, *y) <= 0:
        return None
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
