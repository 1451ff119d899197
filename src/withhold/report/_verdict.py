"""The verdict on a release, in words for somebody who must sign it."""

from collections import Counter

from withhold.audit import Audit

__all__ = ["verdict"]

PROMISES = {
    "anonymity": "nobody can be told apart from fewer than the asked number of people",
    "template": "no group of people gives a sensitive value away",
    "hidden": "the hidden cells stay hidden from the adversaries that the policy names",
    "risk": "no person is more exposed than allowed",
    "drop": "no dropped column is published",
    "rows": "no row was lost or added",
    "cells": "every published cell is true, or coarser than the truth",
}


def verdict(audit: Audit) -> tuple[str, ...]:
    """Return the verdict: one sentence that decides, then what it rests on.

    Examples
    --------
    >>> import pandas as pd, withhold as wh
    >>> frame = pd.DataFrame({"age": ["30", "30", "40"]})
    >>> verdict(wh.audit(frame, wh.Policy([wh.Anonymity(columns=["age"], k=2)])))[0]
    'A requirement is not met, do not publish this file: 1 of 1 promises is broken.'
    """
    broken = [finding for finding in audit.findings if not finding.ok]
    if broken:
        verb = "is" if len(broken) == 1 else "are"
        first = f"A requirement is not met, do not publish this file: {len(broken)} of {len(audit.findings)} promises "
        first += f"{verb} broken."
        return first, *(f"{finding.where or finding.kind}: {finding.says}." for finding in broken)
    kinds = Counter(finding.kind for finding in audit.findings)
    told = [PROMISES[kind] for kind in kinds if kind in PROMISES]
    noun = "promise was" if len(audit.findings) == 1 else "promises were"
    first = f"Every requirement is met: {len(audit.findings)} {noun} checked on all {audit.n_rows:,} rows."
    return first, f"{_capital('; '.join(told))}.", *_of_attacks(audit)


def _of_attacks(audit: Audit) -> list[str]:
    hidden = [attack for attack in audit.cell_attacks if attack.scope == "hidden" and attack.n_tried]
    if not hidden:
        return []
    best = max(hidden, key=lambda attack: attack.rate)
    winners = [attack for attack in hidden if attack.beats_majority]
    named = [attack for attack in winners if attack.is_named]
    if not winners:
        return [
            f"{len(hidden)} attackers tried the hidden cells; none is significantly better than guessing the "
            f"most frequent value: the best is right on {best.rate:.0%}, the guess on {best.majority_rate:.0%}."
        ]
    whom = "an adversary that the policy names" if named else "none of them is named by the policy"
    return [
        f"{len(winners)} of {len(hidden)} attackers recover hidden cells more often than a guess of the most frequent "
        f"value does: {best.title} is right on {best.rate:.0%}, the guess on {best.majority_rate:.0%}; {whom}. Decide "
        "whether that is acceptable: the policy's promise does not cover it."
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
