"""The verdict on a release, in words for somebody who must sign it."""

from collections import Counter
from collections.abc import Sequence

from withhold.audit import Audit, Finding

__all__ = ["is_doubtful", "verdict"]

PROMISES = {
    "anonymity": "by what an outsider may know, nobody can be narrowed down to fewer rows than asked",
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
    open_findings = [finding for finding in audit.findings if not finding.is_complete]
    if open_findings:
        return _unfinished(audit, open_findings), *_of_attacks(audit)
    kinds = Counter(finding.kind for finding in audit.findings)
    told = [PROMISES[kind] for kind in kinds if kind in PROMISES]
    noun = "promise was" if len(audit.findings) == 1 else "promises were"
    first = f"Every requirement is met: {len(audit.findings)} {noun} checked on all {audit.n_rows:,} rows."
    return first, f"{_capital('; '.join(told))}.", *_of_attacks(audit)


def is_doubtful(audit: Audit) -> bool:
    """Tell whether somebody must still decide: no requirement is broken, but a check stopped early or an attacker wins.

    An attacker wins who is better than a guess.
    """
    wins = any(attack.beats_majority for attack in audit.cell_attacks if attack.scope == "hidden")
    return audit.ok and (wins or not audit.is_complete)


def _unfinished(audit: Audit, findings: Sequence[Finding]) -> str:
    """Tell how far the checks went that stopped early."""
    tried = [finding.n_checked for finding in findings if finding.n_checked is not None]
    told = f": {min(tried):,} of {audit.n_rows:,} records" if tried else ""
    return f"Not broken as far as it was checked{told}; run without --quick for a proof."


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
    blank = max((attack.before_rate for attack in hidden if attack.before_rate is not None), default=None)
    before = "" if blank is None else f" (where only these cells are blank, the best attacker on {blank:.0%})"
    whom = "Some of them are named by the policy" if named else "The policy names none of them"
    return [
        f"{len(winners)} of {len(hidden)} attackers recover hidden cells more often than somebody who always says the "
        f"most frequent value. The best, “{best.title}”, is right on {best.rate:.0%} of them{before}, the most "
        f"frequent value on {best.majority_rate:.0%}. {whom}, and no promise covers this: decide whether it is "
        "acceptable."
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
