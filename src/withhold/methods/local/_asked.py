"""All rules of a search as flat arrays, so that one compiled loop serves any number of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array, compiled
from withhold.methods.local._forms import SIZE, Rule
from withhold.methods.local._lean import woven
from withhold.methods.local._measures import MET, is_met, measure

__all__ = ["Asked", "all_met", "asked_of", "meets", "smallest"]

INTEGERS = ("form", "first", "n_lanes", "least", "upper", "lower", "height")
ARRAYS = ("listed", "whole", "begin", "end", "step")


class Asked(NamedTuple):
    """Rules, one a line."""

    integers: Array
    """The integer fields of each rule."""
    at_most: Array
    """The largest share of each rule."""
    spans: Array
    """For each rule and each of its arrays where it begins and ends in `flat`."""
    flat: Array
    """The arrays of all rules, end to end."""


def asked_of(rules: Sequence[Rule]) -> Asked:
    """Return rules other than those about sizes, packed; `smallest` holds the sizes."""
    rest = [rule for rule in rules if rule.form != SIZE]
    parts = [np.asarray(getattr(rule, name), dtype=np.int64) for rule in rest for name in ARRAYS]
    stops = np.cumsum([part.size for part in parts]).astype(np.int64)
    spans = np.stack([stops - [part.size for part in parts], stops], axis=-1) if parts else np.zeros((0, 2))
    return Asked(
        integers=np.array([[getattr(rule, name) for name in INTEGERS] for rule in rest], dtype=np.int64).reshape(
            -1, len(INTEGERS)
        ),
        at_most=np.array([rule.at_most for rule in rest], dtype=np.float64),
        spans=spans.astype(np.int64).reshape(-1, len(ARRAYS), 2),
        flat=np.concatenate([*parts, np.zeros(0, dtype=np.int64)]),
    )


def smallest(rules: Sequence[Rule]) -> int:
    """Return how many rows every group needs."""
    return max((rule.least for rule in rules if rule.form == SIZE), default=1)


def meets(rules: Sequence[Rule], counts: Array) -> bool:
    """Decide exactly whether a histogram meets all rules."""
    return all(is_met(rule, counts) for rule in rules)


@woven
def _rule_at(asked: Asked, r: int) -> Rule:
    i, s, flat = asked.integers[r], asked.spans[r], asked.flat
    return Rule(
        i[0],
        i[1],
        i[2],
        i[3],
        i[4],
        i[5],
        asked.at_most[r],
        flat[s[0, 0] : s[0, 1]],
        flat[s[1, 0] : s[1, 1]],
        flat[s[2, 0] : s[2, 1]],
        flat[s[3, 0] : s[3, 1]],
        flat[s[4, 0] : s[4, 1]],
        i[6],
    )


@compiled
def all_met(asked: Asked, counts: Array) -> bool:
    """Tell whether a histogram certainly meets all rules; a near one counts as not met."""
    for r in range(asked.at_most.size):  # noqa: SIM110
        if measure(counts, _rule_at(asked, r))[1] != MET:
            return False
    return True
