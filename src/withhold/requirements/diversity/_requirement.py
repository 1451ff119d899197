"""The diversity requirement."""

from math import ceil
from typing import Annotated, Literal

from pydantic import Field

from withhold.requirements._checked import checked
from withhold.requirements._names import Names
from withhold.requirements._sensitive import SensitiveRequirement

__all__ = ["Diversity"]


@checked
class Diversity(SensitiveRequirement):
    """Every group over these columns holds well-represented values of the sensitive column.

    It answers the outsider who finds a person's group and asks *what do they all have in common?*

    Examples
    --------
    >>> Diversity(columns=["age", "sex"], sensitive="diagnosis", l=3).model
    'distinct'
    """

    columns: Names
    """The columns that an outsider may know about a person."""
    sensitive: str
    """The sensitive column."""
    l: Annotated[float, Field(gt=1)]  # noqa: E741
    """How many well-represented values a group holds at least; a whole number unless the model is ``entropy``."""
    model: Literal["distinct", "entropy", "recursive"] = "distinct"
    """What well-represented means: different values; an entropy of at least that of `l` equally frequent ones; or the
    most frequent value less than `c` times as frequent as all from the `l`-th most frequent on together."""
    c: Annotated[float, Field(gt=0)] | None = None
    """For the recursive model: the factor."""
    informed: bool = False
    """Whether outsiders may know this policy; then groups are made without a look at what is sensitive …"""
    groups_of: Annotated[int, Field(ge=2, strict=True)] | None = None
    """… by their size alone: how many rows each holds at least. A release that breaks the promise is refused."""
    kind: Literal["diversity"] = "diversity"
    """The kind of requirement, as a policy file names it."""

    def __post_init__(self) -> None:
        SensitiveRequirement.__post_init__(self)
        if self.model != "entropy" and self.l != int(self.l):
            raise ValueError(f"`l` must be a whole number of at least 2 for the model {self.model}; got {self.l:g}.")
        if (self.model == "recursive") != (self.c is not None):
            raise ValueError('`c` goes with model = "recursive", which needs it.')

    @property
    def least_values(self) -> int:
        """By every model a group holds at least `l` different values."""
        return ceil(self.l)
