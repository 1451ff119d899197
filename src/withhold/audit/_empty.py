"""The empty text, which adversaries read as unknown, as a value like any other."""

from withhold.table import Taxonomy

__all__ = ["EMPTY", "with_empty"]

EMPTY = "\x00"
"""Stands for the empty text, unless the policy says that it is missing."""


def with_empty(tree: Taxonomy) -> Taxonomy:
    """Return a taxonomy in which the empty text has the name that it has for adversaries.

    Examples
    --------
    >>> with_empty(Taxonomy.from_nested({"any": {"": {}, "flu": {}}})).labels[1] == EMPTY
    True
    """
    if "" not in tree.labels:
        return tree
    labels = [EMPTY if label == "" else label for label in tree.labels]
    return Taxonomy(tree.parent.tolist(), labels, source=tree.source)
