"""Hybrids: HID3, then another algorithm on its output, again while either adversary predicts the cell."""

from withhold.methods.inference._protection import Status
from withhold.methods.inference._single import Attempt
from withhold.methods.inference._state import HIDDEN

__all__ = ["MOST_ROUNDS", "protect_from_both"]

MOST_ROUNDS = 10


def protect_from_both(attempt: Attempt, name: str) -> Status:
    """Run HID3 and another algorithm in turn on a cell; delete its row where one fails, or after ten rounds."""
    sheet, row, target, actual = attempt.sheet, attempt.row, attempt.target, attempt.actual
    attempt.hide()
    overall: Status = "not_needed"
    top, level = HIDDEN, 1
    for _ in range(MOST_ROUNDS):
        for second in ("hid3", name):
            if not sheet.generalizes:
                status = attempt.id3() if second == "hid3" else attempt.bayes(second)
            else:
                status, top = _climb(attempt, second, level)
                level = _level(attempt, top) if status is not None else level
            if status is None:
                return attempt.delete()
            if status == "coin_stop":
                return _publish(attempt, top, status)
            if status == "suppressed":
                overall = status
        is_safe = not sheet.is_predicted(row, target, top, actual) and not sheet.is_classified(row, target, top, actual)
        if is_safe:
            return _publish(attempt, top, overall)
    return attempt.delete()


def _climb(attempt: Attempt, name: str, level: int) -> tuple[Status | None, int]:
    if name == "hid3":
        return attempt.climb(attempt.id3_g, first=level)
    status, top = attempt.climb(lambda top: attempt.bayes_g(name, top), first=level)
    if status is None and name == "incp":
        return attempt.climb(lambda top: attempt.bayes_g("decp", top), first=level)
    return status, top


def _level(attempt: Attempt, top: int) -> int:
    level = 0
    while attempt.sheet.climb(attempt.target, attempt.actual, level) != top:
        level += 1
    return level


def _publish(attempt: Attempt, top: int, status: Status) -> Status:
    if attempt.sheet.generalizes:
        attempt.sheet.put(attempt.row, attempt.target, top)
    return status
