"""The requirement about hidden cells."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from withhold.requirements._base import Requirement
from withhold.requirements._checked import checked
from withhold.requirements._converted import Converted, converted
from withhold.requirements._names import NamesOrNone

if TYPE_CHECKING:
    from withhold.policy import Policy

__all__ = ["Against", "Hidden", "whole"]

if TYPE_CHECKING:
    Learners = Converted[Sequence[Any], tuple[Any, ...]]
    Cells = Converted[str | Sequence[tuple[int, str]] | None, str | tuple[tuple[int, str], ...] | None]
else:
    Learners = tuple[Any, ...]
    Cells = str | tuple[tuple[int, str], ...] | None
METHODS = {"naive-bayes": ("auto", "decp", "incp", "dropp"), "id3": ("auto", "hid3")}


@checked
class Against:
    """An adversary that must not recover hidden cells, and how to keep it from that.

    Examples
    --------
    >>> Against(adversary="naive-bayes", degree=3).method
    'auto'
    """

    adversary: Literal["naive-bayes", "id3", "rules", "any"]
    """What an outsider may use on the published table: naive Bayes, an ID3 tree, association rules, or any learner."""
    method: Literal["auto", "decp", "incp", "dropp", "hid3"] = "auto"
    """For classifiers: the printed algorithm, or `auto`, which changes as little as it can and keeps rows."""
    modify: Literal["delete", "generalize"] = "delete"
    """For classifiers: whether cells are blanked, or climb along their taxonomies."""
    degree: Annotated[int | None, Field(ge=2)] = None
    """For naive Bayes: a guess is drawn from this many of the most probable values; more of them reveal less."""
    delete_above: Annotated[int | None, Field(ge=0)] = None
    """With `auto`: delete a row rather than change more than this many cells of other rows; never without this."""
    confidence: Annotated[float, Field(gt=0, le=1)] = 0.8
    """For rules: the smallest confidence, among published and among hidden cells, of a rule that counts."""
    support: Annotated[float, Field(gt=0)] = 0.01
    """For rules: the fewest published rows such a rule stands on: a share below 1, or a number of rows."""
    blanking: Annotated[float, Field(gt=0)] = 1
    """For rules: how many entries are blanked at a time, or which share of those that help a rule."""
    rounds: Annotated[int | None, Field(ge=1)] = None
    """For rules: how often to mine; by default until no rule is left. Fewer may fail the check of the release."""
    family: bool = False
    """For classifiers: whether cells are hidden from its relatives, too: other smoothing, priors, pruning."""
    learners: Learners = converted(())
    """For any learner: the classifiers of scikit-learn to train, by name, in Python also as objects; else three."""
    certainty: Annotated[float, Field(ge=0.5, lt=1)] = 0.95
    """For any learner: how sure it must be, over all of them, that one of them is better than a guess."""

    def __post_init__(self) -> None:
        if self.adversary == "any":
            self._check_any()
            return
        if self.learners:
            raise ValueError('`learners` goes with adversary = "any".')
        if self.adversary == "rules":
            if (self.method, self.modify, self.degree, self.delete_above) != ("auto", "delete", None, None):
                raise ValueError("`method`, `modify`, `degree` and `delete_above` are for classifiers, not for rules.")
            if self.family:
                raise ValueError("`family` is for classifiers: rules of any higher confidence count already.")
            for name, number in (("support", self.support), ("blanking", self.blanking)):
                if number >= 1 and number != int(number):
                    raise ValueError(f"`{name}` must be a share below 1, or a whole number.")
        elif self.method not in METHODS[self.adversary]:
            known = ", ".join(METHODS[self.adversary])
            raise ValueError(f"`method` against {self.adversary} must be one of {known}; got '{self.method}'.")
        if self.family and (self.method, self.modify) != ("auto", "delete"):
            raise ValueError(
                '`family` needs method = "auto" and modify = "delete": printed algorithms stay as printed.'
            )
        if self.adversary == "id3" and self.degree is not None:
            raise ValueError("`degree` is for naive Bayes.")

    def _check_any(self) -> None:
        if self.family:
            raise ValueError("`family` is for naive Bayes and ID3.")
        if (self.method, self.modify, self.degree, self.delete_above) != ("auto", "delete", None, None):
            raise ValueError("`method`, `modify`, `degree` and `delete_above` are for naive Bayes and ID3.")
        if not all(
            isinstance(each, str) or (hasattr(each, "fit") and hasattr(each, "predict")) for each in self.learners
        ):
            raise ValueError("`learners` must be names of classifiers of scikit-learn, or in Python such classifiers.")


def whole(number: float) -> float:
    """Return a number as an integer where it counts something: from 1 on."""
    return int(number) if number >= 1 else number


def _check_informed(against: tuple[Against, ...]) -> None:
    """Refuse what looks at the value of a hidden cell."""
    if any(each.rounds is not None for each in against):
        raise ValueError("`rounds` stops before the promise holds; leave it out with `informed`.")
    if any(each.family for each in against):
        raise ValueError("`family` looks at the hidden values; leave it out with `informed`.")
    plain = ("auto", "delete", None, None)
    if any((each.method, each.modify, each.degree, each.delete_above) != plain for each in against):
        what = "`method`, `modify`, `degree` and `delete_above` look at the hidden values"
        raise ValueError(f"{what}; leave them out with `informed`.")


def _as_against(value: Any) -> Any:
    """Let a name stand for an adversary with its defaults."""
    if isinstance(value, list | tuple):
        return [{"adversary": each} if isinstance(each, str) else each for each in value]
    return value


if TYPE_CHECKING:
    Adversaries = Converted[Sequence[str | Against | Mapping[str, Any]], tuple[Against, ...]]
else:
    Adversaries = Annotated[tuple[Against, ...], Field(min_length=1), BeforeValidator(_as_against)]


@checked
class Hidden(Requirement):
    """The cells are blank, and no adversary named, trained on what is published, recovers what stood there.

    It answers the outsider who asks *what stood in the blanked cell?*

    Examples
    --------
    >>> Hidden(column="diagnosis", where="consent = 'no'").adversaries
    ('naive-bayes', 'id3')
    """

    needs_rows = True

    cells: Cells = converted(None)
    """A CSV file with the columns row (from 0) and column, relative to the policy file; in Python also pairs."""
    column: str | None = None
    """One column, in which cells are hidden …"""
    where: str | None = None
    """… in the rows that meet this condition; in all of them without one."""
    predictors: NamesOrNone = converted(None)
    """The columns an outsider predicts from; every published column where this is not given."""
    against: Adversaries = converted((Against(adversary="naive-bayes"), Against(adversary="id3")))
    """The adversaries."""
    informed: bool = False
    """Whether outsiders may know this policy and which cells it hides; then nothing depends on what stood in them."""
    most_withheld: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The largest share of a column's other cells that may be withheld for the hidden ones; more is an error."""
    kind: Literal["hidden"] = "hidden"
    """The kind of requirement, as a policy file names it."""

    def __post_init__(self) -> None:
        if (self.cells is None) == (self.column is None):
            raise ValueError("needs either `cells`, a file, or a `column`.")
        if self.where is not None and self.column is None:
            raise ValueError("`where` needs a `column`.")
        if self.column is not None and self.predictors is not None and self.column in self.predictors:
            raise ValueError(f'`predictors` holds the hidden column "{self.column}" itself.')
        if len(set(self.adversaries)) < len(self.against):
            raise ValueError("`against` names an adversary twice.")
        if len({each.modify for each in self.against if each.adversary not in ("rules", "any")}) > 1:
            raise ValueError("`modify` must be the same for all adversaries.")
        if self.modify == "generalize" and {"rules", "any"} & {*self.adversaries}:
            raise ValueError('rules and any learner need modify = "delete".')
        if self.informed:
            _check_informed(self.against)

    @property
    def adversaries(self) -> tuple[str, ...]:
        """The names of the adversaries."""
        return tuple(each.adversary for each in self.against)

    @property
    def modify(self) -> str:
        """Whether cells are blanked or climb."""
        return next((each.modify for each in self.against if each.adversary not in ("rules", "any")), "delete")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names itself."""
        named = [] if self.column is None else [self.column]
        return tuple(dict.fromkeys([*named, *(self.predictors or ())]))

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the columns of its cells, as far as the policy lists them, and its predictors."""
        if self.column is not None:
            yield "column", self.column
        yield from (("predictors", name) for name in self.predictors or ())
        if isinstance(self.cells, tuple):
            yield from (("cells", name) for name in dict.fromkeys(column for _, column in self.cells))

    def touched(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return every column that an adversary predicts from or that holds hidden cells."""
        return tuple(published) if self.predictors is None else tuple(dict.fromkeys([*self.columns, *self._listed]))

    def read(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return the same columns: an adversary reads them all."""
        return tuple(name for name in self.touched(published) if name in published)

    def linked_by(self, published: Sequence[str], policy: "Policy", number: int) -> tuple[str, ...]:
        """Return what an adversary predicts from, without the hidden columns."""
        hidden = self.sensitive_columns(policy, number)
        return tuple(name for name in self.predictors or published if name in published and name not in hidden)

    def sensitive_columns(self, policy: "Policy", number: int) -> tuple[str, ...]:
        """Return the columns of the hidden cells, from the policy and its list."""
        from withhold.requirements.hidden._list import listed_columns

        return listed_columns(policy, number)

    def guarded(self, published: Sequence[str]) -> tuple[str, ...]:
        """Return no column: hidden cells keep nobody from being recognised."""
        return ()

    @property
    def files(self) -> tuple[str, ...]:
        """The list of cells, where it is a file."""
        return (self.cells,) if isinstance(self.cells, str) else ()

    @property
    def as_informed(self) -> str:
        """How to protect the cells from outsiders who know the policy, in words: what that excludes is named."""
        keys = ("method", "modify", "degree", "delete_above", "family", "rounds")
        plain = Against(adversary="naive-bayes")
        given = [key for key in keys if any(getattr(each, key) != getattr(plain, key) for each in self.against)]
        without = f", without {', '.join(f'`{key}`' for key in given)}," if given else ""
        return f"`informed = true`{without}"

    @property
    def is_informed(self) -> bool:
        """Whether outsiders may know the policy and which cells it hides."""
        return self.informed

    @property
    def _listed(self) -> tuple[str, ...]:
        return () if not isinstance(self.cells, tuple) else tuple(dict.fromkeys(name for _, name in self.cells))
