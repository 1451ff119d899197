"""What a condition may consist of."""

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["DEEPEST", "FUNCTIONS", "Expression", "Kind", "Operation"]

Kind = Literal["whole", "decimal", "real", "text", "truth", "moment", "instant"]
"""What an expression gives: a whole number, one with an exact fraction, a floating-point one, a text, true or false, a
date or time, one with a time zone."""

Leaf = Literal["column", "text", "number", "truth", "moment"]
Predicate = Literal["and", "or", "not", "=", "<>", "<", "<=", ">", ">=", "in", "between", "like", "is null"]
Arithmetic = Literal["+", "-", "*", "/", "%", "negative"]
Function = Literal["abs", "coalesce", "contains", "length", "lower", "starts_with", "substr", "trim", "upper"]
Operation = Leaf | Predicate | Arithmetic | Function
"""The whole list of what a tree may hold."""

FUNCTIONS: dict[str, Function] = {
    "abs": "abs",
    "coalesce": "coalesce",
    "contains": "contains",
    "length": "length",
    "lower": "lower",
    "starts_with": "starts_with",
    "substr": "substr",
    "substring": "substr",
    "trim": "trim",
    "upper": "upper",
}
"""What a condition may call, by the names it may use."""

DEEPEST = 100
"""No tree is deeper, so that walks over it may recurse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A node of a condition's tree.

    Examples
    --------
    >>> Expression(operation="not", at=0, parts=(Expression(operation="truth", value="true", at=4),)).depth
    2
    """

    operation: Operation
    """What it does."""
    at: int
    """Where it stands in the condition, from 0."""
    parts: tuple["Expression", ...] = ()
    """What it does it with."""
    value: str = ""
    """The name of a column, the content of a text, the digits of a number, ``true`` or ``false``, an ISO moment."""
    kind: Kind | None = None
    """What it gives; known once it is bound to a table."""
    depth: int = field(init=False, repr=False, compare=False)
    """The number of nodes on the longest way down."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max((part.depth for part in self.parts), default=0))
