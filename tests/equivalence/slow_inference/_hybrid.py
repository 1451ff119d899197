"""Hybrids against both adversaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slow_inference._base import COIN_STOP, DELETED, MOST_ROUNDS, NOT_NEEDED, SUPPRESSED, Table
from slow_inference._choices import Choices
from slow_inference._delete import _decrease, _drop, _hid3, _increase, _suppress
from slow_inference._generalize import _hid3_g, _suppress_by_decrease_g, _suppress_by_drop_g, _suppress_by_increase_g
from slow_inference._models import id3_predicts, id3_predicts_g, nb_predicts, nb_predicts_g
from slow_inference._runs import Outcome, _deleted, _outcome, _Run, _run


def _in_place(work: Callable[[_Run, str], None]) -> Callable[[_Run], tuple[str, _Run]]:
    def suppress(run: _Run) -> tuple[str, _Run]:
        return _suppress(run, work), run

    return suppress


def _hid3_in_place(run: _Run) -> tuple[str, _Run]:
    return _hid3(run), run


_SECOND: dict[str, Callable[[_Run], tuple[str, _Run]]] = {
    "DECP": _in_place(_decrease),
    "INCP": _in_place(_increase),
    "DROPP": _in_place(_drop),
    "DECP-G": _suppress_by_decrease_g,
    "INCP-G": _suppress_by_increase_g,
    "DROPP-G": _suppress_by_drop_g,
}


def hybrid(
    table: Table,
    number: int,
    target: str,
    predictors: Sequence[str] | None = None,
    k: int | None = None,
    choices: Choices | None = None,
    second: str = "DECP",
) -> Outcome:
    """HID3 (HID3-G), then another algorithm on its output, again while either model predicts."""
    generalizes = second.endswith("-G")
    first: Callable[[_Run], tuple[str, _Run]] = _hid3_g if generalizes else _hid3_in_place
    nb, id3 = (nb_predicts_g, id3_predicts_g) if generalizes else (nb_predicts, id3_predicts)
    run = _run(table, number, target, predictors, k, choices)
    overall, guess = NOT_NEEDED, None
    for _ in range(MOST_ROUNDS):
        for algorithm in (first, _SECOND[second]):
            status, done = algorithm(run)
            if status == DELETED:
                return _deleted(table, number, run.steps)
            run, guess = done, done.guess or guess
            if status == COIN_STOP:
                return _outcome(COIN_STOP, table, run.table, run.steps)
            if status == SUPPRESSED:
                overall = SUPPRESSED
        asked = (run.table, number, target, run.actual, run.predictors)
        if not nb(*asked) and not id3(*asked):
            return _outcome(overall, table, run.table, run.steps, guess)
    return _deleted(table, number, run.steps)
