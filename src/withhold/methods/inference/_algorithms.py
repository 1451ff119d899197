"""The printed algorithms, each callable by itself on a `Table`; every call works on a fresh copy."""

import inspect
from collections.abc import Callable, Sequence
from typing import Concatenate, NamedTuple, ParamSpec

import numpy as np

from withhold.methods.inference._attempt import Attempt, as_sheet, attempts_of, check_cell, delete_row, protect_one
from withhold.methods.inference._choices import Choices, choices_from
from withhold.methods.inference._hybrid import protect_from_both
from withhold.methods.inference._many import protect_columns, protect_rows
from withhold.methods.inference._protection import Protection, Status, collect
from withhold.methods.inference._sheet import Sheet
from withhold.table import Table

__all__ = [
    "ALGORITHMS",
    "decp",
    "decp_g",
    "dropp",
    "dropp_g",
    "e_decp",
    "e_decp_g",
    "e_dropp",
    "e_dropp_g",
    "hid3",
    "hid3_decp",
    "hid3_decp_g",
    "hid3_dropp",
    "hid3_dropp_g",
    "hid3_g",
    "hid3_incp",
    "hid3_incp_g",
    "incp",
    "incp_g",
    "nrd",
]

Random = int | np.random.Generator | Choices | None
Parameters = ParamSpec("Parameters")
Run = Callable[[Sheet, Sequence[Attempt]], list[Status]]


class Algorithm(NamedTuple):
    """What is printed, and of which parts it is made here."""

    run: Run
    """What protects the cells."""
    modify: str
    """``"delete"`` or ``"generalize"``."""
    printed: str
    """Where the thesis prints it."""
    does: str
    """What it does."""
    example: str
    """A call."""
    gives: str
    """What becomes of the cells of the example."""


def _alone(name: str) -> Run:
    """Return an algorithm for one cell as one for a list of it."""
    return lambda sheet, attempts: [protect_one(attempt, name) for attempt in attempts]


def _hybrid(name: str) -> Run:
    """Return HID3 in turn with an algorithm against naive Bayes."""
    return lambda sheet, attempts: [protect_from_both(attempt, name) for attempt in attempts]


_BLANKED = 'samples.thesis_table1(), {}, "Diagnosis", predictors=["Indigestion", "Chest Pain", "Palpitation"]'
_COARSENED = 'samples.thesis_table4(), {}, "Diagnosis"'
_TWO_COLUMNS = 'samples.thesis_table4(), 17, ["Diagnosis", "Burning"]'
_ONE, _ONE_G = _BLANKED.format(1), _COARSENED.format(17)
_TWO_ROWS, _TWO_ROWS_G = _BLANKED.format([1, 7]), _COARSENED.format([5, 17])

