"""Why a cell of a release is what it is, for the owner."""

import json
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

from withhold._fingerprint import fingerprint
from withhold.engines import Reading, name_of, open_source
from withhold.errors import InputError, did_you_mean
from withhold.record import Record
from withhold.requirements import KINDS
from withhold.table import WITHHELD

__all__ = ["Explanation", "explain_cell", "explain_file"]

DEFAULTS = Reading()
MOST_NAMES = 20
"""How many columns a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a cell of a release is what it is; private to the owner."""

    row: int
    """The position of the row in the original, from 0."""
    column: str
    """The column."""
    was: str | None
    """What the original holds; None is missing."""
    published: str | None
    """What the release holds."""
    requirements: tuple[int, ...]
    """The numbers of the requirements that withhold it; empty where nothing is withheld."""
    steps: tuple[int, ...]
    """The steps of the search that gave back what is published, from 1."""
    says: str
    """The reason, in words."""
    is_dropped: bool = False
    """Whether the policy drops the column."""

    def __str__(self) -> str:
        shown = "an empty cell" if self.published is None else self.published
        done = "not published" if self.is_dropped else f"published as {shown}"
        return f"row {self.row}, column {self.column}: {done}. {self.says}"


def explain_cell(record: Record, *, row: int, column: str, was: str | None, published: str | None) -> Explanation:
    """Explain one cell from the private report of a release."""
    steps = _trace(record, column, published)
    numbers, says = _reason(record, row, column, was, published, steps)
    return Explanation(
        row=row,
        column=column,
        was=was,
        published=published,
        requirements=numbers,
        steps=steps,
        says=says,
        is_dropped=column in record.dropped,
    )


def explain_file(data: object, release: Path, *, row: int, column: str, reading: Reading = DEFAULTS) -> Explanation:
    """Explain a cell of a release from the files alone: the original, the release and its private report."""
    record = _load(release)
    if record.rows == "shuffle":
        what = "the rows of the release were shuffled, so no row of it can be found"
        hint = 'in Python `Release.explain` knows them; here release once more with rows = "keep", and explain that'
        raise InputError(f"{what}. Hint: {hint}.")
    original, made = open_source(data, reading=reading), open_source(release, reading=reading)
    try:
        if original.n_rows != made.n_rows:
            raise InputError(
                f"{release.name} has {made.n_rows} rows and {name_of(data)} {original.n_rows}: not its release."
            )
        check_cell(original.names, original.n_rows, row, column)
        was = original.values(column)[int(original.cells(column)[row])]
        published = None
        if column in made.names:
            published = made.values(column)[int(made.cells(column)[row])]
    finally:
        original.close()
        made.close()
    try:
        return explain_cell(record, row=row, column=column, was=was, published=published)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        raise _is_none(release) from None


def check_cell(names: tuple[str, ...], n_rows: int, row: int, column: str) -> None:
    """Refuse a cell that is not there."""
    if column not in names:
        listed = ", ".join(f'"{name}"' for name in names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        raise InputError(f'there is no column "{column}"{did_you_mean(column, names) or f"; there are: {listed}"}')
    if not 0 <= row < n_rows:
        raise InputError(f"row {row} is not there: rows are numbered from 0 to {n_rows - 1}.")


def _load(release: Path) -> Record:
    path = release.with_name(f"{release.name}.report.json")
    try:
        record = Record.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError:
        if not release.exists():
            raise InputError(f"{release.name}: there is no such file.") from None
        raise InputError(f"{path.name}: the private report is not beside the release, so nothing is known.") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _is_none(release) from None
    if record.sha256 != fingerprint(release):
        raise InputError(f"{path.name}: was made for another version of {release.name}, so it explains nothing of it.")
    return record


def _is_none(release: Path) -> InputError:
    return InputError(f"{release.name}.report.json: is not the private report of a release by this version.")


def _trace(record: Record, column: str, published: str | None) -> tuple[int, ...]:
    """Return the steps that led to a published value, by going back from it to the coarsest one."""
    found: list[int] = []
    value = published
    for number in range(len(record.steps), 0, -1):
        step = record.steps[number - 1]
        if step.column == column and value in step.children:
            found.append(number)
            value = step.value
    return tuple(reversed(found))


def _reason(
    record: Record, row: int, column: str, was: str | None, published: str | None, steps: tuple[int, ...]
) -> tuple[tuple[int, ...], str]:
    if column in record.dropped:
        return (), "The policy drops the column: it is never published."
    for reason in record.cells.get(column, ()):
        if _holds(reason.rows, row):
            number = reason.requirement
            if number < 0:
                return (), "The policy withholds missing cells of the column, with others."
            entry = record.requirements[number]
            return (number,), KINDS[entry.kind].words.because(entry.to_json(), number, reason.why)
    if column in record.cuts:
        return _of_column(record, column, was, published, steps)
    if record.regrouping is not None and record.regrouping.levels.get(column, 0) > 0 and published != was:
        numbers = tuple(i for i, each in enumerate(record.requirements) if column in each.columns)
        asked = "; ".join(record.requirements[i].says for i in numbers)
        return numbers, f"The whole column is published at level {record.regrouping.levels[column]}, so that: {asked}."
    if published != was and published is not None:
        how = "in bins, as means or rounded, as ages or with dates moved"
        return (), f"The policy publishes the column {how}, or each number in one spelling."
    return (), "No requirement withheld it: it is published as it was."


def _of_column(
    record: Record, column: str, was: str | None, published: str | None, steps: tuple[int, ...]
) -> tuple[tuple[int, ...], str]:
    back = f"Given back by {_steps(steps)}. " if steps else ""
    if published == was:
        return (), f"{back}Nothing is withheld."
    sought = _sought(record, column, was, published)
    for stop in record.stopped:
        if stop.column == column and stop.value in sought:
            return stop.requirements, f"{back}It is not finer, because {stop.why}."
    return (), f"{back}No finer value was on offer."


def _sought(record: Record, column: str, was: str | None, published: str | None) -> set[str | None]:
    """Return under which names the move that would make a cell finer may stand in the record.

    What is withheld reads as a star, or as nothing where a file types the column; its move is named by the value, or
    by what is coarsest of all where nothing of the column was given back.
    """
    if published not in (WITHHELD, None):
        return {published}
    is_missing = was is None or was in record.missing
    coarsest = record.cuts[column] if len(record.cuts[column]) == 1 else ()
    return {WITHHELD, "missing" if is_missing else was, *coarsest}


def _steps(numbers: tuple[int, ...]) -> str:
    listed = ", ".join(str(number) for number in numbers)
    return f"step {listed}" if len(numbers) == 1 else f"steps {listed}"


def _holds(rows: list[int], row: int) -> bool:
    place = bisect_left(rows, row)
    return place < len(rows) and rows[place] == row
