"""What keeps a promise true while a release is made."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.table import Draft, Reason, Table

if TYPE_CHECKING:
    from withhold.methods.inference import Choices
    from withhold.policy import Policy
    from withhold.requirements._base import Requirement

__all__ = ["Guard", "Job"]

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """What all guards of a release share."""

    table: Table
    """The table, under the domains of the policy."""
    policy: "Policy"
    """What must hold."""
    draft: Draft
    """The release in the making."""
    choices: "Choices"
    """Where random choices come from."""
    hidden: Mapping[int, "NDArray[Any]"] = field(default_factory=dict)
    """For each requirement that hides cells, by its number, which ones; see `CELLS`."""

    def rows_hidden(self, column: str, *, informed: bool | None = None) -> NDArray[np.int64]:
        """Return the rows of a column that some requirement hides; `informed` keeps those of such requirements only."""
        found = [
            cells["row"][cells["column"] == self.table.names.index(column)]
            for number, cells in self.hidden.items()
            if informed is None or self.policy.require[number].is_informed == informed
        ]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


class Guard(ABC):
    """One requirement, under way.

    Parameters
    ----------
    job
        The release.
    number
        The place of the requirement in its policy.
    """

    turn: ClassVar[int] = 0
    """When it repairs: guards of single cells first, then those of groups, which can close ranks after them."""

    def __init__(self, job: Job, number: int) -> None:
        self.job = job
        self.number = number

    def begin(self) -> None:  # noqa: B027 - most kinds have nothing to do here
        """Withhold what is withheld whatever happens, before anything is given back."""

    @abstractmethod
    def repair(self, say: Say) -> bool:
        """Withhold until the promise holds on the draft as it stands; return whether anything changed."""

    @abstractmethod
    def entry(self) -> dict[str, Any]:
        """Return what the owner's record says of the requirement: asked, reached, and what was done for it."""

    @property
    def asked_of_search(self) -> "Requirement":
        """The requirement as a search from the top is steered by it; what that leaves open, `repair` closes."""
        return self.job.policy.require[self.number]

    def is_untouched(self) -> bool:
        """Return whether a search alone decided about its columns."""
        return True

    def figures(self) -> list[float]:
        """Return what is reached, counted on the draft."""
        return []

    def reached(self, figures: list[float]) -> dict[str, Any]:
        """Return what is reached as the record has it, and whether that is enough."""
        return {}

    def notes(self) -> list[str]:
        """Return what the owner should know."""
        return []

    def reason(self, why: str) -> Reason:
        """Return the reason for a change of a cell."""
        return Reason(self.number, why)
