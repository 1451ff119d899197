"""Whether a target is a class or a number."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from withhold.errors import DataError, Mistake
from withhold.policy._column_settings import ColumnSettings
from withhold.policy._policy import Policy
from withhold.table import Table

__all__ = ["mistaken_target", "target_kind_of"]

MOST_CLASSES = 20
"""More different numbers than that are a number, and no classes, unless the policy says so."""


def target_kind_of(policy: Policy, table: Table) -> Literal["class", "number"] | None:
    """Return what is kept about the target; None where there is none.

    Examples
    --------
    >>> from withhold import Anonymity
    >>> table = Table.from_columns({"sex": ["f", "m"] * 15, "income": range(30)})
    >>> policy = Policy([Anonymity(columns=["sex"], k=5)], target="income")
    >>> target_kind_of(policy, table), target_kind_of(policy, table.with_domains({"income": table.flat("income")}))
    ('number', 'number')
    """
    if policy.target is None or policy.target_kind is not None:
        return None if policy.target is None else policy.target_kind
    settings = policy.columns.get(policy.target, ColumnSettings())
    is_typed = settings.type is None and settings.taxonomy is None and table.store.kind(policy.target) == "number"
    if settings.bins is not None or not (is_typed or settings.type == "number"):
        return "class"
    try:
        numbers = table.store.numbers(policy.target, missing=table.missing)
    except DataError:
        return "class"
    return "number" if np.unique(numbers[np.isfinite(numbers)]).size > MOST_CLASSES else "class"


def mistaken_target(policy: Policy, table: Table) -> Iterator[Mistake]:
    """Yield a mistake for a kind of target that the column has not."""
    if policy.target_kind is None or (policy.target is not None and policy.target not in table.names):
        return
    if policy.target is None:
        yield Mistake("target_kind", "needs a `target`.")
        return
    if policy.target_kind == "class":
        return
    settings = policy.columns.get(policy.target, ColumnSettings())
    if settings.type != "number" and (
        settings.type or settings.taxonomy or table.store.kind(policy.target) != "number"
    ):
        what = f'is "number", but column "{policy.target}" holds no numbers.'
        yield Mistake("target_kind", f'{what} Hint: columns.{policy.target}.type = "number", or target_kind = "class".')
    elif settings.bins is not None:
        what = f'is "number", but columns.{policy.target}.bins makes classes of it. Hint: leave one of them out.'
        yield Mistake("target_kind", what)
