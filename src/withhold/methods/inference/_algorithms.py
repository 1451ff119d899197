"""The printed algorithms, each callable by itself on a `Table`; every call works on a fresh copy."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from withhold.methods.inference._choices import Choices, choices_from
from withhold.methods.inference._hybrid import protect_from_both
from withhold.methods.inference._many import attempts_of, protect_columns, protect_rows
from withhold.methods.inference._protection import Protection, Status, collect
from withhold.methods.inference._sheet import Sheet
from withhold.methods.inference._single import Attempt, as_sheet, check_cell, delete_row, protect_one
from withhold.table import Table

__all__ = [
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
Function = TypeVar("Function", bound=Callable[..., Any])

SHARED = """
    Parameters
    ----------
    table
        The table, or a `Sheet` made of it; it is not changed.
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
    A. A. Hintoğlu: Suppressing Microdata to Prevent Classification Based Inference, PhD thesis, 2011.
"""
CELLS = {
    "row": "row, column\n        The hidden cell; rows count from 0.",
    "rows": "rows, column\n        The hidden cells; all hold the same value.",
    "columns": "row, columns\n        The hidden cells of one row.",
}


def _documented(cells: str) -> Callable[[Function], Function]:
    """Put the section that all algorithms share behind the summary of a docstring."""

    def document(function: Function) -> Function:
        summary, _, examples = (function.__doc__ or "").partition("\n\n    Examples")
        function.__doc__ = f"{summary}\n{SHARED.format(cells=CELLS[cells])}\n    Examples{examples}"
        return function

    return document


def _single(
    run: Callable[[Attempt], Status],
    modify: str,
    table: Table | Sheet,
    row: int,
    column: str,
    predictors: Sequence[str] | None,
    degree: int | None,
    rng: Random,
) -> Protection:
    """Run an algorithm on one cell of a fresh copy."""
    sheet = as_sheet(table, modify=modify, predictors=predictors)
    target = sheet.place(column)
    check_cell(sheet, row, target)
    attempt = Attempt(sheet, row, target, degree=degree, choices=choices_from(rng))
    try:
        status = run(attempt)
        return collect(sheet, attempt.begin, [(row, target)], [status], [attempt.guess])
    finally:
        sheet.undo(attempt.begin)


def _several(
    run: Callable[[Sheet, Sequence[Attempt]], list[Status]],
    modify: str,
    table: Table | Sheet,
    cells: Sequence[tuple[int, str]],
    predictors: Sequence[str] | None,
    degree: int | None,
    rng: Random,
) -> Protection:
    """Run an algorithm on several cells of a fresh copy."""
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


@_documented("row")
def decp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Make the actual value less probable: blank values that other rows of its class share with the row (DECP).

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> decp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'suppressed'
    """
    return _single(lambda a: protect_one(a, "decp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def incp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Make other values more probable: blank the class of rows that have nothing in common with the row (INCP).

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> incp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'suppressed'
    """
    return _single(lambda a: protect_one(a, "incp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def dropp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Blank, in the row itself, what speaks for the actual value most and for the guess least (DROPP).

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> dropp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'suppressed'
    """
    return _single(lambda a: protect_one(a, "dropp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Blank values of the row so that ID3's tree leads it to another class (HID3).

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> hid3(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'deleted'
    """
    return _single(lambda a: protect_one(a, "hid3"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def decp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Make the actual value less probable by coarsening values of other rows of its class (DECP-G).

    Examples
    --------
    >>> from withhold import samples
    >>> decp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_one(a, "decp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def incp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Make other values more probable by coarsening the class of rows unlike the row (INCP-G).

    Examples
    --------
    >>> from withhold import samples
    >>> incp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_one(a, "incp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def dropp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Coarsen, in the row itself, what speaks for the actual value most (DROPP-G).

    Examples
    --------
    >>> from withhold import samples
    >>> dropp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_one(a, "dropp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Coarsen values of the row so that ID3's tree leads it to another class (HID3-G).

    Examples
    --------
    >>> from withhold import samples
    >>> hid3_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_one(a, "hid3"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_decp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3, then DECP on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> hid3_decp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'deleted'
    """
    return _single(lambda a: protect_from_both(a, "decp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_incp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3, then INCP on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> hid3_incp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'deleted'
    """
    return _single(lambda a: protect_from_both(a, "incp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_dropp(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3, then DROPP on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> hid3_dropp(samples.thesis_table1(), 1, "Diagnosis", predictors=symptoms, rng=1).status
    'deleted'
    """
    return _single(lambda a: protect_from_both(a, "dropp"), "delete", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_decp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3-G, then DECP-G on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> hid3_decp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_from_both(a, "decp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_incp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3-G, then INCP-G on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> hid3_incp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_from_both(a, "incp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("row")
def hid3_dropp_g(
    table: Table | Sheet,
    row: int,
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Run HID3-G, then DROPP-G on its output, again while either adversary predicts the cell.

    Examples
    --------
    >>> from withhold import samples
    >>> hid3_dropp_g(samples.thesis_table4(), 17, "Diagnosis", rng=1).status
    'coin_stop'
    """
    return _single(lambda a: protect_from_both(a, "dropp"), "generalize", table, row, column, predictors, degree, rng)


@_documented("rows")
def e_decp(
    table: Table | Sheet,
    rows: Sequence[int],
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Protect one value of one column in several rows together (e-DECP): values that most of them hold go first.

    Examples
    --------
    >>> from withhold import samples
    >>> symptoms = ["Indigestion", "Chest Pain", "Palpitation"]
    >>> e_decp(samples.thesis_table1(), [1, 7], "Diagnosis", predictors=symptoms, rng=1).statuses
    ('suppressed', 'suppressed')
    """
    cells = [(row, column) for row in rows]
    return _several(protect_rows, "delete", table, cells, predictors, degree, rng)


@_documented("rows")
def e_decp_g(
    table: Table | Sheet,
    rows: Sequence[int],
    column: str,
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Protect one value of one column in several rows together (e-DECP-G): values that most of them hold go first.

    Examples
    --------
    >>> from withhold import samples
    >>> e_decp_g(samples.thesis_table4(), [5, 17], "Diagnosis", rng=1).statuses
    ('not_needed', 'coin_stop')
    """
    cells = [(row, column) for row in rows]
    return _several(protect_rows, "generalize", table, cells, predictors, degree, rng)


@_documented("columns")
def e_dropp(
    table: Table | Sheet,
    row: int,
    columns: Sequence[str],
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Protect several columns of one row together (e-DROPP), by the mean impact of what is left in it.

    Examples
    --------
    >>> from withhold import samples
    >>> e_dropp(samples.thesis_table4(), 17, ["Diagnosis", "Burning"], rng=1).statuses
    ('suppressed', 'suppressed')
    """
    cells = [(row, column) for column in columns]
    return _several(protect_columns, "delete", table, cells, predictors, degree, rng)


@_documented("columns")
def e_dropp_g(
    table: Table | Sheet,
    row: int,
    columns: Sequence[str],
    *,
    predictors: Sequence[str] | None = None,
    degree: int | None = None,
    rng: Random = None,
) -> Protection:
    """Protect several columns of one row together (e-DROPP-G), by the mean impact of what is left in it.

    Examples
    --------
    >>> from withhold import samples
    >>> e_dropp_g(samples.thesis_table4(), 17, ["Diagnosis", "Burning"], rng=1).statuses
    ('deleted', 'deleted')
    """
    cells = [(row, column) for column in columns]
    return _several(protect_columns, "generalize", table, cells, predictors, degree, rng)


def nrd(table: Table | Sheet, row: int, column: str) -> Protection:
    """Delete the row: the baseline that every other algorithm is measured by (naive row deletion).

    Examples
    --------
    >>> from withhold import samples
    >>> nrd(samples.thesis_table1(), 1, "Diagnosis").n_changed
    7
    """

    def run(attempt: Attempt) -> Status:
        delete_row(attempt.sheet, attempt.row)
        return "deleted"

    modify = "generalize" if isinstance(table, Sheet) and table.generalizes else "delete"
    return _single(run, modify, table, row, column, None, None, None)
