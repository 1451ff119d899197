"""Several confidential values: the e- versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from slow_inference._base import COIN_STOP, DELETED, NOT_NEEDED, SUPPRESSED, Number, Step, Table, changes_between
from slow_inference._choices import Choices, MostProbable, _Coin
from slow_inference._delete import _ratio
from slow_inference._generalize import _impact_counts, _impact_ratio, _may_generalize, _tuple_impact
from slow_inference._models import (
    _labelled,
    guess_candidates,
    is_predicted,
    nb_posterior,
    nb_posterior_g,
    nb_predicts,
    nb_predicts_g,
)
from slow_inference._runs import Outcome, _actual, _deleted, _predictors


def _several(statuses: list[str], before: Table, after: Table, steps: list[Step]) -> Outcome:
    """The outcome for several values; the overall status is the gravest."""
    overall = next(each for each in (DELETED, SUPPRESSED, COIN_STOP, NOT_NEEDED) if each in statuses)
    return Outcome(overall, after, changes_between(before, after), steps, None, statuses)


def _shown(posterior: dict[str, Fraction]) -> dict[str, str]:
    return {value: str(p) for value, p in posterior.items()}


def _same_actual(table: Table, numbers: Sequence[int], target: str) -> str:
    (actual,) = {_actual(table, number, target) for number in numbers}
    return actual


def _sorted_impacts(table: Table, impacts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Primary impact descending, secondary ascending, then attribute and value order."""
    return sorted(
        impacts,
        key=lambda each: (
            -each["primary"],
            each["secondary"],
            table.columns.index(each["attribute"]),
            table.value_order(each["attribute"], each["value"]),
        ),
    )


def e_decp(
    table: Table,
    numbers: Sequence[int],
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    literal: bool = False,
) -> Outcome:
    """DECP for tuples that share one confidential value (Figure 3.7).

    A value nobody left to protect carries is skipped unless `literal`.
    """
    choices = choices if choices is not None else MostProbable()
    actual = _same_actual(table, numbers, target)
    columns = _predictors(table, target, predictors)
    work = table.copy()
    steps: list[Step] = []
    for number in numbers:
        work.put(number, target, None)
    status: dict[int, str] = {}
    guess: dict[int, str] = {}
    for number in numbers:
        posterior = nb_posterior(work, number, target, columns)
        if not is_predicted(posterior, actual):
            status[number] = NOT_NEEDED
            continue
        if len(work.domains[target]) == 2 and not choices.coin():
            status[number] = COIN_STOP
            continue
        status[number] = SUPPRESSED  # unless it is deleted at the end
        candidates = guess_candidates(posterior, actual, k)
        if candidates:
            guess[number] = choices.pick(candidates, posterior)
            steps.append({"action": "rnbg", "tuple": number, "value": guess[number], "p": _shown(posterior)})
    left = list(guess)
    if left:
        _hide_shared_values(work, left, guess, target, actual, columns, steps, literal)
    _blank_the_predicted(work, status, target, actual, columns, steps, nb_predicts)
    return _several([status[number] for number in numbers], table, work, steps)


def _hide_shared_values(
    work: Table,
    left: list[int],
    guess: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    steps: list[Step],
    literal: bool,
) -> None:
    """Hide instances of the values of the tuples, those of most tuples first."""
    members = [number for number in work.numbers() if work.get(number, target) == actual]
    impacts: list[dict[str, Any]] = []
    for column in columns:
        for value in work.domains[column]:
            primary = sum(work.get(number, column) == value for number in left)
            secondary = sum(work.get(member, column) == value for member in members)
            if primary or literal:
                impacts.append({"attribute": column, "value": value, "primary": primary, "secondary": secondary})
    impacts = _sorted_impacts(work, impacts)
    steps.append({"action": "sorted", "values": impacts})
    for impact in impacts:
        column, value = impact["attribute"], impact["value"]
        for other in [member for member in members if work.get(member, column) == value][:-1]:
            carried = any(work.get(number, column) == value for number in left)
            if left and (carried or literal):
                work.put(other, column, None)
                left = [number for number in left if _is_above(work, number, target, actual, guess[number], columns)]
                steps.append({"action": "hide", "tuple": other, "attribute": column, "left": left})


def _is_above(table: Table, number: int, target: str, actual: str, guess: str, columns: Sequence[str]) -> bool:
    """Whether the actual value is still more probable than the guess, under deletion."""
    posterior = nb_posterior(table, number, target, columns)
    return posterior[actual] > posterior[guess]


def _is_above_g(table: Table, number: int, target: str, actual: str, guess: str, columns: Sequence[str]) -> bool:
    """Whether the actual value is still more probable than the guess, under generalization."""
    posterior = nb_posterior_g(table, number, target, columns)
    return posterior[actual] > posterior[guess]


