"""Trees to edit: built as `withhold taxonomy` builds them, or read from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from withhold.table import Table, Taxonomy
from withhold.taxonomies import By, taxonomy
from withhold.workbench._tree_editor import TreeEditor

__all__ = ["MAKERS", "from_file", "make_tree"]

HAND = "hand"
MAKERS = {
    "prefix": "By the first letters (postcodes, codes)",
    "intervals": "Numbers: round intervals",
    "quantiles": "Numbers: intervals with as many rows",
    "dates": "Dates: month, quarter, year",
    "frequency": "Rare values together",
    HAND: "By hand",
}
"""What can make a tree, and its name on the page."""


def make_tree(
    table: Table,
    column: str,
    values: Sequence[str],
    how: str,
    *,
    lengths: Sequence[int] = (),
    groups: int = 8,
    missing: Sequence[str] = (),
) -> TreeEditor:
    """Return a tree over the values of a column.

    Parameters
    ----------
    table, column, values
        The table, one of its columns, and the values of that.
    how
        A key of `MAKERS`.
    lengths
        For prefixes: how many letters each level has.
    groups
        For quantiles: how many intervals.
    missing
        Texts that stand for a missing value: they are put below the root.

    Examples
    --------
    >>> table = Table.from_columns({"zip": ["01234", "01267", "02111"]})
    >>> make_tree(table, "zip", ["01234", "01267", "02111"], "prefix", lengths=[3, 2]).paths()[0]
    ('01234', '012**', '01***', '*')
    """
    if how == HAND:
        return TreeEditor.over(column, values)
    chosen = list(lengths) if how == "prefix" and lengths else None
    made = taxonomy(table, column, by=cast(By, how), lengths=chosen, groups=groups, missing=missing)
    editor = TreeEditor.from_taxonomy(column, values, made)
    if not editor.coverage().ok:
        editor.cover()
    return editor


def from_file(column: str, values: Sequence[str], path: Path) -> TreeEditor:
    """Read a tree from a hierarchy CSV, TOML or JSON."""
    return TreeEditor.from_taxonomy(column, values, Taxonomy.read(path))
