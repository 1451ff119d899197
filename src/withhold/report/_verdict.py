"""The verdict on a release, in words for somebody who must sign it."""

from collections.abc import Sequence
from typing import Literal

from withhold.attackers import are_too_few
from withhold.auditing import Audit, CellAttack, Finding
from withhold.requirements import KINDS, Words

__all__ = ["LEVELS", "UNTRIED", "Level", "level_of", "trained_on", "verdict"]

Level = Literal["green", "amber", "red"]
LEVELS: dict[str, str] = {
    "green": "Green: every promise holds, and no attack that was tried found more than a guess.",
    "amber": "Amber: no promise is broken, but somebody must decide about what is listed here.",
    "red": "Red: do not publish this file.",
}
"""What each colour means."""
UNTRIED = "Green: every promise holds. No attack was tried."

PROMISES = {
    "drop": "no dropped column is published",
    "numbers": "numbers are averaged, rounded or bounded as the policy says",
    "rows": "no row was lost or added",
    "cells": "every published cell is true, or coarser than the truth",
    "shift": "the dates of a person are moved by one number of days",
    "units": "rows of a unit are not put together again by what is published of them, or protected as a whole",
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
    held = "; ".join(_promised(audit) or ["what was checked holds"])
    unproven = [finding for finding in audit.findings if not finding.is_complete]
    noun = "promise was" if len(audit.findings) == 1 else "promises were"
    first = f"Every requirement is met: {len(audit.findings)} {noun} checked on all {audit.n_rows:,} rows."
    if unproven:
        those = f"{len(unproven)} of {len(audit.findings)} {'was' if len(unproven) == 1 else 'were'}"
        first = f"Not proven: no promise is broken, but {those} not checked to the end."
    hints = (KINDS[each.kind].words.unproven_hint if each.kind in KINDS else "" for each in unproven)
    open_ones = (f"{each.where}: {each.says}.{hint}" for each, hint in zip(unproven, hints, strict=True))
    serious = [each for each in audit.disclosures if each.level == "red"]
    if serious:
        first = "Every requirement is met" if not unproven else "Not proven"
        first += ", but the file gives away what it withholds: do not publish it."
    beside = (*(each.says for each in audit.disclosures), *open_ones, *_not_covered(audit))
    return first, f"{_capital(held)}.{_against(audit)}", *beside, *_of_attacks(audit)


def _promised(audit: Audit) -> list[str]:
    """Return what holds, each claim with the columns that it is about."""
    found: list[str] = []
    for kind in dict.fromkeys(finding.kind for finding in audit.findings):
        own = [each for each in audit.findings if each.kind == kind]
        proven = [each for each in own if each.is_complete]
        if kind in KINDS:
            words = KINDS[kind].words
            whole = proven if words.bound and not words.unproven_hint else proven if len(proven) == len(own) else []
            said = list(dict.fromkeys(_claim(words, each) for each in whole))
            n_more = len(said) - MOST_SETS
            found += said[:MOST_SETS] + ([f"the same holds for {n_more:,} more sets of columns"] if n_more > 0 else [])
        elif kind in PROMISES:
            found.append(PROMISES[kind])
        elif kind == "population":
            found += [each.says for each in proven]
    return found


def _against(audit: Audit) -> str:
    """Return against which outsider it holds: one who knows the method, or one who does not; else nothing."""
    read = [finding for finding in audit.findings if finding.is_informed is not None]
    plain = list(dict.fromkeys(finding.where for finding in read if not finding.is_informed))
    if not read:
        return ""
    if not plain:
        return " Where the policy made the file, this holds against an outsider who knows the method."
    which = "" if len(plain) == len({each.where for each in read}) else f" ({', '.join(plain)})"
    return f" This holds against an outsider who does not know the method{which}: informed = true is for one who does."


def _claim(words: Words, finding: Finding) -> str:
    """Return what a finding proves, and whether that is less than its kind mostly means."""
    weaker = words.weaker(finding)
    return words.promised(finding.columns, finding.asked) + (f" ({weaker})" if weaker else "")


def _not_covered(audit: Audit) -> list[str]:
    """Report columns that nothing is promised about."""
    if audit.uncovered is None:
        return []
    n = len(audit.uncovered.columns)
    those = f"{n} columns are" if n > 1 else "1 column is"
    what = f"{those} published as {'they are' if n > 1 else 'it is'}, and"
    if not audit.uncovered.is_plain:
        what = f"no requirement keeps people from being recognised by {n} column{'s' if n > 1 else ''}, and"
    return [f"Not covered: {what} {audit.uncovered.n_unique} unique on {'them' if n > 1 else 'it'}."]


def level_of(audit: Audit) -> Level:
    """Return how serious it is: red where a promise is broken or withheld values can be read off.

    Amber is where no promise is broken, but an attack found more than a guess, also on cells that are too few for a
    test, or something else gives people away, or not everything was checked: somebody must decide.
    """
    if not audit.ok or any(each.level == "red" for each in audit.disclosures):
        return "red"
    hidden = [attack for attack in audit.cell_attacks if attack.scope == "hidden"]
    beaten = any(attack.beats_majority or attack.is_ahead for attack in hidden)
    return "amber" if beaten or audit.disclosures or not audit.is_complete else "green"


def trained_on(attacks: Sequence[CellAttack]) -> str:
    """Return which attackers learned from a sample of the rows, and of how many; empty where none did.

    Examples
    --------
    >>> trained_on([])
    ''
    """
    titles: dict[int, list[str]] = {}
    for attack in attacks:
        if attack.trained_on is not None:
            titles.setdefault(attack.trained_on, []).append(attack.title)
    if not titles:
        return ""
    samples = "; ".join(f"{n_rows:,} rows ({', '.join(names)})" for n_rows, names in titles.items())
    return f"Some learned from a sample, and might do better with all rows, which no interval shows: {samples}."


def _of_attacks(audit: Audit) -> list[str]:
    """Return a sentence or two for each requirement that hides cells."""
    hidden = [attack for attack in audit.cell_attacks if attack.scope == "hidden" and attack.n_tried]
    names = list(dict.fromkeys(attack.where for attack in hidden))
    found = []
    for name in names:
        attacks = [attack for attack in hidden if attack.where == name]
        found.append((f"{name}: " if len(names) > 1 else "") + _of_requirement(attacks))
    return found


def _of_requirement(attacks: Sequence[CellAttack]) -> str:
    winners = [attack for attack in attacks if attack.beats_majority]
    ahead = [attack for attack in attacks if attack.is_ahead]
    if winners:
        return _won(winners, attacks)
    few = ""
    if are_too_few(attacks[0].n_tried, len(attacks)):
        noun = "cell was" if attacks[0].n_tried == 1 else "cells were"
        few = f"Only {attacks[0].n_tried} {noun} hidden: too few for a test. "
    if ahead:
        return f"{few}{_led(ahead, attacks)} Decide whether this is acceptable."
    best = max(attacks, key=_lead)
    than = "far ahead of" if few else "significantly better than"
    return (
        f"{few}{len(attacks)} attackers tried the hidden cells; none is {than} guessing the most frequent value: the "
        f"best is right on {best.rate:.0%}, the guess on {best.majority_rate:.0%}."
    )


def _won(winners: Sequence[CellAttack], attacks: Sequence[CellAttack]) -> str:
    best = max(winners, key=_lead)
    blank = max((attack.before_rate for attack in attacks if attack.before_rate is not None), default=None)
    before = "" if blank is None else f" (where only these cells are blank, the best attacker on {blank:.0%})"
    is_named = any(attack.is_named for attack in winners)
    whom = "Some of them are named by the policy" if is_named else "The policy names none of them"
    verb = "recovers" if len(winners) == 1 else "recover"
    return (
        f"{len(winners)} of {len(attacks)} attackers {verb} hidden cells more often than somebody who always says the "
        f"most frequent value. The best, “{best.title}”, is right on {best.rate:.0%} of them{before}, the most "
        f"frequent value on {best.majority_rate:.0%}. {whom}, and no promise covers this: decide whether it is "
        "acceptable."
    )


def _led(ahead: Sequence[CellAttack], attacks: Sequence[CellAttack]) -> str:
    best = max(ahead, key=_lead)
    n_all = sum(attack.n_right == attack.n_tried for attack in ahead)
    guess = f"the most frequent value on {best.majority_right or 'none'}."
    if n_all:
        verb, all_cells = "is" if n_all == 1 else "are", f"all {best.n_tried}" if best.n_tried > 1 else "it"
        return f"{n_all} of {len(attacks)} attackers {verb} right on {all_cells}; {guess}"
    verb = "is" if len(ahead) == 1 else "are"
    return (
        f"{len(ahead)} of {len(attacks)} attackers {verb} far ahead of a guess: the best, “{best.title}”, is right "
        f"on {best.n_right}; {guess}"
    )


def _lead(attack: CellAttack) -> float:
    return attack.rate - attack.majority_rate


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