def _blank_the_predicted(
    work: Table,
    status: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    steps: list[Step],
    predicts: Callable[[Table, int, str, str, Sequence[str]], bool],
) -> None:
    """Delete tuples until none of those to protect is predicted."""
    while True:
        watched = [number for number in status if status[number] in (SUPPRESSED, NOT_NEEDED)]
        exposed = [number for number in watched if predicts(work, number, target, actual, columns)]
        if not exposed:
            return
        for number in exposed:
            work.blank(number)
            status[number] = DELETED
            steps.append({"action": "delete tuple", "tuple": number})


def e_dropp(
    table: Table,
    number: int,
    targets: Sequence[str],
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP for several confidential values of one tuple (Figure 3.8)."""
    choices = choices if choices is not None else MostProbable()
    actual = {target: _actual(table, number, target) for target in targets}
    columns = table.in_order(predictors if predictors is not None else table.columns)
    work = table.copy()
    steps: list[Step] = []
    for target in targets:
        work.put(number, target, None)
    status: dict[str, str] = {}
    guess: dict[str, str] = {}
    for target in targets:
        posterior = nb_posterior(work, number, target, columns)
        if not is_predicted(posterior, actual[target]):
            status[target] = NOT_NEEDED
            continue
        if len(work.domains[target]) == 2 and not choices.coin():
            status[target] = COIN_STOP
            continue
        status[target] = SUPPRESSED  # unless the tuple is deleted at the end
        candidates = guess_candidates(posterior, actual[target], k)
        if candidates:
            guess[target] = choices.pick(candidates, posterior)
            steps.append({"action": "rnbg", "attribute": target, "value": guess[target], "p": _shown(posterior)})
    if guess:
        impact: dict[str, Number] = {}
        for column in columns:
            own = work.get(number, column)
            if own is not None:
                ratios = []
                for target in guess:
                    held = [work.get(other, column) == own for other in _labelled(work, number, target, actual[target])]
                    others = [
                        work.get(other, column) == own for other in _labelled(work, number, target, guess[target])
                    ]
                    ratios.append(_ratio(Fraction(sum(held)), Fraction(sum(others))))
                impact[column] = sum(ratios) / len(ratios)
        order = sorted(impact, key=lambda column: -impact[column])
        steps.append({"action": "sorted", "impact": {column: str(impact[column]) for column in order}})
        for column in order:
            work.put(number, column, None)
            left = [
                target for target in guess if _is_above(work, number, target, actual[target], guess[target], columns)
            ]
            steps.append({"action": "hide", "tuple": number, "attribute": column, "left": left})
            if not left:
                break
    watched = [target for target in targets if status[target] != COIN_STOP]
    if any(nb_predicts(work, number, target, actual[target], columns) for target in watched):
        steps.append({"action": "delete tuple", "tuple": number})
        gone = _deleted(table, number, steps)
        return _several([DELETED] * len(targets), table, gone.table, steps)
    return _several([status[target] for target in targets], table, work, steps)


def e_decp_g(
    table: Table,
    numbers: Sequence[int],
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    literal: bool = False,
) -> Outcome:
    """DECP-G for tuples that share one confidential value (Figure 4.9)."""
    choices = choices if choices is not None else MostProbable()
    actual = _same_actual(table, numbers, target)
    columns = _predictors(table, target, predictors)
    work = table.copy()
    steps: list[Step] = []
    coins = {number: _Coin(choices) for number in numbers}
    status: dict[int, str] = {}
    drawn: set[int] = set()  # tuples that ever had a guess
    pending = list(numbers)
    deepest = max(tree.depth() for tree in work.trees.values())
    for generalized in work.trees[target].path_up(actual):
        if not pending:
            break
        for number in pending:
            work.put(number, target, generalized)
        candidates_here = work.leaves_below(target, generalized)
        if len(candidates_here) == 1:
            continue
        guess: dict[int, str] = {}
        for level in range(1, deepest + 1):
            for number in list(pending):
                posterior = nb_posterior_g(work, number, target, columns)
                if not is_predicted(posterior, actual):
                    status[number] = SUPPRESSED if number in drawn else NOT_NEEDED
                    pending.remove(number)
                elif level == 1:
                    if len(candidates_here) == 2 and not coins[number].go_on():
                        status[number] = COIN_STOP
                        pending.remove(number)
                        continue
                    candidates = guess_candidates(posterior, actual, k)
                    if candidates:
                        guess[number] = choices.pick(candidates, posterior)
                        drawn.add(number)
                        steps.append({"action": "rnbg", "value": guess[number], "candidates": candidates})
            left = [number for number in pending if number in guess]
            if not left:
                break
            protected = _generalize_shared_values(work, left, guess, target, actual, columns, level, steps, literal)
            for number in protected:
                status[number] = SUPPRESSED
                pending.remove(number)
    for number in pending:
        status[number] = SUPPRESSED  # unless it is predicted
    _blank_the_predicted(work, status, target, actual, columns, steps, nb_predicts_g)
    return _several([status[number] for number in numbers], table, work, steps)


def _generalize_shared_values(
    work: Table,
    left: list[int],
    guess: dict[int, str],
    target: str,
    actual: str,
    columns: Sequence[str],
    level: int,
    steps: list[Step],
    literal: bool,
) -> list[int]:
    """Generalize instances of the values of the tuples at one level. Returns the tuples that are protected now."""
    started = list(left)
    members = [number for number in work.numbers() if work.get(number, target) == actual]
    impacts: list[dict[str, Any]] = []
    for column in columns:
        taxonomy = work.trees[column]
        for value in taxonomy.nodes():
            primary = sum(work.get(number, column) == value for number in left)
            counts = _impact_counts(work, members, column, value, level)
            reachable = taxonomy.generalize(value, level - 1) is not None and _may_generalize(counts, level)
            if reachable and (primary or (literal and taxonomy.is_leaf(value))):
                secondary = _impact_ratio(counts)
                impacts.append({"attribute": column, "value": value, "primary": primary, "secondary": secondary})
    for impact in _sorted_impacts(work, impacts):
        column, value = impact["attribute"], impact["value"]
        taxonomy = work.trees[column]
        low, high = taxonomy.generalize(value, level - 1), taxonomy.generalize(value, level)
        if not _may_generalize(_impact_counts(work, members, column, value, level), level):
            continue
        tuples = [member for member in members if work.get(member, column) == low]
        for other in tuples[:-1] if level == 1 else tuples:
            carried = any(work.get(number, column) == value for number in left)
            if left and (carried or literal):
                work.put(other, column, high)
                left = [number for number in left if _is_above_g(work, number, target, actual, guess[number], columns)]
                steps.append(
                    {
                        "action": "generalize",
                        "tuple": other,
                        "attribute": column,
                        "to": taxonomy.label(high),
                        "left": left,
                    }
                )
    return [number for number in started if number not in left]


def e_dropp_g(
    table: Table,
    number: int,
    targets: Sequence[str],
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
) -> Outcome:
    """DROPP-G for several confidential values of one tuple (Figure 4.10)."""
    choices = choices if choices is not None else MostProbable()
    actual = {target: _actual(table, number, target) for target in targets}
    columns = table.in_order(predictors if predictors is not None else table.columns)
    work = table.copy()
    steps: list[Step] = []
    coins = {target: _Coin(choices) for target in targets}
    status = dict.fromkeys(targets, NOT_NEEDED)
    deepest = max(tree.depth() for tree in work.trees.values())
    pending = list(targets)
    for target_level in range(1, deepest + 1):
        for target in pending:
            work.put(number, target, work.trees[target].generalize(actual[target], target_level))
        guess: dict[str, str] = {}
        for target in pending:
            posterior = nb_posterior_g(work, number, target, columns)
            if len(posterior) == 1 or not is_predicted(posterior, actual[target]):
                continue
            if len(posterior) == 2 and not coins[target].go_on():
                status[target] = COIN_STOP
                continue
            candidates = guess_candidates(posterior, actual[target], k)
            if candidates:
                guess[target] = choices.pick(candidates, posterior)
                status[target] = SUPPRESSED  # unless the tuple is deleted at the end
                steps.append({"action": "rnbg", "value": guess[target], "candidates": candidates})
        _drop_shared_g(table, work, number, targets, actual, guess, columns, deepest, steps)
        pending = [
            target
            for target in targets
            if status[target] != COIN_STOP and nb_predicts_g(work, number, target, actual[target], columns)
        ]
        if not pending:
            return _several([status[target] for target in targets], table, work, steps)
    steps.append({"action": "delete tuple", "tuple": number})
    gone = _deleted(table, number, steps)
    return _several([DELETED] * len(targets), table, gone.table, steps)


def _drop_shared_g(
    before: Table,
    work: Table,
    number: int,
    targets: Sequence[str],
    actual: dict[str, str],
    guess: dict[str, str],
    columns: Sequence[str],
    deepest: int,
    steps: list[Step],
) -> None:
    """Generalize cells of the tuple that are not confidential, level by level, by their average impact.

    A cell climbs at the level that follows on where it stands, counted from its original value.
    """

    def exposed() -> list[str]:
        return [target for target in guess if _is_above_g(work, number, target, actual[target], guess[target], columns)]

    for level in range(1, deepest + 1):
        left = exposed()
        if not left:
            return
        impact: dict[str, Number] = {}
        for column in columns:
            current = work.get(number, column)
            low = work.trees[column].generalize(before.get(number, column), level - 1)
            if column not in targets and current is not None and current == low:
                ratios = [
                    _tuple_impact(work, number, target, actual[target], guess[target], column)[1] for target in left
                ]
                impact[column] = sum(ratios) / len(ratios)
        for column in sorted(impact, key=lambda each: -impact[each]):
            taxonomy = work.trees[column]
            high = taxonomy.generalize(work.get(number, column), 1)
            work.put(number, column, high)
            left = exposed()
            steps.append(
                {
                    "action": "generalize",
                    "tuple": number,
                    "attribute": column,
                    "to": taxonomy.label(high),
                    "left": left,
                }
            )
            if not left:
                return