# fmt: off
ALGORITHMS = {
    "decp": Algorithm(
        _alone("decp"), "delete", "figure 3.2",
        "Make the actual value less probable: blank values that other rows of its class share with the row (DECP).",
        _ONE, "'suppressed'",
    ),
    "incp": Algorithm(
        _alone("incp"), "delete", "figure 3.3",
        "Make other values more probable: blank the class of rows that have nothing in common with the row (INCP).",
        _ONE, "'suppressed'",
    ),
    "dropp": Algorithm(
        _alone("dropp"), "delete", "figure 3.4",
        "Blank, in the row itself, what speaks for the actual value most and for the guess least (DROPP).",
        _ONE, "'suppressed'",
    ),
    "hid3": Algorithm(
        _alone("hid3"), "delete", "figure 3.5",
        "Blank values of the row so that ID3's tree leads it to another class (HID3).",
        _ONE, "'deleted'",
    ),
    "decp_g": Algorithm(
        _alone("decp"), "generalize", "figure 4.4",
        "Make the actual value less probable by coarsening values of other rows of its class (DECP-G).",
        _ONE_G, "'coin_stop'",
    ),
    "incp_g": Algorithm(
        _alone("incp"), "generalize", "figure 4.5",
        "Make other values more probable by coarsening the class of rows unlike the row (INCP-G).",
        _ONE_G, "'coin_stop'",
    ),
    "dropp_g": Algorithm(
        _alone("dropp"), "generalize", "figure 4.6",
        "Coarsen, in the row itself, what speaks for the actual value most (DROPP-G).",
        _ONE_G, "'coin_stop'",
    ),
    "hid3_g": Algorithm(
        _alone("hid3"), "generalize", "figure 4.7",
        "Coarsen values of the row so that ID3's tree leads it to another class (HID3-G).",
        _ONE_G, "'coin_stop'",
    ),
    "hid3_decp": Algorithm(
        _hybrid("decp"), "delete", "chapter 5",
        "Run HID3, then DECP on its output, again while either adversary predicts the cell.",
        _ONE, "'deleted'",
    ),
    "hid3_incp": Algorithm(
        _hybrid("incp"), "delete", "chapter 5",
        "Run HID3, then INCP on its output, again while either adversary predicts the cell.",
        _ONE, "'deleted'",
    ),
    "hid3_dropp": Algorithm(
        _hybrid("dropp"), "delete", "chapter 5",
        "Run HID3, then DROPP on its output, again while either adversary predicts the cell.",
        _ONE, "'deleted'",
    ),
    "hid3_decp_g": Algorithm(
        _hybrid("decp"), "generalize", "chapter 5",
        "Run HID3-G, then DECP-G on its output, again while either adversary predicts the cell.",
        _ONE_G, "'coin_stop'",
    ),
    "hid3_incp_g": Algorithm(
        _hybrid("incp"), "generalize", "chapter 5",
        "Run HID3-G, then INCP-G on its output, again while either adversary predicts the cell.",
        _ONE_G, "'coin_stop'",
    ),
    "hid3_dropp_g": Algorithm(
        _hybrid("dropp"), "generalize", "chapter 5",
        "Run HID3-G, then DROPP-G on its output, again while either adversary predicts the cell.",
        _ONE_G, "'coin_stop'",
    ),
    "e_decp": Algorithm(
        protect_rows, "delete", "figure 3.7",
        "Protect one value of one column in several rows together (e-DECP): values that most of them hold go first.",
        _TWO_ROWS, "('suppressed', 'suppressed')",
    ),
    "e_decp_g": Algorithm(
        protect_rows, "generalize", "figure 4.9",
        "Protect one value of one column in several rows together (e-DECP-G): values that most of them hold go first.",
        _TWO_ROWS_G, "('not_needed', 'coin_stop')",
    ),
    "e_dropp": Algorithm(
        protect_columns, "delete", "figure 3.8",
        "Protect several columns of one row together (e-DROPP), by the mean impact of what is left in it.",
        _TWO_COLUMNS, "('suppressed', 'suppressed')",
    ),
    "e_dropp_g": Algorithm(
        protect_columns, "generalize", "figure 4.10",
        "Protect several columns of one row together (e-DROPP-G), by the mean impact of what is left in it.",
        _TWO_COLUMNS, "('deleted', 'deleted')",
    ),
}
"""Every algorithm of the thesis but `nrd`, by the name of its function."""
# fmt: on

DOCSTRING = """{does}

    Parameters
    ----------
    table
        The table, or a `Sheet` made of it; it is not changed.
    {names}
        {cells}
    predictors
        The columns an outsider predicts from; all others where None.
    degree
        The random next best guess is drawn from the `degree` most probable values, the actual one counted; from all
        where None.
    rng
        A seed, a generator or `Choices`; the default is the system's secure source.

    Returns
    -------
    Protection
        Status, guess, changes and steps. Status ``deleted`` means that the algorithm failed: its changes are reverted
        and the whole row is blanked.

    References
    ----------
    A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011; {printed}.

    Examples
    --------
    >>> from withhold import samples
    >>> done = {name}({example}, rng=1)
    >>> done.{what}
    {gives}
    """


