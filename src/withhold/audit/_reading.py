"""How the audit reads a cell: one way for checks and for attacks."""

from collections.abc import Iterable

from withhold.audit._empty import EMPTY, with_empty
from withhold.policy import Policy
from withhold.table import Table, Taxonomy, format_number
from withhold.table._decision import WITHHELD
from withhold.table._numbers import is_number

__all__ = ["given_tree", "plain", "tree_with"]


def plain(value: str | None, policy: Policy, *, is_numeric: bool) -> str | None:
    """Return a cell as text: None where it is missing, numbers in one form, the empty text by its own name."""
    if value is None or value in policy.missing:
        return None
    if value == "":
        return EMPTY
    return format_number(float(value)) if is_numeric and is_number(value) else value


def given_tree(original: Table, name: str) -> Taxonomy | None:
    """Return the taxonomy that a column was given."""
    domain = original.domain(name) if original.has_given_domain(name) else None
    return with_empty(domain) if isinstance(domain, Taxonomy) else None


def tree_with(tree: Taxonomy, texts: Iterable[str]) -> Taxonomy:
    """Return a taxonomy that knows these texts: one that it did not, as another tool may write, is a value of its own.

    Examples
    --------
    >>> tree_with(Taxonomy.flat(["cook"]), ["cook", "20-39", "*"]).leaves
    ('cook', '20-39')
    """
    foreign = sorted({*texts} - {*tree.labels, WITHHELD})
    if not foreign:
        return tree
    return Taxonomy([*tree.parent.tolist(), *[0] * len(foreign)], [*tree.labels, *foreign], source=tree.source)
