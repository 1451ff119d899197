"""Their generalising versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from slow_inference._base import COIN_STOP, DELETED, NOT_NEEDED, SUPPRESSED, Cell, Number, Table
from slow_inference._choices import Choices
from slow_inference._delete import _finish, _ratio
from slow_inference._models import (
    Node,
    _most_common,
    _ranked_matching,
    classify,
    id3_tree,
    is_predicted,
    next_best_guess_set,
    updated_value_count,
)
from slow_inference._runs import Outcome, _Run, _run


def _max_level(run: _Run) -> int:
    return max(run.table.trees[column].depth() for column in run.table.columns)


def _impact_counts(table: Table, members: Sequence[int], column: str, value: Cell, level: int) -> tuple[int, int, int]:
    """F1, F2 and F3 of Definition 4.4 for a value among the members of a class."""
    taxonomy = table.trees[column]
    low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
    cells = [table.get(member, column) for member in members]
    return (
        sum(cell == low for cell in cells),
        sum(taxonomy.is_below(cell, high) for cell in cells),
        sum(taxonomy.is_below(cell, low) for cell in cells),
    )


def _may_generalize(counts: tuple[int, int, int], level: int) -> bool:
    """Whether a value is a candidate at a level, given its F1, F2 and F3."""
    f1, f2, _ = counts
    return f1 > 1 if level == 1 else f1 >= 1 and f2 > 1


def _impact_ratio(counts: tuple[int, int, int]) -> Fraction:
    """The factor by which generalizing one instance changes the probability."""
    f1, f2, f3 = counts
    return Fraction(f1 + f3 - 1, f1 + f3) * Fraction(f2, f2 - 1)


def _decrease_g(run: _Run, guess: str) -> None:
    """Generalize maximum impact values, level by level."""
    posterior = run.posterior_g()
    for level in range(1, _max_level(run) + 1):
        while posterior[run.actual] > posterior[guess]:
            members = run.members(run.actual)
            ratios: dict[str, Any] = {}
            best = None
            smallest: Number = inf
            for column in run.evidence():
                taxonomy, own = run.table.trees[column], run.table.get(run.number, column)
                if taxonomy.generalize(own, level - 1) is None:
                    continue
                counts = _impact_counts(run.table, members, column, own, level)
                if not _may_generalize(counts, level):
                    continue
                ratio = _impact_ratio(counts)
                ratios[column] = {"F1": counts[0], "F2": counts[1], "F3": counts[2], "ratio": str(ratio)}
                if ratio < smallest:
                    best, smallest = column, ratio
            if best is None:
                break
            taxonomy, own = run.table.trees[best], run.table.get(run.number, best)
            low, high = taxonomy.generalize(own, level - 1), taxonomy.generalize(own, level)
            tuples = [member for member in members if run.table.get(member, best) == low]
            run.steps.append(
                {
                    "action": "maximum impact attribute",
                    "level": level,
                    "attribute": best,
                    "ratios": ratios,
                    "tuples": tuples,
                }
            )
            for other in tuples[:-1] if level == 1 else tuples:
                if posterior[run.actual] > posterior[guess]:
                    run.table.put(other, best, high)
                    posterior = run.posterior_g()
                    run.steps.append(
                        {
                            "action": "generalize",
                            "tuple": other,
                            "attribute": best,
                            "to": taxonomy.label(high),
                            "p_actual": str(posterior[run.actual]),
                            "p_rnbg": str(posterior[guess]),
                        }
                    )


def _has_common(run: _Run, other: int) -> bool:
    """Whether some predictor is known in both tuples with one value at or below the other."""
    for column in run.evidence():
        own, value = run.table.get(run.number, column), run.table.get(other, column)
        taxonomy = run.table.trees[column]
        if value is not None and (taxonomy.is_at_or_below(own, value) or taxonomy.is_at_or_below(value, own)):
            return True
    return False


def _increase_g(run: _Run, guess: str) -> None:
    """Generalize the class of tuples of better guesses that have nothing in common with the tuple."""
    posterior = run.posterior_g()
    taxonomy = run.table.trees[run.target]
    guesses = next_best_guess_set(posterior, run.actual, guess, run.k)
    for level in range(1, _max_level(run) + 1):
        for value in guesses:
            low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
            if low is None:
                continue
            tuples = [
                other
                for other in run.table.others(run.number)
                if run.table.get(other, run.target) == low and not _has_common(run, other)
            ]
            run.steps.append({"action": "nothing in common", "value": value, "level": level, "tuples": tuples})
            for other in tuples:
                if posterior[run.actual] > posterior[value]:
                    run.table.put(other, run.target, high)
                    posterior = run.posterior_g()
                    run.steps.append(
                        {
                            "action": "generalize",
                            "tuple": other,
                            "attribute": run.target,
                            "to": taxonomy.label(high),
                            "p_actual": str(posterior[run.actual]),
                            "p_guess": str(posterior[value]),
                        }
                    )


def _tuple_impact(
    table: Table, number: int, target: str, actual: str, guess: str, column: str
) -> tuple[dict[str, str], Number]:
    """The updated counts of Definition 4.6 for the tuple's value and its parent, and their ratio."""
    low = table.get(number, column)
    high = table.trees[column].generalize(low, 1)
    rnbg_high = updated_value_count(table, number, target, guess, column, high)
    rnbg_low = updated_value_count(table, number, target, guess, column, low)
    actual_high = updated_value_count(table, number, target, actual, column, high)
    actual_low = updated_value_count(table, number, target, actual, column, low)
    ratio = _ratio(rnbg_high * actual_low, rnbg_low * actual_high)
    shown = {
        "rnbg_high": str(rnbg_high),
        "rnbg_low": str(rnbg_low),
        "actual_high": str(actual_high),
        "actual_low": str(actual_low),
        "ratio": str(ratio),
    }
    return shown, ratio


