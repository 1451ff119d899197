"""What diversity and closeness share: groups over some columns, and one sensitive column."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from withhold.requirements._base import Requirement
from withhold.requirements._names import Names
from withhold.requirements._unread import check_unread, too_few_rows

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["SensitiveRequirement"]


class SensitiveRequirement(Requirement):
    """A promise about the values that one column holds in the groups over others."""

    __slots__ = ()

    columns: Names
    sensitive: str
    informed: bool
    groups_of: int | None

    def __post_init__(self) -> None:
        if self.sensitive in self.columns:
            raise ValueError(f'`columns` holds the sensitive column "{self.sensitive}" itself.')
        check_unread(self.informed, self.groups_of)

    @property
    def is_informed(self) -> bool:
        """Whether outsiders may know the policy."""
        return self.informed

    def feasible(self, table: "Table", number: int) -> None:
        """Raise where the table is smaller than a group."""
        too_few_rows(table, self.groups_of, number)

    @property
    def refines(self) -> bool:
        """Groups steer a search."""
        return True

    @property
    def masked(self) -> tuple[str, ...]:
        """All its columns but the sensitive one."""
        return self.columns

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield its columns, then the sensitive one."""
        yield from (("columns", name) for name in self.columns)
        yield "sensitive", self.sensitive

    def sensitive_columns(self, policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)
