"""All rules of a search as flat arrays, so that one compiled loop serves any number of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from withhold._compiled import Array
from withhold.methods.local._forms import SIZE, Rule
from withhold.methods.local._lean import lean, woven
from withhold.methods.local._measures import MET, is_met, measure

__all__ = ["Asked", "all_met", "asked_of", "meets", "smallest"]

INTEGERS = ("form", "first", "n_lanes", "least", "upper", "lower", "height")
ARRAYS = ("listed", "whole", "begin", "end", "step")


class Asked(NamedTuple):
    """Rules, one a line."""

    integers: Array
    """The integer fields of each rule, then where each of its arrays begins and ends in `flat`."""
    at_most: Array
    """The largest share of each rule."""
    flat: Array
    """The arrays of all rules, end to end."""


def asked_of(rules: Sequence[Rule]) -> Asked:
    """Return rules other than those about sizes, packed; `smallest` holds the sizes."""
    rest = [rule for rule in rules if rule.form != SIZE]
    lines, flat = [], [np.zeros(0, dtype=np.int64)]
    n_flat = 0
    for rule in rest:
        line = [int(getattr(rule, name)) for name in INTEGERS]
        for name in ARRAYS:
            flat.append(np.asarray(getattr(rule, name), dtype=np.int64))
            line += [n_flat, n_flat + flat[-1].size]
            n_flat += flat[-1].size
        lines.append(line)
    width = len(INTEGERS) + 2 * len(ARRAYS)
    return Asked(
        integers=np.array(lines, dtype=np.int64).reshape(-1, width),
        at_most=np.array([rule.at_most for rule in rest], dtype=np.float64),
        flat=np.concatenate(flat),
    )


def smallest(rules: Sequence[Rule]) -> int:
    """Return how many rows every group needs."""
    return max((rule.least for rule in rules if rule.form == SIZE), default=1)


def meets(rules: Sequence[Rule], counts: Array) -> bool:
    """Decide exactly whether a histogram meets all rules."""
    return all(is_met(rule, counts) for rule in rules)


@woven
def _rule_at(asked: Asked, r: int) -> Rule:
    i, flat = asked.integers[r], asked.flat
    listed, whole, begin, end, step = (
        flat[i[7] : i[8]],
        flat[i[9] : i[10]],
        flat[i[11] : i[12]],
        flat[i[13] : i[14]],
        flat[i[15] : i[16]],
    )
    return Rule(i[0], i[1], i[2], i[3], i[4], i[5], asked.at_most[r], listed, whole, begin, end, step, i[6])


@lean
def all_met(asked: Asked, counts: Array) -> bool:
    """Return whether a histogram certainly meets all rules; a near one counts as not met."""
    for r in range(asked.at_most.size):  # noqa: SIM110
        if measure(counts, _rule_at(asked, r))[1] != MET:
            return False
    return True
