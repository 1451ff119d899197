"""The closeness requirement."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from withhold.errors import Mistake
from withhold.requirements._checked import checked
from withhold.requirements._names import Names
from withhold.requirements._sensitive import SensitiveRequirement
from withhold.table import Numbers

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["Closeness"]


@checked
class Closeness(SensitiveRequirement):
    """In every group over these columns the sensitive column is distributed nearly as in the whole table.

    It answers the outsider who finds a person's group and asks *how does it differ from everybody?*

    Examples
    --------
    >>> Closeness(columns=["age", "sex"], sensitive="income", t=0.2).distance
    'equal'
    """

    columns: Names
    """The columns that an outsider may know about a person."""
    sensitive: str
    """The sensitive column."""
    t: Annotated[float, Field(gt=0, le=1)]
    """The largest distance between the distribution of a group and that of the table; above 0, at most 1."""
    distance: Literal["equal", "ordered", "taxonomy"] = "equal"
    """How far two values are apart: all as far; by their places in order; or by their common node in the taxonomy."""
    informed: bool = False
    """Whether outsiders may know this policy; then groups are made without a look at what is sensitive …"""
    groups_of: Annotated[int, Field(ge=2, strict=True)] | None = None
    """… by their size alone: how many rows each holds at least. A release that breaks the promise is refused."""
    kind: Literal["closeness"] = "closeness"
    """The kind of requirement, as a policy file names it."""

    def mistakes(self, table: "Table", policy: "Policy", number: int) -> Iterator[Mistake]:
        """Yield a distance along a taxonomy that a column of numbers does not have."""
        settings = policy.columns.get(self.sensitive)
        is_binned = settings is not None and settings.bins is not None
        if self.distance == "taxonomy" and isinstance(table.domain(self.sensitive), Numbers) and not is_binned:
            what = f'column "{self.sensitive}" holds numbers, which have an order and no taxonomy. Hint: "ordered".'
            yield Mistake(f"require[{number}].distance", what)
