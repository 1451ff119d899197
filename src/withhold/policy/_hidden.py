"""The requirement about hidden cells."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from withhold.policy._checked import checked
from withhold.policy._names import Names

__all__ = ["Against", "Hidden"]

METHODS = {"naive-bayes": ("auto", "decp", "incp", "dropp"), "id3": ("auto", "hid3")}


@checked
class Against:
    """An adversary that must not recover hidden cells, and how to keep it from that.

    Examples
    --------
    >>> Against(adversary="naive-bayes", degree=3).method
    'auto'
    """

    adversary: Literal["naive-bayes", "id3", "rules"]
    """What an outsider may use on the published table: naive Bayes, an ID3 tree, or association rules."""
    method: Literal["auto", "decp", "incp", "dropp", "hid3"] = "auto"
    """For classifiers: the printed algorithm, or `auto`, which changes as little as it can and keeps rows."""
    modify: Literal["delete", "generalize"] = "delete"
    """For classifiers: whether cells are blanked, or climb along their taxonomies."""
    degree: Annotated[int | None, Field(ge=2)] = None
    """For naive Bayes: a guess is drawn from so many of the most probable values; more of them tell less."""
    delete_above: Annotated[int | None, Field(ge=0)] = None
    """With `auto`: delete a row rather than change more than so many cells of other rows for it; never without this."""
    confidence: Annotated[float, Field(gt=0, le=1)] = 0.8
    """For rules: the smallest confidence, among published and among hidden cells, of a rule that counts."""
    support: Annotated[float, Field(gt=0)] = 0.01
    """For rules: the fewest published rows such a rule stands on: a share below 1, or a number of rows."""
    blanking: Annotated[float, Field(gt=0)] = 1
    """For rules: how many entries are blanked at a time, or which share of those that help a rule."""
    rounds: Annotated[int | None, Field(ge=1)] = None
    """For rules: how often to mine; by default until no rule is left. Fewer may fail the check of the release."""

    def __post_init__(self) -> None:
        if self.adversary == "rules":
            if (self.method, self.modify, self.degree, self.delete_above) != ("auto", "delete", None, None):
                raise ValueError("`method`, `modify`, `degree` and `delete_above` are for classifiers, not for rules.")
            for name, number in (("support", self.support), ("blanking", self.blanking)):
                if number >= 1 and number != int(number):
                    raise ValueError(f"`{name}` must be a share below 1, or a whole number.")
        elif self.method not in METHODS[self.adversary]:
            known = ", ".join(METHODS[self.adversary])
            raise ValueError(f"`method` against {self.adversary} must be one of {known}; got '{self.method}'.")
        if self.adversary == "id3" and self.degree is not None:
            raise ValueError("`degree` is for naive Bayes.")


def whole(number: float) -> float:
    """Return a number as an integer where it counts something: from 1 on."""
    return int(number) if number >= 1 else number


def _check_informed(against: tuple[Against, ...]) -> None:
    """Refuse what looks at the value of a hidden cell."""
    if any(each.adversary == "rules" for each in against):
        raise ValueError(
            "`informed` is for naive Bayes and ID3: which rules are adversarial hangs on the hidden values."
        )
    plain = ("auto", "delete", None, None)
    if any((each.method, each.modify, each.degree, each.delete_above) != plain for each in against):
        what = "`method`, `modify`, `degree` and `delete_above` look at the hidden values"
        raise ValueError(f"{what}; leave them out with `informed`.")


def _as_against(value: Any) -> Any:
    """Let a name stand for an adversary with its defaults."""
    if isinstance(value, list | tuple):
        return [{"adversary": each} if isinstance(each, str) else each for each in value]
    return value


@checked
class Hidden:
    """The cells are blank, and no adversary named, trained on what is published, recovers what stood there.

    It answers the outsider who asks *what stood in the blanked cell?*

    Examples
    --------
    >>> Hidden(column="diagnosis", where="consent = 'no'").adversaries
    ('naive-bayes', 'id3')
    """

    cells: str | tuple[tuple[int, str], ...] | None = None
    """A CSV file with the columns row (from 0) and column, relative to the policy file; in Python also pairs."""
    column: str | None = None
    """One column, in which cells are hidden …"""
    where: str | None = None
    """… in the rows that meet this SQL condition; in all of them without one."""
    predictors: Names | None = None
    """The columns an outsider predicts from; every published column where this is not given."""
    against: Annotated[tuple[Against, ...], Field(min_length=1), BeforeValidator(_as_against)] = (
        Against(adversary="naive-bayes"),
        Against(adversary="id3"),
    )
    """The adversaries."""
    informed: bool = False
    """Whether outsiders may know this policy and which cells it hides; then nothing hangs on what stood in them."""
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
        if len({each.modify for each in self.against if each.adversary != "rules"}) > 1:
            raise ValueError("`modify` must be the same for all adversaries.")
        if self.modify == "generalize" and "rules" in self.adversaries:
            raise ValueError('rules need modify = "delete".')
        if self.informed:
            _check_informed(self.against)

    @property
    def adversaries(self) -> tuple[str, ...]:
        """The names of the adversaries."""
        return tuple(each.adversary for each in self.against)

    @property
    def modify(self) -> str:
        """Whether cells are blanked or climb."""
        return next((each.modify for each in self.against if each.adversary != "rules"), "delete")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names itself."""
        named = [] if self.column is None else [self.column]
        return tuple(dict.fromkeys([*named, *(self.predictors or ())]))

    @property
    def masked(self) -> tuple[str, ...]:
        """The columns that it masks as a whole: none."""
        return ()
