"""The anonymity requirement."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from withhold.policy._checked import checked

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

    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    """The columns that an outsider may know about a person."""
    k: Annotated[int, Field(ge=2, strict=True)]
    """The smallest number of rows that may share a combination; at least 2."""
    kind: Literal["anonymity"] = "anonymity"
    """The kind of requirement, as a policy file names it."""

    @field_validator("columns")
    @classmethod
    def _each_once(cls, columns: tuple[str, ...]) -> tuple[str, ...]:
        twice = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
        if twice is not None:
            raise ValueError(f'names "{twice}" twice.')
        return columns
