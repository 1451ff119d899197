"""DECP, INCP, DROPP and HID3 by deletion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from slow_inference._base import COIN_STOP, DELETED, NOT_NEEDED, SUPPRESSED, Number, Table
from slow_inference._choices import Choices
from slow_inference._models import (
    Node,
    _most_common,
    _ranked_matching,
    classify,
    id3_tree,
    is_predicted,
    next_best_guess_set,
)
from slow_inference._runs import Outcome, _deleted, _outcome, _Run, _run


def _decrease(run: _Run, guess: str) -> None:
    """Hide maximum impact values until the actual value is no more probable than the guess."""
    posterior = run.posterior()
    while posterior[run.actual] > posterior[guess]:
        counts = {column: len(run.sharing(run.actual, column)) for column in run.evidence()}
        eligible = [column for column in counts if counts[column] > 1]
        if not eligible:
            return
        column = min(eligible, key=lambda each: counts[each])
        tuples = run.sharing(run.actual, column)
        run.steps.append(
            {"action": "maximum impact attribute", "attribute": column, "counts": counts, "tuples": tuples}
        )
        for other in tuples[:-1]:
            if posterior[run.actual] > posterior[guess]:
                run.table.put(other, column, None)
                posterior = run.posterior()
                run.steps.append(
                    {
                        "action": "hide",
                        "tuple": other,
                        "attribute": column,
                        "p_actual": str(posterior[run.actual]),
                        "p_rnbg": str(posterior[guess]),
                    }
                )


def _increase(run: _Run, guess: str) -> None:
    """Hide the class of tuples of better guesses that have nothing in common with the tuple; then decrease."""
    posterior = run.posterior()
    guesses = next_best_guess_set(posterior, run.actual, guess, run.k)
    run.steps.append({"action": "next best guess set", "values": guesses})
    for value in guesses:
        shared = {other for column in run.evidence() for other in run.sharing(value, column)}
        tuples = [other for other in run.members(value) if other not in shared]
        run.steps.append({"action": "nothing in common", "value": value, "tuples": tuples})
        for other in tuples:
            if posterior[run.actual] > posterior[value]:
                run.table.put(other, run.target, None)
                posterior = run.posterior()
                run.steps.append(
                    {
                        "action": "hide",
                        "tuple": other,
                        "attribute": run.target,
                        "p_actual": str(posterior[run.actual]),
                        "p_guess": str(posterior[value]),
                    }
                )
    if is_predicted(posterior, run.actual):
        run.steps.append({"action": "continue with DECP"})
        _decrease(run, guess)


def _ratio(numerator: Number, denominator: Number) -> Number:
    """The quotient; infinite over zero."""
    if not denominator:
        return inf
    return numerator / denominator


def _drop(run: _Run, guess: str) -> None:
    """Hide maximum impact values of the tuple until the actual value is no more probable than the guess."""
    posterior = run.posterior()
    while posterior[run.actual] > posterior[guess]:
        counts: dict[str, Any] = {}
        best = None
        highest: Number = Fraction(0)
        for column in run.evidence():
            actual, other = len(run.sharing(run.actual, column)), len(run.sharing(guess, column))
            # actual / class > other / class, cross-multiplied
            eligible = actual * len(run.members(guess)) > other * len(run.members(run.actual))
            counts[column] = {"actual": actual, "rnbg": other, "eligible": eligible}
            ratio = _ratio(Fraction(actual), Fraction(other))
            if eligible and ratio > highest:
                best, highest = column, ratio
        if best is None:
            return
        run.table.put(run.number, best, None)
        posterior = run.posterior()
        run.steps.append(
            {
                "action": "hide",
                "tuple": run.number,
                "attribute": best,
                "counts": counts,
                "p_actual": str(posterior[run.actual]),
                "p_rnbg": str(posterior[guess]),
            }
        )


def _suppress(run: _Run, work: Callable[[_Run, str], None]) -> str:
    """Hide the confidential value, and work on the table if naive Bayes predicts it."""
    run.table.put(run.number, run.target, None)
    posterior = run.posterior()
    if not is_predicted(posterior, run.actual):
        return NOT_NEEDED
    if len(run.table.domains[run.target]) == 2 and not run.coin.go_on():
        return COIN_STOP
    if not run.draw(posterior):
        return DELETED
    assert run.guess is not None
    work(run, run.guess)
    return DELETED if is_predicted(run.posterior(), run.actual) else SUPPRESSED


def _finish(before: Table, run: _Run, status: str) -> Outcome:
    if status == DELETED:
        return _deleted(before, run.number, run.steps, run.guess)
    return _outcome(status, before, run.table, run.steps, run.guess)


def decp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Decrease the probability of the actual value by hiding cells of other tuples (Figure 3.2)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _decrease))


def incp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Increase the probability of other values by hiding classes of other tuples (Figure 3.3)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _increase))


def dropp(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Drop the probability of the actual value by hiding cells of the tuple itself (Figure 3.4)."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _suppress(run, _drop))


# HID3


def _id3_hide(run: _Run, node: Node) -> bool:
    if node.column is None:
        ok = node.label != run.actual
        run.steps.append({"action": "leaf", "label": node.label, "ok": ok})
        return ok
    if classify(run.table, run.number, node) != run.actual:
        run.steps.append({"action": "not predicted from", "node": node.column})
        return True
    own = run.table.get(run.number, node.column)
    most_common = _most_common(node)
    matching = [] if own is None else _ranked_matching(run.table, node, own)
    match = matching[0] if matching else None
    run.steps.append({"action": "visit", "node": node.column, "most_common": most_common, "match": match})
    if match is None:
        return _id3_hide(run, node.branches[most_common])
    if match != most_common and _id3_hide(run, node.branches[match]):
        return True
    run.table.put(run.number, node.column, None)
    run.steps.append({"action": "hide", "tuple": run.number, "attribute": node.column})
    if _id3_hide(run, node.branches[most_common]):
        return True
    run.table.put(run.number, node.column, own)
    run.steps.append({"action": "revert", "tuple": run.number, "attribute": node.column})
    return False


def _hid3(run: _Run) -> str:
    run.table.put(run.number, run.target, None)
    tree = id3_tree(run.table, run.number, run.target, run.predictors)
    if classify(run.table, run.number, tree) != run.actual:
        return NOT_NEEDED
    if len(run.table.domains[run.target]) == 2 and not run.coin.go_on():
        return COIN_STOP
    return SUPPRESSED if _id3_hide(run, tree) else DELETED


def hid3(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """Hide cells of the tuple so that the decision tree leads elsewhere (Figure 3.5). k is not used."""
    run = _run(table, number, target, predictors, k, choices)
    return _finish(table, run, _hid3(run))
