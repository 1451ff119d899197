"""Which of many attackers are better than a guess."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from withhold.attackers._outcome import Attack
from withhold.attackers._statistics import holm_p_values, mcnemar_p_value

__all__ = ["are_too_few", "judge_together"]

SURE = 0.01
"""By luck at most so often does any attacker on the same cells look better than a guess."""
LEAD = 0.25
"""The share of the cells by which an attacker must be ahead where they are too few for a test."""


def judge_together(attacks: Sequence[Attack]) -> list[Attack]:
    """Return attacks on the same cells, judged as what they are: many tries, of which one may look good by luck.

    Parameters
    ----------
    attacks
        The attacks of different attackers on the same cells. Those that tried no cell do not count.

    Notes
    -----
    `beats_majority` is decided by the p-values after the correction of Holm. A few cells can never pass a test: with m
    attackers, a lead of a quarter of n cells reaches at best ``m / 2^(n/4)``. Where that is not below 0.01 (with 14
    attackers up to 40 cells), `is_ahead` marks those who lead by a quarter of the cells. It does not exclude luck.

    Examples
    --------
    >>> import numpy as np
    >>> from withhold.attackers import SmoothedBayes, Target, View, attack_cells
    >>> view = View.of({"drug": ["a", "b", "b"] * 20 + ["a"] * 4, "ill": ["yes", "no", "no"] * 20 + ["*"] * 4})
    >>> target = Target(column="ill", rows=np.arange(60, 64), truth=("yes",) * 4)
    >>> attack = judge_together(attack_cells(view, None, [target], attackers=[SmoothedBayes()], rng=1))[0]
    >>> attack.n_right, attack.majority_right, attack.beats_majority, attack.is_ahead
    (4, 0, False, True)
    """
    tried = [attack for attack in attacks if attack.n_tried]
    after = dict(zip(map(id, tried), holm_p_values([attack.p_value for attack in tried]), strict=True))
    before_p = [1.0 if attack.before_p_value is None else attack.before_p_value for attack in tried]
    before = dict(zip(map(id, tried), holm_p_values(before_p), strict=True))
    return [
        replace(
            attack,
            adjusted_p_value=after.get(id(attack), 1.0),
            before_adjusted_p_value=None if attack.before_p_value is None else before.get(id(attack), 1.0),
            beats_majority=after.get(id(attack), 1.0) < SURE,
            is_ahead=_is_ahead(attack, len(tried)),
        )
        for attack in attacks
    ]


def are_too_few(n_cells: int, n_attackers: int) -> bool:
    """Return whether cells are too few for a test: a lead of a quarter of them could be luck, with this many attackers.

    Examples
    --------
    >>> are_too_few(5, 14), are_too_few(40, 14), are_too_few(41, 14)
    (True, True, False)
    """
    return n_attackers * mcnemar_p_value(ceil(LEAD * n_cells), 0) >= SURE


def _is_ahead(attack: Attack, n_attackers: int) -> bool:
    if not attack.n_tried or not are_too_few(attack.n_tried, n_attackers):
        return False
    return attack.n_right - attack.majority_right >= LEAD * attack.n_tried
