"""The verdict on a release, in words for somebody who must sign it."""

from withhold.audit import Audit

__all__ = ["is_doubtful", "verdict"]

PROMISES = {
    "hidden": "the hidden cells stay hidden from the adversaries that the policy names",
    "risk": "by the columns that the policy gives a chance to be known, no person is more exposed than allowed",
    "drop": "no dropped column is published",
    "rows": "no row was lost or added",
    "cells": "every published cell is true, or coarser than the truth",
}
MOST_SETS = 3
"""How many sets of columns the verdict names for each kind of promise."""


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
    told = "; ".join(_promised(audit))
    noun = "promise was" if len(audit.findings) == 1 else "promises were"
    first = f"Every requirement is met: {len(audit.findings)} {noun} checked on all {audit.n_rows:,} rows."
    beside = (*(each.says for each in audit.undone), *_not_covered(audit))
    return first, f"{_capital(told)}.", *beside, *_of_attacks(audit)


def _promised(audit: Audit) -> list[str]:
    """Return what holds, each claim with the columns that it is about."""
    found: list[str] = []
    for kind in dict.fromkeys(finding.kind for finding in audit.findings):
        sets = list(dict.fromkeys((each.columns, each.asked) for each in audit.findings if each.kind == kind))
        more = [f"the same holds for {len(sets) - MOST_SETS:,} more sets of columns"] if len(sets) > MOST_SETS else []
        if kind == "anonymity":
            left = "who knows no more of a person than {} is left with at least {:g} rows"
            found += [left.format(", ".join(names), asked) for names, asked in sets[:MOST_SETS]] + more
        elif kind == "template":
            implies = "no combination of {} implies a sensitive value that the policy names more surely than allowed"
            found += [implies.format(", ".join(names)) for names, _ in sets[:MOST_SETS]] + more
        elif kind in PROMISES:
            found.append(PROMISES[kind])
    return found


def _not_covered(audit: Audit) -> list[str]:
    """Tell of columns that nothing is promised about."""
    if audit.uncovered is None:
        return []
    n = len(audit.uncovered.columns)
    those = f"{n} columns are" if n > 1 else "1 column is"
    what = f"{those} published as {'they are' if n > 1 else 'it is'}, and"
    if not audit.uncovered.is_plain:
        what = f"no requirement keeps people from being recognised by {n} column{'s' if n > 1 else ''}, and"
    return [f"Not covered: {what} {audit.uncovered.n_unique} unique on {'them' if n > 1 else 'it'}."]


def is_doubtful(audit: Audit) -> bool:
    """Tell whether somebody must still decide: every requirement is met, but an attack or another column tells more."""
    beaten = any(attack.beats_majority for attack in audit.cell_attacks if attack.scope == "hidden")
    return audit.ok and (beaten or bool(audit.undone))


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
