"""Several hidden cells at once, as printed: one value of one column in many rows, or many columns of one row."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from withhold._compiled import Array, compiled
from withhold.errors import DataError
from withhold.methods.inference._attempt import Attempt, delete_row
from withhold.methods.inference._generalize import deepest, n_may_climb
from withhold.methods.inference._posteriors import count_below, count_strictly_below, leads
from withhold.methods.inference._protection import Status
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._state import HIDDEN, State, change

__all__ = ["protect_columns", "protect_rows"]


Attempts = dict[int, Attempt]


@compiled
def run_shared(
    state: State, target: int, top: int, actual: int, column: int, node: int, low: int, over: int, n_may: int,
    rows: Array, guesses: Array, is_left: Array,
) -> None:  # fmt: skip
    """Put `over` into cells that hold `low` in rows of the actual class, while a row left to protect holds `node`."""
    for other in range(state.codes.shape[0]):
        if n_may <= 0:
            return
        if state.codes[other, target] != actual or state.codes[other, column] != low:
            continue
        is_carried = False
        for i in range(rows.size):
            is_carried = is_carried or (is_left[i] and state.codes[rows[i], column] == node)
        if not is_carried:
            return
        change(state, other, column, over)
        n_may -= 1
        for i in range(rows.size):
            if is_left[i]:
                is_left[i] = leads(state, rows[i], target, top, actual, guesses[i])


class SharedValue:
    """A value that rows to protect hold, as a candidate to be withheld from rows of the actual class."""

    def __init__(self, sheet: Sheet, left: Sequence[int], target: int, actual: int, column: int, node: int, level: int):
        state = sheet.state
        self.column, self.node = column, node
        self.low = sheet.climb(column, node, level - 1)
        self.over = sheet.climb(column, node, level) if sheet.generalizes else HIDDEN
        self.primary = sum(int(state.codes[row, column]) == node for row in left)
        self.secondary = Fraction(0)
        self.may_go = False
        if not sheet.generalizes:
            count = int(count_below(state, target, column, node, actual))
            self.secondary, self.may_go = Fraction(count), count > 1
        elif self.low >= 0 and self.over >= 0:
            held = int(count_below(state, target, column, self.low, actual))
            under = int(count_strictly_below(state, target, column, self.over, actual))
            self.may_go = int(n_may_climb(state, target, column, self.low, actual, level)) > 0
            if self.may_go:
                self.secondary = Fraction(held - 1, held) * Fraction(under, under - 1)

    @property
    def order(self) -> tuple[int, Fraction, int, int]:
        """What candidates are sorted by."""
        return (-self.primary, self.secondary, self.column, self.node)


def withhold_shared_values(
    sheet: Sheet, rows: Sequence[int], guesses: dict[int, int], target: int, top: int, actual: int, level: int
) -> list[int]:
    """Withhold values that the rows hold, those of most rows first; return the rows that are still predicted."""
    state = sheet.state
    is_left = np.ones(len(rows), dtype=bool)
    held = [
        (column, node)
        for column in range(state.codes.shape[1])
        if state.uses[target, column]
        for node in sorted({int(state.codes[row, column]) for row in rows} - {HIDDEN})
    ]
    shared = [SharedValue(sheet, rows, target, actual, column, node, level) for column, node in held]
    every = np.array(rows, dtype=np.int64)
    drawn = np.array([guesses[row] for row in rows], dtype=np.int64)
    for value in sorted((value for value in shared if value.may_go), key=lambda value: value.order):
        if sheet.generalizes:
            n_may = int(n_may_climb(state, target, value.column, value.low, actual, level))
        else:
            n_may = int(count_below(state, target, value.column, value.node, actual)) - 1
        run_shared(
            state, target, top, actual, value.column, value.node, value.low, value.over, n_may, every, drawn, is_left
        )  # fmt: skip
        if not is_left.any():
            break
    return [row for row, left in zip(rows, is_left.tolist(), strict=True) if left]


def delete_predicted(sheet: Sheet, statuses: dict[int, Status], tops: dict[int, int], target: int, actual: int) -> None:
    """Delete rows until none of those to protect is predicted."""
    while True:
        watched = [row for row, status in statuses.items() if status in ("suppressed", "not_needed")]
        exposed = [row for row in watched if sheet.is_predicted(row, target, tops[row], actual)]
        if not exposed:
            return
        for row in exposed:
            delete_row(sheet, row)
            statuses[row] = "deleted"


def protect_rows(sheet: Sheet, attempts: Sequence[Attempt]) -> list[Status]:
    """Protect one value of one column in several rows (e-DECP, e-DECP-G)."""
    target, actual = attempts[0].target, attempts[0].actual
    if any((attempt.target, attempt.actual) != (target, actual) for attempt in attempts):
        raise DataError("these cells must lie in one column and hold the same value. Hint: `protect` takes any cells.")
    by_row = {attempt.row: attempt for attempt in attempts}
    statuses: dict[int, Status] = {}
    tops = dict.fromkeys(by_row, HIDDEN)
    run = _protect_rows_g if sheet.generalizes else _protect_rows
    run(sheet, by_row, statuses, tops, target, actual)
    delete_predicted(sheet, statuses, tops, target, actual)
    return [statuses[attempt.row] for attempt in attempts]


def _protect_rows(
    sheet: Sheet,
    by_row: dict[int, Attempt],
    statuses: dict[int, Status],
    tops: dict[int, int],
    target: int,
    actual: int,
) -> None:
    for attempt in by_row.values():
        attempt.hide()
    guesses: dict[int, int] = {}
    for row, attempt in by_row.items():
        if not sheet.is_predicted(row, target, HIDDEN, actual):
            statuses[row] = "not_needed"
        elif attempt.stops(int(sheet.state.n_leaves[target])):
            statuses[row] = "coin_stop"
        else:
            statuses[row] = "suppressed"
            if attempt.draw(HIDDEN):
                guesses[row] = attempt.guess
    if guesses:
        withhold_shared_values(sheet, list(guesses), guesses, target, HIDDEN, actual, 1)


def _protect_rows_g(
    sheet: Sheet,
    by_row: dict[int, Attempt],
    statuses: dict[int, Status],
    tops: dict[int, int],
    target: int,
    actual: int,
) -> None:
    pending = list(by_row)
    drawn: set[int] = set()
    target_level = 1
    while pending and (top := sheet.climb(target, actual, target_level)) >= 0:
        target_level += 1
        for row in pending:
            sheet.put(row, target, top)
            tops[row] = top
        n_candidates = len(sheet.candidates(target, top))
        if n_candidates == 1:
            continue
        guesses: dict[int, int] = {}
        for level in range(1, int(deepest(sheet.state)) + 1):
            for row in list(pending):
                if not sheet.is_predicted(row, target, top, actual):
                    statuses[row] = "suppressed" if row in drawn else "not_needed"
                    pending.remove(row)
                elif level == 1:
                    attempt = by_row[row]
                    if attempt.stops(n_candidates):
                        statuses[row] = "coin_stop"
                        pending.remove(row)
                    elif attempt.draw(top):
                        guesses[row] = attempt.guess
                        drawn.add(row)
            left = [row for row in pending if row in guesses]
            if not left:
                break
            still = withhold_shared_values(sheet, left, guesses, target, top, actual, level)
            for row in left:
                if row not in still:
                    statuses[row] = "suppressed"
                    pending.remove(row)
    for row in pending:
        statuses[row] = "suppressed"  # unless it is predicted, and so deleted


def protect_columns(sheet: Sheet, attempts: Sequence[Attempt]) -> list[Status]:
    """Protect several columns of one row (e-DROPP, e-DROPP-G)."""
    row = attempts[0].row
    if any(attempt.row != row for attempt in attempts):
        raise DataError("these cells must lie in one row. Hint: `protect` takes any cells.")
    begin = attempts[0].begin
    by_target = {attempt.target: attempt for attempt in attempts}
    statuses: dict[int, Status] = dict.fromkeys(by_target, "not_needed")
    run = _protect_columns_g if sheet.generalizes else _protect_columns
    if not run(sheet, row, by_target, statuses):
        sheet.undo(begin)
        delete_row(sheet, row)
        return ["deleted"] * len(attempts)
    return [statuses[attempt.target] for attempt in attempts]


def _protect_columns(sheet: Sheet, row: int, by_target: dict[int, Attempt], statuses: dict[int, Status]) -> bool:
    state = sheet.state
    for attempt in by_target.values():
        attempt.hide()
    drawn: list[Attempt] = []
    for target, attempt in by_target.items():
        if sheet.is_predicted(row, target, HIDDEN, attempt.actual):
            if attempt.stops(int(state.n_leaves[target])):
                statuses[target] = "coin_stop"
                continue
            statuses[target] = "suppressed"
            if attempt.draw(HIDDEN):
                drawn.append(attempt)
    impacts: dict[int, Fraction] = {}
    for column in range(state.codes.shape[1]):
        node = int(state.codes[row, column])
        if node >= 0 and any(state.uses[a.target, column] for a in drawn):
            ratios = [
                _ratio(
                    Fraction(int(count_below(state, a.target, column, node, a.actual))),
                    Fraction(int(count_below(state, a.target, column, node, a.guess))),
                )
                for a in drawn
            ]
            impacts[column] = sum(ratios, Fraction(0)) / len(ratios)
    for column in sorted(impacts, key=lambda column: (-impacts[column], column)):
        if drawn and _is_above(sheet, row, HIDDEN, drawn):
            change(state, row, column, HIDDEN)
    watched = [a for a in by_target.values() if statuses[a.target] != "coin_stop"]
    return not any(sheet.is_predicted(row, a.target, HIDDEN, a.actual) for a in watched)


def _is_above(sheet: Sheet, row: int, top: int, attempts: Sequence[Attempt]) -> bool:
    return any(leads(sheet.state, row, a.target, top, a.actual, a.guess) for a in attempts)


LARGE = Fraction(10) ** 18


def _ratio(above: Fraction, below: Fraction) -> Fraction:
    """Return a ratio; above every other one where it is infinite."""
    return LARGE if below == 0 and above > 0 else above / below if below else Fraction(0)


def _protect_columns_g(sheet: Sheet, row: int, by_target: dict[int, Attempt], statuses: dict[int, Status]) -> bool:
    pending = list(by_target)
    tops: dict[int, int] = {}
    for target_level in range(1, int(deepest(sheet.state)) + 1):
        for target in pending:
            top = sheet.climb(target, by_target[target].actual, target_level)
            tops[target] = top if top >= 0 else sheet.root(target)
            sheet.put(row, target, tops[target])
        drawn: list[Attempt] = []
        for target in pending:
            attempt, top = by_target[target], tops[target]
            n_candidates = len(sheet.candidates(target, top))
            if n_candidates == 1 or not sheet.is_predicted(row, target, top, attempt.actual):
                continue
            if attempt.stops(n_candidates):
                statuses[target] = "coin_stop"
            elif attempt.draw(top):
                statuses[target] = "suppressed"
                drawn.append(attempt)
        _climb_shared(sheet, row, list(by_target), drawn, tops)
        pending = [
            target
            for target, attempt in by_target.items()
            if statuses[target] != "coin_stop"
            and (
                len(sheet.candidates(target, tops[target])) == 1
                or sheet.is_predicted(row, target, tops[target], attempt.actual)
            )
        ]
        if not pending:
            return True
    return False


def _climb_shared(
    sheet: Sheet, row: int, targets: Sequence[int], drawn: Sequence[Attempt], tops: dict[int, int]
) -> None:
    """Generalise cells of the row that are not hidden, level by level, by their mean impact.

    A cell climbs at the level that follows on where it stands, counted from its original value.
    """
    state = sheet.state

    def exposed() -> list[Attempt]:
        return [a for a in drawn if leads(state, row, a.target, tops[a.target], a.actual, a.guess)]

    for level in range(1, int(deepest(state)) + 1):
        left = exposed()
        impacts: dict[int, Fraction] = {}
        for column in range(state.codes.shape[1]):
            node = int(state.codes[row, column])
            stands_so = node == sheet.climb(column, int(sheet.actual[row, column]), level - 1)
            if column in targets or not stands_so or sheet.climb(column, node, 1) < 0:
                continue
            if left and any(state.uses[a.target, column] for a in left):
                ratios = [_climb_ratio(sheet, a, column, node) for a in left]
                impacts[column] = sum(ratios, Fraction(0)) / len(ratios)
        for column in sorted(impacts, key=lambda column: (-impacts[column], column)):
            if not left:
                return
            change(state, row, column, sheet.climb(column, int(state.codes[row, column]), 1))
            left = exposed()


def _climb_ratio(sheet: Sheet, attempt: Attempt, column: int, node: int) -> Fraction:
    """Return by how much a climb raises the guess against the actual class."""
    over = sheet.climb(column, node, 1)
    target, actual, guess = attempt.target, attempt.actual, attempt.guess
    above = sheet.updated(target, column, over, guess) * sheet.updated(target, column, node, actual)
    below = sheet.updated(target, column, node, guess) * sheet.updated(target, column, over, actual)
    return _ratio(above, below)
