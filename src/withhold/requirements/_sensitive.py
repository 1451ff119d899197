"""What diversity and closeness share: groups over some columns, and one sensitive column."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from withhold.requirements._base import Requirement
from withhold.requirements._names import Names

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["SensitiveRequirement"]


class SensitiveRequirement(Requirement):
    """A promise about the values that one column holds in the groups over others."""

    __slots__ = ()

    columns: Names
    sensitive: str

    def __post_init__(self) -> None:
        if self.sensitive in self.columns:
            raise ValueError(f'`columns` holds the sensitive column "{self.sensitive}" itself.')

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
