"""The template requirement."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from withhold.errors import Mistake
from withhold.requirements._base import Requirement
from withhold.requirements._checked import checked
from withhold.requirements._converted import Converted, converted
from withhold.requirements._names import AnyNames, ListedNames, Names
from withhold.requirements._unread import check_unread, too_few_rows

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["Template"]


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {column: [values] if isinstance(values, str) else values for column, values in value.items()}


if TYPE_CHECKING:
    Hidden = Converted[Mapping[str, str | Sequence[str]], dict[str, tuple[str, ...]]]
else:
    Hidden = Annotated[dict[str, ListedNames], BeforeValidator(_as_lists), Field(min_length=1)]


@checked
class Template(Requirement):
    """No combination of values on the given columns implies a sensitive value with confidence above `at_most`.

    It answers the outsider who asks *what does this group of people imply?*

    Examples
    --------
    >>> Template(given=["job", "country"], hide={"bankruptcy": ["Discharged"]}, at_most=0.75).given
    ('job', 'country')
    """

    shows = "inferences"

    given: Names
    """The columns that an outsider may know about a group of people."""
    hide: Hidden
    """The sensitive values, by column."""
    at_most: Annotated[float, Field(gt=0, le=1, strict=True)]
    """The largest share of a group that may hold a sensitive value; above 0, at most 1."""
    keep: AnyNames = converted(())
    """Given columns that may not be masked."""
    informed: bool = False
    """Whether outsiders may know this policy; then groups are made without a look at what is sensitive …"""
    groups_of: Annotated[int, Field(ge=2, strict=True)] | None = None
    """… by their size alone: how many rows each holds at least. A release that breaks the promise is refused."""
    kind: Literal["template"] = "template"
    """The kind of requirement, as a policy file names it."""

    def __post_init__(self) -> None:
        own = next((column for column in self.hide if column in self.given), None)
        if own is not None:
            raise ValueError(f'`given` holds the sensitive column "{own}" itself.')
        stray = next((column for column in self.keep if column not in self.given), None)
        if stray is not None:
            raise ValueError(f'`keep` names "{stray}", which is not in `given`.')
        check_unread(self.informed, self.groups_of, self.keep)

    @property
    def is_informed(self) -> bool:
        """Whether outsiders may know the policy."""
        return self.informed

    def feasible(self, table: "Table", number: int) -> None:
        """Raise where the table is smaller than a group."""
        too_few_rows(table, self.groups_of, number)

    @property
    def columns(self) -> tuple[str, ...]:
        """The given columns."""
        return self.given

    @property
    def refines(self) -> bool:
        """Groups steer a search."""
        return True

    @property
    def masked(self) -> tuple[str, ...]:
        """The given columns that may be masked."""
        return tuple(column for column in self.given if column not in self.keep)

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """The sensitive values as pairs of column and value, in order."""
        return tuple((column, value) for column, values in self.hide.items() for value in values)

    @property
    def kept(self) -> tuple[str, ...]:
        """The given columns that may not be masked."""
        return self.keep

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the given and the sensitive columns."""
        yield from (("given", name) for name in self.given)
        yield from (("hide", name) for name in self.hide)

    def sensitive_columns(self, policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the columns of the sensitive values."""
        return tuple(self.hide)

    def sensitive_values(self) -> Iterator[tuple[str, str, str]]:
        """Yield the values to hide."""
        yield from (("hide", column, value) for column, value in self.terms)

    def mistakes(self, table: "Table", policy: "Policy", number: int) -> Iterator[Mistake]:
        """Yield sensitive values that do not occur; to the informed even that would reveal something."""
        if self.informed:
            return
        for column, values in self.hide.items():
            if column not in table.names:
                continue
            for value in values:
                if not table.holding(column, value).any():
                    what = f'the value "{value}" does not occur in the column. Hint: values are compared as text.'
                    yield Mistake(f"require[{number}].hide.{column}", what)
