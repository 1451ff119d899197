"""What a policy says about a column."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator

from withhold.requirements import Converted, checked, converted
from withhold.table import Taxonomy
from withhold.taxonomies import is_date_format

__all__ = ["ColumnSettings", "Mask"]

Mask = Literal["generalize", "suppress"]


def _as_taxonomy(value: object) -> object:
    return Taxonomy.from_nested(value) if isinstance(value, dict) else value


def _as_code(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(int(value)) if float(value).is_integer() else str(value)


def _as_day(value: object) -> object:
    return value.isoformat() if type(value) is date else value


if TYPE_CHECKING:
    TaxonomyField = Converted[str | Taxonomy | Mapping[str, Any] | None, str | Taxonomy | None]
    Bins = Converted[int | Sequence[float] | None, int | tuple[float, ...] | None]
    Codes = Converted[Sequence[str | float], tuple[str, ...]]
    Edges = Converted[Sequence[float] | Literal["exact"] | None, tuple[float, ...] | Literal["exact"] | None]
else:
    TaxonomyField = Annotated[
        str | Taxonomy | None,
        BeforeValidator(_as_taxonomy),
        WithJsonSchema({"type": "string", "description": "A taxonomy file, relative to the policy file."}),
    ]
    Bins = Annotated[int, Field(ge=2, strict=True)] | tuple[float, ...] | None
    Codes = tuple[Annotated[str, BeforeValidator(_as_code)], ...]
    Edges = tuple[float, ...] | Literal["exact"] | None


@checked
class ColumnSettings:
    """How a column may be coarsened.

    Examples
    --------
    >>> ColumnSettings(type="number", range=(0, 120)).range
    (0.0, 120.0)
    """

    taxonomy: TaxonomyField = converted(None)
    """A taxonomy file, relative to the policy file; in Python also a `Taxonomy` or nested dictionaries."""
    type: Literal["number", "category", "date"] | None = None
    """Whether the column holds numbers or dates. Text files are read as text, so such a column must say so. Dates are
    coarsened to months, quarters, years, five years and decades."""
    format: str | None = None
    """How dates are written, where that is not ISO: ``"%d.%m.%Y"``."""
    age_at: Annotated[str | None, BeforeValidator(_as_day)] = None
    """For dates of birth in a column with ``type = "number"``: it is read, and published, as the age in whole years on
    this day (``"2024-12-31"``), or on the day in this column."""
    shift: Annotated[int, Field(ge=1, strict=True)] | None = None
    """For dates: each is moved by a random number of days, at most this many; all dates of a unit by the same number,
    so that the days between them stay."""
    missing_codes: Codes = converted(())
    """Values of the column that stand for a missing answer, such as ``["-8", "9999", "unknown"]``: they are read as
    missing cells, and published as such."""
    mask: Mask | None = None
    """How the column is masked: along its taxonomy, or by withholding values and disclosing them one by one."""
    range: Annotated[tuple[float, float] | None, Field(default=None)] = None
    """The published lower and upper bound of a number column; without one the outermost intervals are open."""
    bins: Bins = converted(None)
    """For requirements about single cells, which need categories: this many quantile bins of it, or edges."""
    publish: Literal["interval", "midpoint", "mean"] = "interval"
    """Whether a bin is published as its interval or as the number in its middle; ``"mean"`` publishes numbers of a
    column that no requirement counts as the mean of a group of at least `publish_k` rows with close numbers; for all
    columns of an anonymity requirement, groups of at least k rows share the means of all of them."""
    publish_k: Annotated[int, Field(ge=2, strict=True)] = 5
    """How many rows, or units where the policy names them, share a mean, or what is published for the smallest and the
    largest numbers, at least."""
    top: float | None = None
    """For numbers that no requirement counts: those from here on are published as ``≥ 85``. Between 0 and 1 it is a
    quantile, near which a round number is taken."""
    bottom: float | None = None
    """The same for the smallest numbers: those below are published as ``< 18``."""
    round: Annotated[float, Field(gt=0)] | None = None
    """For numbers that no requirement counts: they are published as the nearest multiple of it."""

    missing: Literal["value", "withhold", "any"] = "value"
    """How groups are counted over missing cells: as a value of their own; withheld, so that they share a group with
    other withheld cells; or read as any value, a weaker promise that only anonymity can make."""

    weight: Annotated[float, Field(ge=0)] = 1.0
    """For local recoding and for blanks that are any value: how much it matters that the column stays fine, beside the
    others."""
    keep: bool = False
    """Whether the column is never coarsened by local recoding, where rows that cannot stay with it are withheld, and
    never blanked for ``blanks = "any"``."""
    levels: tuple[int, int] | None = None
    """For local recoding along a taxonomy: the coarsest and the finest level that may be published; the root is 0."""
    suppress: bool = False
    """For local recoding: whether a value is published or withheld, and never coarsened."""
    sets: bool = True
    """For local recoding of a column without a taxonomy: whether several values are published as ``{clerk, cook}``, or
    withheld."""
    edges: Edges = converted(None)
    """Where intervals of numbers may end; by default at round numbers. With ``recoding = "global"`` that is never a
    number that fewer than k rows hold, and ``"exact"`` ends them at values of the table, the smallest and the largest
    among them, as the papers do."""

    @property
    def changes_numbers(self) -> bool:
        """Whether numbers are published as others, or only up to a bound."""
        return self.publish == "mean" or not self.top is self.bottom is self.round is None

    @property
    def is_reread(self) -> bool:
        """Whether cells are read, and so published, otherwise than they stand in the file."""
        return bool(self.missing_codes) or self.age_at is not None or self.shift is not None

    @property
    def has_tree(self) -> bool:
        """Whether the column is coarsened along a tree that the policy gives: a taxonomy, or the calendar."""
        return self.taxonomy is not None or self.type == "date"

    @field_validator("format")
    @classmethod
    def _readable(cls, form: str | None) -> str | None:
        if form is not None and not is_date_format(form):
            raise ValueError('must name a year, and be a form that dates can be read by, such as "%d.%m.%Y".')
        return form

    @field_validator("range")
    @classmethod
    def _ascending(cls, bounds: tuple[float, float] | None) -> tuple[float, float] | None:
        if bounds is not None and not -math.inf < bounds[0] <= bounds[1] < math.inf:
            raise ValueError("must be [low, high] with low <= high, both finite.")
        return bounds

    def __post_init__(self) -> None:
        if self.format is not None and self.type != "date" and self.age_at is None:
            raise ValueError('`format` needs type = "date", or `age_at`.')
        if self.age_at is not None and self.type != "number":
            raise ValueError('`age_at` needs type = "number": an age is published.')
        if self.shift is not None and self.type != "date":
            raise ValueError('`shift` needs type = "date".')
        if self.taxonomy is not None and self.type == "date":
            raise ValueError('dates have a tree of their own: give it a `taxonomy` or type = "date", not both.')
        if self.range is not None and self.type != "number":
            raise ValueError('`range` needs type = "number".')
        if self.bins is not None and self.type != "number":
            raise ValueError('`bins` needs type = "number".')
        edges = self.edges if isinstance(self.edges, tuple) else ()
        if self.edges is not None and (self.type != "number" or any(a >= b for a, b in pairwise(edges))):
            raise ValueError('`edges` needs type = "number", and must be ascending.')
        if self.levels is not None and not 0 <= self.levels[0] <= self.levels[1]:
            raise ValueError("`levels` must be [coarsest, finest], counted from the root, which is 0.")
        if self.publish == "midpoint" and self.bins is None:
            raise ValueError("`publish` needs `bins`.")
        if self.changes_numbers and (self.type != "number" or self.bins is not None):
            raise ValueError('`top`, `bottom`, `round` and publish = "mean" need type = "number", without `bins`.')
        if self.publish == "mean" and not self.top is self.bottom is self.round is None:
            raise ValueError('publish = "mean" needs no `top`, `bottom` or `round`: a mean shows no single number.')
        if self.taxonomy is not None and self.type == "number":
            raise ValueError(
                'a number column grows its own intervals: give it a `taxonomy` or type = "number", not both.'
            )
