"""Proves or refutes a release by brute force, from the definitions alone. Nothing of the package is used.

`violations` takes the original, the release and the policy as plain texts and dictionaries, and returns a sentence for
everything that is wrong. It is slow and meant for tables of a few dozen rows.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tests.equivalence.mixtures import cells, groups
from tests.equivalence.mixtures.groups import Cell, Requirement, Row, Tables, is_deleted
from tests.equivalence.mixtures.meaning import BLANKS, WITHHELD, Column

Policy = dict[str, Any]
MISSPELLED = "which is not its one spelling"
"""How a sentence ends where a value is published, but not as its one text."""
MOST_ORDERS = 200
"""In how many orders shuffled rows are looked at."""


def violations(original: Sequence[Row], published: Sequence[Row], policy: Policy) -> list[str]:
    """Return what is wrong with a release, in sentences; nothing if it keeps every promise.

    Parameters
    ----------
    original, published
        The rows as dictionaries from column to text, as `csv.DictReader` gives them.
    policy
        The policy as `tomllib` gives it, with taxonomies as nested dictionaries and hidden cells as pairs.
    """
    names = [name for name in original[0] if name not in policy.get("drop", ())]
    if any(list(row) != names for row in published):
        return [f"the columns are {list(published[0])}, not {names}"]
    if len(published) != len(original):
        return [f"there are {len(published)} rows, not {len(original)}"]
    if policy.get("rows") == "shuffle":
        return _shuffled(original, published, policy)
    return list(broken(original, published, policy, range(len(original))))


def _shuffled(original: Sequence[Row], published: Sequence[Row], policy: Policy) -> list[str]:
    """Return what is wrong in every order that the rows may have had.

    Where there are more orders than can be tried, only what does not depend on the order counts.
    """
    columns = columns_of(original, policy)
    fits = [
        [all(MISSPELLED in wrong for wrong in wrong_cells(row, was, columns, policy)) for was in original]
        for row in published
    ]
    tried = list(islice(orders(fits), MOST_ORDERS))
    if not tried:
        return ["the rows cannot be those of the original in another order"]
    for order in tried:
        found = list(broken(original, published, policy, order))
        if not found:
            return []
    if len(tried) == MOST_ORDERS:
        return list(broken(original, published, policy, tried[0], with_truth=False))
    return found


def orders(fits: list[list[bool]]) -> Iterator[list[int]]:
    """Yield the ways to give each published row an original of its own that it fits, as a list of originals."""
    options = {i: {j for j, fit in enumerate(row) if fit} for i, row in enumerate(fits)}

    def place(left: dict[int, set[int]], order: dict[int, int]) -> Iterator[list[int]]:
        if not left:
            yield [order[i] for i in range(len(fits))]
            return
        narrowest = min(left, key=lambda i: len(left[i]))
        for chosen in sorted(left[narrowest]):
            rest = {i: those - {chosen} for i, those in left.items() if i != narrowest}
            yield from place(rest, {**order, narrowest: chosen})

    yield from place(options, {})


def columns_of(original: Sequence[Row], policy: Policy) -> dict[str, Column]:
    settings, marks = policy.get("columns", {}), policy.get("missing", ())
    named = {
        cell
        for requirement in policy.get("require", ())
        if requirement["kind"] == "hidden"
        for cell in cells.named_cells(requirement, original)
    }
    return {
        name: Column(
            name,
            settings.get(name, {}),
            marks,
            [row[name] for row in original],
            [row for row, column in named if column == name],
        )
        for name in original[0]
    }


def wrong_cells(row: Row, was: Row, columns: dict[str, Column], policy: Policy) -> list[str]:
    """Return a sentence for each cell of a row that publishes neither what stood there nor something coarser."""
    if is_deleted(row):
        return []
    read, kept = columns_read(policy, list(row)), columns_kept(policy)
    wrong = []
    for name, text in row.items():
        column = columns[name]
        if name in kept:
            in_bin = column.bins is not None and column.may_replace(text, was[name]) and text != WITHHELD
            is_right = in_bin or text == column.value(was[name]) or is_withheld_throughout(row, policy)
        elif name in read:
            is_right = column.may_replace(text, was[name])
        else:
            is_right = text == was[name] or (column.bins is not None and column.may_replace(text, was[name]))
        if not is_right:
            is_same = name in read and text not in BLANKS and column.value(text) == column.value(was[name])
            what = MISSPELLED if is_same and column.bins is None else f"which is neither {was[name]!r} nor coarser"
            wrong.append(f"{name} is published as {text!r}, {what}")
    return wrong


def is_withheld_throughout(row: Row, policy: Policy) -> bool:
    """Return whether a row is one of the few that may be withheld in all columns that groups are counted over."""
    counted = {name for each in policy["require"] for key in ("columns", "given") for name in each.get(key, ())}
    return policy.get("most_rows_withheld", 0) > 0 and all(row[name] == WITHHELD for name in counted)


def columns_read(policy: Policy, published: list[str]) -> set[str]:
    """Return the columns that a requirement reads; others are published byte for byte."""
    found: set[str] = set()
    for requirement in policy["require"]:
        if requirement["kind"] == "hidden":
            found |= set(requirement.get("predictors", published))
            found |= {requirement["column"]} if "column" in requirement else {name for _, name in requirement["cells"]}
        for key in ("columns", "given", "hide", "known"):
            found |= set(requirement.get(key, ()))
        sensitive = requirement.get("sensitive", ())
        found |= {sensitive} if isinstance(sensitive, str) else set(sensitive)
    return found


def columns_kept(policy: Policy) -> set[str]:
    """Return the columns that no requirement may mask."""
    return {name for requirement in policy["require"] for name in requirement.get("keep", ())}


def broken(
    original: Sequence[Row], published: Sequence[Row], policy: Policy, order: Sequence[int], *, with_truth: bool = True
) -> Iterator[str]:
    """Yield each wrong cell and each broken promise, for an order of the rows: row `i` of the release was row `order[i]`.

    Without the truth, only what does not depend on the order is looked at.
    """
    place = {was: now for now, was in enumerate(order)}
    named = {
        number: [(place[row], name) for row, name in cells.named_cells(requirement, original)]
        for number, requirement in enumerate(policy["require"])
        if requirement["kind"] == "hidden"
    }
    unanswered: set[Cell] = {
        cell for number, those in named.items() if policy["require"][number].get("informed") for cell in those
    }
    aligned = [original[was] for was in order]
    columns = columns_of(original, policy)
    if with_truth:
        for i, (row, was) in enumerate(zip(published, aligned, strict=True)):
            yield from (f"row {i}: {wrong}" for wrong in wrong_cells(row, was, columns, policy))
    tables = Tables(aligned, published, columns, unanswered, with_truth=with_truth)
    for number, requirement in enumerate(policy["require"]):
        for sentence in _of_requirement(tables, requirement, named.get(number, [])):
            yield f"require[{number}] ({requirement['kind']}): {sentence}"


def _of_requirement(tables: Tables, requirement: Requirement, named: Sequence[Cell]) -> Iterator[str]:
    if requirement["kind"] == "hidden":
        return cells.hidden(tables, requirement, named) if tables.with_truth else iter(())
    check = {
        "anonymity": groups.anonymity,
        "template": groups.template,
        "diversity": groups.diversity,
        "closeness": groups.closeness,
        "risk": cells.risk,
    }[requirement["kind"]]
    return check(tables, requirement)


def all_withheld(original: Sequence[Row], policy: Policy) -> list[Row]:
    """Return the table with everything withheld that may be: kept columns stay as they stood."""
    columns, kept = columns_of(original, policy), columns_kept(policy)
    names = [name for name in original[0] if name not in policy.get("drop", ())]
    return [{name: columns[name].value(row[name]) if name in kept else WITHHELD for name in names} for row in original]


__all__ = ["all_withheld", "violations"]
