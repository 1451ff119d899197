"""The anonymity requirement."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from withhold.errors import InfeasibleError, Mistake
from withhold.requirements._base import Requirement
from withhold.requirements._checked import checked
from withhold.requirements._names import Names

if TYPE_CHECKING:
    from withhold.policy import Policy
    from withhold.table import Table

__all__ = ["Anonymity", "too_few_rows"]

MOST_COLUMNS = 62
"""How many columns cells can be blanked over."""


@checked
class Anonymity(Requirement):
    """Every combination of values on these columns is shared by at least `k` rows.

    It answers the outsider who asks *who is this row?*

    With ``blanks="any"`` it is a weaker promise: a blank cell is read as any value. Then every published row may be
    the same as at least `k` rows, and one without a blank equals `k` rows. Single cells are blanked for it, nothing is
    coarsened.

    Where the policy names a `unit`, such as a household, `k` counts units: two rows of a unit never help each other.
    With `unit_k`, what all rows of a unit publish together is shared by that many units, so that people are not
    recognised by the rest of their household either.

    Examples
    --------
    >>> Anonymity(columns=["age", "sex"], k=50)
    Anonymity(columns=('age', 'sex'), k=50, blanks='value', kind='anonymity')
    >>> Anonymity(columns=["age", "sex"], k=3, blanks="any").says
    '3 people may share age, sex (a blank read as any value: weaker)'
    """

    reads_any = True

    columns: Names
    """The columns that an outsider may know about a person."""
    k: Annotated[int, Field(ge=2, strict=True)]
    """The smallest number of rows that may share a combination; at least 2."""
    blanks: Literal["value", "any"] = "value"
    """How a withheld cell counts: ``"value"``, as a value of its own; ``"any"``, as any value, a weaker promise."""
    unit_k: int | None = Field(default=None, ge=2, strict=True, repr=False)
    """The smallest number of units that may publish the same rows over `columns`; needs the policy's `unit`."""
    k_map: int | None = Field(default=None, ge=2, strict=True, repr=False)
    """Where the table is a sample: the smallest number of people of the population who may share a combination. They
    are counted in the policy's `population`, or estimated by its `weight` or `sample`."""
    individual_risk: float | None = Field(default=None, gt=0, le=1, repr=False)
    """Where the table is a sample: the largest chance that a row is linked to the right person of the population."""
    estimator: Literal["negative-binomial", "poisson"] = Field(default="negative-binomial", repr=False)
    """What estimates `individual_risk`: the method of Benedetti and Franconi, or a Poisson model."""
    kind: Literal["anonymity"] = "anonymity"
    """The kind of requirement, as a policy file names it."""

    @property
    def asks_of_population(self) -> bool:
        """Whether it asks for people of the population, and not of rows alone."""
        return self.k_map is not None or self.individual_risk is not None

    @property
    def refines(self) -> bool:
        """Groups steer a search, unless blanks are read as any value: then cells are blanked one by one."""
        return self.blanks == "value"

    @property
    def averages(self) -> bool:
        """Rows of a group share its means, so that k of them are alike."""
        return self.refines and self.unit_k is None and not self.asks_of_population

    @property
    def masked(self) -> tuple[str, ...]:
        """All its columns; none where cells are blanked one by one."""
        return self.columns if self.refines else ()

    @property
    def whole_units(self) -> int | None:
        """The larger of `unit_k` and `k`: units that look alike as a whole keep both."""
        return None if self.unit_k is None else max(self.unit_k, self.k)

    def touched(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return its columns."""
        return self.columns

    def guarded(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return its columns."""
        return self.columns

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield its columns."""
        yield from (("columns", name) for name in self.columns)

    def least_rows(self, column: str) -> int:
        """Return `k` for its columns: a rarer value would show that such a person is there."""
        return self.k if column in self.columns else 1

    def mistakes(self, table: "Table", policy: "Policy", number: int) -> Iterator[Mistake]:
        """Yield that there are too many columns, or that units cannot be counted."""
        if self.blanks == "any" and len(self.columns) > MOST_COLUMNS:
            what = f'must hold at most {MOST_COLUMNS} columns where blanks = "any"; got {len(self.columns)}.'
            yield Mistake(f"require[{number}].columns", what)
        if self.unit_k is not None and policy.unit is None:
            what = 'needs to know which rows belong together. Hint: unit = "COLUMN" at the top of the policy.'
            yield Mistake(f"require[{number}].unit_k", what)
        if self.unit_k is not None and policy.recoding != "local":
            yield Mistake(f"require[{number}].unit_k", 'is kept by local recoding alone. Hint: recoding = "local".')
        if policy.unit is not None and self.blanks == "any":
            what = 'counts rows, not units, where it is "any". Hint: blanks = "value", or no `unit`.'
            yield Mistake(f"require[{number}].blanks", what)
        if self.asks_of_population:
            from withhold.requirements.anonymity._population import population_mistakes

            yield from population_mistakes(self, table, policy, number)

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
