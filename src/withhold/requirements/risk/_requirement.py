"""The requirement about the risk of single records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from withhold.requirements._base import Requirement
from withhold.requirements._checked import checked
from withhold.requirements._converted import Converted

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["Risk"]

MOST = 1e200
"""Risks below it stay finite, whatever an outsider knows."""
Share = Annotated[float, Field(ge=0, le=1)]
if TYPE_CHECKING:
    Shares = Converted[Mapping[str, float], dict[str, float]]
    Weights = Converted[Mapping[str, float | Mapping[str, float]], dict[str, float | dict[str, float]]]
else:
    Shares = Annotated[dict[str, Share], Field(min_length=1)]
    Weights = Annotated[dict[str, Share | dict[str, Share]], Field(min_length=1)]


@checked
class Risk(Requirement):
    """No record's disclosure risk, over everything an outsider may know, is above `at_most`.

    It answers the outsider who asks *who is exposed?* without saying which columns that outsider knows.

    Examples
    --------
    >>> Risk(known={"age": 0.05, "gender": 0.8}, sensitive={"dropout": {"Yes": 1.0}}, at_most=0.01).alpha
    100.0
    """

    shows = "exposure"

    known: Shares
    """For each column the chance that an outsider knows it; others are not known."""
    sensitive: Weights
    """For each sensitive column its weight, or the weights of its values."""
    at_most: Annotated[float, Field(ge=0, lt=MOST)]
    """The largest risk that a record may have."""
    alpha: Annotated[float, Field(gt=0, lt=MOST)] = 100.0
    """What the consequence of a disclosure is multiplied by."""
    until_safe: bool = True
    """Whether to go on until no record is above `at_most`; a single pass, as printed, may fail the check."""
    modify: Literal["delete", "generalize"] = "delete"
    """Whether cells are blanked, or climb along their taxonomies first."""
    informed: bool = False
    """Whether outsiders may know this policy; then nothing that is withheld depends on who holds a sensitive value."""
    most_withheld: Share = 0.5
    """The largest share of a column's cells that may be withheld for it; more is an error."""
    kind: Literal["risk"] = "risk"
    """The kind of requirement, as a policy file names it."""

    def __post_init__(self) -> None:
        if not any(chance > 0 for chance in self.known.values()):
            raise ValueError("`known` gives no column a chance above 0, so nothing could be disclosed.")
        if sum(chance > 0 for chance in self.known.values()) > 63:
            raise ValueError("`known` may give at most 63 columns a chance above 0.")
        if not any(weight if isinstance(weight, float) else any(weight.values()) for weight in self.sensitive.values()):
            raise ValueError("`sensitive` gives every value the weight 0, so nothing could be disclosed.")
        if self.informed and not any(self.known.get(name, 0.0) > 0 for name in {*self.known} - {*self.sensitive}):
            raise ValueError("`informed` needs a `known` column that is not sensitive itself.")

    @property
    def is_informed(self) -> bool:
        """Whether outsiders may know the policy."""
        return self.informed

    @property
    def why_rows(self) -> str:
        """Nothing, unless outsiders may know a column whose values are read as if each stood in one row alone."""
        alone = [name for name in self.sensitive if self.informed and self.known.get(name, 0.0) > 0]
        return f".informed reads each row by itself while `known` names the sensitive {alone[0]}" if alone else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names."""
        return tuple(dict.fromkeys([*self.known, *self.sensitive]))

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the columns that outsiders may know, and the sensitive ones."""
        yield from (("known", name) for name in self.known)
        yield from (("sensitive", name) for name in self.sensitive)

    def touched(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return all its columns."""
        return self.columns

    def linked_by(self, published: Sequence[str], policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the columns that are known with a chance above 0."""
        return tuple(name for name, chance in self.known.items() if chance > 0 and name in published)

    def guarded(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that outsiders may know."""
        return tuple(self.known)

    def sensitive_columns(self, policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the sensitive columns."""
        return tuple(self.sensitive)

    def sensitive_values(self) -> Iterator[tuple[str, str, str]]:
        """Yield the values with a weight."""
        for column, given in self.sensitive.items():
            for value, weight in given.items() if isinstance(given, dict) else ():
                if weight > 0:
                    yield "sensitive", column, value
