"""What anybody would find in a file though every promise holds: values that blanks stand for, and whom they mark."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, lgamma
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from withhold.attackers import wilson_interval
from withhold.auditing._expected_share import expected_share
from withhold.auditing._sight import Sight
from withhold.auditing._undone import Undone

__all__ = ["Disclosure", "find_disclosures", "in_order"]

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]
LEAST_CHANCE = 0.01
"""What luck explains in fewer cases than this is no luck."""
MARKS, NEARLY_MARKS = 0.8, 0.3
"""How much of the doubt whether a person holds a value a withheld cell must end: for red, and for amber."""
INFORM = "Hint: informed = true, where the requirement has it, withholds from everybody alike."
FEWER = "Hint: fewer columns that outsiders may know, or a larger risk, withhold fewer cells."
MOST_VALUES = 50
"""Of a sensitive column whose values no requirement names, this many are looked at, the most frequent first."""
NEARLY_ALL = 0.99
FEWEST_ROWS = 20
"""In fewer rows than this, values of their own are no sign of an identifier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """Something that gives people or withheld values away, whatever was promised."""

    kind: Literal["constant", "marks", "undone", "identifier", "candidates", "earlier"]
    """All withheld cells hold one value; being withheld marks a value; a column determines another one; a column has a
    value of its own in every row; a withheld cell leaves a person one row; an earlier release gives more away."""
    level: Literal["red", "amber"]
    """Whether the file must not be published, or somebody must decide."""
    columns: tuple[str, ...]
    """The columns that it is about."""
    n_people: int
    """How many rows it is about."""
    says: str
    """One sentence for a person; it names no value."""


def find_disclosures(sight: Sight, undone: Sequence[Undone] = ()) -> tuple[Disclosure, ...]:
    """Find what gives withheld values away, the most serious first.

    What stands in withheld cells only the original shows, and only where it is known which row is which.
    """
    found = [*_identifiers(sight), *map(_of_undone, undone)]
    if sight.rows is not None and sight.source.n_rows:
        look = _Look(sight)
        constant = list(look.constant())
        found += [*constant, *look.marks({each.columns[0] for each in constant})]
    return in_order(found)


def in_order(found: Sequence[Disclosure]) -> tuple[Disclosure, ...]:
    """Return the most serious first; of equally serious ones, what is about the most people."""
    return tuple(sorted(found, key=lambda each: (each.level != "red", -each.n_people)))


def _of_undone(undone: Undone) -> Disclosure:
    return Disclosure(
        kind="undone",
        level="red" if undone.is_exact else "amber",
        columns=(undone.column, undone.by),
        n_people=undone.n_cells,
        says=undone.says,
    )


def _identifiers(sight: Sight) -> Iterator[Disclosure]:
    """Yield columns that have nearly as many values as there are rows: a key to every other file that holds it."""
    n_rows = sight.source.n_rows
    if n_rows < FEWEST_ROWS or not sight.has_rows:
        return
    for name in (each for each in sight.source.names if each not in sight.policy.drop):
        n_values = len(sight.source.values(name))
        if n_values >= NEARLY_ALL * n_rows:
            every = "every row" if n_values >= n_rows else f"{n_values:,} of {n_rows:,} rows"
            says = f"{name} has a value of its own in {every}: whoever holds another file with it finds each person."
            may_drop = name not in sight.policy.needed
            hint = f"Hint: {f'drop {name}, or ' if may_drop else ''}name it in a requirement."
            yield Disclosure(kind="identifier", level="amber", columns=(name,), n_people=n_rows, says=f"{says} {hint}")