def _one_cell(
    algorithm: Algorithm,
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """The hidden cell; rows count from 0."""  # noqa: D401
    return _protect(
        algorithm.run, algorithm.modify, table, [(row, column)], predictors=predictors, degree=degree, rng=rng
    )


def _rows(
    algorithm: Algorithm,
    table: Table | Sheet,
    rows: Sequence[int],
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """The hidden cells; all hold the same value."""  # noqa: D401
    cells = [(row, column) for row in rows]
    return _protect(algorithm.run, algorithm.modify, table, cells, predictors=predictors, degree=degree, rng=rng)


def _columns(
    algorithm: Algorithm,
    table: Table | Sheet,
    row: int,
    columns: Sequence[str],
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """The hidden cells of one row."""  # noqa: D401
    cells = [(row, column) for column in columns]
    return _protect(algorithm.run, algorithm.modify, table, cells, predictors=predictors, degree=degree, rng=rng)


def _made(
    name: str, call: Callable[Concatenate[Algorithm, Parameters], Protection]
) -> Callable[Parameters, Protection]:
    """Return the algorithm of a name as a function of its own, with its docstring and signature."""
    algorithm = ALGORITHMS[name]

    def function(*args: Parameters.args, **options: Parameters.kwargs) -> Protection:
        return call(algorithm, *args, **options)

    whole = inspect.signature(call)
    parameters = list(whole.parameters.values())[1:]
    function.__signature__ = whole.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    what = "status" if call is _one_cell else "statuses"
    names = ", ".join(each.name for each in parameters[1:3])
    shared = {"name": name, "names": names, "cells": call.__doc__, "what": what}
    function.__doc__ = DOCSTRING.format(**shared, **algorithm._asdict())
    return function


def _protect(
    run: Run,
    modify: str,
    table: Table | Sheet,
    cells: Sequence[tuple[int, str]],
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run an algorithm on cells of a fresh copy."""
    sheet = as_sheet(table, modify=modify, predictors=predictors)
    places = [(row, sheet.place(column)) for row, column in cells]
    for row, target in places:
        check_cell(sheet, row, target)
    begin = sheet.mark
    attempts = attempts_of(sheet, places, degree=degree, choices=choices_from(rng))
    try:
        statuses = run(sheet, attempts)
        return collect(sheet, begin, places, statuses, [attempt.guess for attempt in attempts])
    finally:
        sheet.undo(begin)


decp = _made("decp", _one_cell)
incp = _made("incp", _one_cell)
dropp = _made("dropp", _one_cell)
hid3 = _made("hid3", _one_cell)
decp_g = _made("decp_g", _one_cell)
incp_g = _made("incp_g", _one_cell)
dropp_g = _made("dropp_g", _one_cell)
hid3_g = _made("hid3_g", _one_cell)
hid3_decp = _made("hid3_decp", _one_cell)
hid3_incp = _made("hid3_incp", _one_cell)
hid3_dropp = _made("hid3_dropp", _one_cell)
hid3_decp_g = _made("hid3_decp_g", _one_cell)
hid3_incp_g = _made("hid3_incp_g", _one_cell)
hid3_dropp_g = _made("hid3_dropp_g", _one_cell)
e_decp = _made("e_decp", _rows)
e_decp_g = _made("e_decp_g", _rows)
e_dropp = _made("e_dropp", _columns)
e_dropp_g = _made("e_dropp_g", _columns)


def nrd(table: Table | Sheet, row: int, column: str) -> Protection:
    """Delete the row: the baseline that every other algorithm is measured by (naive row deletion).

    Examples
    --------
    >>> from withhold import samples
    >>> nrd(samples.thesis_table1(), 1, "Diagnosis").n_changed
    7
    """

    def run(sheet: Sheet, attempts: Sequence[Attempt]) -> list[Status]:
        delete_row(sheet, row)
        return ["deleted"]

    modify = "generalize" if isinstance(table, Sheet) and table.generalizes else "delete"
    return _protect(run, modify, table, [(row, column)])
