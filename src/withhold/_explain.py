"""Why a cell of a release is what it is, for the owner."""

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold._fingerprint import fingerprint
from withhold.engines import open_source
from withhold.errors import InputError, did_you_mean
from withhold.table._decision import WITHHELD

__all__ = ["Explanation", "explain_cell", "explain_file"]


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


def explain_cell(
    report: Mapping[str, Any], *, row: int, column: str, was: str | None, published: str | None
) -> Explanation:
    """Explain one cell from the private report of a release."""
    steps = _trace(report, column, published)
    numbers, says = _reason(report, row, column, was, published, steps)
    return Explanation(
        row=row,
        column=column,
        was=was,
        published=published,
        requirements=numbers,
        steps=steps,
        says=says,
        is_dropped=column in report["dropped"],
    )


def explain_file(data: Path, release: Path, *, row: int, column: str) -> Explanation:
    """Explain a cell of a release from the files alone: the original, the release and its private report."""
    report = _load(release)
    if report["rows"] == "shuffle":
        what = "the rows of the release were shuffled, so no row of it can be found"
        hint = 'in Python `Release.explain` knows them; here release once more with rows = "keep", and explain that'
        raise InputError(f"{what}. Hint: {hint}.")
    original, made = open_source(data), open_source(release)
    try:
        if original.n_rows != made.n_rows:
            raise InputError(
                f"{release.name} has {made.n_rows} rows and {data.name} {original.n_rows}: not its release."
            )
        check_cell(original.names, original.n_rows, row, column)
        was = original.values(column)[int(original.cells(column)[row])]
        published = None
        if column in made.names:
            published = made.values(column)[int(made.cells(column)[row])]
    finally:
        original.close()
        made.close()
    return explain_cell(report, row=row, column=column, was=was, published=published)


def check_cell(names: tuple[str, ...], n_rows: int, row: int, column: str) -> None:
    """Refuse a cell that is not there."""
    if column not in names:
        listed = ", ".join(f'"{name}"' for name in names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        raise InputError(f'there is no column "{column}"{did_you_mean(column, names) or f"; there are: {listed}"}')
    if not 0 <= row < n_rows:
        raise InputError(f"row {row} is not there: rows are numbered from 0 to {n_rows - 1}.")


def _load(release: Path) -> dict[str, Any]:
    path = release.with_name(f"{release.name}.report.json")
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        if not release.exists():
            raise InputError(f"{release.name}: there is no such file.") from None
        raise InputError(f"{path.name}: the private report is not beside the release, so nothing is known.") from None
    except ValueError:
        report = None
    if not isinstance(report, dict) or "stopped" not in report:
        raise InputError(f"{path.name}: is not the private report of a release by this version.")
    if report.get("sha256") != fingerprint(release):
        raise InputError(f"{path.name}: was made for another version of {release.name}, so it explains nothing of it.")
    return report


def _trace(report: Mapping[str, Any], column: str, published: str | None) -> tuple[int, ...]:
    """Return the steps that led to a published value, by going back from it to the coarsest one."""
    found: list[int] = []
    value = published
    for number in range(len(report["steps"]), 0, -1):
        step = report["steps"][number - 1]
        if step["column"] == column and value in step["children"]:
            found.append(number)
            value = step["value"]
    return tuple(reversed(found))


def _reason(
    report: Mapping[str, Any],
    row: int,
    column: str,
    was: str | None,
    published: str | None,
    steps: tuple[int, ...],
) -> tuple[tuple[int, ...], str]:
    if column in report["dropped"]:
        return (), "The policy drops the column: it is never published."
    for entry in report["cells"].get(column, ()):
        if _holds(entry["rows"], row):
            return (entry["requirement"],), _of_cell(report, entry)
    if column in report["cuts"]:
        return _of_column(report, column, was, published, steps)
    if published != was and published is not None:
        return (), "The policy publishes the column in bins."
    return (), "No requirement withheld it: it is published as it was."


def _of_cell(report: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    number = entry["requirement"]
    if entry["why"] == "hidden":
        return f"require[{number}] hides this cell."
    if entry["why"] == "risk":
        at_most = report["requirements"][number]["asked"]["at_most"]
        return f"The record's risk was above {at_most:g} (require[{number}]), or would be without this blank."
    if entry["why"] == "deleted row":
        return f"The whole row was deleted: nothing less protected a hidden cell of it (require[{number}])."
    if report["requirements"][number].get("informed"):
        return f"With it an adversary named by require[{number}] would tell something of a hidden cell of this row."
    return f"With it an adversary named by require[{number}] would recover a hidden cell, in this row or another one."


def _of_column(
    report: Mapping[str, Any], column: str, was: str | None, published: str | None, steps: tuple[int, ...]
) -> tuple[tuple[int, ...], str]:
    back = f"Given back by {_steps(steps)}. " if steps else ""
    if published == was:
        return (), f"{back}Nothing is withheld."
    sought = _sought(report, column, was, published)
    for stop in report["stopped"]:
        if stop["column"] == column and stop["value"] in sought:
            return tuple(stop["requirements"]), f"{back}It is not finer, because {stop['why']}."
    return (), f"{back}No finer value was on offer."


def _sought(report: Mapping[str, Any], column: str, was: str | None, published: str | None) -> set[str | None]:
    """Return under which names the move that would make a cell finer may stand in the report.

    What is withheld reads as a star, or as nothing where a file types the column; its move is named by the value, or
    by what is coarsest of all where nothing of the column was given back.
    """
    if published not in (WITHHELD, None):
        return {published}
    is_missing = was is None or was in report.get("missing", ())
    coarsest = report["cuts"][column] if len(report["cuts"][column]) == 1 else ()
    return {WITHHELD, "missing" if is_missing else was, *coarsest}


def _steps(numbers: tuple[int, ...]) -> str:
    listed = ", ".join(str(number) for number in numbers)
    return f"step {listed}" if len(numbers) == 1 else f"steps {listed}"


def _holds(rows: list[int], row: int) -> bool:
    place = bisect_left(rows, row)
    return place < len(rows) and rows[place] == row
