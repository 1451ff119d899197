"""Small tables written by hand, and what the oracle says of them."""

from typing import Any

from tests.equivalence.mixtures.oracle import violations

Rows = list[dict[str, str]]


def rows(names: str, *lines: str) -> Rows:
    """Return a table: names and cells stand between blanks, `_` is an empty cell, an interval is `[1,2)`."""
    cells = [["" if text == "_" else text.replace(",", ", ") for text in line.split()] for line in lines]
    return [dict(zip(names.split(), row, strict=True)) for row in cells]


def wrong(original: Rows, published: Rows, *require: dict[str, Any], **policy: Any) -> list[str]:
    return violations(original, published, {"require": list(require), **policy})
