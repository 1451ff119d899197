"""Hybrids: HID3, then another algorithm on its output, again while either adversary predicts the cell."""

from withhold.methods.inference._attempt import Attempt
from withhold.methods.inference._protection import Status
from withhold.methods.inference._state import HIDDEN

__all__ = ["MOST_ROUNDS", "protect_from_both"]

MOST_ROUNDS = 10
"""How many rounds are run before the row is deleted: each algorithm may undo what the other reached."""


def protect_from_both(attempt: Attempt, name: str) -> Status:
    """Run HID3 and another algorithm in turn on a cell; delete its row where one fails, or after ten rounds."""
    sheet, row, target, actual = attempt.sheet, attempt.row, attempt.target, attempt.actual
    attempt.hide()
    overall: Status = "not_needed"
    top, level = HIDDEN, 1
    for _ in range(MOST_ROUNDS):
        for each in ("hid3", name):
            status, top = attempt.run(each, first=level)
            if status is None:
                return attempt.delete()
            level = sheet.levels_up(target, actual, top)
            if status == "coin_stop":
                attempt.publish(top)
                return status
            if status == "suppressed":
                overall = status
        if not (sheet.is_predicted(row, target, top, actual) or sheet.is_classified(row, target, top, actual)):
            attempt.publish(top)
            return overall
    return attempt.delete()
