"""The anonymity requirement."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from withhold.errors import InfeasibleError
from withhold.requirements._base import Requirement
from withhold.requirements._checked import checked
from withhold.requirements._names import Names

if TYPE_CHECKING:
    from withhold.table import Table

__all__ = ["Anonymity", "too_few_rows"]


@checked
class Anonymity(Requirement):
    """Every combination of values on these columns is shared by at least `k` rows.

    It answers the outsider who asks *who is this row?*

    Examples
    --------
    >>> Anonymity(columns=["age", "sex"], k=50)
    Anonymity(columns=('age', 'sex'), k=50, kind='anonymity')
    """

    refines = True
    reads_any = True

    columns: Names
    """The columns that an outsider may know about a person."""
    k: Annotated[int, Field(ge=2, strict=True)]
    """The smallest number of rows that may share a combination; at least 2."""
    kind: Literal["anonymity"] = "anonymity"
    """The kind of requirement, as a policy file names it."""

    @property
    def masked(self) -> tuple[str, ...]:
        """All its columns."""
        return self.columns

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield its columns."""
        yield from (("columns", name) for name in self.columns)

    def least_rows(self, column: str) -> int:
        """Return `k` for its columns: a rarer value would show that such a person is there."""
        return self.k if column in self.columns else 1

    def feasible(self, table: "Table", number: int) -> None:
        """Refuse a table with fewer than `k` rows."""
        if self.k > table.n_rows:
            raise too_few_rows(self.columns, self.k, table.n_rows, number=number)


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
