"""The anonymity requirement."""

from typing import Annotated, Literal

from pydantic import Field

from withhold.policy._checked import checked
from withhold.policy._names import Names

__all__ = ["Anonymity"]


@checked
class Anonymity:
    """Every combination of values on these columns is shared by at least `k` rows.

    It answers the outsider who asks *who is this row?*

    Examples
    --------
    >>> Anonymity(columns=["age", "sex"], k=50)
    Anonymity(columns=('age', 'sex'), k=50, kind='anonymity')
    """

    columns: Names
    """The columns that an outsider may know about a person."""
    k: Annotated[int, Field(ge=2, strict=True)]
    """The smallest number of rows that may share a combination; at least 2."""
    kind: Literal["anonymity"] = "anonymity"
    """The kind of requirement, as a policy file names it."""
