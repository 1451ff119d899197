"""Check a taxonomy against the column that it is for: every flaw at once, in sentences."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from withhold.errors import TaxonomyError
from withhold.table import Taxonomy

__all__ = ["Flaw", "check_taxonomy"]

SHOWN = 20
"""At most this many flaws of one file are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something about a taxonomy that its owner should know."""

    what: str
    """The sentence."""
    is_error: bool
    """Whether a release would be refused; else it is a remark."""

    def __str__(self) -> str:
        return self.what


def check_taxonomy(
    given: Taxonomy | str | Path, values: Iterable[str | None] = (), *, missing: Iterable[str] = ()
) -> list[Flaw]:
    """Return what is wrong with a taxonomy, and what is odd about it.

    Parameters
    ----------
    given
        A taxonomy, or a file: hierarchy CSV, nested TOML or JSON.
    values
        The values of its column; an empty list checks the tree alone.
    missing
        Texts that stand for a missing value; the taxonomy need not hold them.

    Returns
    -------
    Errors first: names without a value, two parents, values of the column that are missing. Then remarks: values that
    no row holds, groups of one value, paths of several lengths. No value of the column is shown.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": ["Bachelors"]}})
    >>> for flaw in check_taxonomy(tree, ["9th", "10th", "Masters"]):
    ...     print(flaw)
    1 of 3 distinct values of the column is missing from it.
    1 of its 3 values is held by no row.
    1 group holds one value only, so that it hides nothing: "University".
    """
    if isinstance(given, Taxonomy):
        tree = given
    else:
        path = Path(given)
        flaws = _of_file(path)
        try:
            tree = Taxonomy.read(path)
        except TaxonomyError as error:
            return flaws or [Flaw(what=str(error), is_error=True)]
    return [*_of_values(tree, list(values), frozenset(missing)), *_of_tree(tree)]


def _of_file(path: Path) -> list[Flaw]:
    """Return every line of a hierarchy CSV that contradicts an earlier one."""
    if path.suffix in (".json", ".toml"):
        return []
    try:
        text = path.read_text(encoding="utf-8-sig").rstrip()
    except (OSError, UnicodeDecodeError):
        return []
    delimiter = ";" if ";" in text.split("\n", 1)[0] else ","
    found: list[str] = []
    above: dict[str, tuple[str, int]] = {}
    leaves: dict[str, int] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter) if text else (), start=1):
        found += _of_line(row, number, above, leaves)
    groups = {parent for parent, _ in above.values()}
    found += [
        f'line {line}: "{leaf}" is a value and also a group of values.'
        for leaf, line in leaves.items()
        if leaf in groups
    ]
    more = [f"and {len(found) - SHOWN:,} more flaws."] if len(found) > SHOWN else []
    return [Flaw(what=f"{path.name}, {what}", is_error=True) for what in [*found[:SHOWN], *more]]


def _of_line(row: Sequence[str], number: int, above: dict[str, tuple[str, int]], leaves: dict[str, int]) -> list[str]:
    cells = list(row)
    while cells and not cells[-1].strip():
        cells.pop()
    if not cells:
        return [f"line {number}: is empty."]
    found = [
        f"line {number}: level {level} has no name." for level, cell in enumerate(cells, start=1) if not cell.strip()
    ]
    names = [name for i, name in enumerate(cells) if i == 0 or name != cells[i - 1]]
    if len(set(names)) < len(names):
        return [*found, f"line {number}: a name stands above itself."]
    if names[0] in leaves and above.get(names[0], ("", 0))[0] == (names[1] if len(names) > 1 else ""):
        found.append(f'line {number}: "{names[0]}" stands already in line {leaves[names[0]]}.')
    leaves.setdefault(names[0], number)
    for name, parent in pairwise(names):
        first, line = above.setdefault(name, (parent, number))
        if first != parent:
            found.append(f'line {number}: "{name}" has two parents: "{first}" in line {line}, here "{parent}".')
    return found


def _of_values(tree: Taxonomy, values: Sequence[str | None], missing: frozenset[str]) -> list[Flaw]:
    held = {value for value in values if value is not None and value not in missing}
    if not held:
        return []
    known = {leaf for leaf in tree.leaves if leaf is not None}
    n_missing, n_unused = len(held - known), len(known - held)
    found = []
    if n_missing:
        verb = "is" if n_missing == 1 else "are"
        blanks = {str(leaf).strip() for leaf in known}
        hint = (
            " They differ from it in blanks around them only." if all(v.strip() in blanks for v in held - known) else ""
        )
        what = f"{n_missing:,} of {len(held):,} distinct values of the column {verb} missing from it.{hint}"
        found.append(Flaw(what=what, is_error=True))
    if n_unused:
        verb = "is" if n_unused == 1 else "are"
        what = f"{n_unused:,} of its {len(known):,} values {verb} held by no row."
        found.append(Flaw(what=what, is_error=False))
    return found


def _of_tree(tree: Taxonomy) -> list[Flaw]:
    found = []
    inner = [node for node in range(1, tree.n_nodes) if node not in set(tree.leaf_nodes.tolist())]
    lonely = [str(tree.labels[node]) for node in inner if tree.last[node] - tree.first[node] == 1]
    if lonely:
        held = "1 group holds" if len(lonely) == 1 else f"{len(lonely):,} groups hold"
        hides = "it hides" if len(lonely) == 1 else "they hide"
        named = ", ".join(f'"{name}"' for name in lonely[:5]) + (" …" if len(lonely) > 5 else "")
        what = f"{held} one value only, so that {hides} nothing: {named}."
        found.append(Flaw(what=what, is_error=False))
    depths = sorted({int(tree.depth[leaf]) for leaf in tree.leaf_nodes.tolist()})
    if len(depths) > 1:
        shallow, deep = depths[0] + 1, depths[-1] + 1
        what = f'its values stand {shallow} to {deep} levels deep; recoding = "levels" counts levels from the root.'
        found.append(Flaw(what=what, is_error=False))
    if not inner:
        found.append(
            Flaw(
                what="it has no group between its values and its root: a value is published or withheld.",
                is_error=False,
            )
        )
    return found
