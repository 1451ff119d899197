"""The policy: what must hold of the published table."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

import pydantic
from pydantic import BeforeValidator, Field, WithJsonSchema

from withhold.errors import Mistake, PolicyError
from withhold.policy._column_settings import ColumnSettings, Mask
from withhold.requirements import KINDS, Requirement, checked, mistakes_of
from withhold.table import Table

__all__ = ["Policy", "policy_schema"]

if TYPE_CHECKING:
    AnyRequirement = Requirement
else:
    AnyRequirement = Annotated[
        Union[tuple(kind.requirement for kind in KINDS.values())],  # noqa: UP007 - the kinds are listed elsewhere
        Field(discriminator="kind"),
    ]


def _is_population(value: object) -> object:
    if value is not None and not isinstance(value, str | Table):
        raise ValueError(f"must be the name of a file, or in Python a `Table`; got {value!r}.")
    return value


PopulationField = Annotated[
    str | Table | None,
    BeforeValidator(_is_population),
    WithJsonSchema({"type": "string", "description": "A file with the whole population, relative to the policy file."}),
]


@checked
class PolicyFields:
    """The keys of a policy file."""

    require: Annotated[tuple[AnyRequirement, ...], Field(min_length=1)]
    """The requirements; all of them must hold."""
    target: str | None = None
    """The column that analysts will want to predict; information is kept for it."""
    target_kind: Literal["class", "number"] | None = None
    """What is kept about the target: information about its classes, or the variance of a number. By default that of a
    number where the column holds numbers, more than twenty different ones."""
    drop: tuple[str, ...] = ()
    """Identifiers, such as names; these columns are never published."""
    columns: dict[str, ColumnSettings] = Field(default_factory=dict)
    """How single columns may be coarsened."""
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing value, besides the empty cell."""
    rows: Literal["keep", "shuffle"] = "keep"
    """Whether rows keep their order; `shuffle` breaks the link by position."""
    score: Literal["ratio", "ratio+1", "gain"] | None = None
    """How steps are ranked: gain / loss, gain / (loss + 1), or gain alone; by default as the papers do."""
    splits: Literal["best", "valid"] = "best"
    """Whether an interval whose best split is invalid is given up, or split at its best valid place."""
    recoding: Literal["global", "local", "levels"] = "global"
    """How groups are made: by the papers' search, which publishes a value alike in all rows (`global`); each row as
    finely as its own group allows, which keeps far more (`local`); or one level of its taxonomy for a whole column, the
    best of all combinations (`levels`)."""
    effort: Literal["quick", "normal", "thorough"] = "normal"
    """For local recoding: how long to look for a release that loses less."""
    most_rows_withheld: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The largest share of rows that may be published as ``*`` in all columns that groups are counted over, so that
    others can be finer."""
    unit: str | None = None
    """The column that says which rows belong together: a household, a patient. Then anonymity counts units."""
    weight: str | None = None
    """Where the table is a sample: the column with sampling weights, how many people each row stands for."""
    sample: Annotated[float | None, Field(gt=0, le=1)] = None
    """Where the table is a sample without weights: its share of the population."""
    population: PopulationField = None
    """A file with the whole population, relative to the policy file; in Python also a `Table`."""

    def __post_init__(self) -> None:
        known = [key for key in ("weight", "sample", "population") if getattr(self, key) is not None]
        if len(known) > 1:
            listed = " and ".join(f"`{key}`" for key in known)
            raise ValueError(f"{listed} say the same in different ways: give one of them.")


class Policy:
    """Requirements for a table that will be published, and what is known about its columns.

    Parameters
    ----------
    require
        The requirements; all of them must hold.
    target, target_kind, drop, columns, missing, rows, score, splits, recoding, effort
        As in a policy file, see `docs/policy.md`.
    most_rows_withheld, unit, weight, sample
        As in a policy file, see `docs/policy.md`.
    population
        A file with the whole population, or a table of it.
    folder
        Where relative taxonomy paths start; the policy file's folder.
    source
        The name of the policy file, for messages.

    Examples
    --------
    >>> from withhold import Anonymity
    >>> policy = Policy([Anonymity(columns=["age", "sex"], k=50)], target="income")
    >>> policy.require[0].k, policy.rows
    (50, 'keep')
    """

    def __init__(
        self,
        require: Iterable[Requirement],
        *,
        target: str | None = None,
        target_kind: Literal["class", "number"] | None = None,
        drop: Iterable[str] = (),
        columns: Mapping[str, ColumnSettings] | None = None,
        missing: Iterable[str] = (),
        rows: Literal["keep", "shuffle"] = "keep",
        score: Literal["ratio", "ratio+1", "gain"] | None = None,
        splits: Literal["best", "valid"] = "best",
        recoding: Literal["global", "local", "levels"] = "global",
        effort: Literal["quick", "normal", "thorough"] = "normal",
        most_rows_withheld: float = 0.0,
        unit: str | None = None,
        weight: str | None = None,
        sample: float | None = None,
        population: str | Table | None = None,
        folder: Path | None = None,
        source: str = "",
    ) -> None:
        for name, value in (("require", require), ("drop", drop), ("missing", missing)):
            if isinstance(value, str | Requirement):
                raise PolicyError([Mistake("", f"Policy: `{name}` must be a list; got one alone.")])
            if not isinstance(value, Iterable):
                raise PolicyError([Mistake("", f"Policy: `{name}` must be a list; got {type(value).__name__}.")])
        if columns is not None and not isinstance(columns, Mapping):
            raise PolicyError([Mistake("", f"Policy: `columns` must be a dictionary; got {type(columns).__name__}.")])
        checked_fields = PolicyFields(
            require=tuple(require),
            target=target,
            target_kind=target_kind,
            drop=tuple(drop),
            columns=dict(columns or {}),
            missing=tuple(missing),
            rows=rows,
            score=score,
            splits=splits,
            recoding=recoding,
            effort=effort,
            most_rows_withheld=most_rows_withheld,
            unit=unit,
            weight=weight,
            sample=sample,
            population=population,
        )
        for field in fields(PolicyFields):
            setattr(self, field.name, getattr(checked_fields, field.name))
        self.folder = folder or Path()
        self.source = source
        self.path: Path | None = None

    require: tuple[Requirement, ...]
    target: str | None
    target_kind: Literal["class", "number"] | None
    drop: tuple[str, ...]
    columns: dict[str, ColumnSettings]
    missing: tuple[str, ...]
    rows: Literal["keep", "shuffle"]
    score: Literal["ratio", "ratio+1", "gain"] | None
    splits: Literal["best", "valid"]
    recoding: Literal["global", "local", "levels"]
    effort: Literal["quick", "normal", "thorough"]
    most_rows_withheld: float
    unit: str | None
    weight: str | None
    sample: float | None
    population: str | Table | None

    @classmethod
    def load(cls, path: str | Path) -> "Policy":
        """Read a policy file (TOML); every mistake in it is reported at once."""
        if not isinstance(path, str | Path):
            what = f"must be a `Policy` or the path to a policy file; got {type(path).__name__}."
            raise PolicyError([Mistake("", f"{what} Hint: Policy(…), or Policy.loads for TOML.")], source="policy")
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise PolicyError([Mistake("", "there is no such policy file.")], source=str(path)) from None
        except IsADirectoryError:
            raise PolicyError([Mistake("", "is a folder, not a policy file.")], source=path.name) from None
        except OSError as error:
            raise PolicyError([Mistake("", f"cannot be read ({error.strerror}).")], source=path.name) from None
        except UnicodeDecodeError:
            raise PolicyError([Mistake("", "is not UTF-8.")], source=path.name) from None
        return cls.loads(text, folder=path.parent, source=path.name, path=path)

    @classmethod
    def loads(
        cls, text: str, *, folder: Path | None = None, source: str = "policy", path: Path | None = None
    ) -> "Policy":
        r"""Read a policy from TOML text.

        Examples
        --------
        >>> Policy.loads('[[require]]\nkind = "anonymity"\ncolumns = ["age"]\nk = 5').require
        (Anonymity(columns=('age',), k=5, blanks='value', kind='anonymity'),)
        """
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError([Mistake("", f"is not TOML: {error}.")], source=source) from None
        except (RecursionError, ValueError):
            what = "is nested too deeply, or holds a number that is too long."
            raise PolicyError([Mistake("", what)], source=source) from None
        try:
            loaded = _adapter().validate_python(data)
        except pydantic.ValidationError as error:
            raise PolicyError(mistakes_of(error, _known_keys), source=source) from None
        values = {field.name: getattr(loaded, field.name) for field in fields(PolicyFields)}
        made = cls(**values, folder=folder, source=source)
        made.path = path
        return made

    @property
    def files(self) -> list[Path]:
        """The files it was read from: itself, its taxonomies and lists of cells."""
        named = [s.taxonomy for s in self.columns.values() if isinstance(s.taxonomy, str)]
        named += [name for requirement in self.require for name in requirement.files]
        named += [self.population] if isinstance(self.population, str) else []
        return [*([self.path] if self.path else []), *(self.folder / name for name in named)]

    @property
    def refined(self) -> tuple[str, ...]:
        """The columns that are withheld first and given back by a search, in the order of their first mention."""
        return tuple(dict.fromkeys(name for requirement in self.require for name in requirement.masked))

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns that some requirement counts groups over."""
        return tuple(dict.fromkeys(name for each in self.require if each.refines for name in each.columns))

    @property
    def needed(self) -> frozenset[str]:
        """The columns that it names as a target or in a requirement, so that none of them can be dropped."""
        named = {name for requirement in self.require for _, name in requirement.named()}
        return frozenset(named | ({self.target} if self.target is not None else set()))

    def read(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the published columns that some proof reads; each of their values has one published text."""
        found = {name for requirement in self.require for name in requirement.read(published)}
        return tuple(name for name in published if name in found)

    @property
    def averaged(self) -> tuple[int, ...]:
        """The requirements whose columns all publish means: groups of rows are averaged for them, and not searched."""
        return tuple(
            i
            for i, each in enumerate(self.require)
            if each.averages
            and all(self.columns.get(name, ColumnSettings()).publish == "mean" for name in each.columns)
        )

    @property
    def averaged_columns(self) -> tuple[str, ...]:
        """The columns of these requirements."""
        return tuple(dict.fromkeys(name for i in self.averaged for name in self.require[i].columns))

    def least_shown(self, name: str) -> int:
        """Return how many rows, or units where they are named, must hold a number for an interval to end at it."""
        settings = self.columns.get(name, ColumnSettings())
        return max([settings.publish_k, *(requirement.least_rows(name) for requirement in self.require)])

    @property
    def masks(self) -> dict[str, Mask]:
        """How columns are masked, where the policy says so or gives a taxonomy to follow."""
        found: dict[str, Mask] = {}
        for name, settings in self.columns.items():
            if settings.mask is not None:
                found[name] = settings.mask
            elif settings.has_tree:
                found[name] = "generalize"
        return found

    def __repr__(self) -> str:
        return f"<Policy: {len(self.require)} requirements, target {self.target!r}>"


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of a policy file, for editors that check while you type.

    Examples
    --------
    >>> sorted(policy_schema()["properties"])[:3]
    ['columns', 'drop', 'effort']
    """
    schema = _adapter().json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "withhold policy"}


@cache
def _adapter() -> pydantic.TypeAdapter[PolicyFields]:
    return pydantic.TypeAdapter(PolicyFields)


def _known_keys(where: tuple[Any, ...]) -> list[str]:
    owner: Any = PolicyFields
    if where[:1] == ("require",):
        owner = next((kind.requirement for name, kind in KINDS.items() if name in where), PolicyFields)
        for field in fields(owner):
            if field.name in where:  # a table inside a requirement has keys of its own
                owner = next((each for each in _classes(field.type) if is_dataclass(each)), owner)
    elif where[:1] == ("columns",):
        owner = ColumnSettings
    return [field.name for field in fields(owner)]


def _classes(hint: Any) -> Iterable[Any]:
    """Yield the classes that a type hint is made of."""
    yield hint
    for part in get_args(hint):
        yield from _classes(part)
