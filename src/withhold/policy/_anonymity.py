"""The anonymity requirement."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from withhold.errors import InfeasibleError
from withhold.policy._checked import checked
from withhold.policy._names import Names

__all__ = ["Anonymity", "too_few_rows"]


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

    @property
    def masked(self) -> tuple[str, ...]:
        """The columns that may be masked: all."""
        return self.columns


def too_few_rows(columns: Sequence[str], k: int, n_rows: int, *, number: int = -1) -> InfeasibleError:
    """Return the error for a table that has fewer than `k` rows altogether."""
    where = f"require[{number}]: " if number >= 0 else ""
    return InfeasibleError(
        f"{where}anonymity over {', '.join(columns)} with k = {k} cannot be met: the table has only {n_rows} rows, "
        f"{k - n_rows} too few. Hint: lower k, or publish more rows together.",
        requirement=number,
        asked=k,
        reached=n_rows,
    )