def _drop_g(run: _Run, guess: str) -> None:
    """Generalize values of the tuple, each once per level, the maximum impact first."""
    posterior = run.posterior_g()
    for level in range(1, _max_level(run) + 1):
        waiting = run.evidence()
        while waiting and posterior[run.actual] > posterior[guess]:
            shown: dict[str, Any] = {}
            impact: dict[str, Number] = {}
            for column in waiting:
                shown[column], impact[column] = _tuple_impact(
                    run.table, run.number, run.target, run.actual, guess, column
                )
            best = max(waiting, key=lambda column: impact[column])
            waiting = [column for column in waiting if column != best]
            taxonomy = run.table.trees[best]
            high = taxonomy.generalize(run.table.get(run.number, best), 1)
            run.table.put(run.number, best, high)
            posterior = run.posterior_g()
            run.steps.append(
                {
                    "action": "generalize",
                    "level": level,
                    "tuple": run.number,
                    "attribute": best,
                    "to": taxonomy.label(high),
                    "ratios": shown,
                    "p_actual": str(posterior[run.actual]),
                    "p_rnbg": str(posterior[guess]),
                }
            )


def _id3_hide_g(run: _Run, node: Node) -> bool:
    if node.column is None:
        ok = node.label != run.actual
        run.steps.append({"action": "leaf", "label": node.label, "ok": ok})
        return ok
    if classify(run.table, run.number, node) != run.actual:
        run.steps.append({"action": "not predicted from", "node": node.column})
        return True
    column, taxonomy = node.column, run.table.trees[node.column]
    own = run.table.get(run.number, column)
    most_common = _most_common(node)
    matching = _ranked_matching(run.table, node, own)
    run.steps.append({"action": "visit", "node": column, "most_common": most_common, "matching": matching})
    if own is None or not matching:
        return _id3_hide_g(run, node.branches[most_common])
    value: Cell = own
    while True:
        if matching[0] != most_common and _id3_hide_g(run, node.branches[matching[0]]):
            return True
        tried_another = matching[0] != most_common
        if value is not None:
            value = taxonomy.generalize(value, 1)
            run.table.put(run.number, column, value)
            matching = _ranked_matching(run.table, node, value)
            run.steps.append(
                {
                    "action": "generalize",
                    "tuple": run.number,
                    "attribute": column,
                    "to": taxonomy.label(value),
                    "matching": matching,
                }
            )
        if tried_another and value is not None:
            continue
        if _id3_hide_g(run, node.branches[matching[0]]):
            return True
        if value is None:
            break
    run.table.put(run.number, column, own)
    run.steps.append({"action": "revert", "tuple": run.number, "attribute": column})
    return False


def _levels(run: _Run) -> list[Cell]:
    """The generalizations of the confidential value to try: from where the cell stands upward."""
    path = run.table.trees[run.target].path_up(run.actual)
    current = run.table.get(run.number, run.target)
    return path if current == run.actual else path[path.index(current) :]


def _suppress_g(run: _Run, work: Callable[[_Run, str], None]) -> tuple[str, _Run]:
    """Generalize the confidential value level by level until naive Bayes can be kept from predicting it."""
    for generalized in _levels(run):
        attempt = run.with_table(run.table.copy())
        attempt.table.put(run.number, run.target, generalized)
        posterior = attempt.posterior_g()
        if len(posterior) == 1:
            continue
        if not is_predicted(posterior, run.actual):
            return NOT_NEEDED, attempt
        if len(posterior) == 2 and not run.coin.go_on():
            return COIN_STOP, attempt
        if not attempt.draw(posterior):
            continue
        assert attempt.guess is not None
        work(attempt, attempt.guess)
        if not is_predicted(attempt.posterior_g(), run.actual):
            return SUPPRESSED, attempt
    return DELETED, run


def _suppress_by_decrease_g(run: _Run) -> tuple[str, _Run]:
    return _suppress_g(run, _decrease_g)


def _suppress_by_increase_g(run: _Run) -> tuple[str, _Run]:
    status, done = _suppress_g(run, _increase_g)
    if status == DELETED:
        run.steps.append({"action": "continue with DECP-G"})
        return _suppress_g(run, _decrease_g)
    return status, done


def _suppress_by_drop_g(run: _Run) -> tuple[str, _Run]:
    return _suppress_g(run, _drop_g)


def _hid3_g(run: _Run) -> tuple[str, _Run]:
    for generalized in _levels(run):
        attempt = run.with_table(run.table.copy())
        attempt.table.put(run.number, run.target, generalized)
        labels = run.table.leaves_below(run.target, generalized)
        if len(labels) == 1:
            continue
        tree = id3_tree(attempt.table, run.number, run.target, run.predictors, labels)
        if classify(attempt.table, run.number, tree) != run.actual:
            return NOT_NEEDED, attempt
        if len(labels) == 2 and not run.coin.go_on():
            return COIN_STOP, attempt
        if _id3_hide_g(attempt, tree):
            return SUPPRESSED, attempt
    return DELETED, run


def decp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DECP by generalization (Figure 4.4)."""
    status, done = _suppress_by_decrease_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def incp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """INCP by generalization (Figure 4.5)."""
    status, done = _suppress_by_increase_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def dropp_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP by generalization (Figure 4.6)."""
    status, done = _suppress_by_drop_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)


def hid3_g(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """HID3 by generalization (Figure 4.7). k is not used."""
    status, done = _hid3_g(_run(table, number, target, predictors, k, choices))
    return _finish(table, done, status)