class _Look:
    """The withheld cells of a file, and what stood there."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._gone: dict[str, _Flags] = {}
        for name in sight.names:
            is_gone = self._is_gone(name)
            if is_gone.any() and not is_gone.all():
                self._gone[name] = is_gone

    def _is_gone(self, name: str) -> _Flags:
        """Return in which rows a cell is withheld though it held something."""
        meaning = self._sight.meaning(name)
        if not meaning.is_blank.any():
            return np.zeros(self._sight.source.n_rows, dtype=np.bool_)
        return np.asarray(meaning.is_blank[self._sight.cells(name)] & ~meaning.was_missing[self._sight.was(name)])

    def _labels(self, name: str) -> tuple[_Ints, tuple[str, ...]]:
        """Return for each row what its value is published as at best, -1 for nothing, and the labels."""
        meaning = self._sight.meaning(name)
        places = np.flatnonzero(~meaning.was_missing)
        texts = np.array([labels[0] for labels in meaning.truths(places)], dtype=object)
        labels, codes = np.unique(texts.astype(str), return_inverse=True)
        lookup = np.full(len(meaning.values), -1, dtype=np.int64)
        lookup[places] = codes.reshape(-1)
        return lookup[self._sight.was(name)], tuple(labels.tolist())

    def constant(self) -> Iterator[Disclosure]:
        """Yield columns whose withheld cells all hold one value, though others are published."""
        secret = {*self._sensitive(), *(name for columns in self._sight.hidden.values() for name in columns)}
        needed = self._sight.policy.needed
        for name, is_gone in self._gone.items():
            codes, _ = self._labels(name)
            held, n_gone = codes[is_gone], int(is_gone.sum())
            if n_gone < 2 or held.min() != held.max():
                continue
            n_holding, n_known = int(np.count_nonzero(codes == held[0])), int(np.count_nonzero(codes >= 0))
            is_luck = chance_of_all(n_gone, n_holding, n_known) >= LEAST_CHANCE
            or_drop = "" if name in needed else f", or drop {name}"
            says = f"{name} is withheld in {n_gone:,} cells, and all of them hold one value: a withheld cell means it."
            yield Disclosure(
                kind="constant",
                level="amber" if is_luck or name not in secret else "red",
                columns=(name,),
                n_people=n_gone,
                says=f"{says} Hint: withhold cells with other values too{or_drop}.",
            )

    def marks(self, without: set[str]) -> Iterator[Disclosure]:
        """Yield sensitive columns of which a withheld cell, there or elsewhere, gives a value away."""
        everywhere = np.zeros(self._sight.source.n_rows, dtype=np.bool_)
        for is_gone in self._gone.values():
            everywhere |= is_gone
        sets: dict[tuple[str, ...], _Flags] = {(name,): is_gone for name, is_gone in self._gone.items()}
        if len(sets) > 1 and not everywhere.all():
            sets[tuple(self._gone)] = everywhere
        for sensitive, values in self._sensitive().items():
            own = {names: rows for names, rows in sets.items() if names != (sensitive,) or sensitive not in without}
            found = [
                each for names, rows in own.items() for each in self._marked(sensitive, values, names, rows, len(own))
            ]
            if found:
                yield in_order(found)[0]

    def _sensitive(self) -> dict[str, frozenset[str]]:
        """Return the sensitive columns, each with the values that a policy names; none stands for all."""
        policy, found = self._sight.policy, dict[str, frozenset[str]]()
        for i, requirement in enumerate(policy.require):
            named = list(requirement.sensitive_values())
            for name in requirement.sensitive_columns(policy, i):
                if name in self._sight.names:
                    values = {self._sight.meaning(name).key(value) for _, column, value in named if column == name}
                    found[name] = found.get(name, frozenset()) | values
        return found

    def _marked(
        self, sensitive: str, values: frozenset[str], names: tuple[str, ...], is_gone: _Flags, n_sets: int
    ) -> Iterator[Disclosure]:
        codes, labels = self._labels(sensitive)
        known = codes >= 0
        among, gone = np.bincount(codes[known], minlength=1), np.bincount(codes[known & is_gone], minlength=1)
        chosen = [code for code, label in enumerate(labels) if label in values]
        looked_at = chosen or np.argsort(-among, kind="stable")[:MOST_VALUES].tolist()
        n_known, n_gone = int(known.sum()), int((known & is_gone).sum())
        for code in looked_at:
            n_all, n_held = int(among[code]), int(gone[code]) if code < gone.size else 0
            if n_gone == 0 or n_all == n_known or n_held * n_known <= n_all * n_gone:
                continue
            share, low = n_all / n_known, wilson_interval(n_held, n_gone)[0]
            ended = (low - share) / (1 - share)
            tail = hypergeometric_tail(n_held, n_gone, n_all, n_known)
            if ended >= NEARLY_MARKS and tail * n_sets * len(looked_at) < LEAST_CHANCE:
                where = ", ".join(names)
                says = (
                    f"{n_held:,} of the {n_gone:,} people with a withheld cell of {where} hold one value of {sensitive}"
                )
                says += f", and {share:.1%} of all: "
                says += self._explained(sensitive, codes == code, known & is_gone) or (
                    f"being withheld {'gives it away' if ended >= MARKS else 'points to it'}. {INFORM}"
                )
                yield Disclosure(
                    kind="marks",
                    level="red" if ended >= MARKS else "amber",
                    columns=(sensitive, *(name for name in names if name != sensitive)),
                    n_people=n_held,
                    says=says,
                )

    def _explained(self, sensitive: str, is_held: _Flags, is_gone: _Flags) -> str:
        """Return that an informed requirement withheld by what people are known by, where that explains the share."""
        policy = self._sight.policy
        informed = [
            requirement
            for i, requirement in enumerate(policy.require)
            if requirement.is_informed and sensitive in requirement.sensitive_columns(policy, i)
        ]
        names = dict.fromkeys(name for each in informed for name in each.columns if name in self._sight.names)
        names.pop(sensitive, None)
        if not names:
            return ""
        share = expected_share([self._sight.was(name) for name in names], is_held, is_gone)
        if not share.is_explained:
            return ""
        return (
            f"of people with such values of {', '.join(names)} {share.expected:.1%} do ({share.low:.1%} to "
            f"{share.high:.1%}), so that being withheld points to rare values, and these to it. {FEWER}"
        )


def chance_of_all(n_drawn: int, n_holding: int, n_all: int) -> float:
    """Return the chance that all of some cells, drawn blindly from a column, hold a value.

    Examples
    --------
    >>> round(chance_of_all(2, 3, 4), 3)
    0.5
    """
    return hypergeometric_tail(n_drawn, n_drawn, n_holding, n_all)


def hypergeometric_tail(n_held: int, n_drawn: int, n_holding: int, n_all: int) -> float:
    """Return the chance that at least `n_held` of some rows, drawn blindly, hold what `n_holding` of all rows hold.

    Examples
    --------
    >>> hypergeometric_tail(1, 2, 1, 4)
    0.5
    """
    most = min(n_drawn, n_holding)
    k = np.arange(max(n_held, 0, n_drawn + n_holding - n_all), most + 1)
    if not k.size:
        return 0.0
    first = _log_choose(n_holding, int(k[0])) + _log_choose(n_all - n_holding, n_drawn - int(k[0]))
    first -= _log_choose(n_all, n_drawn)
    up = np.log(n_holding - k[:-1]) + np.log(n_drawn - k[:-1])
    steps = up - np.log(k[:-1] + 1) - np.log(n_all - n_holding - n_drawn + k[:-1] + 1)
    terms = np.concatenate([[0.0], np.cumsum(steps)])
    largest = float(terms.max())
    return min(1.0, float(f"{exp(first + largest) * float(np.exp(terms - largest).sum()):.10g}"))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
